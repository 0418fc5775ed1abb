"""Parts of books that fell: affected by that, with the book as the cause, and never retracted for it.

Where the part's own record says which book it is of, that is kept, and the graph knows that the part rests on the book:
so the book's retraction reaches it as it reaches everything else, and goes when it is taken back. Where records only
hint at it, a person is asked, and their word is kept instead.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from lineage import capture
from lineage.core.refs import Ref
from lineage.core.relations import EntityType, Relation
from lineage.models import Entity
from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import in_parts, insert_rows
from sources import permissions
from sources.core.book_parts import Belongs, belongs
from sources.core.retraction_terms import HintKind, Provider
from sources.models import RetractionHint, Source, SourcePart
from sources.queries.parts import facts_of, fallen_books, kept_parts, parts_of
from sources.queries.readable import readable
from sources.services import retraction_hints
from sources.services.retraction_hints import HintFacts

CHANGE_KIND = "sources.part-of"
_TRANSFORM = "part-of"
_SOURCE = Source._meta.label_lower
_ABOUT = "part of "
Pair = tuple[Source, Source]


class NoSuchHint(ValueError):
    """Nobody is asked any more whether the one is a part of the other."""


def follow(*, sources: Sequence[Source], at: datetime) -> None:
    """Has parts follow the marks of those of these sources that are books, in the transaction that wrote the marks.

    Of a book that fell what its parts' records say is kept, and a person is asked about what may be one. About parts of
    a book that stands (again) nobody is asked any more. Twice changes nothing.
    """
    books = [source for source in sources if facts_of(source).book_isbns]
    found = parts_of([book for book in books if book.retracted])
    _tell([(part, book, how) for book in books for part, how in found.get(book.pk, ())], at=at)
    standing = [_about(book) for book in books if not book.retracted]
    retraction_hints.withdraw(kind=HintKind.PART, record_ids=standing, at=at)


def take_in(*, sources: Iterable[Source], at: datetime) -> None:
    """The same for sources that are new or say something new of themselves: a part of a book that fell is born
    affected. In the caller's transaction. No query where none may be a part; else one a workspace, mostly."""
    by_workspace: dict[int, list[Source]] = defaultdict(list)
    for source in sources:
        if facts_of(source).may_be_part:
            by_workspace[source.workspace_id].append(source)
    for workspace_id, parts in sorted(by_workspace.items()):
        books = fallen_books(workspace_id=workspace_id)
        told = [(part, book, belongs(facts_of(part), facts_of(book))) for part in parts for book in books]
        _tell([one for one in told if one[2] is not Belongs.NO], at=at)


def join(*, source_ids: Collection[int], run_id: str, at: datetime) -> None:
    """Has the graph know what is kept of these parts and wholes: the merge `run_id` has moved it to them. Twice is
    safe."""
    for part in in_parts(sorted(source_ids)):
        rows = SourcePart.objects.filter(part__in=part) | SourcePart.objects.filter(whole__in=part)
        _write_edges([(row.part, row.whole) for row in _with_nodes(rows)], run_id=run_id, at=at)


def part_again(*, sources: Iterable[Source], run_id: str, at: datetime) -> None:
    """Takes back what `join` told the graph about these for the merge `run_id`: what stayed is parted from what went.
    Twice is safe."""
    by_workspace: dict[int, list[int]] = defaultdict(list)
    for source in sources:
        if source.entity_id is not None:
            by_workspace[source.workspace_id].append(source.entity_id)
    for workspace_id, nodes in sorted(by_workspace.items()):
        capture.withdraw(workspace_id=workspace_id, run_id=run_id, transform_type=_TRANSFORM, ends=nodes, at=at)


def confirm(*, hint: RetractionHint, by: User, channel: Channel, at: datetime) -> ChangeSet:
    """Keeps as the person's word that the hint's source is a part of the work that it names; one ChangeSet.

    Raises PermissionDenied for less than an editor, `NoSuchHint` for a hint at something else or at what is gone.
    """
    part = hint.source
    permissions.check_can_decide(by, part.workspace_id)
    named = hint.record_id.removeprefix(_ABOUT)
    is_whole = hint.as_kind is HintKind.PART and hint.record_id.startswith(_ABOUT)
    here = readable(Source.objects.all()).standing().filter(workspace=part.workspace_id)
    whole = here.filter(uuid=named).first() if is_whole else None
    if whole is None or whole.pk == part.pk:
        raise NoSuchHint("The work that it might be a part of is not here any more.")
    with transaction.atomic():
        change_set = changes.record(
            workspace_id=part.workspace_id,
            kind=CHANGE_KIND,
            actor=by,
            channel=channel,
            note=f"A part of {whole}"[:500],
            at=at,
            changes=[ChangeFacts(_SOURCE, part.pk, {"part_of": ""}, {"part_of": str(whole.uuid)})],
        )
        _keep([(part, whole)], by=by, run_id=str(change_set.uuid), at=at)
        retraction_hints.withdraw(kind=HintKind.PART, record_ids=[hint.record_id], source_ids=[part.pk], at=at)
    return change_set


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes back that a person called sources parts: the whole's fall reaches them and what rests on them no more, and
    people are asked again."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for change in changes:
        rows = SourcePart.objects.filter(part=change.object_id, whole__uuid=str(change.after["part_of"]))
        row = rows.exclude(by=None).select_related("part", "whole").first()
        if row is None:
            skipped.append(f"Source {change.object_id} is not called a part of it any more")
            continue
        permissions.check_can_decide(by, row.part.workspace_id)
        part_again(sources=[row.part], run_id=str(change.change_set.uuid), at=at)
        row.delete()
        if row.whole.retracted:
            retraction_hints.keep(hints=[_hint(row.part, row.whole)], at=at)
        undone.append(ChangeFacts(_SOURCE, row.part_id, dict(change.after), dict(change.before)))
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _tell(told: Sequence[tuple[Source, Source, Belongs]], *, at: datetime) -> None:
    kept = kept_parts([book.pk for _, book, _ in told])
    new = [(part, book, how) for part, book, how in told if (part.pk, book.pk) not in kept]
    _keep([(part, book) for part, book, how in new if how is Belongs.KNOWN], by=None, at=at)
    retraction_hints.keep(hints=[_hint(part, book) for part, book, how in new if how is Belongs.PERHAPS], at=at)


def _keep(pairs: Sequence[Pair], *, by: User | None, at: datetime, run_id: str = "") -> None:
    """Keeps the parts that are not kept yet. An edge comes after the book's cause: what it joins falls with it."""
    if not pairs:
        return
    insert_rows(
        [SourcePart(part_id=part.pk, whole_id=whole.pk, by=by, at=at) for part, whole in pairs], ignore_conflicts=True
    )
    wholes = {whole.pk for _, whole in pairs}
    rows = SourcePart.objects.filter(part__in=[part.pk for part, _ in pairs], whole__in=wholes)
    _write_edges([(row.part, row.whole) for row in _with_nodes(rows)], run_id=run_id, at=at)


def _with_nodes(rows: QuerySet[SourcePart]) -> QuerySet[SourcePart]:
    return rows.select_related("part__entity", "whole__entity").order_by("pk")


def _write_edges(pairs: Sequence[Pair], *, run_id: str, at: datetime) -> None:
    """Writes that parts rest on their wholes, as far as both have nodes. Where the graph says already that the whole
    rests on the part, there is nothing to add."""
    ends: dict[str, Entity] = {}
    edges: dict[int, list[capture.EdgeFacts]] = defaultdict(list)
    for part, whole in pairs:
        if part.entity is None or whole.entity is None:
            continue
        ends |= {part.entity.ref: part.entity, whole.entity.ref: whole.entity}
        edges[part.workspace_id].append(
            capture.EdgeFacts(
                _ref_of(part.entity),
                Relation.DERIVED_FROM,
                _ref_of(whole.entity),
                transform_type=_TRANSFORM,
                run_id=run_id,
            )
        )
    for workspace_id, facts in sorted(edges.items()):
        _record(workspace_id, facts, ends, at=at)


def _record(workspace_id: int, facts: Sequence[capture.EdgeFacts], ends: Mapping[str, Entity], *, at: datetime) -> None:
    try:
        capture.record_edges(workspace_id=workspace_id, edges=facts, entities=ends, at=at)
    except capture.Ring:
        if len(facts) > 1:
            for one in facts:
                _record(workspace_id, [one], ends, at=at)


def _ref_of(entity: Entity) -> Ref:
    return Ref(EntityType(entity.type), entity.logical_id, entity.version)


def _about(whole: Source) -> str:
    return f"{_ABOUT}{whole.uuid}"


def _hint(part: Source, whole: Source) -> HintFacts:
    # The hint is read by whoever reads the part, and may be all that they could learn of a book above their clearance.
    level = part.entity.level if part.entity is not None else 0
    is_hidden = whole.entity is not None and whole.entity.level > level
    words = "A book that not everybody here may read." if is_hidden else f"{whole}: {whole.retraction_note}"
    return HintFacts(part.pk, HintKind.PART, Provider.EDITOR, _about(whole), words)
