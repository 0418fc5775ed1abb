"""Answers as plain data, for JSON and for the command line: refs and words, never keys."""

from collections.abc import Iterable, Mapping
from typing import Any

from lineage.core.steps import Link, Step, Transform
from lineage.models import Entity
from lineage.queries.bounded import Cut
from lineage.queries.evidence import ClaimEvidence
from lineage.queries.listing import Listing
from lineage.queries.paths import Path
from lineage.queries.runs import Comparison
from lineage.queries.stories import Gap, Plan, Story
from lineage.queries.words import names_of, remark_beside


def remarks_of(entities: Iterable[Entity]) -> dict[int, str]:
    """What must be known of nodes beside their state, by key, in words; those of which nothing must are missing."""
    ordered = list(entities)
    names = names_of(ordered)
    remarks = ((one.pk, remark_beside(names.get(one.pk), one)) for one in ordered)
    return {key: remark.word for key, remark in remarks if remark is not None}


def nodes(entities: Iterable[Entity]) -> list[dict[str, Any]]:
    """Nodes in their order; what must be known of them is asked once for all."""
    ordered = list(entities)
    remarks = remarks_of(ordered)
    return [node(one, remarks=remarks) for one in ordered]


def node(entity: Entity, *, remarks: Mapping[int, str]) -> dict[str, Any]:
    """One node: `ref` '' where it was erased, `label` the one in effect; moments in ISO 8601, null where unknown.

    `remark` is what `remarks_of` found, '' for nothing.
    """
    return {
        "ref": entity.ref,
        "type": entity.type,
        "state": entity.state,
        "remark": remarks.get(entity.pk, ""),
        "label": entity.label.value,
        "content_hash": entity.content_hash,
        "authority": entity.authority,
        "source_time": entity.source_time,
        "told_at": entity.created_at,
        "released_at": entity.released_at,
    }


def listing(found: Listing) -> dict[str, Any]:
    """A page of an answer that is complete: `total` is exact, `counts` are by type and state of the whole answer."""
    return {
        "complete": True,
        "total": found.total,
        "page": found.page,
        "pages": found.pages,
        "counts": [
            {"type": kind.value, "state": state.value, "number": number}
            for (kind, state), number in sorted(found.counts.items())
        ],
        "nodes": nodes(found.nodes),
    }


def evidence(found: ClaimEvidence) -> dict[str, Any]:
    """A page of the evidence of a claim with the sources behind each piece."""
    look = found.verification
    remarks = remarks_of([found.claim, *(one for piece in found.pieces for one in (piece.node, *piece.sources))])
    return {
        "claim": node(found.claim, remarks=remarks),
        "text_hash": found.record.text_hash if found.record else "",
        "verification": {"result": look.result, "fault": look.fault, "at": look.at} if look else None,
        "complete": True,
        "total": found.total,
        "page": found.page,
        "pages": found.pages,
        "evidence": [
            {
                "node": node(piece.node, remarks=remarks),
                "relation": piece.edge.relation,
                "support": piece.evidence.support if piece.evidence else "",
                "scope": piece.evidence.scope if piece.evidence else "",
                "rank": piece.evidence.rank if piece.evidence else None,
                "verified": piece.evidence.is_verified if piece.evidence else False,
                "sources": [node(one, remarks=remarks) for one in piece.sources],
            }
            for piece in found.pieces
        ],
    }


def story(found: Story) -> dict[str, Any]:
    """The steps from where the lines begin to the output, in order."""
    remarks = remarks_of([found.output, *found.origins])
    return {
        "output": node(found.output, remarks=remarks),
        "complete": found.cut is Cut.NOWHERE,
        "origins": [node(one, remarks=remarks) for one in found.origins],
        "steps": [step(one, found.nodes) for one in found.steps],
    }


def plan(found: Plan) -> dict[str, Any]:
    """What would be done again, in order, and what each step lacks."""
    return {
        "output": node(found.output, remarks=remarks_of([found.output])),
        "complete": found.cut is Cut.NOWHERE,
        "can_be_replayed": found.can_be_replayed,
        "steps": [
            {**step(planned.step, found.nodes), "missing": [_gap(gap) for gap in planned.gaps]}
            for planned in found.steps
        ],
    }


def reached(*, by_type: Mapping[str, int], released: Iterable[Entity]) -> dict[str, Any]:
    """What would become stale: how many of each type and of all, and the released outputs."""
    told = {"total": sum(by_type.values()), "by_type": dict(by_type)}
    return {**told, "released": nodes(released)}


def step(one: Step, nodes: dict[int, Entity]) -> dict[str, Any]:
    """One step by the refs of its nodes."""
    return {
        "type": one.type.value,
        "relations": [relation.value for relation in one.relations],
        "transform": transform(one.transform),
        "run_id": one.run_id,
        "made": [nodes[key].ref for key in one.made],
        "inputs": [nodes[key].ref for key in one.inputs],
        "means": [nodes[key].ref for key in one.means],
    }


def way(found: Path) -> dict[str, Any]:
    """The nodes of a way from the dependent, each with how it rests on the next one."""
    remarks = remarks_of(hop.node for hop in found.hops)
    return {
        "exists": found.exists,
        "hops": [
            {"node": node(hop.node, remarks=remarks), "link": _link(hop.link) if hop.link else None}
            for hop in found.hops
        ],
    }


def comparison(found: Comparison) -> dict[str, Any]:
    """How two runs differ; counts are of all pages together."""
    return {
        "first": found.first,
        "second": found.second,
        "complete": True,
        "total": found.total,
        "page": found.page,
        "pages": found.pages,
        "counts": [
            {"role": role.value, "change": change.value, "number": number}
            for (role, change), number in sorted(found.counts.items())
        ],
        "same": {role.value: number for role, number in found.same.items()},
        "only_first_used": [transform(one) for one in found.transforms[0]],
        "only_second_used": [transform(one) for one in found.transforms[1]],
        "differences": [
            {
                "role": one.role.value,
                "change": one.change.value,
                "first": one.first.ref if one.first else None,
                "second": one.second.ref if one.second else None,
                "same_content": one.has_same_content,
            }
            for one in found.differences
        ],
    }


def transform(one: Transform) -> dict[str, str]:
    """A transform; all '' where none was told."""
    return {
        "type": one.type,
        "implementation": one.implementation,
        "version": one.version,
        "config_hash": one.config_hash,
    }


def _link(link: Link) -> dict[str, Any]:
    return {"relation": link.relation, "transform": transform(link.transform), "run_id": link.run_id}


def _gap(gap: Gap) -> dict[str, str]:
    return {"missing": gap.missing.value, "ref": gap.node.ref if gap.node else "", "explanation": gap.explanation}
