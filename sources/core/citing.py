"""Observations and what they rest on: the turn one belongs to, and how its sources are shown in a terminal."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TypeVar

from sources.core.entries import ObservationKind, Relationship, RetrievedSource
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.kinds import IdentifierType
from sources.core.lines import one_line
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus, mark

T = TypeVar("T")

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSource:
    """One source of an observation, as `shown` writes it. `identity` may be of the type `none`."""

    title: str
    identity: Identity
    relationship: Relationship
    retraction: RetractionStatus = RetractionStatus.UNKNOWN
    retraction_note: str = ""


def moment(written: str, *, zone: tzinfo) -> datetime | None:
    """The moment of a time as a file writes it (ISO 8601, `T` or a blank between date and time), or None.

    A time without a zone is one of `zone`: sessions write local times, SQLite's CURRENT_TIMESTAMP is UTC.
    """
    try:
        told = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    return told if told.tzinfo else told.replace(tzinfo=zone)


def turns_of(
    created: Sequence[datetime], turns: Iterable[T], *, begun_at: Callable[[T], datetime | None]
) -> list[T | None]:
    """For each moment the last turn that had begun by then, in the order of the moments; None before the first turn.

    Turns need no order; those without a time are left out. Times have seconds only, and Harvey writes a turn down when
    it is over, so a turn of the same second counts as begun; of several turns in one second the last given is taken.
    All times carry a zone, or none does (TypeError otherwise).
    """
    known = [(at, turn) for turn in turns if (at := begun_at(turn)) is not None]
    known.sort(key=lambda pair: pair[0])
    starts = [at for at, _ in known]
    found = (bisect_right(starts, at) for at in created)
    return [known[place - 1][1] if place else None for place in found]


def offered(retrieved: RetrievedSource) -> ShownSource:
    """What a retrieved document would be registered and linked as, `retrieved`: under its DOI or URL where the note has
    one, under its own address where it is one, else under the title alone, which is then its path."""
    identity = Identity(IdentifierType.NONE, "", "")
    for named in (retrieved.locator, retrieved.source):
        if named.lower().startswith(("http://", "https://")) or (named and named == retrieved.locator):
            try:
                identity = identify(named)
                break
            except (BadIdentifier, UnusableUrl):
                continue
    title = retrieved.title or retrieved.source or retrieved.locator
    return ShownSource(title=one_line(title), identity=identity, relationship=Relationship.RETRIEVED)


def shown(
    *, number: int | str, kind: ObservationKind, created_at: str, body: str, sources: Sequence[ShownSource]
) -> str:
    """An observation as `show` prints it, with a line end; `Sources:` stands last, and only where there are any."""
    paragraphs = [f"  {line}".rstrip() for line in _CONTROL.sub(" ", body.replace("\r\n", "\n")).split("\n")]
    head = f"Observation #{number} [{kind}] ({one_line(created_at)})"
    return "\n".join([head, *paragraphs, *(["", *source_lines(sources)] if sources else [])]) + "\n"


def source_lines(sources: Sequence[ShownSource]) -> list[str]:
    """`Sources:` and one line each, `  [n] Title (doi:…) — retrieved`, numbered from 1; [] where there are none.

    What is told of a source's retraction ends its line (`[RETRACTED]`, `[EXPRESSION OF CONCERN]`). What a reader must
    know first has a line of its own, with the note of a retraction. Nothing a title holds can move a terminal's cursor.
    """
    if not sources:
        return []
    lines = ["Sources:"]
    for number, source in enumerate(sources, start=1):
        named = _named(source)
        told = mark(source.retraction)
        lines.append(f"  [{number}] {named} — {source.relationship}" + (f" {told}" if told else ""))
        if source.retraction.is_retracted:
            note = one_line(source.retraction_note)
            lines.append(f"⚠ Source {number} is marked retracted" + (f": “{note}”" if note else "."))
        elif source.retraction.warns:
            lines.append(f"⚠ Source {number}: {source.retraction.word}.")
    return lines


def _named(source: ShownSource) -> str:
    title, identity = one_line(source.title), source.identity
    match identity.type:
        case IdentifierType.NONE:
            name = ""
        case IdentifierType.URL:
            name = one_line(identity.link)
        case IdentifierType.URN:
            name = one_line(identity.value)
        case _:
            name = f"{identity.type}:{one_line(identity.value)}"
    if title and name:
        return f"{title} ({name})"
    return title or name or "(no title)"
