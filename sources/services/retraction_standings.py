"""Has sources follow what is asserted: their derived status, and through it mark, chunks, graph, questions, notices.

A decision of a person holds against all of it. It is only said to be stale where the evidence is no longer what the
person saw; the same evidence again is silence.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import in_parts, insert_rows, update_rows
from sources.core import retraction_status
from sources.core.retraction_status import STATUS_VERSION, Checked, Derived, Status
from sources.models import (
    RetractionCheck,
    RetractionDecision,
    RetractionHint,
    RetractionStanding,
    Source,
    SourceAlias,
)
from sources.queries.retraction_evidence import asserted, evidence_of, holding, note_of
from sources.services import retraction_notices, retraction_questions, retractions

CHANGE_KIND = "sources.retraction-news"
_SOURCE = Source._meta.label_lower
_FIELDS = (
    "status", "is_retracted", "needs_editor", "disagrees", "version", "evidence_fingerprint", "as_of", "changed_at",
)  # fmt: skip


@dataclass(slots=True)
class _News:
    """What is new in one workspace: sources to mark with their notes, to release, to ask about, and what changed."""

    marks: dict[int, str] = field(default_factory=dict)
    lifts: list[int] = field(default_factory=list)
    asks: list[int] = field(default_factory=list)
    facts: list[ChangeFacts] = field(default_factory=list)


def follow_identifiers(*, identifier_keys: Collection[str], at: datetime) -> int:
    """Has the sources that have any of these identifiers follow, in the caller's transaction; gives how many changed.

    By their own identifier or by another one that means them (`SourceAlias.canonical_key`), in every workspace.
    """
    return follow(source_ids=_meant_by(identifier_keys), at=at)


def follow_again(*, identifier_keys: Collection[str], at: datetime) -> set[int]:
    """As `follow_identifiers`, and gives the sources that have any of them."""
    found = _meant_by(identifier_keys)
    follow(source_ids=found, at=at)
    return found


def _meant_by(identifier_keys: Collection[str]) -> set[int]:
    found: set[int] = set()
    workspaces = list(Source.objects.standing().order_by().values_list("workspace", flat=True).distinct())
    for part in in_parts(sorted(identifier_keys)):
        own = Source.objects.standing().filter(workspace__in=workspaces, canonical_key__in=part)
        found.update(own.values_list("pk", flat=True))
        named = SourceAlias.objects.filter(workspace__in=workspaces, canonical_key__in=part)
        found.update(named.values_list("source", flat=True))
    return found


def follow(*, source_ids: Collection[int], at: datetime) -> int:
    """Derives where these sources stand, and has all that hangs on it follow; in the caller's transaction.

    Gives how many have another status or other evidence than before. Twice changes nothing. A handful of statements per
    500 sources, and a ChangeSet for each workspace in which there is news.
    """
    news: dict[int, _News] = defaultdict(_News)
    changed = sum(_follow_part(part, news, at=at) for part in in_parts(sorted(source_ids)))
    for workspace_id, told in sorted(news.items()):
        _write(workspace_id, told, at=at)
    return changed


def settle(*, source_ids: Collection[int], at: datetime) -> None:
    """Takes back that decisions are stale, and what was asked, where the evidence is what the person saw or none.

    For sources that were parted again: what made them stale was about the other one. Twice is safe.
    """
    for part in in_parts(sorted(source_ids)):
        evidence = dict(
            RetractionStanding.objects.filter(source__in=part).values_list("source_id", "evidence_fingerprint")
        )
        decided = holding(part)
        seen = {pk for pk, row in decided.items() if row.evidence_fingerprint == evidence.get(pk, "")}
        fresh = {pk for pk in seen if (day := decided[pk].expires_at) is None or day > at}
        again = [decided[pk] for pk in sorted(fresh) if decided[pk].is_stale]
        for row in again:
            row.is_stale = False
        update_rows(again, ["is_stale"])
        hinted = set(RetractionHint.objects.filter(source__in=part).values_list("source_id", flat=True))
        quiet = fresh | {pk for pk in part if pk not in decided and not evidence.get(pk) and pk not in hinted}
        retraction_questions.close(source_ids=quiet, at=at)


def _follow_part(source_ids: Sequence[int], news: dict[int, _News], *, at: datetime) -> int:
    rows = Source.objects.standing().select_for_update(no_key=True).filter(pk__in=source_ids).order_by("pk")
    sources = list(rows.only("workspace", "canonical_key", "retracted"))
    held = RetractionStanding.objects.in_bulk([source.pk for source in sources], field_name="source_id")
    evidence = evidence_of(sources)
    checks = _checks_of({key for keys, _ in evidence.values() for key in keys})
    decided = holding([source.pk for source in sources])
    fresh: list[RetractionStanding] = []
    moved: list[RetractionStanding] = []
    stale: list[RetractionDecision] = []
    changed = 0
    for source in sources:
        keys, said = evidence[source.pk]
        derived = retraction_status.derive(
            [asserted(row) for row in said], now=at, checks=_together(check for key in keys for check in checks[key])
        )
        before = held.get(source.pk)
        standing = before or RetractionStanding(source=source, workspace_id=source.workspace_id)
        was = (before.status, before.evidence_fingerprint) if before else (Status.UNCHECKED.value, "")
        is_new = was != (derived.status.value, derived.evidence_fingerprint)
        # In a conflict what held goes on holding, so a mark that stands is still the evidence's.
        was_retracted = before is not None and (before.is_retracted or before.status == Status.CONFLICT)
        if before is None or _differs(before, derived):
            _set(standing, derived, at=at, moved=is_new or before is None)
            (moved if before else fresh).append(standing)
        if not is_new:
            continue
        changed += 1
        if was[1] == derived.evidence_fingerprint and not was_retracted:
            continue  # only the state of the checks
        here = news[source.workspace_id]
        here.facts.append(
            ChangeFacts(_SOURCE, source.pk, {"retraction_status": was[0]}, {"retraction_status": derived.status.value})
        )
        decision = decided.get(source.pk)
        if decision is not None:
            if decision.evidence_fingerprint != derived.evidence_fingerprint and not decision.is_stale:
                decision.is_stale = True
                stale.append(decision)
                here.asks.append(source.pk)
            continue
        falls_back = not derived.is_retracted and was_retracted and source.retracted
        if derived.evidence_fingerprint or falls_back:
            here.asks.append(source.pk)
        if derived.status is Status.CONFLICT:
            continue  # what held goes on holding until somebody says more
        if derived.is_retracted and not source.retracted:
            here.marks[source.pk] = note_of(derived.status, said)
        elif falls_back:
            here.lifts.append(source.pk)
    insert_rows(fresh)
    update_rows(moved, _FIELDS)
    update_rows(stale, ["is_stale"])
    return changed


def _write(workspace_id: int, told: _News, *, at: datetime) -> None:
    facts = list(told.facts)
    if told.marks:
        facts += retractions.write_each(workspace_id=workspace_id, notes=told.marks, retracted=True, by=None, at=at)
    if told.lifts:
        # Passages stay marked until a person has looked: what was built on the fall is not rebuilt by itself.
        facts += retractions.write_each(
            workspace_id=workspace_id,
            notes=dict.fromkeys(told.lifts, ""),
            retracted=False,
            by=None,
            at=at,
            release_chunks=False,
        )
    change_set = changes.record(
        workspace_id=workspace_id, kind=CHANGE_KIND, actor=None, channel=Channel.JOB, note="", at=at, changes=facts
    )
    retraction_questions.ask(source_ids=told.asks, at=at)
    if told.asks:
        retraction_notices.tell(change_set=change_set, at=at)


def _checks_of(keys: Collection[str]) -> Mapping[str, list[Checked]]:
    checks: dict[str, list[Checked]] = defaultdict(list)
    for part in in_parts(sorted(keys)):
        for row in RetractionCheck.objects.filter(identifier_key__in=part).order_by("pk"):
            checks[row.identifier_key].append(
                Checked(retraction_status.Provider(row.provider), row.answered_at, row.failed_at)
            )
    return checks


def _together(checks: Iterable[Checked]) -> list[Checked]:
    """One for each provider: of several identifiers of a work the newest answer counts, and the newest failure."""
    together: dict[retraction_status.Provider, Checked] = {}
    for check in checks:
        other = together.get(check.provider, check)
        together[check.provider] = Checked(
            check.provider, _later(check.answered_at, other.answered_at), _later(check.failed_at, other.failed_at)
        )
    return list(together.values())


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((moment for moment in (one, other) if moment is not None), default=None)


def _differs(standing: RetractionStanding, derived: Derived) -> bool:
    return (
        standing.status, standing.needs_editor, standing.disagrees, standing.version, standing.evidence_fingerprint,
        standing.as_of,
    ) != (
        derived.status.value, derived.needs_editor, derived.disagrees, STATUS_VERSION, derived.evidence_fingerprint,
        derived.as_of,
    )  # fmt: skip


def _set(standing: RetractionStanding, derived: Derived, *, at: datetime, moved: bool) -> None:
    standing.status, standing.is_retracted = derived.status.value, derived.is_retracted
    standing.needs_editor, standing.disagrees = derived.needs_editor, derived.disagrees
    standing.version, standing.evidence_fingerprint = STATUS_VERSION, derived.evidence_fingerprint
    standing.as_of = derived.as_of
    if moved:
        standing.changed_at = at
