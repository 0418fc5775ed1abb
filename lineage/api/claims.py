"""Claims over JSON: their evidence and ground, looks at them, and whether an output may be handed on."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from lineage import access, claims
from lineage.api.asking import NodeOut, OnePage, OneRef, asker_for, doing
from lineage.core.evidence import Fault, VerificationResult
from lineage.queries import answers
from lineage.queries.evidence import evidence_for
from lineage.queries.words import called
from lineage.services import release, verification
from provenance_site.accounts.roles import Role
from provenance_site.accounts.token_requests import Problem

router = Router(tags=["lineage"])


class EvidenceIn(OnePage, OneRef):
    """A claim, and which page of its evidence."""


class PieceOut(Schema):
    """One piece of evidence with the sources behind it."""

    node: NodeOut
    relation: str
    support: str
    scope: str
    rank: int | None
    verified: bool
    sources: list[NodeOut]


class LookOut(Schema):
    """The newest look at a claim."""

    result: VerificationResult
    fault: str
    at: datetime


class EvidenceOut(Schema):
    """A page of the evidence of a claim; `live` of `all_sources` distinct sources still stand."""

    claim: NodeOut
    text_hash: str
    verification: LookOut | None
    standing: str
    live: int
    all_sources: int
    complete: bool
    total: int
    page: int
    pages: int
    evidence: list[PieceOut]


class VerifyIn(OneRef):
    """A look at a claim. `fault` is needed where it fails; `verifier` names the tool where no person looked."""

    result: VerificationResult
    fault: Fault | None = None
    reason: str = Field("", max_length=2_000)
    verifier: str = Field("", max_length=200)


class ReleaseProblemOut(Schema):
    """What keeps an output back, and at which node: `name` is what it is called, a claim's text where it is kept."""

    hindrance: str
    explanation: str
    ref: str
    name: str
    detail: str


class CheckOut(Schema):
    """What a release check found, of what you may see."""

    ref: str
    passes: bool
    claims: int
    at: datetime
    problems: list[ReleaseProblemOut]


@router.get(
    "/lineage/evidence",
    response={200: EvidenceOut, 404: Problem},
    summary="What a claim rests on",
    url_name="lineage-evidence",
)
def evidence(request: HttpRequest, wanted: Query[EvidenceIn]) -> dict[str, Any]:
    """The evidence of a claim, by rank, with the sources behind each piece and how many of them still stand."""
    asker = asker_for(request)
    found = evidence_for(claim=wanted.ref, asker=asker, page=wanted.page, per_page=wanted.per_page)
    ground = claims.grounds_of(claim_ids=[found.claim.pk], asker=asker)[found.claim.pk]
    told = {"standing": ground.standing, "live": ground.live, "all_sources": ground.all_sources}
    return {**answers.evidence(found), **told}


@router.post(
    "/lineage/verifications",
    response={201: LookOut, 404: Problem, 422: Problem},
    summary="Keep a look at a claim",
    url_name="lineage-verifications",
)
def verify(request: HttpRequest, given: VerifyIn) -> Status[Any]:
    """Keeps what a look at a claim found; a PASS settles what waited for it. Needs a curator. Twice keeps two."""
    by, asker, at = doing(request, role=Role.CURATOR)
    claim = access.entity_at(given.ref, asker=asker)
    try:
        look = verification.verify(
            claim=claim,
            result=given.result,
            fault=given.fault,
            reason=given.reason,
            verifier=given.verifier,
            by=by,
            at=at,
        )
    except (verification.NoClaim, verification.WrongFault) as refused:
        return Status(422, {"detail": str(refused)})
    return Status(201, {"result": look.result, "fault": look.fault, "at": look.at})


@router.get(
    "/lineage/release",
    response={200: CheckOut, 404: Problem, 422: Problem},
    summary="May an output be handed on?",
    url_name="lineage-release",
)
def release_check(request: HttpRequest, wanted: Query[OneRef]) -> Status[Any]:
    """Checks lineage, standing, verifications and the policy of the output's type. Writes nothing."""
    asker = asker_for(request)
    output = access.entity_at(wanted.ref, asker=asker)
    try:
        return Status(200, _check(release.check(output=output, asker=asker, at=datetime.now(UTC))))
    except release.NoOutput as refused:
        return Status(422, {"detail": str(refused)})


@router.post(
    "/lineage/release",
    response={200: CheckOut, 404: Problem, 409: CheckOut, 422: Problem},
    summary="Hand an output on",
    url_name="lineage-release",
)
def release_output(request: HttpRequest, given: OneRef) -> Status[Any]:
    """Marks an output as handed on where the check passes, else 409 with what keeps it back. Needs an editor."""
    by, asker, at = doing(request, role=Role.EDITOR)
    output = access.entity_at(given.ref, asker=asker)
    try:
        done = release.release(output=output, asker=asker, by=by, at=at)
    except release.NotReleasable as refused:
        return Status(409, _check(refused.check))
    except release.NoOutput as refused:
        return Status(422, {"detail": str(refused)})
    return Status(200, _check(done))


def _check(found: release.Check) -> dict[str, Any]:
    names = called(one.node for one in found.problems)
    return {
        "ref": found.ref,
        "passes": found.passes,
        "claims": found.claims,
        "at": found.at,
        "problems": [
            {
                "hindrance": one.hindrance.value,
                "explanation": one.hindrance.explanation,
                "ref": one.ref,
                "name": names[one.node.pk],
                "detail": one.detail,
            }
            for one in found.problems
        ],
    }
