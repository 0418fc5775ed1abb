"""Markers that a draft carries for claims without a source, `<needs-source claim="…">`, and for sources that a writer
wants to read whole, `<needs-deeper-grounding id="src-007">`."""

from dataclasses import dataclass
from enum import StrEnum

from sources.core.citations.constructs import Construct, Kind
from sources.core.citations.corpus import CorpusIndex
from sources.core.citations.reading import Piece, Reading

OK_BELOW_PERCENT = 5
TOO_MANY_ABOVE_PERCENT = 20

_CITING = frozenset({Kind.CITATION, Kind.NOTE, Kind.LINK, Kind.ADDRESS})


class MarkerKind(StrEnum):
    """What a marker asks for; the value is its tag."""

    NEEDS_SOURCE = "needs-source"
    NEEDS_GROUNDING = "needs-deeper-grounding"


@dataclass(frozen=True, slots=True)
class Marker:
    """`text[start:end]` is the tag. `claim` is what the tag says, else the sentence that it stands in; `id` is '' for
    claims. `line` and `column` from 1."""

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

    @property
    def explanation(self) -> str:
        """What follows, in a sentence."""
        return _RATES[self]


_RATES = {
    RateDecision.OK: "The corpus covers what the draft claims; resolve the markers by hand.",
    RateDecision.BETWEEN: "Some claims are not covered; harvest for the markers, then look again.",
    RateDecision.TOO_MANY: "The harvest does not cover this draft: widen its questions and preferred sources.",
}


@dataclass(frozen=True, slots=True)
class MarkerRate:
    """`claims` are sentences that cite or are marked, `markers` those that are marked, `share` is the quotient (0 to 1;
    0 for a draft without claims)."""

    markers: int
    claims: int
    share: float
    decision: RateDecision


def markers_of(text: str) -> tuple[Marker, ...]:
    """All markers outside code, comments and named notes, in order. Linear."""
    reading = _read(text)
    return tuple(_marker(reading, piece, each) for piece, each in _found(reading) if each.kind is Kind.MARKER)


def resolve_marker(text: str, marker: Marker, item_id: str) -> str:
    """`text` with the marker replaced by `[item_id]`, ready for the gate.

    `marker` is one of `markers_of(text)`. Raises ValueError where the text has changed and the marker is not there.
    """
    if not text.startswith(f"<{marker.kind}", marker.start) or text[marker.end - 1 : marker.end] != ">":
        raise ValueError(
            f"There is no marker at line {marker.line}, column {marker.column} any more. Open the newest version."
        )
    return f"{text[: marker.start]}[{item_id}]{text[marker.end :]}"


def marker_rate(text: str) -> MarkerRate:
    """The share of sentences with a marker among those that cite or are marked; of a draft before or behind the gate.

    OK below 5 %, TOO_MANY above 20 %, BETWEEN for the rest. Counted by sentence, so two markers in one count once.
    """
    reading = _read(text)
    marked: set[tuple[int, int]] = set()
    claims: set[tuple[int, int]] = set()
    for piece, each in _found(reading):
        key = (piece.stretch.start, piece.sentences.number(each.start))
        if each.kind is Kind.MARKER and each.label == MarkerKind.NEEDS_SOURCE:
            marked.add(key)
        elif each.kind not in _CITING:
            continue
        claims.add(key)
    return counted_rate(len(marked), len(claims))


def counted_rate(markers: int, claims: int) -> MarkerRate:
    """The rate of a draft whose sentences were counted before: those with a marker, and all that cite or are marked."""
    return MarkerRate(markers, claims, markers / max(1, claims), _decision(markers, claims))


def _decision(marked: int, claims: int) -> RateDecision:
    if marked * 100 > TOO_MANY_ABOVE_PERCENT * claims:
        return RateDecision.TOO_MANY
    if marked * 100 < OK_BELOW_PERCENT * claims or not marked:
        return RateDecision.OK
    return RateDecision.BETWEEN


def _read(text: str) -> Reading:
    return Reading(text, CorpusIndex(()), lambda address: True)


def _found(reading: Reading) -> list[tuple[Piece, Construct]]:
    return [(piece, each) for piece in reading.pieces if not piece.silent for each in piece.constructs]


def _marker(reading: Reading, piece: Piece, each: Construct) -> Marker:
    line, column = reading.layout.place(each.start)
    kind = MarkerKind(each.label)
    claim = each.title or (piece.sentences.claim(each.start) if kind is MarkerKind.NEEDS_SOURCE else "")
    return Marker(kind, claim, each.ids[0] if each.ids else "", each.start, each.end, line, column)
