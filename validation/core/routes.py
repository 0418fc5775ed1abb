"""Which sources an outline prefers, and who knows them: data in `validation/data/source_routes.yaml`. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

from sources.core.similarity import fold
from validation.core.datafiles import read_data
from validation.core.publishers import Publisher, publishers

MOST_DOMAINS = 20  # as many as every provider takes in one call
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,23}")
_BETWEEN = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of sources. `finds_works`: registries of works know them; else the web searches, within `domains`."""

    name: str
    label: str
    names: frozenset[str]
    finds_works: bool
    domains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preferred:
    """What a section would rather cite. `publishers` are those whose domain is not known, as they were written."""

    domains: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()


class BadDomain(ValueError):
    """A word that was given as a domain is none; the message repeats it and says what is."""


@cache
def kinds() -> tuple[Kind, ...]:
    """The kinds in the order of the data file, read once a process. Raises KeyError on a broken file."""
    return tuple(
        Kind(
            name=str(one["name"]),
            label=str(one["label"]),
            names=frozenset(_plain(str(name)) for name in (one["name"], *one["also"])),
            finds_works=one["asks"] == "works",
            domains=tuple(str(domain) for domain in one["domains"]),
        )
        for one in read_data("source_routes.yaml")["kinds"]
    )


@cache
def _openers() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(read_data('source_routes.yaml')['openers'])})\s+", re.IGNORECASE)


def kind_named(text: str) -> Kind | None:
    """The kind of this name, None where there is none: `team`, `Analyst reports`, `market-size`."""
    name = _plain(text)
    return next((kind for kind in kinds() if name in kind.names), None)


def preferred(texts: Iterable[str], *, own_publishers: Iterable[Publisher] = ()) -> Preferred:
    """The preferences of an outline told apart: each text is a domain or an address, a kind, or a publisher.

    A publisher that is known, built-in or of the workspace (`own_publishers`), gives its domains.
    """
    known = {fold(one.name): one for one in (*publishers(), *own_publishers)}
    domains: list[str] = []
    named: list[str] = []
    found: list[Kind] = []
    for text in texts:
        words = " ".join(text.split())
        if not words:
            continue
        if domain := _domain_in(words):
            domains.append(domain)
        elif kind := kind_named(words):
            found.append(kind)
        elif publisher := known.get(fold(words)):
            domains.extend(publisher.domains)
        else:
            named.append(words)
    return Preferred(tuple(dict.fromkeys(domains)), tuple(dict.fromkeys(named)), tuple(dict.fromkeys(found)))


def domains_in(text: str) -> tuple[str, ...]:
    """The domains that a person entered, between spaces, commas or line ends, each once.

    Of an address its host is taken. Raises BadDomain, and for more than 20: no provider takes them in one call.
    """
    found = []
    for word in filter(None, _BETWEEN.split(text)):
        domain = _domain_in(word)
        if not domain:
            raise BadDomain(f"“{word[:60]}” is no domain. Write one such as oecd.org.")
        found.append(domain)
    unique = tuple(dict.fromkeys(found))
    if len(unique) > MOST_DOMAINS:
        raise BadDomain(f"These are {len(unique)} domains; a search takes {MOST_DOMAINS}. Split them over two queries.")
    return unique


def asked_in(question: str) -> str:
    """A question as a search does best with it: without the words that only ask, and without its mark."""
    words = " ".join(question.split()).rstrip("?！？ .")
    told = _openers().sub("", words, count=1) if _openers().match(words) else words
    return told or words


def _domain_in(word: str) -> str:
    """The host of an address or a bare domain, '' for anything else."""
    text = word.strip().strip("<>\"'`").lower()
    if " " in text:
        return ""
    try:
        host = urlsplit(text if "//" in text else f"//{text}").hostname or ""
    except ValueError:
        return ""
    host = host.removeprefix("www.").rstrip(".")
    return host if _DOMAIN.fullmatch(host) and "@" not in text else ""


def _plain(text: str) -> str:
    return " ".join(fold(text).replace("-", " ").replace("_", " ").split())
