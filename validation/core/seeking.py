"""What is asked about a lost work, and about which addresses nobody outside is asked at all. Pure."""

import re
from dataclasses import dataclass

from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.similarity import content_words, fold
from validation.core.archives import HOSTS as ARCHIVE_HOSTS
from validation.core.classify import Claimed
from validation.core.publishers import publishers

# Names that only mean something inside a network (RFC 6761, 6762, 8375; `.internal` by ICANN's resolution of 2024).
_INSIDE = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test", ".invalid", ".onion")
_DOMAIN = re.compile(r"(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_SEVERAL = re.compile(r"\s*(?:;|\||\band\b|\bund\b|&)\s*", re.IGNORECASE)

# Registries know these by their identifier.
WITH_DOI = frozenset({IdentifierType.DOI})
_OF_SCHOLARS = WITH_DOI | {IdentifierType.ARXIV, IdentifierType.PMID}
_CAMPUS = re.compile(r"\.edu(?:\.[a-z]{2})?$|\.ac\.[a-z]{2}$|(?:^|[.-])(?:uni|univ|university|journals?|academic)[.-]")
_JOURNAL = re.compile(r"\b(?:journal|proceedings|transactions|letters|annals|university|press|academy|conference)\b")
_LONG_TITLE = 5  # content words; with an author it is worth a question to a registry

# Copies are no republications: what they show was there once.
_ARCHIVES = (
    *sorted(ARCHIVE_HOSTS),
    "archive.today",
    "archive.ph",
    "archive.is",
    "archive.li",
    "archive.vn",
    "webcache.googleusercontent.com",
    "webcitation.org",
    "perma.cc",
)


@dataclass(frozen=True, slots=True)
class Query:
    """A question for a web search, and the way in which what it finds was matched."""

    text: str
    matched_via: str


def holds_enough(identity: Identity, claimed: Claimed) -> bool:
    """True where a search can be trusted to find this work: a title, and a publisher, an author or a date.

    The host of a URL is its publisher.
    """
    known = claimed.publisher or claimed.author or claimed.published_date or _publisher_domain(identity, claimed)
    return bool(claimed.title.strip() and known)


def queries_for(identity: Identity, claimed: Claimed) -> tuple[Query, ...]:
    """The questions in the order in which they are asked: on the publisher's domain, then by the first author.

    Where neither is known, by the publisher's name, else by the year. None where too little is held.
    """
    if not holds_enough(identity, claimed):
        return ()
    title = _quoted(claimed.title)
    found = []
    if domain := _publisher_domain(identity, claimed):
        found.append(Query(f"{title} site:{domain}", "title on the publisher's site"))
    if author := first_author(claimed.author):
        found.append(Query(f"{title} {_quoted(author)}", "title and author"))
    if not found and claimed.publisher:
        found.append(Query(f"{title} {_quoted(claimed.publisher)}", "title and publisher"))
    if not found and (year := year_in(claimed.published_date)):
        found.append(Query(f"{title} {year}", "title and year"))
    return tuple(found)


def witness_query(title: str) -> str:
    """The question whether a search knows a page of this title."""
    return _quoted(title)


def first_author(authors: str) -> str:
    """The first of several authors, '' where none is named. "Quay, Ada" stays whole."""
    return _SEVERAL.split(authors.strip(), maxsplit=1)[0].strip()


def year_in(date: str) -> str:
    """The year in a date of any form, '' where there is none."""
    found = _YEAR.search(date)
    return found[1] if found else ""


def is_scholarly(identity: Identity, claimed: Claimed) -> bool:
    """True where a registry of scholarly works may know the work: by identifier, by place, by citation.

    It only decides whom to ask; what is found is judged as any other candidate.
    """
    if not claimed.title.strip():
        return False
    if identity.type in _OF_SCHOLARS or identity.request_url.lower().partition("?")[0].endswith(".pdf"):
        return True
    if _CAMPUS.search(identity.host) or _JOURNAL.search(fold(claimed.publisher)):
        return True
    return bool(claimed.author) and content_words(claimed.title) >= _LONG_TITLE


def is_askable(address: str) -> bool:
    """True where others may be asked about this URL or bare identifier: what lies inside a network stays inside."""
    if "://" not in address:
        return True
    host = _host(address)
    if "[" in host or "." not in host or host.rpartition(".")[2].isdigit():
        return False
    return not host.endswith(_INSIDE)


def is_archive(url: str) -> bool:
    """True where `url` is an archive's copy of another page."""
    host, rest = _host(url), url.partition("://")[2]
    if "/http://" in rest or "/https://" in rest:
        return True
    return any(host == name or host.endswith(f".{name}") for name in _ARCHIVES)


def _host(url: str) -> str:
    authority = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0].rpartition("@")[2].lower()
    return authority if authority.startswith("[") else authority.partition(":")[0].rstrip(".")


def _publisher_domain(identity: Identity, claimed: Claimed) -> str:
    """A URL's own host; for other works the domain that the claimed publisher is known by, '' where it is not."""
    if identity.type is IdentifierType.URL:
        return identity.host
    named = claimed.publisher.strip().lower()
    if _DOMAIN.fullmatch(named):
        return named.removeprefix("www.")
    folded = fold(named)
    return next((one.domains[0] for one in publishers() if folded and fold(one.name) == folded and not one.sample), "")


def _quoted(text: str) -> str:
    return f'"{" ".join(text.replace(chr(34), " ").split())}"'
