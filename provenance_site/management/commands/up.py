"""`manage.py up`: everything the desk needs on one machine, until Ctrl-C."""

import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import OperationalError, connections

from provenance_site import env
from provenance_site.supervisor import folder, plan, running
from provenance_site.supervisor.keeper import Keeper
from provenance_site.supervisor.places import LOOPBACK, Places, Refused, choose, is_loopback, is_wildcard


class Command(BaseCommand):
    """Starts the sample publishers, the web server, a worker and the schedule, and keeps them alive."""

    help = (
        "Starts everything: web, worker, schedule and the sample publishers; Ctrl-C stops them all. "
        "Environment: PORT (8000), HOST (127.0.0.1), SAMPLE_PORT (PORT + 10), DESK_DATA (var)."
    )
    # The port is looked at before anything else; the checks come after it.
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs until asked to end. Exit code 0 then, 1 where it could not start or a process died too often."""
        data: Path = settings.DATA_DIR
        places = _places(data)
        if isinstance(places, Refused):
            self._leave(places.message)
        lock = folder.take(data)
        if isinstance(lock, int):
            by = f" (process {lock})" if lock else ""
            self._leave(f"{data} is in use by another desk{by}: stop that one, or DESK_DATA=another-folder make run")
        with closing(lock):
            self._serve(places, data)

    def _serve(self, places: Places, data: Path) -> None:
        self._say("Starting Provenance Desk …")
        self.check()
        folder.prepare(data, queue=None if settings.BROKER_URL else settings.QUEUE_DIR)
        remembered = folder.remembered_sample_port(data)
        if remembered not in {0, places.sample_port}:
            self._say(
                f"The sample publishers have moved from port {remembered} to {places.sample_port}: "
                f"addresses of the sample project that name the old port will not answer."
            )
        folder.remember_sample_port(data, places.sample_port)
        environment = plan.environment(places, data=data)
        stop = running.StopRequest()
        stop.listen()
        self._prepare_site(environment)
        keeper = Keeper(
            plan.processes(places, data=data, worker_slots=settings.WORKER_SLOTS),
            cwd=settings.BASE_DIR,
            env=environment,
            say=self._say,
        )
        asked = LOOPBACK if is_wildcard(places.host) else places.host
        code = running.run(
            keeper,
            stop=stop,
            is_ready=partial(running.answers, asked, places.port),
            then=plan.first_start(),
            say=self._say,
            welcome=f"Provenance Desk is at {places.url} — Ctrl-C stops it.",
        )
        self._say("Provenance Desk has stopped.")
        sys.exit(code)

    def _prepare_site(self, environment: Mapping[str, str]) -> None:
        """Database and static files, side by side: each takes about a second."""
        # In a process of its own: which storage writes the static files is settled when the settings are read.
        collecting = subprocess.Popen(
            [sys.executable, "-m", "django", "collectstatic", "--noinput", "--verbosity", "0"],
            cwd=settings.BASE_DIR,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # Ctrl-C is for us to judge
        )
        try:
            call_command("migrate", verbosity=0, interactive=False)
        except OperationalError as error:
            self._leave(f"The database cannot be used: {str(error).strip().splitlines()[0]}")
        finally:
            output, _ = collecting.communicate()
            connections.close_all()
        if collecting.returncode:
            self._leave(f"The static files could not be collected:\n{output.strip()}")

    def _leave(self, message: str) -> NoReturn:
        self.stderr.write(message)
        sys.exit(1)

    def _say(self, line: str) -> None:
        try:
            self.stdout.write(line)
            self.stdout.flush()
        except OSError:
            # The terminal is gone; the desk runs on until it is told to end.
            pass


def _places(data: Path) -> Places | Refused:
    try:
        host = env.text("HOST", LOOPBACK)
        port, sample_port = env.number("PORT", 8000), env.number("SAMPLE_PORT", 0)
    except env.BadEnvironment as error:
        return Refused(f"{error}: PORT=8000 make run")
    if not is_loopback(host) and not env.text("DESK_ALLOWED_HOSTS"):
        return Refused(
            f"HOST={host} lets other machines in; say under which names: DESK_ALLOWED_HOSTS=desk.example.org make run"
        )
    return choose(host=host, port=port, sample_port=sample_port, remembered=folder.remembered_sample_port(data))
