"""Moments as senders write them: with nanoseconds, without a zone, from clocks that run ahead."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# What a clock may run ahead of ours before it is said (seconds of drift are everywhere).
AHEAD = timedelta(minutes=5)
_FINER = re.compile(r"(\.\d{6})\d+")


@dataclass(frozen=True, slots=True)
class Told:
    """A moment by a sender's clock: None where none was told or it cannot be placed, which `is_unclear` tells apart."""

    at: datetime | None = None
    is_unclear: bool = False


def moment(text: str) -> Told:
    """The moment a text names, in UTC; finer than microseconds is cut off.

    A time without a zone is unclear: taking it for local would move it by hours, silently.
    """
    if not text:
        return Told()
    try:
        found = datetime.fromisoformat(_FINER.sub(r"\1", text.strip()))
        return Told(found.astimezone(UTC)) if found.tzinfo is not None else Told(is_unclear=True)
    except (ValueError, OverflowError):
        return Told(is_unclear=True)


def is_skewed(told: Told, *, received: datetime) -> bool:
    """True where a sender's clock cannot be right: ahead of ours, or told without a zone."""
    return told.is_unclear or (told.at is not None and told.at - received > AHEAD)
