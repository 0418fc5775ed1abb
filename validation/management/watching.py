"""Watches a run from a terminal: a line for each verdict as it is written, then the counts."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

from provenance_site.jobs.states import JobState
from sources.queries.listings import link_of
from validation.models import CheckRun
from validation.queries.runs import RunState, checks_since, state_of
from validation.reports.terminal import reason_of, source_line

_TICK_S = 0.3


class Watcher:
    """Prints what is new of a run at every `look`, whoever works on it."""

    def __init__(self, *, run: CheckRun, write: Callable[[str], None]) -> None:
        self.run = run
        self.write = write
        self._last = 0

    def look(self) -> None:
        """Prints the checks written since the last look."""
        for check in checks_since(self.run, after=self._last):
            self._last = check.pk
            reason = reason_of(check.cause, check.evidence.get("detail", ""))
            address = check.source.request_url or link_of(check.source) or check.source.identifier_value
            self.write(source_line(address, check.as_verdict, reason))

    def until_done(self, *, patience_s: float) -> RunState | None:
        """Looks until the run is over and gives its state; None where it is not over within `patience_s`."""
        give_up_at = time.monotonic() + patience_s
        while True:
            self.run.job.refresh_from_db()
            self.look()
            if self.run.job.state != JobState.RUNNING:
                return state_of(self.run, at=datetime.now(UTC))
            if time.monotonic() > give_up_at:
                return None
            time.sleep(_TICK_S)
