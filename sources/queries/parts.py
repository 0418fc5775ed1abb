"""Which sources are parts of which books: what is kept, and what records say (`sources.core.book_parts`)."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.db.models import F, Q, QuerySet

from provenance_site.kit.rows import in_parts
from sources.core.book_parts import Belongs, BookFacts, belongs
from sources.core.kinds import IdentifierType
from sources.models import Source, SourcePart

_MOST = 500
# A DOI that may have an ISBN in it.
_ISBN_IN_DOI = Q(identifier_type=IdentifierType.DOI) & (
    Q(identifier_value__contains="978") | Q(identifier_value__contains="979")
)
_MAY_BE_PART = (Q(bibliography__isbn__isnull=False) & ~Q(identifier_type=IdentifierType.ISBN)) | _ISBN_IN_DOI


def facts_of(source: Source) -> BookFacts:
    """What of its record decides."""
    return BookFacts.of(
        identifier_type=source.identifier_type,
        identifier_value=source.identifier_value,
        bibliography=source.bibliography,
    )


def parts_of(books: Sequence[Source]) -> dict[int, list[tuple[Source, Belongs]]]:
    """The standing sources of the same workspace that are, or may be, parts of each book, by the book's key; at most
    500 each. What is no book has none.

    A query a workspace, which looks through all its sources: no index knows how an ISBN is written in a record.
    """
    facts = {book.pk: told for book in books if (told := facts_of(book)).book_isbns}
    found: dict[int, list[tuple[Source, Belongs]]] = defaultdict(list)
    for workspace_id in sorted({book.workspace_id for book in books if book.pk in facts}):
        here = {book.pk: facts[book.pk] for book in books if book.pk in facts and book.workspace_id == workspace_id}
        by_name: dict[str, list[int]] = defaultdict(list)
        for pk, book in here.items():
            for name in {*book.book_isbns, book.identifier_value}:
                by_name[name].append(pk)
        rows = Source.objects.standing().filter(_MAY_BE_PART, workspace=workspace_id).select_related("entity")
        for source in rows.order_by("pk").iterator(chunk_size=2_000):
            told = facts_of(source)
            for pk in sorted({pk for name in told.names_of_books for pk in by_name.get(name, ())} - {source.pk}):
                how = belongs(told, here[pk])
                if how is not Belongs.NO and len(found[pk]) < _MOST:
                    found[pk].append((source, how))
    return dict(found)


def fallen_books(*, workspace_id: int) -> list[Source]:
    """The books of the workspace that are marked retracted. One query."""
    rows = Source.objects.standing().filter(workspace=workspace_id, retracted=True)
    may_be = Q(identifier_type=IdentifierType.ISBN) | _ISBN_IN_DOI | Q(bibliography__isbn__isnull=False)
    books = rows.filter(may_be).order_by("pk")
    return [source for source in books if facts_of(source).book_isbns]


def fallen() -> QuerySet[SourcePart]:
    """Which sources are parts of what is marked retracted, as far as whoever may read the part may read the whole.

    The graph gives a part its whole's level; asked here again, since what files say is read for nobody in particular.
    """
    rows = SourcePart.objects.filter(whole__retracted=True, whole__merged_into=None)
    return rows.filter(Q(whole__entity=None) | Q(whole__entity__level__lte=F("part__entity__level")))


def fallen_wholes(source_ids: Collection[int]) -> dict[int, list[Source]]:
    """For each of the sources that is a part of something that is marked retracted: what it is a part of.

    One query per 500.
    """
    found: dict[int, list[Source]] = defaultdict(list)
    for part in in_parts(sorted(source_ids)):
        for row in fallen().filter(part__in=part).select_related("whole").order_by("pk"):
            found[row.part_id].append(row.whole)
    return found


def affected_in(*, workspace_id: int) -> set[int]:
    """The sources of the workspace that are parts of something that is marked retracted. One query."""
    return set(fallen().filter(part__workspace=workspace_id).values_list("part", flat=True))


def kept_parts(wholes: Sequence[int]) -> set[tuple[int, int]]:
    """Which (part, whole) are kept of these wholes. One query per 500."""
    found: set[tuple[int, int]] = set()
    for part in in_parts(sorted(set(wholes))):
        found.update(SourcePart.objects.filter(whole__in=part).values_list("part", "whole"))
    return found
