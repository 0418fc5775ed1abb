"""What a gate finds in a draft: codes that explain themselves, and where each was found."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """An error keeps the text from being handed on; a warning is for a person to look at."""

    ERROR = "error"
    WARNING = "warning"


class ProblemCode(StrEnum):
    """The kinds of problems; the value is what stands in files and addresses."""

    UNKNOWN_ID = "unknown-id"
    ID_MISSPELT = "id-misspelt"
    CITATION_UNREADABLE = "citation-unreadable"
    ID_WITHOUT_BRACKETS = "id-without-brackets"
    ID_AND_LINK_DIFFER = "id-and-link-differ"
    LINK_OUTSIDE = "link-outside-corpus"
    ADDRESS_OUTSIDE = "address-outside-corpus"
    IMAGE_OUTSIDE = "image-outside-corpus"
    NOTE_OUTSIDE = "note-outside-corpus"
    NAMED_NOTE_OUTSIDE = "named-note-outside-corpus"
    NOTE_UNDEFINED = "note-undefined"
    NOTE_REPEATED = "note-repeated"
    DEFINITION_UNUSED = "definition-unused"
    RETRACTED = "source-retracted"
    DROPPED = "source-dropped"
    INTERNAL_ONLY = "source-internal-only"
    STALE = "source-stale"
    NEEDS_SOURCE = "needs-source"
    NEEDS_GROUNDING = "needs-deeper-grounding"
    ARTEFACT = "assistant-artefact"
    COMMENT_UNCLOSED = "comment-unclosed"

    @property
    def explanation(self) -> str:
        """What it means and what to do, in a sentence or two."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    ProblemCode.UNKNOWN_ID: "The corpus has no such source. Pick one for the marker, or have the claim searched.",
    ProblemCode.ID_MISSPELT: "The id was read by its number. Write it as the corpus does.",
    ProblemCode.CITATION_UNREADABLE: "Brackets hold an id and more. Write [src-007] alone, or [src-007, src-012].",
    ProblemCode.ID_WITHOUT_BRACKETS: "An id without square brackets cites nothing. Write [src-007].",
    ProblemCode.ID_AND_LINK_DIFFER: "An id stands as the text of a link to another page. The id was followed.",
    ProblemCode.LINK_OUTSIDE: "The link is not in the corpus. Have it harvested, or cite a source of the corpus.",
    ProblemCode.ADDRESS_OUTSIDE: "The address is not in the corpus. Have it harvested, or cite a source of the corpus.",
    ProblemCode.IMAGE_OUTSIDE: "The image comes from an address outside the corpus. It was left as it is.",
    ProblemCode.NOTE_OUTSIDE: "The note cites something outside the corpus. Have it harvested, or cite by id.",
    ProblemCode.NAMED_NOTE_OUTSIDE: "A named note links to a page outside the corpus. Named notes are never touched.",
    ProblemCode.NOTE_UNDEFINED: "The note has no definition, so it cites nothing. Cite a source by its id.",
    ProblemCode.NOTE_REPEATED: "The note is defined more than once. Each use follows the next definition below it.",
    ProblemCode.DEFINITION_UNUSED: "The source is defined and cited nowhere. Its definition was taken out.",
    ProblemCode.RETRACTED: "The source is retracted. Cite another one for the claim.",
    ProblemCode.DROPPED: "The source was dropped from the corpus. Cite another one for the claim.",
    ProblemCode.INTERNAL_ONLY: "The source is for internal use only. Cite one that may leave the house.",
    ProblemCode.STALE: "The source was not checked for too long. Check it again.",
    ProblemCode.NEEDS_SOURCE: "A claim waits for its source. Pick one for the marker, or have the claim searched.",
    ProblemCode.NEEDS_GROUNDING: "The writer asks for the source's full text. The next corpus pack carries it.",
    ProblemCode.ARTEFACT: "An assistant's mark points to nothing here. Reconcile the draft, or delete the mark.",
    ProblemCode.COMMENT_UNCLOSED: "A comment is never closed; what follows was left as it is. Write --> at its end.",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `end_column` is behind its last character in the line `line`. `id`, `claim` and `url` are '' where
    there is none; `url` is the address as the draft writes it, for a harvest request."""

    code: ProblemCode
    severity: Severity
    line: int
    column: int
    end_column: int
    message: str
    id: str = ""
    claim: str = ""
    url: str = ""
