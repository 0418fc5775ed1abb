"""The words of a release check: what keeps an output from being handed on."""

from enum import StrEnum


class Hindrance(StrEnum):
    """Why an output must not be released."""

    UNEXPLAINED = "unexplained"
    MISSING_LINEAGE = "missing-lineage"
    RETRACTED = "retracted"
    STALE = "stale"
    PARTLY_SUPPORTED = "partially-supported"
    FAILED_VERIFICATION = "failed-verification"
    LITTLE_AUTHORITY = "little-authority"
    OLD_EVIDENCE = "old-evidence"

    @property
    def explanation(self) -> str:
        """What it means and the way out, in one sentence."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Hindrance.UNEXPLAINED: "Nothing says what it was made from: record its lineage.",
    Hindrance.MISSING_LINEAGE: "A material claim has no evidence, or its evidence was named and never told of.",
    Hindrance.RETRACTED: "It rests on nothing that still stands: find other evidence or take it out.",
    Hindrance.STALE: "Something it rests on fell: rebuild or verify it again.",
    Hindrance.PARTLY_SUPPORTED: "Some of its sources fell: verify that the others carry it.",
    Hindrance.FAILED_VERIFICATION: "The last look at it found it wrong.",
    Hindrance.LITTLE_AUTHORITY: "Its evidence has less authority than outputs of this type need.",
    Hindrance.OLD_EVIDENCE: "Its evidence is older than outputs of this type may rest on.",
}

# From the most to the least authoritative; what says nothing counts as the least.
AUTHORITIES = ("official", "primary", "secondary", "user-provided", "generated", "inferred", "")


def has_authority(authority: str, *, least: str) -> bool:
    """True where `authority` is at least `least`; every one is where no least is asked for."""
    if not least:
        return True
    ranks = {word: rank for rank, word in enumerate(AUTHORITIES)}
    return ranks.get(authority, len(AUTHORITIES)) <= ranks.get(least, 0)
