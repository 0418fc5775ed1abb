"""What reading a text yields: identities of sources, references to them, and the lines that could not be read."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from sources.core.catalog import CitationStatus
from sources.core.kinds import IdentifierType
from sources.core.resolvers import resolver_address

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Identity:
    """Which work is meant. `value` is normalised (for `url` the canonical URL), `request_url` is what to fetch.

    `request_url` is the user's own address made legal where one was given, the public resolver's for a bare DOI, arXiv
    id, PMID or handle, and '' where nothing can be fetched (ISBN, ISSN, URN).
    """

    type: IdentifierType
    value: str
    request_url: str

    @property
    def key(self) -> str:
        """Lower-case hex SHA-256 of `<type>:<value>`, '' for the type `none`."""
        if self.type is IdentifierType.NONE:
            return ""
        return hashlib.sha256(f"{self.type}:{self.value}".encode()).hexdigest()

    @property
    def host(self) -> str:
        """The host of the address to fetch, without `www.` and port; '' where there is no such address."""
        authority = _authority(self.request_url)
        name = authority.partition("]")[0] + "]" if authority.startswith("[") else authority.partition(":")[0]
        shorter = name.removeprefix("www.")
        return shorter if "." in shorter else name

    @property
    def link(self) -> str:
        """The address a person can click and an export writes, '' where there is none.

        The canonical URL, or the resolver's address of the identifier. An explicit port speaks only one scheme, so
        there the scheme is the one that was given, not the https of the canonical form.
        """
        address = resolver_address(self.type, self.value)
        if self.type is IdentifierType.URL and self.request_url.startswith("http://") and _has_port(address):
            return "http" + address.removeprefix("https")
        return address


@dataclass(frozen=True, slots=True)
class Reference:
    """One place in a text that names a source.

    `line` counts from 1. `spelling` is the address or identifier as it stands in that line, userinfo masked. `title` is
    what the text calls the source, '' where it does not say. `section` is the heading above it, at most 300 characters;
    `context` the sentence around it, at most 300.
    """

    line: int
    spelling: str
    identity: Identity
    title: str = ""
    section: str = ""
    status: CitationStatus = CitationStatus.FOUND_IN_RESEARCH
    context: str = ""


@dataclass(frozen=True, slots=True)
class RowError:
    """A line that names no usable source. `message` says what is wrong and the way out; `spelling` is shortened to 200
    characters and holds no password."""

    line: int
    spelling: str
    message: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """All references and all unreadable places of one text, each in the order of its lines."""

    references: tuple[Reference, ...]
    errors: tuple[RowError, ...]


def one_per_work(rows: Iterable[T], *, key: Callable[[T], str], title: Callable[[T], str]) -> list[T]:
    """One row for each key, in the order of first appearance: the first row that has a title, else the first.

    A text often names a source bare before it cites it in full; what is checked should know the title it goes by.
    """
    chosen: dict[str, T] = {}
    for row in rows:
        if key(row) not in chosen or (title(row) and not title(chosen[key(row)])):
            chosen[key(row)] = row
    return list(chosen.values())


def _authority(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]


def _has_port(url: str) -> bool:
    return ":" in _authority(url).rpartition("]")[2]
