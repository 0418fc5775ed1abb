"""What a look at the whole graph found wrong, and whether it could be mended from what is known for certain."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What is wrong with a node."""

    MISSING = "missing"
    UNJOINED = "unjoined"
    BURIED = "buried"
    UNDECLARED = "undeclared"
    WRONG_LABEL = "wrong-label"
    WRONG_HASH = "wrong-hash"
    MISSED_CAUSE = "missed-cause"
    DANGLING = "dangling"

    @property
    def explanation(self) -> str:
        """What it means, in a sentence for the report."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Kind.MISSING: "An object of the registry has no node.",
    Kind.UNJOINED: "A node is not joined to what its object rests on.",
    Kind.BURIED: "A node is tombstoned, and its object is there.",
    Kind.UNDECLARED: "A node says another classification or authority than its object.",
    Kind.WRONG_LABEL: "The level of a node does not follow from its own label and what it rests on.",
    Kind.WRONG_HASH: "A node names another content than its object has. The same ref is never given another content.",
    Kind.MISSED_CAUSE: "A node rests on something that fell, and was not told.",
    Kind.DANGLING: "A node was named by an edge and never told of.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was wrong. `note` says what exactly; '' where the kind says it all."""

    kind: Kind
    ref: str
    note: str = ""
    is_mended: bool = False


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a look found, in the order of `Kind`, then by ref; with a dry run nothing of it is mended."""

    findings: Sequence[Finding]

    @property
    def left(self) -> Sequence[Finding]:
        """What is still wrong."""
        return [one for one in self.findings if not one.is_mended]

    @property
    def counts(self) -> Mapping[Kind, tuple[int, int]]:
        """By kind how many were found and how many of them are left; only kinds that were found."""
        found, left = Counter(one.kind for one in self.findings), Counter(one.kind for one in self.left)
        return {kind: (found[kind], left[kind]) for kind in Kind if found[kind]}
