"""`python -m benchmarks.lists [--references N]`: from a pasted list of N addresses to its Master-Sources.md.

Works on an SQLite file of its own in a temporary folder (or on DESK_DATABASE_URL, a database that is thrown away). Each
step is measured at a tenth of N and at N in the same run: a growth near 10 is linear, which is the limit to hold.
"""

import argparse
import json
import sys
import time
from datetime import UTC, datetime

from benchmarks import throwaway

throwaway.desk()

from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.changes.models import Channel
from sources.core import extract
from sources.reports.master_sources import Layout
from sources.services import exporting, importing, projects, staging
from validation.services import runs

STEPS = ("extract", "stage", "commit", "start run", "export")


def main() -> None:
    """Prepares a database, measures both sizes, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--references", type=int, default=50_000)
    wanted = parser.parse_args().references
    small, large = measure(wanted // 10), measure(wanted)
    print(f"{'step':<12}{wanted // 10:>12,}{wanted:>12,}{'growth':>10}")
    for step in STEPS:
        print(f"{step:<12}{small[step]:>11.2f}s{large[step]:>11.2f}s{large[step] / max(small[step], 1e-9):>10.1f}")
    told = {
        step.replace(" ", "_"): {"s": round(large[step], 2), "growth": round(large[step] / small[step], 1)}
        for step in STEPS
    }
    print(json.dumps({"references": wanted, **told}))


def measure(number: int) -> dict[str, float]:
    """Seconds of each step for a list of `number` distinct addresses on 100 hosts."""
    at = datetime.now(UTC)
    text = "".join(
        f"Report {place} on harbours — https://host-{place % 100}.org/reports/{place}?edition=2\n"
        for place in range(number)
    )
    user = User.objects.create(username=f"bench-{number}")
    workspace = Workspace.objects.create(name=f"bench-{number}", created_at=at)
    Membership.objects.create(user=user, workspace=workspace, role="admin")
    project = projects.create(workspace_id=workspace.pk, name="Bench", by=user, at=at)
    seconds: dict[str, float] = {}

    started = time.perf_counter()
    extract.extract(text)
    seconds["extract"] = time.perf_counter() - started

    started = time.perf_counter()
    batch = staging.stage(project=project, data=text.encode(), label="bench", by=user, at=at)
    seconds["stage"] = time.perf_counter() - started

    started = time.perf_counter()
    importing.commit(batch=batch, by=user, channel=Channel.COMMAND, at=at)
    seconds["commit"] = time.perf_counter() - started

    started = time.perf_counter()
    runs.start(project=project, scope=runs.Scope.ALL, by=user, at=at)
    seconds["start run"] = time.perf_counter() - started

    started = time.perf_counter()
    exporting.master_sources_file(project=project, layout=Layout.VERDICT, by=user)
    seconds["export"] = time.perf_counter() - started
    return seconds


if __name__ == "__main__":
    sys.exit(main())
