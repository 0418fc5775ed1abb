"""What is told of a removal: what went, and of each node that rested on it whether it went too, and why not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lineage.core.relations import EntityType


class Fate(StrEnum):
    """What became of a node that rested on something that was removed."""

    REMOVED = "removed"
    HELD = "held"
    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"

    @property
    def is_retained(self) -> bool:
        """True where the node is still there."""
        return self is not Fate.REMOVED

    @property
    def explanation(self) -> str:
        """What it means, in a sentence for the report."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Fate.REMOVED: "Was removed too.",
    Fate.HELD: "Stays: a legal hold forbids removing it.",
    Fate.SUPPORTED: "Stays: it rests on other things too that are still there.",
    Fate.UNSUPPORTED: "Stays as an object of its own, and rests on nothing that is still there: look at it again.",
}


@dataclass(frozen=True, slots=True)
class Gone:
    """A node that was removed. `ref` is '' where its metadata were erased; its key stays. `by` is '' for the desk."""

    ref: str
    ref_key: str
    type: EntityType
    content_hash: str
    at: datetime
    by: str
    why: str
    is_erased: bool


@dataclass(frozen=True, slots=True)
class Descendant:
    """A node that rested on what was removed, and what became of it. `note` says more: the hold, or how many others it
    rests on."""

    ref: str
    type: EntityType
    fate: Fate
    note: str = ""


@dataclass(frozen=True, slots=True)
class DeletionReport:
    """What was removed, and every node that rested on it, as far as the asker may see; by type, then ref."""

    gone: Sequence[Gone]
    descendants: Sequence[Descendant]

    @property
    def counts(self) -> Mapping[Fate, int]:
        """How many descendants had which fate."""
        return Counter(one.fate for one in self.descendants)
