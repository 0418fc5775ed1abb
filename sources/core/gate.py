"""The ship gate: how much of what a text cites is verified, and whether it may go out.

N is the number of distinct sources cited. Failed and unchecked sources count as not verified. The share is compared
exactly, never rounded: 94.99 % is not 95 %. No source at all, or one fabricated pattern, blocks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sources.core.findings import Verdict

ACCEPT_PERCENT = 95
BLOCK_PERCENT = 90


class GateDecision(StrEnum):
    """What follows from the share; the value is the word on screens and the terminal."""

    ACCEPT = "accept"
    INVESTIGATE = "investigate"
    BLOCK = "block"

    @property
    def exit_code(self) -> int:
        """0, 1, 2 for pipelines."""
        return {"accept": 0, "investigate": 1, "block": 2}[self.value]


@dataclass(frozen=True, slots=True)
class Gate:
    """The counts and what follows from them."""

    total: int
    verified: int
    fabricated: int

    @property
    def decision(self) -> GateDecision:
        """Accept at 95 % and above, block below 90 %, investigate between."""
        if self.total == 0 or self.fabricated or self.verified * 100 < BLOCK_PERCENT * self.total:
            return GateDecision.BLOCK
        if self.verified * 100 >= ACCEPT_PERCENT * self.total:
            return GateDecision.ACCEPT
        return GateDecision.INVESTIGATE

    @property
    def percent(self) -> str:
        """The share as text with one decimal, cut and not rounded, so that it never shows more than is there."""
        if self.total == 0:
            return "0.0"
        tenths = self.verified * 1000 // self.total
        return f"{tenths // 10}.{tenths % 10}"


def gate_of(counts: Mapping[Verdict | None, int]) -> Gate:
    """The gate for sources counted by verdict (None: not checked yet)."""
    return Gate(
        total=sum(counts.values()),
        verified=sum(number for verdict, number in counts.items() if verdict is not None and verdict.is_verified),
        fabricated=counts.get(Verdict.HALLUCINATED_PATTERN, 0),
    )
