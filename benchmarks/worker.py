"""Warm worker processes of the throughput benchmark: one parent that is loaded, and children forked from it.

So a worker of Celery with a prefork pool lies in memory. A job's number comes in by a line; when all children have
worked through it, the times of their commits go out. They run the product's own loop as Celery's task runs it.
"""

import gc
import json
import os
import sys
import time
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection

import django
from django.conf import settings

django.setup()

from validation.services.work import work

_CALL_S = 15.0


def _now() -> datetime:
    return datetime.now(UTC)


def serve(pipe: Connection) -> None:
    """A child: works through each job that comes in, and tells about it."""
    while (job_id := pipe.recv()) is not None:
        commits: list[float] = []

        def note(commits: list[float] = commits) -> None:
            commits.append(time.monotonic())

        before = os.times()
        while work(clock=_now, budget_s=_CALL_S, job_id=job_id, on_written=note):
            pass
        after = os.times()
        pipe.send((commits, after.user + after.system - before.user - before.system))


def main() -> None:
    """Loads everything, forks, and hands out jobs."""
    number, *hosts = sys.argv[1:]
    settings.SAMPLE_HOSTS = frozenset(hosts)
    gc.collect()
    gc.freeze()
    context = get_context("fork")
    pipes: list[Connection] = []
    for _ in range(int(number)):
        ours, theirs = context.Pipe()
        context.Process(target=serve, args=(theirs,), daemon=True).start()
        pipes.append(ours)
    print("ready", flush=True)
    for line in sys.stdin:
        for pipe in pipes:
            pipe.send(int(line))
        told = [pipe.recv() for pipe in pipes]
        commits = sorted(moment for ours_, _ in told for moment in ours_)
        print(json.dumps({"commits": commits, "cpu_s": sum(cpu for _, cpu in told)}), flush=True)
    for pipe in pipes:
        pipe.send(None)


if __name__ == "__main__":
    main()
