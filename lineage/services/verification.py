"""What looks at a claim found: append-only, the newest counts. A claim that passed is no longer waited for."""

from datetime import datetime

from django.db import transaction

from lineage import claims
from lineage.core.evidence import Fault, VerificationResult
from lineage.core.relations import EntityType
from lineage.models import Entity, Verification
from lineage.services import worklist
from provenance_site.accounts.models import User


class NoClaim(ValueError):
    """Only claims are verified."""


class WrongFault(ValueError):
    """A claim that failed is filed under what went wrong; one that passed is not."""


def verify(
    *,
    claim: Entity,
    result: VerificationResult,
    fault: Fault | None = None,
    reason: str = "",
    verifier: str = "",
    by: User | None = None,
    at: datetime,
) -> Verification:
    """Records one look at a claim with the evidence it had then, and settles what waited for it where it passed.

    Each call is a record of its own. Raises `NoClaim`, and `WrongFault` for a FAIL without a fault and a PASS with one.
    """
    if claim.as_type is not EntityType.CLAIM:
        raise NoClaim(f"{claim.ref} is a {claim.type}; a verification looks at a claim.")
    if result is VerificationResult.FAIL and fault is None:
        raise WrongFault(f"Say what went wrong: {', '.join(Fault)}.")
    if result is VerificationResult.PASS and fault is not None:
        raise WrongFault("A claim that passed has no fault: leave it out, or choose another result.")
    with transaction.atomic():
        record = Verification.objects.create(
            claim=claim,
            result=result,
            fault="" if fault is None else fault,
            reason=reason.strip(),
            verifier=verifier,
            by=by,
            at=at,
            evidence_fingerprint=claims.evidence_fingerprint(claim=claim),
        )
        if result is VerificationResult.PASS:
            worklist.reverified(claim=claim, at=at)
    return record
