"""What is measured of the lineage itself, with definitions: a lineage that nobody measures is only believed."""

from enum import StrEnum


class Measure(StrEnum):
    """One figure of the dashboard."""

    COVERAGE = "coverage"
    RESOLVABILITY = "resolvability"
    CLAIM_EVIDENCE = "claim-evidence"
    ORPHANS = "orphans"
    DANGLING = "dangling"
    PINNING = "pinning"
    TIME_TO_IMPACT = "time-to-impact"
    REPLAY = "replay"
    UNEXPLAINED = "unexplained-releases"
    STALE_OUTPUTS = "stale-outputs"

    @property
    def label(self) -> str:
        """What it is called."""
        return _TEXTS[self][0]

    @property
    def definition(self) -> str:
        """What is counted, in one sentence."""
        return _TEXTS[self][1]

    @property
    def listed(self) -> str:
        """What the list behind the figure holds."""
        return _TEXTS[self][2]

    @property
    def high_is_good(self) -> bool:
        """True where the figure should be near all, False where it should be near none."""
        return self in _HIGH


_TEXTS = {
    Measure.COVERAGE: (
        "Coverage",
        "Outputs (answers, reports, files) and claims that rest on something recorded, of all of them.",
        "Outputs and claims that rest on nothing recorded",
    ),
    Measure.RESOLVABILITY: (
        "Resolvability",
        "Nodes that were told of, of all nodes that are told of or named by an edge.",
        "Nodes that are only named",
    ),
    Measure.CLAIM_EVIDENCE: (
        "Claims with evidence",
        "Claims with at least one edge to evidence (SUPPORTED_BY, DERIVED_FROM, GENERATED_FROM), of all claims.",
        "Claims without evidence",
    ),
    Measure.ORPHANS: (
        "Orphans",
        "Nodes that no edge touches, of all nodes.",
        "Nodes that no edge touches",
    ),
    Measure.DANGLING: (
        "Dangling edges",
        "Edges one end of which is only named, of all edges.",
        "Nodes that stand at such an edge and were told of",
    ),
    Measure.PINNING: (
        "Version pinning",
        "Dependences that lead to one fixed version, of all dependences.",
        "Nodes that rest on something without a fixed version",
    ),
    Measure.TIME_TO_IMPACT: (
        "Time to impact",
        "From a cause (retraction, recall) until people were told of what it reaches: the median of all causes.",
        "Nodes that fell and of which nobody was told yet",
    ),
    Measure.REPLAY: (
        "Replay",
        "Outputs of a sample (the newest 20) every step of which is recorded with transform, version and config.",
        "Outputs of the sample that could not be made again",
    ),
    Measure.UNEXPLAINED: (
        "Unexplained releases",
        "Released outputs that rest on nothing recorded, of all released outputs.",
        "Released outputs that rest on nothing recorded",
    ),
    Measure.STALE_OUTPUTS: (
        "Stale outputs",
        "Released outputs that rest on something that fell, of all released outputs.",
        "Released outputs that are stale",
    ),
}
_HIGH = frozenset({Measure.COVERAGE, Measure.RESOLVABILITY, Measure.CLAIM_EVIDENCE, Measure.PINNING, Measure.REPLAY})
