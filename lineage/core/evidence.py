"""The words of claims: how evidence bears on one, what a verification found, where a wrong one went wrong."""

from enum import StrEnum


class Support(StrEnum):
    """How a piece of evidence bears on a claim."""

    DIRECT = "direct"
    PARTIAL = "partial"
    CALCULATION = "calculation"
    INFERRED = "inferred"


class VerificationResult(StrEnum):
    """What a verification of a claim found."""

    PASS = "PASS"  # noqa: S105 (a result, no password)
    REVISE = "REVISE"
    FAIL = "FAIL"
    UNCERTAIN = "UNCERTAIN"


class Fault(StrEnum):
    """Where a wrong claim went wrong."""

    STALE_SOURCE = "stale-source"
    RETRIEVAL_MISS = "retrieval-miss"
    MISREAD = "misread"
    TRANSFORM_FAULT = "transform-fault"


class Standing(StrEnum):
    """What is left under a claim: how many of its distinct sources still stand."""

    SUPPORTED = "supported"
    PARTLY_SUPPORTED = "partially supported"
    UNSUPPORTED = "unsupported"


def standing_of(*, live: int, all_sources: int) -> Standing:
    """The standing of a claim that rests on `all_sources` distinct sources of which `live` still stand."""
    if not live:
        return Standing.UNSUPPORTED
    return Standing.SUPPORTED if live >= all_sources else Standing.PARTLY_SUPPORTED
