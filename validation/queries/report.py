"""Reads what a report says: first where every source stands (a few light queries, whatever their number), then the
entries that are written out, a fixed number of queries per 500 of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db.models import QuerySet

from provenance_site.jobs.states import ItemState, JobState
from sources.core.findings import Disposition, Verdict
from sources.core.gate import Gate
from sources.core.kinds import DecisionKind, Sensitivity
from sources.core.review_policy import Decided
from sources.models import CatalogEntry, Check, Decision, Project, Source
from sources.queries.readable import readable
from validation.core.report import Head, Report, ReportEntry, Section, Standing, counts_of, sizes_of
from validation.models import CheckRun
from validation.queries.own_entries import rules_of
from validation.queries.readable_runs import items_of
from validation.queries.report_entries import entries_of, taken_by

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Outline:
    """Head and standings of all sources, in the order of their stable ids; enough for counts, chart and gate."""

    head: Head
    standings: tuple[Standing, ...]
    project: Project

    def entries(self, standings: Iterable[Standing] | None = None) -> tuple[ReportEntry, ...]:
        """What the report says of these sources (None: of all). Four queries per 500, two for own publishers."""
        return tuple(self._read(self.standings if standings is None else standings))

    def of(self, section: Section) -> Iterator[ReportEntry]:
        """The entries of one list, read 500 at a time while they are written."""
        return self._read(one for one in self.standings if one.stands_in(section))

    def report(self) -> Report:
        """The whole report, held in memory."""
        return Report(head=self.head, entries=self.entries())

    def _read(self, standings: Iterable[Standing]) -> Iterator[ReportEntry]:
        own = rules_of(self.project.workspace).publishers
        waiting = iter(standings)
        while batch := list(islice(waiting, _BATCH)):
            yield from entries_of(batch, project_id=self.project.pk, own=own)


@dataclass(frozen=True, slots=True)
class _Holding:
    """The decision that holds of a source, as far as it moves the standing."""

    decided: Decided
    at: datetime
    is_taken: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    """The check that the report tells of a source."""

    check_id: int | None
    verdict: Verdict | None
    at: datetime | None


_NOTHING = _Seen(None, None, None)


def outline_of_project(project: Project, *, external: bool = False) -> Outline:
    """Where the project's sources stand by their newest checks. Three queries.

    `external` leaves out what must not leave the house, as if it were not there, but for the head's `left_out`.
    """
    entries = readable(CatalogEntry.objects.all()).filter(project=project, source__merged_into__isnull=True)
    holding = _holding(readable(Decision.objects.all()).filter(source__entries__in=entries))
    rows = entries.order_by("number").values_list(
        "source_id",
        "number",
        "added_at",
        "source__sensitivity",
        "source__verdict",
        "source__latest_check",
        "source__latest_check__at",
    )
    standings: list[Standing] = []
    moments: list[datetime] = []
    added: list[datetime] = []
    left_out = 0
    for source_id, number, added_at, sensitivity, verdict, check_id, checked_at in rows:
        is_internal = sensitivity == Sensitivity.INTERNAL_ONLY
        if external and is_internal:
            left_out += 1
            continue
        seen, held = _Seen(check_id, Verdict(verdict) if verdict else None, checked_at), holding.get(source_id)
        standings.append(_standing(source_id, number, seen, held, is_internal=is_internal))
        added.append(added_at)
        moments.extend(_moments(seen, held))
    as_of = max(moments or added, default=project.created_at)
    return Outline(
        head=_head(project, standings, as_of=as_of, left_out=left_out),
        standings=tuple(standings),
        project=project,
    )


def outline_of_run(run: CheckRun, *, external: bool = False) -> Outline:
    """Where the run's sources stand by the run's own checks, and by the decisions that hold by now. Six queries.

    A source that the run did not have to ask about, because an earlier verdict still answered, stands by that one.
    `external` as in `outline_of_project`: what is internal by now is left out, whatever it was when the run began.
    """
    job, project = run.job, run.project
    items = items_of(run)
    subjects = items.values("subject_id")
    in_project = readable(CatalogEntry.objects.all()).filter(project=project, source_id__in=subjects)
    numbers = dict(in_project.values_list("source_id", "number"))
    rows = readable(Source.objects.all()).filter(pk__in=subjects).values_list("pk", "sensitivity", "merged_into")
    present = {pk: (Sensitivity(sensitivity), into) for pk, sensitivity, into in rows}
    internal = _internal_among(present)
    holding = _holding(readable(Decision.objects.all()).filter(source_id__in=subjects))
    earlier = _answered_before(run)
    standings: list[Standing] = []
    moments: list[datetime] = []
    removed = left_out = 0
    told = items.order_by("position").values_list(
        "subject_id", "check_made", "check_made__verdict", "check_made__at", "state"
    )
    for source_id, check_id, verdict, checked_at, state in told:
        if source_id not in present:
            removed += 1
            continue
        is_internal = source_id in internal
        if external and is_internal:
            left_out += 1
            continue
        seen, held = _NOTHING, holding.get(source_id)
        if check_id:
            seen = _Seen(check_id, Verdict(verdict), checked_at)
        elif state == ItemState.DONE:
            seen = earlier.get(source_id, _NOTHING)
        standings.append(_standing(source_id, numbers.get(source_id), seen, held, is_internal=is_internal))
        moments.extend(_moments(seen, held))
    standings.sort(key=lambda one: (one.number is None, one.number or 0, one.source_id))
    head = _head(
        project,
        standings,
        as_of=max(moments, default=job.created_at),
        run=run,
        removed=removed,
        left_out=left_out,
    )
    return Outline(head=head, standings=tuple(standings), project=project)


def gate_of_run(run: CheckRun) -> Gate:
    """What the ship gate says of a run, by the verdicts that hold by now: a person's override counts in the machine's
    place, and a source that left the registry does not count. Six queries; 20 ms for 2,000 sources.

    Every screen and command that shows a run's gate asks here; a report that is handed on tells the gate of its own
    sources, without those that are left out of it.
    """
    return outline_of_run(run).head.gate


def _internal_among(rows: Mapping[int, tuple[Sensitivity, int | None]]) -> set[int]:
    """Keys of those that must not leave the house. One that was merged is the work that it leads to, and goes by that
    one's word as well: the stricter one holds. One query for each step of the longest chain of merges."""
    internal = {pk for pk, (sensitivity, _) in rows.items() if sensitivity is Sensitivity.INTERNAL_ONLY}
    leads = {pk: into for pk, (_, into) in rows.items() if into is not None and pk not in internal}
    while leads:
        found = (
            readable(Source.objects.all())
            .filter(pk__in=set(leads.values()))
            .values_list("pk", "sensitivity", "merged_into")
        )
        ends = {pk: (sensitivity, into) for pk, sensitivity, into in found}
        internal |= {pk for pk, into in leads.items() if ends[into][0] == Sensitivity.INTERNAL_ONLY}
        leads = {pk: onward for pk, into in leads.items() if (onward := ends[into][1]) and pk not in internal}
    return internal


def _answered_before(run: CheckRun) -> dict[int, _Seen]:
    """The newest check before the run of each source that was settled without one of its own. One query."""
    settled = items_of(run).filter(state=ItemState.DONE, check_made__isnull=True)
    checks = readable(Check.objects.all()).filter(
        source_id__in=settled.values("subject_id"), at__lte=run.job.created_at
    )
    rows = checks.order_by("at", "pk").values_list("source_id", "pk", "verdict", "at")
    return {source_id: _Seen(check_id, Verdict(verdict), at) for source_id, check_id, verdict, at in rows}


def _holding(found: QuerySet[Decision]) -> dict[int, _Holding]:
    """The newest decision that is not undone, by source. Two queries."""
    holding = found.filter(undone_at__isnull=True)
    moved = holding.filter(override_verdict=Verdict.VERIFIED_VIA_REPUBLISH).select_related("check_seen")
    taken = {decision.pk for decision in moved if taken_by(decision) is not None}
    rows = holding.order_by("at", "pk").values_list("source_id", "pk", "kind", "override_verdict", "at")
    return {
        source_id: _Holding(Decided(DecisionKind(kind), Verdict(verdict) if verdict else None, ""), at, pk in taken)
        for source_id, pk, kind, verdict, at in rows
    }


def _moments(seen: _Seen, held: _Holding | None) -> list[datetime]:
    return [at for at in (seen.at, held.at if held else None) if at is not None]


def _standing(source_id: int, number: int | None, seen: _Seen, held: _Holding | None, *, is_internal: bool) -> Standing:
    override = held.decided.override_verdict if held else None
    if held is not None:
        disposition = held.decided.disposition
    else:
        disposition = seen.verdict.disposition if seen.verdict else Disposition.UNCHECKED
    return Standing(
        source_id=source_id,
        number=number,
        check_id=seen.check_id,
        verdict=override or seen.verdict,
        found=seen.verdict,
        disposition=disposition,
        is_decided=held is not None,
        is_taken=held is not None and held.is_taken,
        is_internal=is_internal,
    )


def _head(
    project: Project,
    standings: Sequence[Standing],
    *,
    as_of: datetime,
    run: CheckRun | None = None,
    removed: int = 0,
    left_out: int = 0,
) -> Head:
    job = run.job if run else None
    return Head(
        project=project.name,
        firm=project.firm,
        as_of=as_of,
        counts=counts_of(standings),
        sizes=sizes_of(standings),
        run=str(job.uuid) if job else "",
        state=JobState(job.state).label if job else "",
        started_at=job.created_at if job else None,
        finished_at=job.finished_at if job else None,
        rules_version=run.rules_version if run else "",
        removed=removed,
        left_out=left_out,
        internal=sum(one.is_internal for one in standings),
        decided=sum(one.is_decided for one in standings),
        dropped_though_verified=sum(
            one.disposition is Disposition.DROP and one.verdict is not None and one.verdict.is_verified
            for one in standings
        ),
    )
