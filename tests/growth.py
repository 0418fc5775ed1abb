"""Growth: whether work on a longer text takes its share of time, told by a ratio of the same run, not by a clock."""

import time
from collections.abc import Callable

TIMES = 8
"""How many times longer the long text is: linear work takes about 8 times as long, quadratic work 64 times."""

_ALLOWED = 3 * TIMES
_FLOOR_S = 0.004
"""Shorter than this a reading is noise; work so short cannot hold up anybody at eight times the length either."""


def assert_linear(work: Callable[[str], object], piece: str, length: int, *, before: str = "", after: str = "") -> None:
    """`work` on `piece` repeated to `length` characters takes at most three times its linear share of an eighth of it.

    CPU time of this process, so that other work on the machine does not count; the shortest of three readings each.
    """
    short = _seconds(work, before + piece * (length // TIMES // len(piece) + 1) + after)
    long = _seconds(work, before + piece * (length // len(piece) + 1) + after)
    ratio = long / max(short, _FLOOR_S)
    assert ratio <= _ALLOWED, f"{piece!r}: {ratio:.0f} times the time for {TIMES} times the length"


def _seconds(work: Callable[[str], object], text: str) -> float:
    readings = []
    for _ in range(3):
        begun = time.process_time()
        work(text)
        readings.append(time.process_time() - begun)
    return min(readings)
