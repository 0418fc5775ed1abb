"""What the gate gives back: the resolved draft, its citations, its problems and its claims.

Lines and columns are of the draft that was given: from 1, columns counted in code points, a byte order mark in none.
"""

from dataclasses import dataclass

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
