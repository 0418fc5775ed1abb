"""Which sources are parts of which books: what is kept of it, and what their records say (`sources.core.book_parts`)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from django.db.models import Q

from provenance_site.kit.rows import in_parts
from sources.core.book_parts import BELOW, Belongs, BookFacts, belongs
from sources.core.kinds import IdentifierType
from sources.models import Source, SourcePart
from sources.queries.readable import readable

_MOST = 500


def facts_of(source: Source) -> BookFacts:
    """What of its record decides."""
    return BookFacts.of(
        identifier_type=source.identifier_type,
        identifier_value=source.identifier_value,
        bibliography=source.bibliography,
    )


def parts_of(books: Iterable[Source]) -> dict[int, list[tuple[Source, Belongs]]]:
    """The standing sources of the same workspace that are, or may be, parts of each book, by the book's key; at most
    500 each.

    What is no book has none. One query a book, which are few: no index helps here.
    """
    found: dict[int, list[tuple[Source, Belongs]]] = {}
    for book in books:
        facts = facts_of(book)
        if not facts.book_isbn:
            continue
        part = Q(bibliography__isbn=facts.book_isbn) & ~Q(identifier_type=IdentifierType.ISBN)
        if book.identifier_type == IdentifierType.DOI:
            for mark in BELOW:
                part |= Q(
                    identifier_type=IdentifierType.DOI, identifier_value__startswith=f"{book.identifier_value}{mark}"
                )
        rows = Source.objects.standing().filter(part, workspace=book.workspace_id).exclude(pk=book.pk)
        told = [(one, belongs(facts_of(one), facts)) for one in rows.order_by("pk")[:_MOST]]
        if parts := [(one, how) for one, how in told if how is not Belongs.NO]:
            found[book.pk] = parts
    return found


def fallen_books(*, workspace_id: int) -> list[Source]:
    """The books of the workspace that are marked retracted. One query."""
    rows = Source.objects.standing().filter(workspace=workspace_id, retracted=True)
    in_doi = Q(identifier_type=IdentifierType.DOI, identifier_value__contains="97")
    books = rows.filter(Q(identifier_type=IdentifierType.ISBN) | in_doi).order_by("pk")
    return [source for source in books if facts_of(source).book_isbn]


def fallen_wholes(source_ids: Collection[int]) -> dict[int, list[Source]]:
    """For each of the sources that is a part of something that is marked retracted: what it is a part of.

    One query per 500.
    """
    found: dict[int, list[Source]] = defaultdict(list)
    for part in in_parts(sorted(source_ids)):
        rows = readable(SourcePart.objects.all()).filter(part__in=part, whole__retracted=True)
        for row in rows.filter(whole__merged_into=None).select_related("whole").order_by("pk"):
            found[row.part_id].append(row.whole)
    return found


def affected_in(*, workspace_id: int) -> set[int]:
    """The sources of the workspace that are parts of something that is marked retracted. One query."""
    rows = readable(SourcePart.objects.all()).filter(part__workspace=workspace_id, whole__retracted=True)
    return set(rows.filter(whole__merged_into=None).values_list("part", flat=True))


def kept_parts(wholes: Sequence[int]) -> set[tuple[int, int]]:
    """Which (part, whole) are kept of these wholes. One query per 500."""
    found: set[tuple[int, int]] = set()
    for part in in_parts(sorted(set(wholes))):
        found.update(SourcePart.objects.filter(whole__in=part).values_list("part", "whole"))
    return found
