"""Closed vocabularies of the registry that are neither verdicts nor retraction statuses."""

from enum import StrEnum

from lineage.core.relations import Label


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


# What is declared of a source is a label of its node: the scale is the lineage's.
Classification = Label


class Sensitivity(StrEnum):
    """Whether an external document may cite it."""

    CITABLE_EXTERNALLY = "citable_externally"
    INTERNAL_ONLY = "internal_only"


class BatchState(StrEnum):
    """An import: read, looked at, written, or thrown away."""

    STAGING = "staging"
    STAGED = "staged"
    COMMITTING = "committing"
    COMMITTED = "committed"
    DISCARDED = "discarded"

    @property
    def label(self) -> str:
        """The state in words."""
        return _BATCH_LABELS[self]


_BATCH_LABELS = {
    BatchState.STAGING: "Being read",
    BatchState.STAGED: "Waiting for your look",
    BatchState.COMMITTING: "Being imported",
    BatchState.COMMITTED: "Imported",
    BatchState.DISCARDED: "Thrown away",
}


class RowAction(StrEnum):
    """What an import will do with one row."""

    NEW = "new"
    UPDATE = "update"
    KNOWN = "known"
    DUPLICATE = "duplicate"
    REPEAT = "repeat"
    POSSIBLE_DUPLICATE = "possible-duplicate"
    REJECTED = "rejected"
    ERROR = "error"

    @property
    def label(self) -> str:
        """The word on the preview's tab."""
        return _ROW_LABELS[self]

    @property
    def tone(self) -> str:
        """How its chip looks."""
        return _ROW_TONES.get(self, "idle")

    @property
    def icon(self) -> str:
        """Name of its icon."""
        return _ROW_ICONS[self]


_ROW_TONES = {
    RowAction.NEW: "good",
    RowAction.UPDATE: "good",
    RowAction.KNOWN: "note",
    RowAction.POSSIBLE_DUPLICATE: "warn",
    RowAction.REJECTED: "warn",
    RowAction.ERROR: "bad",
}
_ROW_ICONS = {
    RowAction.NEW: "plus",
    RowAction.UPDATE: "refresh",
    RowAction.KNOWN: "check",
    RowAction.DUPLICATE: "copy",
    RowAction.REPEAT: "refresh",
    RowAction.POSSIBLE_DUPLICATE: "copy",
    RowAction.REJECTED: "warning",
    RowAction.ERROR: "warning",
}
_ROW_LABELS = {
    RowAction.NEW: "New",
    RowAction.UPDATE: "Known, with more about it",
    RowAction.KNOWN: "Already known",
    RowAction.DUPLICATE: "Same under another spelling",
    RowAction.REPEAT: "Named again",
    RowAction.POSSIBLE_DUPLICATE: "Possible duplicate",
    RowAction.REJECTED: "Rejected before",
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
    IMPACT = "impact"
    RETRACTION = "retraction"

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
    ReviewReason.IMPACT: "It fell, and others rest on it",
    ReviewReason.RETRACTION: "News about its retraction",
}


class UseKind(StrEnum):
    """By what a source is used, where a person may say that the use is meant."""

    OBSERVATION = "observation"
    PROJECT = "project"
    STORE = "store"

    @property
    def label(self) -> str:
        """The word on pages."""
        return {"observation": "Observation", "project": "Project", "store": "Chunk store"}[self.value]


class ProposalKind(StrEnum):
    """By which door a bulk edit of retractions was proposed to a second person."""

    LIST = "list"
    RETRACT = "retract"
    UNRETRACT = "unretract"

    @property
    def label(self) -> str:
        """What is proposed, in words."""
        return {
            "list": "Decide about a list",
            "retract": "Mark retracted",
            "unretract": "Take the retraction mark off",
        }[self.value]


class ProposalState(StrEnum):
    """What became of a proposal."""

    WAITING = "waiting"
    APPROVED = "approved"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"

    @property
    def label(self) -> str:
        """The word on pages."""
        return self.value.capitalize()


class VersionOrigin(StrEnum):
    """How a state of a source's content came to us."""

    FETCHED = "fetched"
    IMPORTED = "imported"


class LongDeedKind(StrEnum):
    """What a worker does to more sources than one transaction should hold."""

    EDIT = "edit"
    DROP = "drop"
    RETRACT = "retract"
    UNRETRACT = "unretract"
    UNDO = "undo"
    FIND_PAIRS = "find-pairs"

    @property
    def label(self) -> str:
        """The deed in words."""
        return {
            "edit": "Edit of sources",
            "drop": "Drop of sources",
            "retract": "Retraction marks",
            "unretract": "Retraction marks taken off",
            "undo": "Undo",
            "find-pairs": "Look for duplicates",
        }[self.value]


class PairState(StrEnum):
    """Two sources that may be one work: open, joined, or told apart by a person."""

    OPEN = "open"
    MERGED = "merged"
    DISTINCT = "distinct"


class PairReason(StrEnum):
    """Why two sources are proposed as one work."""

    SAME_CONTENT = "same-content"
    SIMILAR_TITLE = "similar-title"
    SHARED_IDENTIFIERS = "shared-identifiers"

    @property
    def label(self) -> str:
        """The reason in words."""
        return {
            "same-content": "The same content was fetched from both",
            "similar-title": "Title, year and first author agree",
            "shared-identifiers": "One imported entry names both",
        }[self.value]


class FieldRule(StrEnum):
    """Whose value a field has when sources are merged. An empty field is filled from the others by every rule."""

    OWN = "own"
    NEWEST = "newest"
    LONGEST = "longest"

    @property
    def label(self) -> str:
        """The words in the list of rules."""
        return {
            "own": "Keep what the one that stays says, fill what is empty",
            "newest": "Take what was seen last",
            "longest": "Take the longest",
        }[self.value]


class Survivor(StrEnum):
    """Which of several sources stays when they are merged."""

    MOST_COMPLETE = "most-complete"
    ACCEPTED = "accepted"
    OLDEST = "oldest"
    NEWEST = "newest"

    @property
    def label(self) -> str:
        """The words in the list of rules."""
        return {
            "most-complete": "The one that tells the most",
            "accepted": "The one that a person accepted, else the one that tells the most",
            "oldest": "The one that was here first",
            "newest": "The one that came or was checked last",
        }[self.value]
