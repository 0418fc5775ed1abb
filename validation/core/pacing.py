"""When the next request to a host may start: arithmetic only. Whoever waits, waits elsewhere."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Manners:
    """How a host is treated: so many requests at once, and so many seconds between two starts."""

    at_once: int = 4
    interval_s: float = 0.05


@dataclass(slots=True)
class HostPace:
    """What is under way at one host. Moments are seconds of one monotonic clock, whichever the caller uses."""

    manners: Manners
    under_way: int = 0
    not_before: float = 0.0

    def due(self, now: float) -> float | None:
        """When the next request may start, `now` or later; None while as many as allowed are under way."""
        if self.under_way >= self.manners.at_once:
            return None
        return max(now, self.not_before)

    def start(self, now: float) -> None:
        """Notes that a request starts."""
        self.under_way += 1
        self.not_before = max(now, self.not_before) + self.manners.interval_s

    def finish(self) -> None:
        """Notes that a request is over."""
        self.under_way -= 1

    def is_idle(self, now: float) -> bool:
        """True when forgetting this host changes nothing."""
        return self.under_way == 0 and self.not_before <= now
