"""Harvests started, stopped, taken up again. The work itself is `harvest_work`."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from provenance_site.accounts.models import User
from provenance_site.jobs import services as jobs
from provenance_site.jobs.models import Job
from sources import permissions
from sources.core.findings import Verdict
from validation.core.harvest_states import CallState, CandidateState, HarvestMode, HarvestState
from validation.models import HarvestCall, HarvestRun
from validation.services import harvest_choosing
from validation.services.harvest_choosing import held_rows
from validation.services.harvest_plans import Budget

SEARCH_JOB_KIND = "validation.harvest-search"
_AGAIN = [state.value for state in CallState if state.can_be_asked_again or state is CallState.ASKING]


class NothingToHarvest(ValueError):
    """There is nothing to ask and nothing to check; the message says what to do."""


def start(*, run: HarvestRun, by: User, at: datetime) -> HarvestRun:
    """Starts a planned harvest. Workers are woken by `dispatch`, after the commit.

    Idempotent: one that was started goes on as it is. Raises NothingToHarvest for a plan without a query or source.
    """
    permissions.check_can_curate(by, run.project.workspace_id)
    with transaction.atomic():
        held = _held(run)
        if held.state != HarvestState.PLANNED:
            return held
        held.started_at = at
        if held.mode == HarvestMode.SEARCH:
            calls = [
                HarvestCall(run=held, query=query, tool=tool)
                for query in held.queries.order_by("position", "pk")
                for tool in query.tools
            ]
            if not calls:
                raise NothingToHarvest("The plan has no query. Add one, or plan again from the outline.")
            HarvestCall.objects.bulk_create(calls, batch_size=500)
            _search(held, [call.pk for call in calls], by=by, at=at)
        elif not held.candidates.exists():
            raise NothingToHarvest("The list names no source.")
        else:
            harvest_choosing.choose(run=held, by=by, at=at)
    return held


def cancel(*, run: HarvestRun, by: User, at: datetime) -> bool:
    """Stops a harvest: what is in the corpus stays, what was not asked or checked is not. False where it does not run.

    What a worker has asked already is paid for; its answer is kept and costs nothing when the harvest is taken up.
    """
    permissions.check_can_curate(by, run.project.workspace_id)
    with transaction.atomic():
        # The harvest first: else its checks could be chosen meanwhile, and go on after the stop.
        held = _held(run)
        if not held.as_state.is_under_way:
            return False
        for job_id in (held.search_job_id, held.check_job_id):
            if job_id is not None:
                jobs.cancel(job=Job.objects.get(pk=job_id), by=by, at=at)
        held.state, held.finished_at = HarvestState.STOPPED, at
        held.save(update_fields=["state", "finished_at"])
        harvest_choosing.drop_empty_deed(held)
    return True


def resume(*, run: HarvestRun, by: User, at: datetime, budget: Budget | None = None) -> HarvestRun:
    """Takes a harvest up that was stopped, or that left something out: asks what was not asked or failed, checks what
    was not checked or could not be fetched. What was answered is not asked again.

    `budget` replaces the one it had, and holds for all it has spent since it was started; it is never less than that.
    Raises NothingToHarvest where nothing is left.
    """
    permissions.check_can_curate(by, run.project.workspace_id)
    with transaction.atomic():
        held = _held(run)
        if held.state not in {HarvestState.STOPPED, HarvestState.DONE}:
            return held
        if budget is not None:
            wanted = budget.checked()
            held.call_budget = max(wanted.calls, held.calls_spent)
            held.candidate_budget = max(wanted.candidates, held.candidates_spent)
            held.save(update_fields=["call_budget", "candidate_budget"])
        calls = list(held.calls.filter(state__in=_AGAIN).order_by("query__position", "pk").values_list("pk", flat=True))
        again = Q(state__in=[CandidateState.WAITING, CandidateState.LEFT_OUT])
        failed = Q(state=CandidateState.DROPPED, verdict=Verdict.FETCH_FAILED)
        left = held.candidates.filter(again | failed)
        if not calls and not left.exists() and not held.candidates.filter(state=CandidateState.FOUND).exists():
            raise NothingToHarvest("Everything was asked and checked.")
        left.update(state=CandidateState.FOUND, verdict="", reason="")
        held.finished_at = None
        if calls:
            HarvestCall.objects.filter(pk__in=calls).update(state=CallState.WAITING, reason="")
            _search(held, calls, by=by, at=at)
        else:
            harvest_choosing.choose(run=held, by=by, at=at)
    return held


def _held(run: HarvestRun) -> HarvestRun:
    return held_rows().select_related("project").get(pk=run.pk)


def _search(run: HarvestRun, call_ids: Iterable[int], *, by: User, at: datetime) -> None:
    job = jobs.create(
        workspace_id=run.project.workspace_id,
        kind=SEARCH_JOB_KIND,
        title=run.project.name,
        subject_ids=list(call_ids),
        by=by,
        at=at,
    )
    run.search_job, run.state = job, HarvestState.SEARCHING
    run.save(update_fields=["search_job", "state", "started_at", "finished_at"])
