"""The closed set that a draft may cite: its sources, and how one is found by id, address or identifier."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sources.core.citations.definitions import definition_text, link_address
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.kinds import IdentifierType
from sources.core.urls import identity_form

_NUMBERED = re.compile(r"src[-_\u2010\u2011\u2013]?([0-9]{1,9})", re.IGNORECASE | re.ASCII)


class Standing(StrEnum):
    """What stands against citing a source."""

    RETRACTED = "retracted"
    DROPPED = "dropped"
    INTERNAL_ONLY = "internal-only"
    STALE = "stale"

    @property
    def explanation(self) -> str:
        """In words that complete “The source …”."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Standing.RETRACTED: "is retracted",
    Standing.DROPPED: "was dropped: its check or a person found that it does not hold",
    Standing.INTERNAL_ONLY: "is for internal use only and may not leave the house",
    Standing.STALE: "was not checked for too long",
}


@dataclass(frozen=True, slots=True)
class CorpusItem:
    """One source of a corpus. `id` is the stable id of the project (`src-007`); `published` is YYYY, YYYY-MM or
    YYYY-MM-DD; `variants` are other addresses of the same work; `section` is its slug, `section_title` what a person
    reads; '' where nothing is known."""

    id: str
    url: str
    canonical_url: str
    title: str
    publisher: str = ""
    published: str = ""
    excerpt: str = ""
    summary: str = ""
    variants: tuple[str, ...] = ()
    standing: frozenset[Standing] = frozenset()
    verdict: str = ""
    access_note: str = ""
    section: str = ""
    section_title: str = ""

    @property
    def definition(self) -> str:
        """What stands behind `[^1]: ` for this source."""
        return definition_text(title=self.title, url=self.url, publisher=self.publisher, published=self.published)


class CorpusIndex:
    """A corpus to look things up in. Items with one canonical address are one source: the first of them stands for all,
    with what stands against any of them."""

    def __init__(self, corpus: Iterable[CorpusItem]) -> None:
        self._by_id: dict[str, CorpusItem] = {}
        self._by_number: dict[int, CorpusItem] = {}
        self._by_address: dict[str, CorpusItem] = {}
        self._by_identifier: dict[tuple[IdentifierType, str], CorpusItem] = {}
        self._by_definition: dict[str, CorpusItem] = {}
        self._standing: dict[str, frozenset[Standing]] = {}
        for item in corpus:
            self._add(item)

    def _add(self, item: CorpusItem) -> None:
        # As the gate writes its address too: to others `%29` is another address than `)`.
        written = link_address(item.url)
        spelled = (item.url, item.canonical_url, *item.variants, *([written] if written != item.url else []))
        addresses = [form for each in spelled if (form := identity_form(each))]
        known = next((self._by_address[form] for form in addresses if form in self._by_address), None)
        first = known or self._by_definition.get(item.definition) or item
        self._by_id.setdefault(item.id, first)
        numbered = _NUMBERED.fullmatch(item.id)
        if numbered:
            self._by_number.setdefault(int(numbered[1]), first)
        self._by_definition.setdefault(item.definition, first)
        for form in addresses:
            self._by_address.setdefault(form, first)
        for address in (item.url, item.canonical_url):
            identifier = _identifier(address)
            if identifier:
                self._by_identifier.setdefault(identifier, first)
        self._standing[first.id] = self._standing.get(first.id, frozenset()) | item.standing

    def named(self, written: str) -> CorpusItem | None:
        """The source with exactly this id."""
        return self._by_id.get(written)

    def nearly_named(self, written: str) -> CorpusItem | None:
        """The source whose id has the same number: `SRC-7` for `src-007`."""
        numbered = _NUMBERED.fullmatch(written)
        return self._by_number.get(int(numbered[1])) if numbered else None

    def at(self, address: str) -> CorpusItem | None:
        """The source at an address: same canonical URL, or the same DOI, arXiv id or other identifier in both."""
        form = identity_form(address)
        found = self._by_address.get(form) if form else None
        if found is not None:
            return found
        identifier = _identifier(address)
        return self._by_identifier.get(identifier) if identifier else None

    def defined(self, definition: str) -> CorpusItem | None:
        """The source that a definition of the gate's own names."""
        return self._by_definition.get(definition)

    def standing_of(self, item: CorpusItem) -> frozenset[Standing]:
        """What stands against the source, under whatever id it is known."""
        return self._standing.get(item.id, item.standing)


def _identifier(address: str) -> tuple[IdentifierType, str] | None:
    try:
        identity = identify(address)
    except (BadIdentifier, UnusableUrl):
        return None
    return None if identity.type is IdentifierType.URL else (identity.type, identity.value)
