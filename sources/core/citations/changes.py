"""What reconciling a draft did with each of its citations."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


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
