"""The words of drafts: how a version of one came to be."""

from enum import StrEnum


class DraftOrigin(StrEnum):
    """How a version of a draft came to be."""

    WRITTEN = "written"
    RECONCILED = "reconciled"
    RESOLVED = "resolved"
    CORRECTED = "corrected"

    @property
    def label(self) -> str:
        """The word beside a version."""
        return _LABELS[self]

    @property
    def explanation(self) -> str:
        """What it means, in one sentence."""
        return _EXPLANATIONS[self]


_LABELS = {
    DraftOrigin.WRITTEN: "Given",
    DraftOrigin.RECONCILED: "Reconciled",
    DraftOrigin.RESOLVED: "Marker resolved",
    DraftOrigin.CORRECTED: "Corrected",
}
_EXPLANATIONS = {
    DraftOrigin.WRITTEN: "A writer gave this text.",
    DraftOrigin.RECONCILED: "Its own citations were held against what was retrieved.",
    DraftOrigin.RESOLVED: "A person chose a source for one of its markers.",
    DraftOrigin.CORRECTED: "Facts in it were rewritten.",
}
