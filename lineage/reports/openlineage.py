"""OpenLineage (spec 2-0-2): RunEvents, a line each: a START and a COMPLETE for each run, as the spec asks, and between
them a RUNNING for each thousand edges but the last; edges that no run told share one run of their own.

OpenLineage itself only says that all outputs of a run rest on all its inputs. Which rests on which stands in the job
facet `lineage` (1-0-0), and whole, with our relations and nodes, in a run facet of our own: reading it back gives the
same graph. A node that no edge joins belongs to no run and is not in the file.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from lineage.core.open_lineage import EDGES_FACET, ENTITY_FACET
from lineage.core.told import Graph, Link, Node, Run, RunPart

PRODUCER = "urn:provenance-desk:lineage"
_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
_RUN_EVENT = f"{_SPEC}#/$defs/RunEvent"
_VERSION_FACET = (
    "https://openlineage.io/spec/facets/1-0-1/DatasetVersionDatasetFacet.json#/$defs/DatasetVersionDatasetFacet"
)
_LINEAGE_FACET = "https://openlineage.io/spec/facets/1-0-0/LineageFacet.json#/$defs/LineageJobFacet"


def write(graph: Graph) -> Iterator[str]:
    """The RunEvents, sent as the graph is read: at most two parts of a run are held at once."""
    for part in graph.runs():
        event = _event(part, graph.tenant)
        for one in (_start(event, part.run), event) if part.is_first else (event,):
            yield json.dumps(one, ensure_ascii=False) + "\n"


def _start(first: dict[str, Any], run: Run) -> dict[str, Any]:
    """What was known when the run began: the inputs of its first part, and nothing of what it made."""
    told = {name: first[name] for name in ("producer", "schemaURL", "inputs")}
    of_run = {one: {name: facts for name, facts in first[one].items() if name != "facets"} for one in ("run", "job")}
    return {"eventType": "START", "eventTime": run.began.isoformat(), **of_run, "outputs": [], **told}


def _event(part: RunPart, tenant: str) -> dict[str, Any]:
    run, nodes = part.run, part.nodes
    # Succession and structure are no lineage there: they stand in our own facet alone.
    walked = [link for link in part.links if link.is_dependence]
    inputs = dict.fromkeys(link.rests_on for link in walked)
    outputs = dict.fromkeys(link.dependent for link in walked)
    return {
        "eventType": "COMPLETE" if part.is_last else "RUNNING",
        "eventTime": (run.ended if part.is_last else max(link.told_at for link in part.links)).isoformat(),
        "producer": PRODUCER,
        "schemaURL": _RUN_EVENT,
        "run": {
            "runId": _run_uuid(run.run_id, tenant),
            "facets": {
                EDGES_FACET: {
                    "_producer": PRODUCER,
                    "_schemaURL": f"{_SPEC}#/$defs/RunFacet",
                    "runId": run.run_id,
                    "entities": [_told_of(node) for node in nodes.values()],
                    "edges": [_own(link, nodes) for link in part.links],
                }
            },
        },
        "job": {
            "namespace": f"provenance-desk://{tenant}",
            "name": run.transform_type or "recorded",
            "facets": {"lineage": _lineage(walked, nodes, tenant)},
        },
        "inputs": [_dataset(nodes[ref], tenant) for ref in inputs],
        "outputs": [_dataset(nodes[ref], tenant) for ref in outputs],
    }


def _run_uuid(run_id: str, tenant: str) -> str:
    """The run's id, which must be a UUID there: another one is mapped, and kept in our facet."""
    try:
        return str(UUID(run_id))
    except ValueError:
        return str(uuid5(NAMESPACE_URL, f"{PRODUCER}:{tenant}:{run_id}"))


def _identifier(node: Node, tenant: str) -> dict[str, str]:
    return {"namespace": f"provenance-desk://{tenant}/{node.type}", "name": node.logical_id}


def _dataset(node: Node, tenant: str) -> dict[str, Any]:
    facets: dict[str, Any] = {
        ENTITY_FACET: {"_producer": PRODUCER, "_schemaURL": f"{_SPEC}#/$defs/DatasetFacet", **_told_of(node)}
    }
    if node.version:
        facets["version"] = {"_producer": PRODUCER, "_schemaURL": _VERSION_FACET, "datasetVersion": node.version}
    return {**_identifier(node, tenant), "facets": facets}


def _lineage(links: Sequence[Link], nodes: Mapping[str, Node], tenant: str) -> dict[str, Any]:
    by_target: dict[str, list[Link]] = defaultdict(list)
    for link in links:
        by_target[link.dependent].append(link)
    entries = [
        {
            **_identifier(nodes[target], tenant),
            "type": "DATASET",
            "inputs": [
                {
                    **_identifier(nodes[link.rests_on], tenant),
                    "type": "DATASET",
                    "transformations": [
                        {"type": "DIRECT", "subtype": link.relation.value, "description": f"edge {link.key}"}
                    ],
                }
                for link in found
            ],
        }
        for target, found in by_target.items()
    ]
    return {"_producer": PRODUCER, "_schemaURL": _LINEAGE_FACET, "entries": entries}


def _own(link: Link, nodes: Mapping[str, Node]) -> dict[str, Any]:
    transform = {
        "type": link.transform_type,
        "implementation": link.transform_implementation,
        "version": link.transform_version,
        "config_hash": link.config_hash,
    }
    return _given(
        relation=link.relation.value,
        output=_end(nodes[link.dependent]),
        inputs=[_end(nodes[link.rests_on])],
        transform=_given(**transform),
        run_id=link.run_id,
        trace_id=link.trace_id,
    )


def _told_of(node: Node) -> dict[str, Any]:
    return {
        **_end(node),
        **_given(
            sha256=node.content_hash,
            classification=node.label.value,
            source_time=node.source_time and node.source_time.isoformat(),
            authority=node.authority,
        ),
    }


def _end(node: Node) -> dict[str, Any]:
    return _given(ref=node.ref, type=node.type.value, version=node.version)


def _given(**facts: Any) -> dict[str, Any]:
    """The facts that there are."""
    return {name: value for name, value in facts.items() if value}
