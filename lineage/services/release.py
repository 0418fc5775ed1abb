"""The release check: may this output be handed on? Computed on what the asker may see; the desk asks as itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from lineage import access, claims
from lineage.core.asking import Asker
from lineage.core.evidence import Standing, VerificationResult
from lineage.core.pairs import OUTPUTS
from lineage.core.relations import EntityState, EntityType
from lineage.core.release import Hindrance, has_authority
from lineage.models import Claim, Entity, TypePolicy
from lineage.queries import walks
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.kit.rows import in_parts
from provenance_site.kit.text import counted

_EVIDENCE = frozenset({EntityType.SOURCE, EntityType.SOURCE_VERSION, EntityType.ARTIFACT, EntityType.TOOL_RESULT})


class NoOutput(ValueError):
    """Only answers, reports and files are released."""


class NotReleasable(Exception):
    """The check found hindrances; `check` tells them."""

    def __init__(self, check: "Check") -> None:
        super().__init__(f"{check.ref} must not be handed on: {counted(len(check.problems), 'reason')}.")
        self.check = check


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that keeps the output back: what, and at which node."""

    hindrance: Hindrance
    node: Entity
    detail: str = ""

    @property
    def ref(self) -> str:
        """The ref of the node."""
        return self.node.ref


@dataclass(frozen=True, slots=True)
class Check:
    """What a release check found, of what the asker may see."""

    ref: str
    claims: int
    problems: tuple[Problem, ...]
    at: datetime

    @property
    def passes(self) -> bool:
        """True where nothing keeps the output back."""
        return not self.problems


def check(*, output: Entity, asker: Asker, at: datetime) -> Check:
    """Checks an output: every material claim has evidence that was told of and still stands, nothing under it is stale,
    no look at it failed, and its evidence is of the authority and age that the policy of its type asks for.

    Raises `NoOutput`. Reads only; a walk, and a few reads a 500 nodes.
    """
    if output.as_type not in OUTPUTS:
        raise NoOutput(f"{output.ref} is a {output.type}; answers, reports and files are released.")
    above = walks.ancestor_ids(starts=[output.pk], asker=asker)
    keys = sorted({output.pk, *above})
    nodes = [node for part in in_parts(keys) for node in Entity.objects.filter(pk__in=part).order_by("pk")]
    said = [node for node in nodes if node.as_type is EntityType.CLAIM]
    policy = TypePolicy.objects.filter(workspace_id=asker.workspace_id, type=output.type).first()
    problems: list[Problem] = []
    if not above:
        problems.append(Problem(Hindrance.UNEXPLAINED, output))
    problems += _of_claims(said, asker=asker)
    problems += _of_nodes(nodes)
    if policy is not None:
        problems += _of_policy(nodes, output=output, policy=policy, at=at)
    return Check(ref=output.ref, claims=len(said), problems=tuple(dict.fromkeys(problems)), at=at)


def release(*, output: Entity, asker: Asker, by: User, at: datetime) -> Check:
    """Marks an output as handed on where the check passes; raises `NotReleasable` with the check otherwise.

    From then on it comes first where something under it falls. Twice keeps the first moment. Raises `NoOutput`, and
    like `check_role` below an editor.
    """
    check_role(by, asker.workspace_id, Role.EDITOR)
    with transaction.atomic():
        found = check(output=output, asker=asker, at=at)
        if not found.passes:
            raise NotReleasable(found)
        Entity.objects.filter(pk=output.pk, released_at__isnull=True).update(released_at=at)
    return found


def _of_claims(said: Sequence[Entity], *, asker: Asker) -> Iterator[Problem]:
    keys = [claim.pk for claim in said]
    immaterial = {
        key
        for part in in_parts(keys)
        for key in Claim.objects.filter(pk__in=part, is_material=False).values_list("pk", flat=True)
    }
    carried = {
        key
        for part in in_parts(keys)
        for key in access.readable_edges(asker)
        .filter(from_entity__in=part, is_dependence=True)
        .values_list("from_entity", flat=True)
    }
    grounds = claims.grounds_of(claim_ids=keys, asker=asker)
    looks = claims.newest_verifications(claim_ids=keys)
    for claim in said:
        if claim.pk in immaterial:
            continue
        if claim.pk not in carried:
            yield Problem(Hindrance.MISSING_LINEAGE, claim, "no evidence")
            continue
        ground, look = grounds[claim.pk], looks.get(claim.pk)
        if ground.standing is Standing.UNSUPPORTED:
            yield Problem(Hindrance.RETRACTED, claim, ground.words)
        elif ground.standing is Standing.PARTLY_SUPPORTED and not (look and look.result == VerificationResult.PASS):
            yield Problem(Hindrance.PARTLY_SUPPORTED, claim, ground.words)
        if look and look.result == VerificationResult.FAIL:
            yield Problem(Hindrance.FAILED_VERIFICATION, claim, look.fault)


def _of_nodes(nodes: Sequence[Entity]) -> Iterator[Problem]:
    for node in nodes:
        if node.is_placeholder:
            yield Problem(Hindrance.MISSING_LINEAGE, node, "named by an edge and never told of")
        elif not node.version:
            yield Problem(Hindrance.MISSING_LINEAGE, node, "no fixed version")
        if node.as_state is EntityState.STALE:
            yield Problem(Hindrance.STALE, node)


def _of_policy(nodes: Sequence[Entity], *, output: Entity, policy: TypePolicy, at: datetime) -> Iterator[Problem]:
    oldest = policy.greatest_evidence_age_days
    evidence = [node for node in nodes if node.as_type in _EVIDENCE]
    # One of the nodes of a source is dated (the version that was fetched, mostly), not each of them.
    if oldest is not None and evidence and all(node.source_time is None for node in evidence):
        yield Problem(Hindrance.OLD_EVIDENCE, output, "nothing of it says from when it is")
    for node in evidence:
        if not has_authority(node.authority, least=policy.least_authority):
            yield Problem(Hindrance.LITTLE_AUTHORITY, node, f"{node.authority or 'none'}, not {policy.least_authority}")
        if oldest is not None and node.source_time is not None and at - node.source_time > timedelta(days=oldest):
            yield Problem(Hindrance.OLD_EVIDENCE, node, f"from {node.source_time:%Y-%m-%d}, older than {oldest} days")
