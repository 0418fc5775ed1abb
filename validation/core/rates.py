"""The pace that a registry's own headers allow: arithmetic only.

Crossref tells it in each answer, by kind of question and by how one introduced oneself (rest-api-doc, "Rate limits";
the concurrency header came with the limits of December 2025): `x-rate-limit-limit` questions per
`x-rate-limit-interval`, and `x-concurrency-limit` at once. They are read, never assumed.
"""

import re
from collections.abc import Iterable, Mapping

from validation.core.pacing import Manners

_LIMIT, _INTERVAL, _AT_ONCE = "x-rate-limit-limit", "x-rate-limit-interval", "x-concurrency-limit"
_NUMBER = re.compile(r"[0-9]{1,9}")
_SPAN = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(ms|s|m|h)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
# Clocks differ and requests bunch up on the way: who goes exactly at the limit is over it now and then.
_MARGIN = 1.1
# Beyond these a header is no pace but a mistake.
_FASTEST_S, _SLOWEST_S = 0.02, 60.0
_MOST_AT_ONCE = 10


def told_manners(headers: Mapping[str, str], *, guest: Manners, workers: int, answered_in_s: float = 0.0) -> Manners:
    """One worker's share of the pace that an answer's `headers` (names in lower case) allow.

    `guest` are the careful manners of all workers together: they hold where a header is missing or cannot be read.
    Where fewer may ask at once than there are workers, each worker has one place and asks so seldom that, with answers
    taking `answered_in_s`, no more than allowed are under way on average. Total: never raises.
    """
    workers = max(1, workers)
    limit, span_s = _least(headers.get(_LIMIT, "")), _longest_s(headers.get(_INTERVAL, ""))
    interval_s = guest.interval_s
    if limit and span_s:
        interval_s = min(_SLOWEST_S, max(_FASTEST_S, _MARGIN * span_s / limit))
    at_once = min(_MOST_AT_ONCE, _least(headers.get(_AT_ONCE, "")) or guest.at_once)
    if at_once < workers:
        interval_s = max(interval_s, min(_SLOWEST_S, answered_in_s / at_once))
    return Manners(at_once=max(1, at_once // workers), interval_s=interval_s * workers)


def slowest(each: Iterable[Manners]) -> Manners:
    """Manners that break none of these, at least one."""
    known = list(each)
    return Manners(at_once=min(one.at_once for one in known), interval_s=max(one.interval_s for one in known))


def _least(value: str) -> int:
    """The smallest number of a header that may have come twice; 0 where one of them is no number."""
    parts = [part.strip() for part in value.split(",")]
    return min(int(part) for part in parts) if all(_NUMBER.fullmatch(part) for part in parts) else 0


def _longest_s(value: str) -> float:
    spans = [_SPAN.fullmatch(part.strip()) for part in value.split(",")]
    return max((float(one[1]) * _SECONDS[one[2] or "s"] if one else 0.0) for one in spans) if all(spans) else 0.0
