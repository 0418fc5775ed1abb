"""The states of a harvest, of its calls and of what they found. Each says in words what it means."""

from enum import StrEnum

from sources.core.findings import Tone


class HarvestMode(StrEnum):
    """Where the candidates come from."""

    SEARCH = "search"
    LIST = "list"

    @property
    def label(self) -> str:
        """The mode in words."""
        return {"search": "Searches from the outline", "list": "Only the analyst's list, no search"}[self.value]


class HarvestState(StrEnum):
    """A harvest as a whole: planned → searching → checking → done; stopped on the way by a person."""

    PLANNED = "planned"
    SEARCHING = "searching"
    CHECKING = "checking"
    DONE = "done"
    STOPPED = "stopped"

    @property
    def label(self) -> str:
        """The state in words."""
        return {
            "planned": "Planned",
            "searching": "Searching",
            "checking": "Checking what was found",
            "done": "Finished",
            "stopped": "Stopped",
        }[self.value]

    @property
    def is_under_way(self) -> bool:
        """True while workers have something to do."""
        return self in {HarvestState.SEARCHING, HarvestState.CHECKING}


class CallState(StrEnum):
    """One query to one search."""

    WAITING = "waiting"
    ASKING = "asking"
    ANSWERED = "answered"
    KEPT = "kept"
    FAILED = "failed"
    UNASKED = "unasked"

    @property
    def label(self) -> str:
        """The state in words."""
        return {
            "waiting": "Waits",
            "asking": "Being asked",
            "answered": "Answered",
            "kept": "Answered before, at no cost",
            "failed": "Failed",
            "unasked": "Not asked",
        }[self.value]

    @property
    def tone(self) -> Tone:
        """How its chip looks."""
        bad = Tone.BAD if self is CallState.FAILED else Tone.IDLE
        return {"answered": Tone.GOOD, "kept": Tone.GOOD, "unasked": Tone.WARN}.get(self.value, bad)

    @property
    def icon(self) -> str:
        """Name of its icon."""
        return {"answered": "check", "kept": "check", "failed": "cross", "unasked": "stop"}.get(self.value, "clock")

    @property
    def can_be_asked_again(self) -> bool:
        """True for what a person may have asked again by taking the harvest up."""
        return self in {CallState.WAITING, CallState.FAILED, CallState.UNASKED}


class CandidateState(StrEnum):
    """Something that was found: found → waiting for its check → kept or dropped; or never checked, and why."""

    FOUND = "found"
    WAITING = "waiting"
    KEPT = "kept"
    DROPPED = "dropped"
    REJECTED = "rejected"
    LEFT_OUT = "left-out"

    @property
    def label(self) -> str:
        """The state in words."""
        return {
            "found": "Found",
            "waiting": "Waits for its check",
            "kept": "In the corpus",
            "dropped": "Dropped",
            "rejected": "Rejected before",
            "left-out": "Over the budget",
        }[self.value]

    @property
    def tone(self) -> Tone:
        """How its chip looks."""
        return {"kept": Tone.GOOD, "dropped": Tone.BAD, "rejected": Tone.BAD, "left-out": Tone.WARN}.get(
            self.value, Tone.IDLE
        )

    @property
    def icon(self) -> str:
        """Name of its icon."""
        return {"kept": "check", "dropped": "cross", "rejected": "person", "left-out": "stop"}.get(self.value, "clock")
