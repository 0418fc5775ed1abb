"""The words of retraction: who asserts, what an assertion says, and where a work stands."""

from enum import StrEnum


class Provider(StrEnum):
    """Who asserts it."""

    RETRACTION_WATCH = "retraction-watch"
    CROSSREF = "crossref"
    OPENALEX = "openalex"
    PUBMED = "pubmed"
    ARXIV = "arxiv"
    EDITOR = "editor"
    IMPORTED = "imported"

    @property
    def label(self) -> str:
        """The name people know."""
        return _PROVIDERS[self]

    @property
    def is_weak(self) -> bool:
        """True for one that breaks ties and never moves the bit alone: a boolean without a notice, or a file's word."""
        return self in {Provider.OPENALEX, Provider.IMPORTED}


_PROVIDERS = {
    Provider.RETRACTION_WATCH: "Retraction Watch",
    Provider.CROSSREF: "Crossref",
    Provider.OPENALEX: "OpenAlex",
    Provider.PUBMED: "PubMed",
    Provider.ARXIV: "arXiv",
    Provider.EDITOR: "An editor",
    Provider.IMPORTED: "An imported file",
}


class Nature(StrEnum):
    """What one assertion says. NONE: an answer that nothing is known; UNKNOWN: a raw value that nobody has mapped."""

    RETRACTED = "retracted"
    PARTIAL = "partial"
    WITHDRAWN = "withdrawn"
    REMOVED = "removed"
    REPLACED = "replaced"
    CONCERN = "concern"
    CORRECTED = "corrected"
    REINSTATED = "reinstated"
    NOTICE = "notice"
    NONE = "none"
    UNKNOWN = "unknown"

    @property
    def is_full(self) -> bool:
        """True where the whole work is said to hold no longer."""
        return self in {Nature.RETRACTED, Nature.WITHDRAWN, Nature.REMOVED}

    @property
    def label(self) -> str:
        """What the provider says, in words."""
        return _NATURES[self]


_NATURES = {
    Nature.RETRACTED: "Retracted",
    Nature.PARTIAL: "Partly retracted",
    Nature.WITHDRAWN: "Withdrawn",
    Nature.REMOVED: "Removed",
    Nature.REPLACED: "Retracted and replaced",
    Nature.CONCERN: "Expression of concern",
    Nature.CORRECTED: "Corrected",
    Nature.REINSTATED: "Reinstated",
    Nature.NOTICE: "Is a notice about another work",
    Nature.NONE: "Nothing known",
    Nature.UNKNOWN: "Says something that we cannot read",
}


class HintKind(StrEnum):
    """Why a person should look at a work's retraction where no provider names the work itself."""

    TITLE = "title"
    PART = "part"
    UNREGISTERED = "unregistered"
    OTHER_TITLE = "other-title"

    @property
    def explanation(self) -> str:
        """A sentence for who has to judge it."""
        return _HINTS[self]


_HINTS = {
    HintKind.TITLE: "A work of this title fell. Its record names no identifier, so it may be another work.",
    HintKind.PART: "A book was retracted of which this may be a part. Where an editor says so, it is affected.",
    HintKind.UNREGISTERED: "No agency has registered this DOI: it may be mistyped, or made up.",
    HintKind.OTHER_TITLE: "The DOI is registered for a work of another title: it may be mistyped, or made up.",
}


class Status(StrEnum):
    """Where a work stands, of all that is asserted."""

    NONE_FOUND = "none-found"
    CORRECTED = "corrected"
    CONCERN = "concern"
    RETRACTED = "retracted"
    PARTIAL = "partial"
    WITHDRAWN = "withdrawn"
    REMOVED = "removed"
    REPLACED = "replaced"
    REINSTATED = "reinstated"
    NOTICE = "notice"
    UNCHECKED = "unchecked"
    CONFLICT = "conflict"

    @property
    def is_retracted(self) -> bool:
        """True where the work no longer holds."""
        return self in {Status.RETRACTED, Status.WITHDRAWN, Status.REMOVED}

    @property
    def needs_editor(self) -> bool:
        """True where no machine can say whether the work holds."""
        return self in {Status.PARTIAL, Status.REPLACED, Status.CONFLICT}

    @property
    def warns(self) -> bool:
        """True where a reader should know, although the mark may not be set."""
        return self.needs_editor or self is Status.CONCERN

    @property
    def label(self) -> str:
        """The words on pages and in lists."""
        return _STATUSES[self]


_STATUSES = {
    Status.NONE_FOUND: "No retraction found",
    Status.CORRECTED: "Corrected",
    Status.CONCERN: "Expression of concern",
    Status.RETRACTED: "Retracted",
    Status.PARTIAL: "Partly retracted",
    Status.WITHDRAWN: "Withdrawn",
    Status.REMOVED: "Removed",
    Status.REPLACED: "Retracted and replaced",
    Status.REINSTATED: "Reinstated",
    Status.NOTICE: "A notice, not the work it is about",
    Status.UNCHECKED: "Not checked for retraction",
    Status.CONFLICT: "Providers disagree",
}
