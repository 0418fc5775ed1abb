"""Whether one work is a part of a book, as far as the two records say; pure.

A record that calls its work a chapter, and names the book's ISBN or has a DOI below the book's own, says so itself. One
of the two alone is no more than a guess: an ISBN may be a whole book's under another identifier, and what stands below
a DOI may be anything.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sources.core.identifiers import BadIdentifier, identify
from sources.core.kinds import IdentifierType

_ISBN_IN_DOI = re.compile(r"97[89][0-9-]{10,14}", re.ASCII)
_BETWEEN = re.compile(r"[;,\s]+")
_SHORTEST = 13
_MOST = 20
# What stands between the DOI of a book and the rest of a chapter's.
_BELOW = frozenset("_/.-")
# CSL types of what is published inside a book.
_OF_A_BOOK = frozenset({"chapter", "paper-conference", "entry", "entry-dictionary", "entry-encyclopedia"})

# CSL types of what such parts are published in. Proceedings are books there.
_BOOKS = frozenset({"book", "collection"})


class Belongs(StrEnum):
    """How sure it is that a work is a part of a book."""

    KNOWN = "known"
    PERHAPS = "perhaps"
    NO = "no"


@dataclass(frozen=True, slots=True)
class BookFacts:
    """What of a work's record decides. `kind` is its CSL type, `isbn` as the record has it (several after `;`), both ''
    for none."""

    identifier_type: str
    identifier_value: str
    kind: str = ""
    isbn: str = ""

    @classmethod
    def of(cls, *, identifier_type: str, identifier_value: str, bibliography: Mapping[str, Any]) -> "BookFacts":
        """From the columns of a source; what is no text says nothing."""
        kind, isbn = bibliography.get("kind"), bibliography.get("isbn")
        return cls(
            identifier_type,
            identifier_value,
            kind if isinstance(kind, str) else "",
            isbn if isinstance(isbn, str) else "",
        )

    @property
    def book_isbns(self) -> frozenset[str]:
        """The ISBNs that say that the work is a whole book, none where none does: its own identifier, what many
        publishers put into the DOI, and those of a record that calls itself a book, whatever it is known by."""
        found = set(_isbns(self.isbn)) if self.kind in _BOOKS else set()
        if self.identifier_type == IdentifierType.ISBN:
            found.add(self.identifier_value)
        named = _ISBN_IN_DOI.search(self.identifier_value) if self.identifier_type == IdentifierType.DOI else None
        # A chapter's DOI has more behind the ISBN.
        if named and named.end() == len(self.identifier_value):
            found.add(_isbn(named[0]))
        return frozenset(found - {""})

    @property
    def may_be_part(self) -> bool:
        """True where the record has something by which it could be a part of a book; most have nothing."""
        in_doi = self.identifier_type == IdentifierType.DOI and _ISBN_IN_DOI.search(self.identifier_value)
        return self.identifier_type != IdentifierType.ISBN and bool(self.isbn or in_doi)

    @property
    def names_of_books(self) -> frozenset[str]:
        """By what a book can be found of which this may be a part: ISBNs, and the beginnings of its DOI."""
        doi = self.identifier_value if self.identifier_type == IdentifierType.DOI else ""
        found = _ISBN_IN_DOI.search(doi)
        first = found.start() + _SHORTEST if found else len(doi)
        below = [at for at in range(first, len(doi)) if doi[at] in _BELOW][:_MOST]
        return frozenset({*_isbns(self.isbn), *(doi[:at] for at in below)})


def belongs(part: BookFacts, book: BookFacts) -> Belongs:
    """Whether `part` is a part of `book`. NO for what is no book, and for the book itself."""
    isbns = book.book_isbns
    if not isbns or not part.may_be_part or not isbns.isdisjoint(part.book_isbns):
        return Belongs.NO
    is_below = (
        book.identifier_type == IdentifierType.DOI
        and part.identifier_type == IdentifierType.DOI
        and book.identifier_value in part.names_of_books
    )
    if not is_below and isbns.isdisjoint(_isbns(part.isbn)):
        return Belongs.NO
    return Belongs.KNOWN if part.kind in _OF_A_BOOK else Belongs.PERHAPS


def _isbns(text: str) -> frozenset[str]:
    return frozenset(isbn for one in _BETWEEN.split(text)[:_MOST] if (isbn := _isbn(one)))


def _isbn(text: str) -> str:
    """Its normal form, '' for what is no ISBN."""
    try:
        identity = identify(f"ISBN {text}") if text else None
    except BadIdentifier:
        return ""
    return identity.value if identity is not None and identity.type is IdentifierType.ISBN else ""
