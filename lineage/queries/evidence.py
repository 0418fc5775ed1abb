"""What a claim rests on: each piece of evidence, how it bears on the claim, and the sources behind it."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import F

from lineage import access
from lineage.core.asking import Asker
from lineage.core.refs import Ref
from lineage.core.relations import EntityType, Relation
from lineage.models import Claim, Edge, Entity, Evidence, Verification
from lineage.queries import bounded, walks
from lineage.queries.listing import PER_PAGE, placed
from lineage.queries.walks import Direction, Walk

BEARING = (Relation.SUPPORTED_BY, Relation.DERIVED_FROM)


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence. `evidence` is how it bears on the claim, None where that was not told.

    `sources` are behind it, all of them, oldest first: the sources, and versions whose source is not in the graph.
    """

    edge: Edge
    node: Entity
    evidence: Evidence | None
    sources: list[Entity]


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """A page of the evidence of a claim, by the rank in which it was retrieved, then oldest first; `total` is exact.

    `record` is what is kept of the claim, `verification` the newest; None where there is none.
    """

    claim: Entity
    record: Claim | None
    verification: Verification | None
    pieces: list[Piece]
    total: int
    page: int
    pages: int


def evidence_for(*, claim: Ref | str, asker: Asker, page: int = 1, per_page: int = PER_PAGE) -> ClaimEvidence:
    """The evidence of a claim (or a decision, or whatever else rests on something in this way). Seven statements.

    Evidence is complete for the asker; of what they may not see, nothing is there, not even its number.
    """
    node = access.entity_at(claim, asker=asker)
    edges = access.readable_edges(asker).filter(
        from_entity=node, is_dependence=True, relation__in=BEARING, to_entity__is_placeholder=False
    )
    total = edges.count()
    page, pages = placed(page, total=total, per_page=per_page)
    ordered = edges.select_related("to_entity", "evidence").order_by(F("evidence__rank").asc(nulls_last=True), "pk")
    kept = list(ordered[(page - 1) * per_page : page * per_page])
    behind = _sources_behind({edge.to_entity_id for edge in kept}, asker)
    return ClaimEvidence(
        claim=node,
        record=Claim.objects.filter(entity=node).first(),
        verification=Verification.objects.filter(claim=node).order_by("-at", "-pk").first(),
        pieces=[
            Piece(edge, edge.to_entity, getattr(edge, "evidence", None), behind[edge.to_entity_id]) for edge in kept
        ],
        total=total,
        page=page,
        pages=pages,
    )


def _sources_behind(starts: set[int], asker: Asker) -> dict[int, list[Entity]]:
    """For each start the sources that it rests on, or is; two statements, and a pass over the edges for each start."""
    walk = Walk.of(sorted(starts), Direction.UP, asker)
    above: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for pair in walks.pairs_of(walk):
        above[pair[0]].append(pair)
    kinds = [EntityType.SOURCE, EntityType.SOURCE_VERSION]
    known = access.visible(asker).filter(pk__in=walk.nodes, type__in=kinds).order_by("pk")
    sources = {node.pk: node for node in known}
    found: dict[int, list[Entity]] = {}
    for start in starts:
        met = bounded.reached_along(start, above)
        own = [sources[key] for key in sorted(met & sources.keys())]
        named = {pair[0] for key in met for pair in above[key] if pair[1] in sources}
        found[start] = [one for one in own if one.as_type is EntityType.SOURCE or one.pk not in named]
    return found
