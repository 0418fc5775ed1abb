"""A project's sources as a list that can be handed on: what every export says about each of them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from sources.core.catalog import CitationStatus
from sources.core.findings import Disposition, Evidence, Verdict


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


@dataclass(frozen=True, slots=True)
class Entry:
    """One source of a project. `verdict` is the one that holds: an editor's override stands in the machine's place."""

    stable_id: str
    title: str
    link: str
    verdict: Verdict | None
    reason: str
    disposition: Disposition
    checked_at: datetime | None
    added_at: datetime
    evidence: Evidence
    status: CitationStatus
    sections: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    decision: DecisionNote | None = None
    retraction_note: str | None = None

    @property
    def shelf(self) -> Shelf:
        """Where the entry stands in the list by verdict."""
        return shelf_of(self.disposition, self.verdict)


@dataclass(frozen=True, slots=True)
class Listing:
    """A project's list at one state. Same state, same listing: `as_of` comes from the rows, never from the clock."""

    project: str
    firm: str
    versions: tuple[str, ...]
    entries: tuple[Entry, ...]
    created_at: datetime

    @property
    def as_of(self) -> datetime:
        """The time of the newest check or decision included; before the first, of the newest entry or the project."""
        moments = [entry.checked_at for entry in self.entries if entry.checked_at]
        moments += [entry.decision.at for entry in self.entries if entry.decision]
        if not moments:
            moments = [entry.added_at for entry in self.entries]
        return max(moments, default=self.created_at)
