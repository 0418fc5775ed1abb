"""Which sources are parts of a book, as far as identifiers tell: its chapters have its ISBN, or a DOI below its own."""

import re
from collections.abc import Iterable

from django.db.models import Q

from sources.core.identifiers import BadIdentifier, identify
from sources.core.kinds import IdentifierType
from sources.models import Source

_ISBN_IN_DOI = re.compile(r"97[89][0-9-]{10,14}", re.ASCII)
# What stands between the DOI of a book and the rest of a chapter's.
_BELOW = ("_", "/", ".", "-")
_MOST = 500


def isbn_of(source: Source) -> str:
    """The ISBN that says that the source is a whole book, '' where none does. Many publishers put it into the DOI."""
    if source.identifier_type == IdentifierType.ISBN:
        return source.identifier_value
    found = _ISBN_IN_DOI.search(source.identifier_value) if source.identifier_type == IdentifierType.DOI else None
    # A chapter's DOI has more behind the ISBN.
    if not found or found.end() != len(source.identifier_value):
        return ""
    try:
        identity = identify(f"ISBN {found[0]}")
    except BadIdentifier:
        return ""
    return identity.value if identity.type is IdentifierType.ISBN else ""


def parts_of(books: Iterable[Source]) -> dict[int, list[Source]]:
    """The standing sources of the same workspace that are parts of each book, by the book's key; at most 500 each.

    What is no book has none. One query a book, which are few: no index helps here.
    """
    found: dict[int, list[Source]] = {}
    for book in books:
        isbn = isbn_of(book)
        if not isbn:
            continue
        part = Q(bibliography__isbn=isbn) & ~Q(identifier_type=IdentifierType.ISBN)
        if book.identifier_type == IdentifierType.DOI:
            for mark in _BELOW:
                part |= Q(
                    identifier_type=IdentifierType.DOI, identifier_value__startswith=f"{book.identifier_value}{mark}"
                )
        rows = Source.objects.standing().filter(part, workspace=book.workspace_id).exclude(pk=book.pk)
        if parts := list(rows.order_by("pk")[:_MOST]):
            found[book.pk] = parts
    return found
