"""`python -m benchmarks.cached [--sources N]`: a run over a list whose verdicts are all known.

Measures from the click to the state that the run's page shows, at a tenth of N and at N, on an SQLite file of its own
in a temporary folder (or on DESK_DATABASE_URL, a database that is thrown away). Nothing is asked of any network. To
reach: 2,000 known verdicts in less than 0.5 s. Exit code 1 where that is missed or a source was to be asked.
"""

import argparse
import json
import statistics
import sys
import time
from datetime import UTC, datetime, timedelta

from benchmarks import throwaway

throwaway.desk()

from provenance_site.accounts.models import Membership, User, Workspace
from sources.core.findings import Cause, Evidence, Finding, SourceFinding, Verdict
from sources.core.identifiers import identify
from sources.models import Check
from sources.services import projects, registry
from validation.core.classify import RULES_VERSION
from validation.queries.runs import state_of
from validation.services import runs

LIMIT_S = 0.5
_ROUNDS = 5


def main() -> None:
    """Prepares a database, measures both sizes, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=int, default=2_000)
    wanted = parser.parse_args().sources
    small, large = measure(wanted // 10), measure(wanted)
    print(f"{wanted // 10:>8,} known verdicts  {small:.3f} s")
    print(f"{wanted:>8,} known verdicts  {large:.3f} s  {large / small:.1f} times as long for 10 times as many")
    print(json.dumps({"sources": wanted, "seconds": round(large, 3), "ratio": round(large / small, 2)}))
    if wanted <= 2_000 and large >= LIMIT_S:
        sys.exit(f"too slow: {LIMIT_S} s was to be reached")


def measure(number: int) -> float:
    """Median seconds of a run over `number` sources that were checked an hour before."""
    at = datetime.now(UTC)
    user = User.objects.create(username=f"bench-{number}")
    workspace = Workspace.objects.create(name=f"bench-{number}", created_at=at)
    Membership.objects.create(user=user, workspace=workspace, role="admin")
    project = projects.create(workspace_id=workspace.pk, name="Bench", by=user, at=at)
    found = registry.register_many(
        workspace_id=workspace.pk,
        sources=[
            registry.NewSource(identify(f"https://host-{place % 100}.org/reports/{place}?edition=2"))
            for place in range(number)
        ],
        at=at,
    )
    keys = [source.pk for source in found.by_key.values()]
    projects.enter(project=project, source_ids=keys, at=at)
    seen = Evidence(status=200, title_found="Report on harbours", snippet="The survey counted the boats. " * 10)
    finding = Finding(Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT, at, RULES_VERSION, seen)
    registry.apply_findings(findings=[SourceFinding(key, finding) for key in keys], at=at)
    checks = Check.objects.count()

    seconds = []
    for turn in range(_ROUNDS):
        click = at + timedelta(hours=1, seconds=turn)
        started = time.perf_counter()
        run = runs.start(project=project, scope=runs.Scope.ALL, by=user, at=click)
        told = state_of(run, at=click)
        seconds.append(time.perf_counter() - started)
        if told.is_running or told.progress.known != number or Check.objects.count() != checks:
            sys.exit(f"not everything was known: {told.line}")
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
