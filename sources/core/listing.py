"""How a list that is handed on is laid out: its shelves, and the decisions of people."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from sources.core.findings import Disposition, Verdict


class Shelf(StrEnum):
    """The part of the list a source stands in; the value is the heading."""

    VERIFIED = "Verified"
    GATED = "Gated"
    FLAGGED = "Flagged for review"
    DROPPED = "Dropped"
    RECOVERED = "Recovered"
    UNCHECKED = "Not checked yet"


def shelf_of(disposition: Disposition, verdict: Verdict | None) -> Shelf:
    """Where a source with this disposition and verdict stands in a list by verdict."""
    match disposition:
        case Disposition.UNCHECKED:
            return Shelf.UNCHECKED
        case Disposition.DROP:
            return Shelf.DROPPED
        case Disposition.REVIEW:
            return Shelf.FLAGGED
        case Disposition.KEEP:
            if verdict is Verdict.VERIFIED_VIA_REPUBLISH:
                return Shelf.RECOVERED
            return Shelf.GATED if verdict is Verdict.VERIFIED_GATED else Shelf.VERIFIED
        case _:
            assert_never(disposition)


@dataclass(frozen=True, slots=True)
class DecisionNote:
    """A person's decision as it is handed on."""

    label: str
    by: str
    at: datetime
    reason: str
