"""How news goes out beside the inbox: how often a person has mail, and what became of what a webhook was sent."""

from enum import StrEnum


class Pace(StrEnum):
    """How often a person has notices by mail."""

    NONE = "none"
    DAILY = "daily"
    EACH = "each"

    @property
    def label(self) -> str:
        """The words of the choice."""
        return {
            "none": "No mail; the inbox is enough",
            "daily": "One mail a day, with what is new and unread",
            "each": "A mail as soon as there is something new",
        }[self.value]


class DeliveryState(StrEnum):
    """What became of one piece of news for a webhook."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"
    VOID = "void"

    @property
    def label(self) -> str:
        """The words on the page."""
        return {
            "waiting": "Waiting",
            "delivered": "Delivered",
            "failed": "Given up",
            "void": "Nothing left to tell",
        }[self.value]
