"""Merging sources that are one work: one stays, the others lead to it, and every row that hung on them moves.

Nothing of a source that goes is deleted: it keeps its row, its checks and its versions, which are of its own address.
Its identifier, its address in this registry and its stable ids in projects lead to the one that stays.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models, transaction

from lineage import capture
from lineage.core import refs
from lineage.core.relations import EntityType, Relation
from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import in_parts, insert_rows, update_rows
from sources import permissions
from sources.core.findings import Disposition
from sources.core.kinds import ReviewReason
from sources.core.merging import FIELDS, Joined
from sources.models import EntryAlias, ObservationSource, ReviewItem, Source, StatusChange
from sources.queries import decisions
from sources.queries.readable import hidden_keys
from sources.services import (
    draft_lineage,
    gated_lineage,
    merge_retractions,
    merge_rows,
    observation_lineage,
    retraction_impact,
    retraction_parts,
    source_lineage,
    standing,
)
from sources.services.merge_cases import Case, RetractionUnconfirmed, Wanted, cases_of
from sources.services.merge_plan import rows_to_move
from sources.services.merge_rows import MERGED, Row, whole
from sources.services.metadata import fingerprint_of

CHANGE_KIND = "sources.merge"
_SOURCE = Source._meta.label_lower
_WRITTEN = (
    *FIELDS,
    "author_list",
    "bibliography",
    "classification",
    "sensitivity",
    "retracted",
    "retraction_note",
    "fingerprint",
)


@dataclass(frozen=True, slots=True)
class Look:
    """What one merge would do: what the source that stays says afterwards, and how many rows move.

    `retracted` are sources that go and are retracted, where the one that stays is not. `dissent` is True where people
    decided differently about them: the decision about the one that stays holds, and a question is opened.
    """

    kept: Source
    going: tuple[Source, ...]
    joined: Joined
    retracted: tuple[Source, ...]
    dissent: bool
    former_ids: tuple[str, ...]
    moving: Mapping[type[models.Model], int]

    @property
    def moving_words(self) -> tuple[str, ...]:
        """What moves, counted: “2 entries”, “5 citations”."""
        return merge_rows.counted_words(self.moving)


def preview(*, workspace_id: int, wanted: Sequence[Wanted], by: User, at: datetime) -> list[Look]:
    """What `merge` would do, in the order of `wanted`. Writes nothing. Raises `Overtaken` and `ToldApart`."""
    permissions.check_can_curate(by, workspace_id)
    cases = cases_of(workspace_id=workspace_id, wanted=wanted, lock=False)
    rows = _told(_rows(cases, by=by, at=at, lock=False))
    into = _into(cases)
    moving: dict[int, Counter[type[models.Model]]] = defaultdict(Counter)
    former: dict[int, list[str]] = defaultdict(list)
    for row in rows:
        moving[into[row.merged]][row.model] += 1
        if row.model is EntryAlias and not row.before:
            former[into[row.merged]].append(f"src-{row.after['number']:03d}")
    return [
        Look(
            kept=case.kept,
            going=case.going,
            joined=case.joined,
            retracted=case.retracted,
            dissent=case.dissent,
            former_ids=tuple(former[case.kept.pk]),
            moving=moving[case.kept.pk],
        )
        for case in cases
    ]


def merge(
    *,
    workspace_id: int,
    wanted: Sequence[Wanted],
    carry_retractions: bool,
    by: User,
    channel: Channel,
    at: datetime,
) -> ChangeSet:
    """Merges sources: one ChangeSet, all or nothing, undone by `merge_undo.undo`.

    Sources are locked in key order, so that of two people at once one merges and the other gets `Overtaken`. A
    retracted source makes the one that stays retracted, which the caller confirms by `carry_retractions`. Raises
    `ToldApart` and `RetractionUnconfirmed` too.
    """
    permissions.check_can_curate(by, workspace_id)
    with transaction.atomic():
        cases = cases_of(workspace_id=workspace_id, wanted=wanted, lock=True)
        named = [source for case in cases for source in case.retracted]
        if named and not carry_retractions:
            raise RetractionUnconfirmed(
                f"“{named[0]}” is retracted. Say that the source that stays is retracted too, or leave it out."
            )
        rows = _rows(cases, by=by, at=at, lock=True)
        marks = merge_retractions.marks_of([case.kept for case in cases])
        merge_rows.write(rows)
        facts = [*_join(cases), *(row.facts for row in rows)]
        follow_decisions([case.kept for case in cases if not case.keeps_its_decision], by=by, at=at, reason="Merged")
        deed = changes.record(
            workspace_id=workspace_id,
            kind=CHANGE_KIND,
            actor=by,
            channel=channel,
            note=_note(cases),
            at=at,
            changes=facts,
        )
        # First: a part that takes the place of another is as affected as that, and makes nothing good.
        retraction_parts.join(source_ids=[case.kept.pk for case in cases], run_id=str(deed.uuid), at=at)
        _record_lineage(workspace_id=workspace_id, cases=cases, run_id=str(deed.uuid), at=at)
        kept = [case.kept.pk for case in cases]
        retraction_impact.follow(workspace_id=workspace_id, source_ids=kept, by=by, at=at)
        merge_retractions.join(cases, before=marks, at=at)
    return deed


def follow_decisions(sources: Sequence[Source], *, by: User, at: datetime, reason: str) -> None:
    """Lets sources stand by the decisions that are theirs now, and keeps what moved. Three queries."""
    holding = decisions.holding([source.pk for source in sources])
    moved: list[StatusChange] = []
    changed: list[Source] = []
    for source in sources:
        decision = holding.get(source.pk)
        decided = decision.kind if decision else ""
        verdict = source.as_verdict
        holds = standing.decided_of(decision).disposition if decision else verdict.disposition if verdict else None
        holds = holds or Disposition.UNCHECKED
        if (decided, holds) == (source.decided, source.disposition):
            continue
        moved.append(
            StatusChange(
                source=source,
                from_verdict=source.verdict,
                to_verdict=source.verdict,
                from_disposition=source.disposition,
                to_disposition=holds,
                at=at,
                by=by,
                reason=reason,
            )
        )
        source.decided, source.disposition = decided, holds
        changed.append(source)
    update_rows(changed, ["decided", "disposition"])
    insert_rows(moved)


def _told(rows: Sequence[Row]) -> list[Row]:
    """Those that are there for whoever reads now; all are moved."""
    keys: dict[type[models.Model], set[int]] = defaultdict(set)
    for row in rows:
        if row.pk is not None:
            keys[row.model].add(row.pk)
    hidden = {model: hidden_keys(model, wanted) for model, wanted in keys.items()}
    return [row for row in rows if row.pk is None or row.pk not in hidden[row.model]]


def _into(cases: Sequence[Case]) -> dict[int, int]:
    return {pk: case.kept.pk for case in cases for pk in case.wanted.lose}


def _rows(cases: Sequence[Case], *, by: User, at: datetime, lock: bool) -> list[Row]:
    into = _into(cases)
    sources = {source.pk: source for case in cases for source in (case.kept, *case.going)}
    keep = {pk for case in cases if case.keeps_its_decision for pk in case.wanted.lose}
    rows = rows_to_move(sources=sources, into=into, keep_decisions=keep, by=by, at=at, lock=lock)
    return [*rows, *merge_retractions.rows_to_move(into, at=at), *_questions(cases, at=at)]


def _questions(cases: Sequence[Case], *, at: datetime) -> list[Row]:
    """People decided differently about one work: an editor is asked, unless something is asked already."""
    dissent = {case.kept.pk: case for case in cases if case.dissent}
    asked = ReviewItem.objects.filter(source__in=dissent, closed_at__isnull=True)
    for pk in asked.values_list("source_id", flat=True):
        dissent.pop(pk, None)
    return [
        Row(
            ReviewItem,
            None,
            {},
            whole(ReviewItem(source_id=pk, reason=ReviewReason.NEW_EVIDENCE, opened_at=at)),
            case.wanted.lose[0],
        )
        for pk, case in dissent.items()
    ]


def _join(cases: Sequence[Case]) -> list[ChangeFacts]:
    """Writes the sources themselves; gives what changed, first of the one that stays, then of those that go."""
    facts: list[ChangeFacts] = []
    for case in cases:
        kept, joined = case.kept, case.joined
        before = _columns(kept)
        for name, value in joined.values.items():
            setattr(kept, name, value)
        kept.author_list, kept.bibliography = list(joined.author_list), dict(joined.bibliography)
        kept.classification, kept.sensitivity = joined.classification.value, joined.sensitivity.value
        if case.retracted:
            kept.retracted, kept.retraction_note = True, case.retracted[0].retraction_note
        kept.fingerprint = fingerprint_of(kept)
        kept.row_version += 1
        after = _columns(kept)
        changed = [name for name in after if before[name] != after[name]]
        facts.append(
            ChangeFacts(
                model=_SOURCE,
                object_id=kept.pk,
                before={name: before[name] for name in changed},
                after={name: after[name] for name in changed} | {"absorbed": list(case.wanted.lose)},
            )
        )
        for source in case.going:
            source.merged_into = kept
            source.row_version += 1
            told = {MERGED: source.pk}
            facts.append(
                ChangeFacts(
                    model=_SOURCE,
                    object_id=source.pk,
                    before={"merged_into_id": None, **told},
                    after={"merged_into_id": kept.pk, **told},
                )
            )
    update_rows([case.kept for case in cases], [*_WRITTEN, "row_version"])
    update_rows([source for case in cases for source in case.going], ["merged_into", "row_version"])
    source_lineage.declare([case.kept for case in cases])
    return facts


def _columns(source: Source) -> dict[str, Any]:
    return {name: getattr(source, name) for name in _WRITTEN}


def _note(cases: Sequence[Case]) -> str:
    if len(cases) == 1:
        return f"{', '.join(str(source) for source in cases[0].going)[:500]} → {str(cases[0].kept)[:500]}"
    return f"{len(cases):,} groups"


def _record_lineage(*, workspace_id: int, cases: Sequence[Case], run_id: str, at: datetime) -> None:
    """The source that stays SUPERSEDES those that went; their nodes stay, as superseded."""
    ends = {}
    edges = []
    for case in cases:
        for source in case.going:
            if case.kept.entity is None or source.entity is None:
                continue
            stays = refs.make(EntityType.SOURCE, str(case.kept.uuid), case.kept.entity.version)
            went = refs.make(EntityType.SOURCE, str(source.uuid), source.entity.version)
            ends[str(stays)], ends[str(went)] = case.kept.entity, source.entity
            edges.append(
                capture.EdgeFacts(
                    dependent=stays,
                    relation=Relation.SUPERSEDES,
                    rests_on=went,
                    transform_type="merge",
                    transform_implementation="sources.services.merging",
                    transform_version="1",
                    run_id=run_id,
                )
            )
    capture.record_edges(workspace_id=workspace_id, edges=edges, entities=ends, at=at)
    kept = [case.kept for case in cases]
    # What rested on those that went rests on the one that stays as well: it is the same work.
    links = ObservationSource.objects.filter(source__in=kept).select_related("observation__entity", "source__entity")
    observation_lineage.write_edges(workspace_id=workspace_id, links=links.order_by("pk"), at=at)
    draft_lineage.join(workspace_id=workspace_id, sources=kept, at=at)
    gated_lineage.join(workspace_id=workspace_id, sources=kept, at=at)
    going = [source.entity_id for case in cases for source in case.going]
    for part in in_parts(sorted(pk for pk in going if pk is not None)):
        capture.supersede(entity_ids=part, at=at)
