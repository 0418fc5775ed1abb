"""How a project's text uses a source: the statuses of memo pipelines, best first."""

from enum import StrEnum


class CitationStatus(StrEnum):
    """Where a source stood in one version of a text. The order is the rank: when versions disagree, the best wins."""

    INCLUDED = "included"
    ADDED_BY_CORRECTION = "added-by-correction"
    VALID_NOT_CITED = "valid-not-cited"
    FOUND_IN_RESEARCH = "found-in-research"

    @property
    def heading(self) -> str:
        """The heading in Master-Sources.md, as memo pipelines write it."""
        return _HEADINGS[self]

    @property
    def rank(self) -> int:
        """0 is best."""
        return RANKS[self]


_HEADINGS = {
    CitationStatus.INCLUDED: "Included in Final Draft",
    CitationStatus.ADDED_BY_CORRECTION: "Added by Correction",
    CitationStatus.VALID_NOT_CITED: "Valid but Not Cited",
    CitationStatus.FOUND_IN_RESEARCH: "Found in Research",
}
RANKS = {status: rank for rank, status in enumerate(CitationStatus)}
