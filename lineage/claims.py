"""Claims and their evidence: what was said, on what ground, what looks at it found, and what is left under it."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lineage.core.asking import Asker
from lineage.core.evidence import Standing, Support, standing_of
from lineage.core.relations import EntityType
from lineage.models import Claim, Edge, Entity, Evidence, TypePolicy, Verification
from lineage.queries import walks
from provenance_site.kit.rows import in_parts

# What does not carry a claim any more.
_GONE = ("retracted_at", "tombstoned_at")


@dataclass(frozen=True, slots=True)
class SaidClaim:
    """What is kept of a claim beside its node: the lower-case hex SHA-256 of its text, and the text."""

    text_hash: str
    text: str = ""
    is_material: bool = True


@dataclass(frozen=True, slots=True)
class SaidEvidence:
    """How an edge of a claim bears on it; `rank` and `query_hash` say how a retrieval found it."""

    support: Support = Support.DIRECT
    scope: str = ""
    is_verified: bool = False
    rank: int | None = None
    query_hash: str = ""


def keep_claims(*, workspace_id: int, claims: Mapping[int, SaidClaim]) -> None:
    """Keeps what was said, by the key of the claim's node; the text only where the workspace keeps texts of claims.
    Idempotent: what is kept already stands. Two queries."""
    if not claims:
        return
    policy = TypePolicy.objects.filter(workspace_id=workspace_id, type=EntityType.CLAIM).first()
    keeps_text = policy is None or policy.keeps_text
    Claim.objects.bulk_create(
        [
            Claim(
                entity_id=key,
                text_hash=claim.text_hash,
                text=claim.text if keeps_text else "",
                is_material=claim.is_material,
            )
            for key, claim in claims.items()
        ],
        ignore_conflicts=True,
        batch_size=500,
    )


def keep_evidence(*, workspace_id: int, evidence: Mapping[str, SaidEvidence]) -> None:
    """Keeps how edges bear on their claims, by the deterministic key of the edge. Idempotent. A read and a write a 500
    edges."""
    for part in in_parts(sorted(evidence)):
        rows = Edge.objects.filter(workspace_id=workspace_id, edge_key__in=part).values_list("pk", "edge_key")
        Evidence.objects.bulk_create(
            [
                Evidence(
                    edge_id=pk,
                    support=one.support,
                    scope=one.scope,
                    is_verified=one.is_verified,
                    rank=one.rank,
                    query_hash=one.query_hash,
                )
                for pk, key in rows
                for one in [evidence[key]]
            ],
            ignore_conflicts=True,
        )


@dataclass(frozen=True, slots=True)
class Ground:
    """How many distinct sources a claim rests on, as far as the asker sees, and how many of them still stand."""

    live: int
    all_sources: int

    @property
    def standing(self) -> Standing:
        """Supported, partially supported or unsupported."""
        return standing_of(live=self.live, all_sources=self.all_sources)


def grounds_of(*, claim_ids: Collection[int], asker: Asker) -> dict[int, Ground]:
    """The ground under each claim, by its key. Distinct sources are counted, not pieces of evidence: two passages of
    one source fall together.

    A source stands where it can be reached from the claim through nothing retracted or removed, itself included. Where
    a claim reaches no node of type source, the nodes that rest on nothing stand for them. One walk and two reads a 500
    nodes for all claims together; then linear in the edges above each claim.
    """
    if not claim_ids:
        return {}
    above = walks.ancestor_ids(starts=list(claim_ids), asker=asker)
    nodes = _nodes({*claim_ids, *above})
    parents: dict[int, list[int]] = defaultdict(list)
    for child, parent in _edges(nodes):
        parents[child].append(parent)
    return {claim: _ground(claim, nodes, parents) for claim in claim_ids if claim in nodes}


def newest_verifications(*, claim_ids: Iterable[int]) -> dict[int, Verification]:
    """The newest verification of each claim that has one, by the claim's key."""
    newest: dict[int, Verification] = {}
    for part in in_parts(claim_ids):
        for row in Verification.objects.filter(claim__in=part).order_by("at", "pk"):
            newest[row.claim_id] = row
    return newest


def evidence_fingerprint(*, claim: Entity) -> str:
    """Lower-case hex SHA-256 of the refs a claim rests on directly, in order: so that a look says at what."""
    refs = Edge.objects.filter(from_entity=claim, is_dependence=True).values_list("to_entity__ref_key", flat=True)
    return hashlib.sha256("\n".join(sorted(set(refs))).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Node:
    is_source: bool
    is_gone: bool


def _nodes(ids: Collection[int]) -> dict[int, _Node]:
    found: dict[int, _Node] = {}
    for part in in_parts(sorted(ids)):
        rows = Entity.objects.filter(pk__in=part).values_list("pk", "type", "superseded_at", *_GONE)
        for key, kind, superseded_at, *moments in rows:
            # A source that was merged into another is that one, which what was said of it rests on too.
            is_source = kind == EntityType.SOURCE and superseded_at is None
            found[key] = _Node(is_source, any(moment is not None for moment in moments))
    return found


def _edges(nodes: Collection[int]) -> Iterator[tuple[int, int]]:
    for part in in_parts(sorted(nodes)):
        edges = Edge.objects.filter(from_entity__in=part, is_dependence=True).values_list("from_entity", "to_entity")
        yield from ((child, parent) for child, parent in edges if parent in nodes)


def _ground(claim: int, nodes: dict[int, _Node], parents: dict[int, list[int]]) -> Ground:
    reached = _walk(claim, parents)
    sources = {node for node in reached if nodes[node].is_source} or {node for node in reached if not parents.get(node)}
    standing = _walk(claim, parents, leaving_out={node for node in reached if nodes[node].is_gone})
    return Ground(live=len(sources & standing), all_sources=len(sources))


def _walk(start: int, parents: dict[int, list[int]], leaving_out: Collection[int] = ()) -> set[int]:
    """All nodes above `start`, itself left out."""
    reached: set[int] = set()
    ahead = [start]
    while ahead:
        for parent in parents.get(ahead.pop(), ()):
            if parent not in reached and parent not in leaving_out:
                reached.add(parent)
                ahead.append(parent)
    return reached
