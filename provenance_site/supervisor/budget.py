"""How often a child may be started again, and how long to wait before: pure."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class RestartBudget:
    """At most `limit` restarts in `window_s` seconds; each waits twice as long as the last, up to `longest_s`."""

    limit: int = 5
    window_s: float = 60.0
    first_wait_s: float = 0.5
    longest_s: float = 8.0
    _restarts: list[float] = field(default_factory=list)

    def wait_after_exit(self, at: float) -> float | None:
        """Seconds to wait before the restart after an exit at `at` (any clock that never goes back), None: give up.

        Counts the restart it grants.
        """
        self._restarts = [moment for moment in self._restarts if at - moment < self.window_s]
        if len(self._restarts) >= self.limit:
            return None
        wait = min(self.first_wait_s * 2 ** len(self._restarts), self.longest_s)
        self._restarts.append(at)
        return float(wait)
