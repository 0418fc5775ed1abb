"""What gate and reconciling give back: the draft, its citations, problems and claims; what became of each citation.

Lines and columns are of the draft that was given: from 1, columns counted in code points, a byte order mark in none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sources.core.citations.problems import Problem


@dataclass(frozen=True, slots=True)
class Place:
    """Where a source is cited in the draft."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Citation:
    """One source of the list. `definition` is its whole line, `[^1]: …`."""

    number: int
    id: str
    definition: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A sentence, without markup and citations, and the ids that it cites in their order. `line` is that of its first
    citation."""

    sentence: str
    line: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gated:
    """The resolved draft and everything that was said about it, in the order of the text."""

    text: str
    citations: tuple[Citation, ...]
    problems: tuple[Problem, ...]
    claims: tuple[CitedClaim, ...]


class ChangeKind(StrEnum):
    """What became of one citation."""

    KEPT = "kept"
    CORRECTED = "corrected"
    SUBSTITUTED = "substituted"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Change:
    """`line` is where the citation, or its definition, stands in the draft; `label` is how the draft calls it (`^3`, a
    link's text, an artefact); `before` and `after` are its wording there and its source now ('' where dropped)."""

    kind: ChangeKind
    line: int
    label: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The draft with the citations that hold, each change in the order of the text, and how many of each kind."""

    text: str
    changes: tuple[Change, ...]
    counts: Mapping[ChangeKind, int]
