"""The states of a job and of its items."""

from enum import StrEnum


class JobState(StrEnum):
    """A job as a whole."""

    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"

    @property
    def label(self) -> str:
        """The state in words."""
        return {"running": "Running", "done": "Finished", "cancelled": "Stopped"}[self.value]


class ItemState(StrEnum):
    """One item: pending → leased → done, or given up after too many lost leases, or skipped by a cancel."""

    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    GIVEN_UP = "given-up"
    SKIPPED = "skipped"


OPEN_ITEM_STATES = (ItemState.PENDING, ItemState.LEASED)
