"""The processes of the one-command installation, as data."""

import os
from collections.abc import Mapping
from pathlib import Path

from provenance_site.supervisor.children import ChildSpec
from provenance_site.supervisor.folder import logs, temporary
from provenance_site.supervisor.places import Places

WEB_THREADS = 8
# Celery warns whoever runs a worker as root, for the sake of pickle; our messages are JSON ids.
_AS_ROOT = "ignore:You're running the worker with superuser privileges"


def processes(places: Places, *, data: Path, worker_slots: int) -> tuple[ChildSpec, ...]:
    """Sample publishers, web, workers, beat: in this order, since each may ask the ones before it."""
    folder = logs(data)
    celery = ("-A", "provenance_site")
    return (
        ChildSpec(
            "sample", "provenance_site.sample", ("--port", str(places.sample_port)), log=folder / "sample.log"
        ),
        ChildSpec(
            "web",
            "provenance_site.supervisor.web",
            ("--host", places.host, "--port", str(places.port), "--threads", str(WEB_THREADS)),
            log=folder / "web.log",
        ),
        *(_worker(number, data=data) for number in range(1, worker_slots + 1)),
        ChildSpec(
            "beat",
            "celery",
            (*celery, "--quiet", "beat", "-s", str(data / "beat" / "schedule"), "-l", "INFO"),
            log=folder / "beat.log",
        ),
    )  # fmt: skip


def _worker(number: int, *, data: Path) -> ChildSpec:
    """One worker, a process of its own: each has an interpreter for itself, and any of them can be killed.

    With a pool of processes the queue folder's kind of broker gives all children one lock to wait at; killing one that
    held it left the others waiting for ever (measured).
    """
    return ChildSpec(
        f"worker-{number}",
        "celery",
        (
            "-A", "provenance_site", "--quiet", "worker", "-n", f"worker-{number}@%h", "-P", "threads", "-c", "1",
            "-l", "INFO", "--without-gossip", "--without-mingle", "--without-heartbeat",
        ),
        log=logs(data) / f"worker-{number}.log",
        env={"C_FORCE_ROOT": "1", "PYTHONWARNINGS": _AS_ROOT},
    )  # fmt: skip


def first_start() -> ChildSpec:
    """What runs once the web server answers, on the terminal: it decides itself whether anything is to be done."""
    return ChildSpec("first start", "django", ("first_start",))


def environment(places: Places, *, data: Path) -> Mapping[str, str]:
    """What every process of this installation gets to know."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "provenance_site.settings",
        "DESK_DATA": str(data),
        "DESK_SAMPLE_PORT": str(places.sample_port),
        "PYTHONUNBUFFERED": "1",
        "TMPDIR": str(temporary(data)),
    }
