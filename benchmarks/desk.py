"""Our side of the throughput benchmark: a database that is thrown away, warm worker processes, one run at a time.

The workers are the product's own loop (`validation.services.work`), called as Celery's task calls it, in as many
processes as a worker of that many slots has. A run is timed from its start (`validation.services.runs`) to the last
commit of a check.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from subprocess import PIPE, Popen
from threading import Event, Thread
from typing import Any

from benchmarks.memory import family_pss_mb
from benchmarks.worklist import Server
from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.changes.models import Channel
from sources.models import Check, Project
from sources.services import importing, projects, staging
from validation.services import runs


@dataclass
class Seen:
    """What came of one run. `seconds`: submit to last commit; `landed`: seconds to each address's commit."""

    seconds: float = 0.0
    start_s: float = 0.0
    verdicts: dict[str, str] = field(default_factory=dict)
    causes: dict[str, str] = field(default_factory=dict)
    landed: dict[str, float] = field(default_factory=dict)
    pss_mb: float = 0.0
    cpu_s: float = 0.0
    counts: dict[str, Any] = field(default_factory=dict)


def now() -> datetime:
    """The clock."""
    return datetime.now(UTC)


class Workers:
    """Warm worker processes (`benchmarks.worker`) on the database of this process."""

    def __init__(self, number: int, server: Server) -> None:
        environment = {**os.environ, "DESK_SAMPLE_PORT": str(server.port), "DESK_WORKER_SLOTS": str(number)}
        command = [sys.executable, "-m", "benchmarks.worker", str(number), *server.hosts]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, text=True, bufsize=1, env=environment)
        self._line()

    def run(self, job_id: int) -> tuple[list[float], float]:
        """Works through a job; the times of all commits (monotonic), and the CPU seconds spent."""
        assert self._process.stdin is not None  # noqa: S101
        self._process.stdin.write(f"{job_id}\n")
        told = json.loads(self._line())
        return told["commits"], told["cpu_s"]

    def pss_mb(self) -> float:
        """What the worker processes hold now: memory shared by several is counted once."""
        return family_pss_mb(self._process.pid)

    def close(self) -> None:
        """Ends them."""
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None  # noqa: S101
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the worker of the benchmark died")
        return line


class Desk:
    """One workspace of a thrown-away database, and its workers."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        at = now()
        self.user = User.objects.create(username=f"bench-{time.time_ns()}")
        self.workspace = Workspace.objects.create(name=self.user.username, created_at=at)
        Membership.objects.create(user=self.user, workspace=self.workspace, role="admin")

    def project(self, name: str, urls: Iterable[str]) -> Project:
        """A project with these addresses, imported as a person would paste them."""
        project = projects.create(workspace_id=self.workspace.pk, name=name, by=self.user, at=now())
        text = "\n".join(urls)
        batch = staging.stage(project=project, data=text.encode(), label=name, by=self.user, at=now())
        importing.commit(batch=batch, by=self.user, channel=Channel.COMMAND, at=now())
        return project

    def check(self, project: Project, *, scope: runs.Scope = runs.Scope.ALL) -> Seen:
        """One run over the project."""
        stop, peak = Event(), [0.0]

        def watch() -> None:
            while not stop.wait(0.4):
                peak[0] = max(peak[0], self.workers.pss_mb())

        watcher = Thread(target=watch)
        watcher.start()
        try:
            submitted, at = time.monotonic(), now()
            run = runs.start(project=project, scope=scope, by=self.user, at=at)
            started = time.monotonic()
            commits, cpu_s = self.workers.run(run.job_id)
        finally:
            stop.set()
            watcher.join()
        seen = Seen(start_s=started - submitted, pss_mb=max(peak[0], self.workers.pss_mb()), cpu_s=cpu_s)
        rows = Check.objects.filter(item__job_id=run.job_id).values_list(
            "source__request_url", "verdict", "cause", "item__finished_at"
        )
        for url, verdict, cause, finished_at in rows:
            seen.verdicts[url], seen.causes[url] = verdict, cause
            seen.landed[url] = (finished_at - at).total_seconds()
        seen.seconds = (commits[-1] if commits else time.monotonic()) - submitted
        return seen


@contextmanager
def opened(server: Server, *, workers: int) -> Iterator[Workers]:
    """Warm workers on the prepared database: each has done a short run before."""
    team = Workers(workers, server)
    try:
        desk = Desk(team)
        pages = [f"http://{host}:{server.port}/ok/{90_000 + place}" for place, host in enumerate(server.hosts)]
        desk.check(desk.project("warm-up", pages))
        server.counts()
        yield team
    finally:
        team.close()
