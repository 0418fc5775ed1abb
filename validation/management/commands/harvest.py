"""`manage.py harvest --project P`: a harvest from a terminal, planned and carried out in this process."""

import json
import time
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError
from django.http import Http404

from provenance_site.accounts.operators import Operator
from provenance_site.changes.models import Channel
from provenance_site.kit.text import counted
from sources.core.decoding import NotText
from sources.management.input import read_input
from sources.management.operators import acting, add_operator_arguments, project_called
from sources.models import Project
from sources.services.staging import ImportRefused
from validation.core.harvest_states import CandidateState, HarvestState
from validation.core.routes import BadDomain, domains_in
from validation.models import HarvestRun
from validation.queries.harvests import Standing, candidates_of, harvests_of, queries_of, standing_of
from validation.reports.terminal import clean
from validation.services import harvest_plans, harvest_runs, harvest_work
from validation.services.harvest_plans import DEFAULT_BUDGET, Budget, PlanRefused
from validation.services.harvest_runs import NothingToHarvest

_STEP_S = 5.0
_TICK_S = 0.3


class Command(BaseCommand):
    """Plans and runs a harvest."""

    help = (
        "Asks searches for each section of the project's outline, checks what they find, and keeps what is verified in "
        "the corpus. --plan only shows the plan. --list FILE takes an analyst's Sources.md and searches nothing. "
        "--resume takes a harvest up that was stopped. Exit code 1 where something could not be asked or checked, 2 "
        "where nothing could be planned."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to plan from, the budget, what to take up, and how to print."""
        parser.add_argument("--project", required=True, help="Name of the project.")
        add_operator_arguments(parser)
        parser.add_argument("--calls", type=int, default=DEFAULT_BUDGET.calls, help="Calls of searches at most.")
        parser.add_argument("--candidates", type=int, default=DEFAULT_BUDGET.candidates, help="Checks at most.")
        parser.add_argument("--exclude", default="", help="Domains that nothing may be found on, with commas.")
        parser.add_argument("--section", action="append", default=[], help="Slug of a section; may be repeated.")
        parser.add_argument("--list", default="", metavar="FILE", help="A Sources.md; - for standard input.")
        parser.add_argument("--plan", action="store_true", help="Show the plan and ask nobody.")
        parser.add_argument("--resume", default="", metavar="UUID", help="Take this harvest up; “last” for the newest.")
        parser.add_argument("--json", action="store_true", help="Print the report as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Plans, shows or works, reports."""
        who = acting(options)
        project = project_called(options["project"], who=who)
        try:
            run = self._run(project, who, options)
        except (PlanRefused, NothingToHarvest, ImportRefused, NotText, BadDomain) as refused:
            raise CommandError(str(refused), returncode=2) from refused
        except (PermissionDenied, Http404) as refused:
            raise CommandError(f"{who.user} may not harvest here. Name a curator with --as.", returncode=2) from refused
        if options["plan"]:
            self._show_plan(run)
            return
        self._work(run, quiet=options["json"])
        standing = standing_of(run, at=_now())
        self._report(run, standing, as_json=options["json"])
        if any(one.failed or one.unasked for one in standing.spending) or standing.candidates[CandidateState.LEFT_OUT]:
            raise SystemExit(1)

    def _run(self, project: Project, who: Operator, options: dict[str, Any]) -> HarvestRun:
        budget = Budget(options["calls"], options["candidates"])
        if options["resume"]:
            found = _named(project, options["resume"])
            return harvest_runs.resume(run=found, by=who.user, at=_now(), budget=budget)
        if options["list"]:
            data, _ = read_input(options["list"])
            run = harvest_plans.from_list(
                project=project, data=data, budget=budget, by=who.user, channel=Channel.COMMAND, at=_now()
            )
        else:
            run = harvest_plans.from_outline(
                project=project,
                budget=budget,
                sections=options["section"],
                exclude=domains_in(options["exclude"]),
                by=who.user,
                at=_now(),
            )
        return run if options["plan"] else harvest_runs.start(run=run, by=who.user, at=_now())

    def _show_plan(self, run: HarvestRun) -> None:
        for query in queries_of(run):
            where = f"  [{', '.join(query.include)}]" if query.include else ""
            self.stdout.write(clean(f"{query.section.slug}: {query.text}  ({', '.join(query.tools)}){where}"))
        for note in run.notes:
            self.stderr.write(clean(note))
        self.stdout.write(f"harvest {run.uuid}: planned, nothing was asked")

    def _work(self, run: HarvestRun, *, quiet: bool) -> None:
        """Works on this harvest until it is over; what another worker holds is waited for by its next call."""
        said = ""
        while True:
            harvest_work.work(clock=_now, budget_s=_STEP_S, run_id=run.pk)
            run.refresh_from_db()
            line = standing_of(run, at=_now()).line
            if line != said and not quiet:
                self.stderr.write(line)
            said = line
            if run.state in {HarvestState.DONE, HarvestState.STOPPED}:
                return
            time.sleep(_TICK_S)

    def _report(self, run: HarvestRun, standing: Standing, *, as_json: bool) -> None:
        rows = list(candidates_of(run))
        if as_json:
            told = {
                "harvest": str(run.uuid),
                "state": run.state,
                "calls_spent": run.calls_spent,
                "candidates_spent": run.candidates_spent,
                "cost": {one.tool.value: one.cost for one in standing.spending},
                "candidates": [
                    {
                        "url": one.url,
                        "state": one.state,
                        "id": one.stable_id,
                        "verdict": one.verdict,
                        "reason": one.reason,
                    }
                    for one in rows
                ],
            }
            self.stdout.write(json.dumps(told, ensure_ascii=False))
            return
        for one in rows:
            self.stdout.write(clean(f"{one.stable_id or one.state:10} {one.url}  {one.reason}".rstrip()))
        for spent in standing.spending:
            self.stdout.write(
                f"{spent.tool.label}: {counted(spent.made, 'call')} ({spent.cost}), {spent.kept} answered before, "
                f"{spent.failed} failed, {spent.unasked} not asked"
            )
        self.stdout.write(standing.line)


def _named(project: Project, wanted: str) -> HarvestRun:
    newest = harvests_of(project, limit=5)
    if wanted == "last" and newest:
        return newest[0]
    try:
        found = HarvestRun.objects.filter(project=project, uuid=UUID(wanted)).first()
    except ValueError:
        found = None
    if found is None:
        told = ", ".join(str(run.uuid) for run in newest) or "none yet"
        raise CommandError(f"The project has no harvest {wanted!r}. Its newest: {told}", returncode=2)
    return found


def _now() -> datetime:
    return datetime.now(UTC)
