"""What is asserted about sources, and what people decided about it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from django.db.models import Exists, OuterRef, QuerySet

from provenance_site.kit.rows import in_parts
from sources.core.kinds import UseKind
from sources.core.retraction import RetractionStatus, effective
from sources.core.retraction_status import Asserted
from sources.core.retraction_terms import Status
from sources.models import (
    RetractionAcknowledgement,
    RetractionAssertion,
    RetractionDecision,
    RetractionStanding,
    Source,
    SourceAlias,
)
from sources.queries.parts import affected_in, fallen, fallen_wholes
from sources.queries.readable import readable

Evidence = tuple[list[str], list[RetractionAssertion]]


def evidence_of(sources: Sequence[Source]) -> dict[int, Evidence]:
    """For each source the keys of all its identifiers, and what is asserted about any of them, the oldest first: by
    providers, and by files that were imported into its workspace.

    Two queries, and one per 500 identifiers.
    """
    keys: dict[int, list[str]] = {
        source.pk: [source.canonical_key] if source.canonical_key else [] for source in sources
    }
    aliases = SourceAlias.objects.filter(source__in=keys).exclude(canonical_key="").order_by("pk")
    for source_id, key in aliases.values_list("source", "canonical_key"):
        keys[source_id].append(key)
    rows: dict[str, list[RetractionAssertion]] = defaultdict(list)
    for part in in_parts(sorted({key for own in keys.values() for key in own})):
        for row in RetractionAssertion.objects.filter(identifier_key__in=part).order_by("pk"):
            rows[row.identifier_key].append(row)
    home = {source.pk: source.workspace_id for source in sources}
    return {
        pk: (own, [row for key in own for row in rows[key] if row.workspace_id in (None, home[pk])])
        for pk, own in keys.items()
    }


def asserted(row: RetractionAssertion) -> Asserted:
    """The row as the pure rules see it."""
    return Asserted(
        provider=row.as_provider,
        record_id=row.record_id,
        nature=row.as_nature,
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
        notice_identifier=row.notice_identifier,
        notice_date=row.notice_date,
    )


def note_of(status: Status, rows: Sequence[RetractionAssertion]) -> str:
    """The note of a mark that a machine sets: the status, who says so, when, and where it is announced."""
    saying = [row for row in rows if row.nature == status.value and not row.as_provider.is_weak] or list(rows)
    newest = max(saying, key=lambda row: (row.notice_date, row.notice_identifier, row.pk))
    providers = ", ".join(dict.fromkeys(row.as_provider.label for row in sorted(saying, key=lambda row: row.pk)))
    parts = [part for part in (newest.notice_date, newest.notice_identifier or newest.url) if part]
    return f"{status.label} ({'; '.join([providers, *parts])})"


def holding(source_ids: Collection[int]) -> dict[int, RetractionDecision]:
    """The decision that holds for each of the sources that has one: the newest that is not undone.

    One whose day has come goes on holding: it is asked about again, not undone by the calendar.
    """
    found: dict[int, RetractionDecision] = {}
    for part in in_parts(sorted(source_ids)):
        rows = RetractionDecision.objects.filter(source__in=part, undone_at=None).select_related("by")
        for row in rows.order_by("at", "pk"):
            found[row.source_id] = row
    return found


def decided_otherwise(source_ids: Collection[int], *, retracted: bool) -> dict[int, RetractionDecision]:
    """The holding decisions about these sources that say the contrary of a mark (`retracted`), or of taking one off."""
    return {pk: row for pk, row in holding(source_ids).items() if row.as_status.is_retracted is not retracted}


def statuses_of(marks: Mapping[int, bool]) -> dict[int, RetractionStatus]:
    """What is told of each of these sources, of which `marks` says whether it is marked retracted.

    Two queries per 500.
    """
    return _statuses(marks)[0]


def _statuses(marks: Mapping[int, bool]) -> tuple[dict[int, RetractionStatus], set[int]]:
    """That, and which of them are parts of something that fell."""
    derived: dict[int, Status] = {}
    decided: dict[int, Status] = {}
    affected: set[int] = set()
    for part in in_parts(marks):
        rows = Source.objects.filter(pk__in=part).annotate(is_affected=Exists(fallen().filter(part=OuterRef("pk"))))
        for pk, status, is_affected in rows.order_by().values_list("pk", "retraction_standing__status", "is_affected"):
            derived[pk] = Status(status or Status.UNCHECKED)
            affected.update({pk} if is_affected else ())
        rulings = RetractionDecision.objects.filter(source__in=part, undone_at=None).order_by("at", "pk")
        decided.update((pk, Status(status)) for pk, status in rulings.values_list("source", "status"))
    told = {
        pk: effective(
            retracted=mark,
            derived=derived.get(pk, Status.UNCHECKED),
            decided=decided.get(pk),
            affected=pk in affected,
        )
        for pk, mark in marks.items()
    }
    return told, affected


def tell(sources: Iterable[Source | None]) -> None:
    """Looks up what is told of these sources' retraction, for pages to show (`Source.told`), and which books that they
    are parts of fell (`Source.fallen_wholes`). Two queries per 500, and one where there is such a book."""
    here = [source for source in sources if source is not None]
    told, affected = _statuses({source.pk: source.retracted for source in here})
    wholes = fallen_wholes(affected)
    for source in here:
        source.told, source.fallen_wholes = told[source.pk], tuple(wholes.get(source.pk, ()))


def acknowledged() -> QuerySet[RetractionAcknowledgement]:
    """What was said of uses, that they are meant, and not taken back; with who said it and the evidence of now."""
    rows = RetractionAcknowledgement.objects.filter(withdrawn_at=None)
    return rows.select_related("by", "source__retraction_standing")


def meant(*, use_kind: UseKind, use_ids: Collection[int]) -> dict[tuple[int, int], RetractionAcknowledgement]:
    """What was said of these uses, that they are meant, by source and use, as far as it holds.

    New evidence warns again. One query.
    """
    rows = readable(acknowledged()).filter(use_kind=use_kind, use_id__in=use_ids)
    return {(row.source_id, row.use_id): row for row in rows if not row.is_outdated}


def labelled(*, workspace_id: int) -> dict[int, RetractionStatus]:
    """What is told of those sources of a workspace of which there is something to tell beside the bare mark.

    Four queries, whatever the number of sources: of most works nothing is known.
    """
    silent = [Status.NONE_FOUND.value, Status.UNCHECKED.value]
    spoken = RetractionStanding.objects.filter(workspace=workspace_id).exclude(status__in=silent)
    derived = {pk: Status(status) for pk, status in spoken.values_list("source", "status")}
    rulings = RetractionDecision.objects.filter(source__workspace=workspace_id, undone_at=None).order_by("at", "pk")
    decided = {pk: Status(status) for pk, status in rulings.values_list("source", "status")}
    affected = affected_in(workspace_id=workspace_id)
    if not derived and not decided and not affected:
        return {}
    marked = set(Source.objects.standing().filter(workspace=workspace_id, retracted=True).values_list("pk", flat=True))
    return {
        pk: effective(
            retracted=pk in marked,
            derived=derived.get(pk, Status.UNCHECKED),
            decided=decided.get(pk),
            affected=pk in affected,
        )
        for pk in derived.keys() | decided.keys() | affected
    }


def fallen_but_for(*, source_ids: Collection[int], change_set_id: int) -> dict[int, str]:
    """Those of the sources that providers say are retracted and about which nobody decided but by this deed, each with
    the note of the mark that follows. A few queries per 500.
    """
    found: dict[int, str] = {}
    for part in in_parts(sorted(source_ids)):
        told = RetractionStanding.objects.filter(source__in=part, is_retracted=True).select_related("source")
        others = RetractionDecision.objects.filter(source__in=part, undone_at=None).exclude(change_set=change_set_id)
        decided = set(others.values_list("source", flat=True))
        fallen = [row for row in told.order_by("source") if row.source_id not in decided]
        evidence = evidence_of([row.source for row in fallen])
        found.update((row.source_id, note_of(row.as_status, evidence[row.source_id][1])) for row in fallen)
    return found
