"""A proposed address that a person took: the decision names it, and then it stands as if found by itself."""

from sources.core.findings import Evidence, Recovery, Verdict


def taken(evidence: Evidence, *, override: Verdict | None, reason: str) -> Recovery | None:
    """The proposal of `evidence` that a decision took: it overrides to the new address and names it in its reason."""
    if override is not Verdict.VERIFIED_VIA_REPUBLISH:
        return None
    words = reason.split()
    return next((proposal for proposal in evidence.proposals if proposal.recovered_url in words), None)
