"""Plans of harvests, from an outline or an analyst's list; changed until they run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes.models import Channel
from sources import permissions
from sources.core.decoding import decode
from sources.core.entries import SourceRecord, first_identity
from sources.core.lines import one_line
from sources.core.records import RowError
from sources.formats import sources_md
from sources.formats.format import Unreadable
from sources.formats.plain_text import is_codified_list
from sources.models import Project, Section
from sources.queries.outlines import parts_of
from sources.services import importing, projects, staging
from validation.core.harvest_states import HarvestMode, HarvestState
from validation.core.own_entries import publisher_from
from validation.core.query_plan import LONGEST_QUERY, MOST_QUERIES, Plan, PlannedQuery, SectionAsk, plan
from validation.models import HarvestQuery, HarvestRun
from validation.queries.harvest_tools import tools_of
from validation.queries.own_entries import own_publishers
from validation.services import harvest_finds
from validation.services.harvest_finds import Find

MOST_CALLS = 5_000
MOST_CANDIDATES = 5_000
_NO_SECTION = "Sources"


class PlanRefused(ValueError):
    """There is nothing to plan from, or what was entered cannot be planned; the message names it and the way out."""


class PlanChanged(ValueError):
    """Somebody changed the plan, or started it, after the person saw it; nothing was written."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a harvest may spend: calls of searches, candidates that are fetched and checked."""

    calls: int = 100
    candidates: int = 200

    def checked(self) -> "Budget":
        """The same; raises PlanRefused for what is out of range."""
        if not 0 <= self.calls <= MOST_CALLS:
            raise PlanRefused(f"Budget of calls: enter a number from 0 to {MOST_CALLS:,}.")
        if not 1 <= self.candidates <= MOST_CANDIDATES:
            raise PlanRefused(f"Budget of candidates: enter a number from 1 to {MOST_CANDIDATES:,}.")
        return self


DEFAULT_BUDGET = Budget()


def from_outline(
    *,
    project: Project,
    by: User,
    at: datetime,
    budget: Budget = DEFAULT_BUDGET,
    sections: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> HarvestRun:
    """A plan of queries for the project's outline, or for those of its `sections` (slugs) alone; nothing is asked yet.

    `exclude` are domains that nothing may be found on. Raises PlanRefused where there is no outline, or nobody to ask.
    """
    permissions.check_can_curate(by, project.workspace_id)
    outline = parts_of(project)
    if not outline:
        raise PlanRefused("The project has no outline. Write one first: sections, what each asks, what it prefers.")
    slugs = [part.slug for part in outline]
    unknown = [slug for slug in sections if slug not in slugs]
    if unknown:
        raise PlanRefused(f"The outline has no section {unknown[0][:60]}. It has: {', '.join(slugs)}.")
    parts = [part for part in outline if not sections or part.slug in sections]
    made = plan(
        [SectionAsk(part.slug, part.title, part.guiding_questions, part.preferred_sources) for part in parts],
        subject=project.firm or project.name,
        tools=tools_of(project.workspace_id),
        exclude=exclude,
        own_publishers=[publisher_from(row.entry) for row in own_publishers(project.workspace).filter(enabled=True)],
    )
    if not made.queries:
        raise PlanRefused(" ".join(made.notes) or "The outline asks nothing.")
    return _planned(project=project, made=made, budget=budget, by=by, at=at)


def from_list(
    *, project: Project, data: bytes, by: User, at: datetime, channel: Channel, budget: Budget = DEFAULT_BUDGET
) -> HarvestRun:
    """A harvest of an analyst's `Sources.md` alone: its sources are checked and kept, and nothing is searched.

    The list is imported first, as any list, so that what it rejects and keeps inside holds in the registry too. Raises
    PlanRefused for what is no such list, or says `mode: search`.
    """
    permissions.check_can_curate(by, project.workspace_id)
    text = decode(data)
    if not is_codified_list(text):
        raise PlanRefused("This is no Sources.md: it begins with `---`, then `mode: codified` and `sources:`.")
    try:
        records = [item for item in sources_md.read_text(text) if isinstance(item, SourceRecord | RowError)]
    except Unreadable as refused:
        raise PlanRefused(str(refused)) from refused
    listed = [record for record in records if isinstance(record, SourceRecord)]
    if not listed:
        raise PlanRefused("This list has no source. Write each below `sources:`, as `- url: https://…`.")
    if any(("mode", "search") in record.details for record in listed):
        raise PlanRefused("This list says `mode: search`. Plan a search from the outline, or write `mode: codified`.")
    with transaction.atomic():
        batch = staging.stage(project=project, data=data, label="Sources.md", by=by, at=at)
        staging.check_readable(batch)
        importing.commit(batch=batch, by=by, channel=channel, at=at)
        run = _empty(project=project, mode=HarvestMode.LIST, budget=budget, by=by, at=at)
        run.notes = [f"Line {one.line}: {one.message}" for one in records if isinstance(one, RowError)][:50]
        run.save(update_fields=["notes"])
        _list_records(run, listed)
    return run


def edit(
    *, run: HarvestRun, queries: Sequence[PlannedQuery], budget: Budget, seen: int, by: User, at: datetime
) -> HarvestRun:
    """Makes the plan these queries in this order, under this budget.

    `seen` is the row's version that the person had before them. Raises PlanChanged, and PlanRefused for a section that
    the project does not have, a query without text or search, and more than 500.
    """
    permissions.check_can_curate(by, run.project.workspace_id)
    if len(queries) > MOST_QUERIES:
        raise PlanRefused(
            f"These are {len(queries):,} queries; a plan takes {MOST_QUERIES}. Split it over two harvests."
        )
    wanted = budget.checked()
    with transaction.atomic():
        held = _seen_plan(run, seen)
        held.call_budget, held.candidate_budget = wanted.calls, wanted.candidates
        held.row_version += 1
        held.save(update_fields=["call_budget", "candidate_budget", "row_version"])
        if held.mode == HarvestMode.SEARCH:
            held.queries.all().delete()
            _write_queries(held, queries)
    return held


def discard(*, run: HarvestRun, seen: int, by: User) -> None:
    """Throws a plan away. `seen` as for `edit`; raises PlanChanged where it was changed or started meanwhile."""
    permissions.check_can_curate(by, run.project.workspace_id)
    with transaction.atomic():
        _seen_plan(run, seen).delete()


def _seen_plan(run: HarvestRun, seen: int) -> HarvestRun:
    held = HarvestRun.objects.select_for_update(no_key=True).filter(pk=run.pk).first()
    if held is None or held.state != HarvestState.PLANNED or held.row_version != seen:
        raise PlanChanged("This plan was changed or started meanwhile. Look at it again.")
    return held


def _planned(*, project: Project, made: Plan, budget: Budget, by: User, at: datetime) -> HarvestRun:
    with transaction.atomic():
        run = _empty(project=project, mode=HarvestMode.SEARCH, budget=budget, by=by, at=at)
        run.notes = list(made.notes)
        run.save(update_fields=["notes"])
        _write_queries(run, made.queries)
    return run


def _empty(*, project: Project, mode: HarvestMode, budget: Budget, by: User, at: datetime) -> HarvestRun:
    wanted = budget.checked()
    return HarvestRun.objects.create(
        project=project,
        mode=mode,
        call_budget=wanted.calls if mode is HarvestMode.SEARCH else 0,
        candidate_budget=wanted.candidates,
        created_by=by,
        created_at=at,
    )


def _write_queries(run: HarvestRun, queries: Sequence[PlannedQuery]) -> None:
    sections = {section.slug: section for section in Section.objects.filter(project=run.project_id)}
    rows = []
    for position, query in enumerate(queries, 1):
        text = one_line(query.text)
        if query.section not in sections:
            raise PlanRefused(f"Query {position}: the project has no section “{query.section}”.")
        if not text or len(text) > LONGEST_QUERY:
            raise PlanRefused(f"Query {position}: enter what to ask, at most {LONGEST_QUERY} characters.")
        if not query.tools:
            raise PlanRefused(f"Query {position}: choose at least one search, or take the query out.")
        rows.append(
            HarvestQuery(
                run=run,
                section=sections[query.section],
                position=position,
                text=text,
                tools=[tool.value for tool in dict.fromkeys(query.tools)],
                include=list(query.domains.include),
                exclude=list(query.domains.exclude),
                why=one_line(query.why),
            )
        )
    HarvestQuery.objects.bulk_create(rows)


def _list_records(run: HarvestRun, records: Iterable[SourceRecord]) -> None:
    """Writes the list's sources as candidates, in its order; what it rejects is one that stays out."""
    told = list(records)
    titles = [_sections_of(record) for record in told]
    sections = projects.sections_named(project=run.project, titles=[name for names in titles for name in names])
    finds = []
    for rank, (record, names) in enumerate(zip(told, titles, strict=True), 1):
        url = first_identity(record).request_url or record.spelling
        for name in names:
            finds.append(
                Find(
                    section_id=sections[name].pk,
                    url=url,
                    title=record.title,
                    rank=rank,
                    rejected_because=record.rejected_because,
                )
            )
    harvest_finds.record(run=run, finds=finds)


def _sections_of(record: SourceRecord) -> list[str]:
    named = [value[:300] for name, value in record.details if name == "section" and value]
    return list(dict.fromkeys(named)) or [record.section[:300] or _NO_SECTION]
