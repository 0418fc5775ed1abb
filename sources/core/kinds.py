"""Closed vocabularies of the registry that are neither verdicts nor retraction statuses."""

from enum import StrEnum


class IdentifierType(StrEnum):
    """What kind of identifier names a source. `none` where only a title is known."""

    DOI = "doi"
    URL = "url"
    ISBN = "isbn"
    ISSN = "issn"
    ARXIV = "arxiv"
    URN = "urn"
    HANDLE = "handle"
    PMID = "pmid"
    NONE = "none"


class Authority(StrEnum):
    """Where the word of a source comes from."""

    OFFICIAL = "official"
    PRIMARY = "primary"
    SECONDARY = "secondary"
    USER_PROVIDED = "user-provided"
    GENERATED = "generated"
    INFERRED = "inferred"


class Classification(StrEnum):
    """Who may see it, least restrictive first."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"


class Sensitivity(StrEnum):
    """Whether an external document may cite it."""

    CITABLE_EXTERNALLY = "citable_externally"
    INTERNAL_ONLY = "internal_only"


class BatchState(StrEnum):
    """An import: previewed, written, or thrown away."""

    STAGED = "staged"
    COMMITTED = "committed"
    DISCARDED = "discarded"

    @property
    def label(self) -> str:
        """The state in words."""
        return {"staged": "Waiting for your look", "committed": "Imported", "discarded": "Thrown away"}[self.value]


class RowAction(StrEnum):
    """What an import will do with one row."""

    NEW = "new"
    KNOWN = "known"
    DUPLICATE = "duplicate"
    REPEAT = "repeat"
    ERROR = "error"

    @property
    def label(self) -> str:
        """The word on the preview's tab."""
        return _ROW_LABELS[self]

    @property
    def tone(self) -> str:
        """How its chip looks."""
        return {"new": "good", "known": "note", "error": "bad"}.get(self.value, "idle")

    @property
    def icon(self) -> str:
        """Name of its icon."""
        return {"new": "plus", "known": "check", "duplicate": "copy", "repeat": "refresh", "error": "warning"}[
            self.value
        ]


_ROW_LABELS = {
    RowAction.NEW: "New",
    RowAction.KNOWN: "Already known",
    RowAction.DUPLICATE: "Same under another spelling",
    RowAction.REPEAT: "Named again",
    RowAction.ERROR: "Unreadable",
}


class DecisionKind(StrEnum):
    """What a person decided about a source."""

    ACCEPT = "accept"
    OVERRIDE = "override"
    DROP = "drop"

    @property
    def needs_reason(self) -> bool:
        """True where the decision goes against the machine or removes a source."""
        return self is not DecisionKind.ACCEPT

    @property
    def label(self) -> str:
        """The word in the history."""
        return {"accept": "Accepted", "override": "Overridden", "drop": "Dropped"}[self.value]


class ReviewReason(StrEnum):
    """Why a source waits for a person."""

    THIN = "thin"
    TITLE_SWAPPED = "title-swapped"
    RECOVERED = "recovered"
    FAILED = "failed"
    NEW_EVIDENCE = "new-evidence"

    @property
    def label(self) -> str:
        """The reason in words."""
        return _REVIEW_LABELS[self]


_REVIEW_LABELS = {
    ReviewReason.THIN: "Too little to judge",
    ReviewReason.TITLE_SWAPPED: "Another work at this address",
    ReviewReason.RECOVERED: "Found at another address",
    ReviewReason.FAILED: "Could not be fetched",
    ReviewReason.NEW_EVIDENCE: "New evidence against a decision",
}
