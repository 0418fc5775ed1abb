"""What a new finding means for the review queue, beside a person's decision if there is one. Pure and total.

A decision is never changed by a check. News is evidence that differs from what the person saw *and* points the other
way; a failed fetch says nothing about the page, so it is never news.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import assert_never

from sources.core.findings import Disposition, Finding, Verdict
from sources.core.kinds import DecisionKind, ReviewReason

_REASONS: dict[Verdict, ReviewReason] = {
    Verdict.THIN: ReviewReason.THIN,
    Verdict.TITLE_SWAPPED: ReviewReason.TITLE_SWAPPED,
    Verdict.VERIFIED_VIA_REPUBLISH: ReviewReason.RECOVERED,
    Verdict.FETCH_FAILED: ReviewReason.FAILED,
}


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision that holds: its kind, the verdict it put in the machine's place, and the evidence it was made on."""

    kind: DecisionKind
    override_verdict: Verdict | None
    evidence_fingerprint: str

    @property
    def disposition(self) -> Disposition:
        """What holds because a person said so."""
        match self.kind:
            case DecisionKind.ACCEPT:
                return Disposition.KEEP
            case DecisionKind.DROP:
                return Disposition.DROP
            case DecisionKind.OVERRIDE:
                return self.override_verdict.disposition if self.override_verdict else Disposition.REVIEW
            case _:
                assert_never(self.kind)


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows from a finding: the disposition that holds now, and the one question left open (None: none)."""

    disposition: Disposition
    open_reason: ReviewReason | None


def fingerprint(finding: Finding) -> str:
    """Lower-case hex SHA-256 over what a person judges: verdict, cause, title found, final address.

    The body's hash stays out: pages with advertisements differ at every fetch, and what nobody can see is no news.
    """
    evidence = finding.evidence
    recovered = evidence.recovery.recovered_url if evidence.recovery else ""
    parts = [finding.verdict, finding.cause, evidence.title_found, evidence.final_url, recovered]
    # Only where there are any, so that fingerprints of decisions made without proposals stay what they were.
    parts += [proposal.recovered_url for proposal in evidence.proposals]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def consequence(finding: Finding, decided: Decided | None) -> Consequence:
    """What `finding` changes, given the decision that holds (None: nobody has decided)."""
    if decided is None:
        return Consequence(finding.verdict.disposition, _reason(finding))
    says_nothing = finding.verdict is Verdict.FETCH_FAILED
    agrees = finding.verdict.disposition is decided.disposition
    seen_before = fingerprint(finding) == decided.evidence_fingerprint
    news = not (says_nothing or agrees or seen_before)
    return Consequence(decided.disposition, ReviewReason.NEW_EVIDENCE if news else None)


def _reason(finding: Finding) -> ReviewReason | None:
    """Another address that only a person can take is a question whatever the verdict."""
    return ReviewReason.RECOVERED if finding.evidence.proposals else _REASONS.get(finding.verdict)
