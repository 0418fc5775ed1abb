"""Requests for a source: what a draft's marker or a corrected draft's link asks the harvester for. Pure."""

import re
from enum import StrEnum

# Search engines cut long questions, each at its own length; the shortest limit known is 400 characters.
MAX_QUERY = 300
# What the search for one claim may spend where nobody says otherwise, and the most that somebody may say.
CALLS, MOST_CALLS = 12, 100
CANDIDATES, MOST_CANDIDATES = 8, 40
_MARKUP = re.compile(r"<[^<>]{0,2000}>|\[\^?[^\[\]\n]{1,60}\]|[*_`#>|]+|https?://\S+")
_GAP = re.compile(r" ([,.;:!?])")  # where markup stood before a mark
_EDGES = " \t\n\r.,;:!?()[]\"'“”‘’–—-"


class RequestKind(StrEnum):
    """What made the request."""

    MARKER = "marker"
    NEW_LINK = "new-link"

    @property
    def label(self) -> str:
        """The words on screens."""
        return {"marker": "Claim without a source", "new-link": "Link that is not in the corpus"}[self.value]


class RequestState(StrEnum):
    """How far a request is."""

    OPEN = "open"
    SEARCHED = "searched"
    PICKED = "picked"
    DISMISSED = "dismissed"

    @property
    def label(self) -> str:
        """The state in words."""
        return {
            "open": "Being searched",
            "searched": "Waiting for your choice",
            "picked": "A source was chosen",
            "dismissed": "Closed without a source",
        }[self.value]


def query_of(claim: str) -> str:
    """The question that a claim becomes: its words without markup, markers, notes and addresses, cut at a word.

    '' for a claim without a word.
    """
    words = _GAP.sub(r"\1", " ".join(_MARKUP.sub(" ", claim).split())).strip(_EDGES)
    if len(words) <= MAX_QUERY:
        return words
    return words[:MAX_QUERY].rpartition(" ")[0] or words[:MAX_QUERY]
