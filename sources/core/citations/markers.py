"""Markers that a draft carries for claims without a source, `<needs-source claim="…">`, and for sources that a writer
wants to read whole, `<needs-deeper-grounding id="src-007">`."""

from dataclasses import dataclass
from enum import StrEnum


class MarkerKind(StrEnum):
    """What a marker asks for; the value is its tag."""

    NEEDS_SOURCE = "needs-source"
    NEEDS_GROUNDING = "needs-deeper-grounding"


@dataclass(frozen=True, slots=True)
class Marker:
    """`text[start:end]` is the tag. `claim` is '' for grounding, `id` is '' for claims."""

    kind: MarkerKind
    claim: str
    id: str
    start: int
    end: int
    line: int
    column: int


class RateDecision(StrEnum):
    """What the share of marked claims says of the harvest."""

    OK = "ok"
    BETWEEN = "between"
    TOO_MANY = "too-many"


@dataclass(frozen=True, slots=True)
class MarkerRate:
    """`share` is `markers / claims`, 0 to 1; `claims` are sentences that cite or are marked."""

    markers: int
    claims: int
    share: float
    decision: RateDecision


def markers_of(text: str) -> tuple[Marker, ...]:
    """All markers outside code and comments, in order."""
    raise NotImplementedError


def resolve_marker(text: str, marker: Marker, item_id: str) -> str:
    """`text` with the marker replaced by `[item_id]`, ready for the gate. Raises ValueError where it is not there."""
    raise NotImplementedError


def marker_rate(text: str) -> MarkerRate:
    """The share of claims with a marker, of those that cite or are marked: OK below 5 %, TOO_MANY above 20 %."""
    raise NotImplementedError
