"""When the next request to a host may start: arithmetic only. Whoever waits, waits elsewhere."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Manners:
    """How a host is treated: so many requests at once, and so many seconds between two starts."""

    at_once: int = 10
    interval_s: float = 0.05

    def shared_by(self, workers: int) -> "Manners":
        """The share of one of so many workers: its part of the places, one at least. Starts are taken one by one."""
        return replace(self, at_once=max(1, self.at_once // max(1, workers)))


# A host that says «too many» is asked half as often each time, one that fails a little less often, until it is well
# again: the steps of lychee's host limiter, measured as enough there.
_TOO_MANY = 429
_FIRST_BACK_OFF_S, _LONGEST_BACK_OFF_S = 0.5, 30.0
_FAILING_STEP_S, _LONGEST_FAILING_S = 0.2, 10.0
_REMEMBERED_S = 60.0


@dataclass(slots=True)
class HostPace:
    """What is under way at one host. Moments are seconds of one monotonic clock, whichever the caller uses.

    `back_off_s` stretches the interval while the host answers 429 or 5xx.
    """

    manners: Manners
    under_way: int = 0
    not_before: float = 0.0
    back_off_s: float = 0.0

    def due(self, now: float) -> float | None:
        """When the next request may start, `now` or later; None while as many as allowed are under way."""
        if self.under_way >= self.manners.at_once:
            return None
        return max(now, self.not_before)

    def start(self, now: float) -> None:
        """Notes that a request starts."""
        self.under_way += 1
        self.not_before = max(now, self.not_before) + max(self.manners.interval_s, self.back_off_s)

    def finish(self) -> None:
        """Notes that a request is over."""
        self.under_way -= 1

    def heard(self, status: int, now: float) -> None:
        """Notes the status of an answer: 429 doubles the back-off, 5xx adds to it, any other ends it."""
        if status == _TOO_MANY:
            self.back_off_s = min(_LONGEST_BACK_OFF_S, max(_FIRST_BACK_OFF_S, 2 * self.back_off_s))
        elif status >= 500:
            self.back_off_s = max(self.back_off_s, min(_LONGEST_FAILING_S, self.back_off_s + _FAILING_STEP_S))
        else:
            self.back_off_s = 0.0
        if self.back_off_s:
            self.not_before = max(self.not_before, now + self.back_off_s)

    def is_idle(self, now: float) -> bool:
        """True when forgetting this host changes nothing, or nothing that still matters."""
        rest_s = _REMEMBERED_S if self.back_off_s else 0.0
        return self.under_way == 0 and self.not_before + rest_s <= now


def interleaved(placed: Iterable[tuple[int, str]]) -> list[int]:
    """The keys of pairs of key and host, one of each host in turn: first all firsts, then all seconds, and so on.

    Worked through in this order, no host's long list keeps the others waiting. The order within a host stays.
    """
    seen: dict[str, int] = defaultdict(int)
    rounds: dict[int, list[int]] = defaultdict(list)
    for key, host in placed:
        rounds[seen[host]].append(key)
        seen[host] += 1
    return [key for turn in sorted(rounds) for key in rounds[turn]]
