"""OpenLineage (spec 2-0-2): RunEvents, a line each, a START and a COMPLETE for each run, as the spec asks; edges that
no run told share one run of their own.

OpenLineage itself only says that all outputs of a run rest on all its inputs. Which rests on which stands in the job
facet `lineage` (1-0-0), and whole, with our relations, in a run facet of our own: reading it back gives the same graph.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from lineage.core.open_lineage import EDGES_FACET, ENTITY_FACET
from lineage.core.told import Graph, Link, Node

PRODUCER = "urn:provenance-desk:lineage"
_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
_RUN_EVENT = f"{_SPEC}#/$defs/RunEvent"
_VERSION_FACET = (
    "https://openlineage.io/spec/facets/1-0-1/DatasetVersionDatasetFacet.json#/$defs/DatasetVersionDatasetFacet"
)
_LINEAGE_FACET = "https://openlineage.io/spec/facets/1-0-0/LineageJobFacet.json#/$defs/LineageJobFacet"


def write(graph: Graph) -> Iterator[str]:
    """Two RunEvents a run, sent as they are made. Which nodes and edges a run has is known only once all were read, so
    that they are held: about 1 KB an edge."""
    nodes = {node.ref: node for node in graph.nodes()}
    by_run: dict[str, list[Link]] = defaultdict(list)
    for link in graph.links():
        by_run[link.run_id].append(link)
    for run_id, links in by_run.items():
        complete = _event(run_id, links, nodes, graph.tenant)
        for event in (_start(complete, links), complete):
            yield json.dumps(event, ensure_ascii=False) + "\n"


def _start(complete: dict[str, Any], links: list[Link]) -> dict[str, Any]:
    """What was known when the run began: its inputs, and nothing of what it made."""
    told = {name: complete[name] for name in ("producer", "schemaURL", "inputs")}
    began = min(link.told_at for link in links).isoformat()
    run, job = ({name: facts for name, facts in complete[one].items() if name != "facets"} for one in ("run", "job"))
    return {"eventType": "START", "eventTime": began, "run": run, "job": job, "outputs": [], **told}


def _event(run_id: str, links: list[Link], nodes: dict[str, Node], tenant: str) -> dict[str, Any]:
    # Succession and structure are no lineage there: they stand in our own facet alone.
    walked = [link for link in links if link.is_dependence]
    inputs = dict.fromkeys(link.rests_on for link in walked)
    outputs = dict.fromkeys(link.dependent for link in walked)
    first = links[0]
    return {
        "eventType": "COMPLETE",
        "eventTime": max(link.told_at for link in links).isoformat(),
        "producer": PRODUCER,
        "schemaURL": _RUN_EVENT,
        "run": {
            "runId": _run_uuid(run_id, tenant),
            "facets": {
                EDGES_FACET: {
                    "_producer": PRODUCER,
                    "_schemaURL": f"{_SPEC}#/$defs/RunFacet",
                    "runId": run_id,
                    "edges": [_own(link, nodes) for link in links],
                }
            },
        },
        "job": {
            "namespace": f"provenance-desk://{tenant}",
            "name": first.transform_type or "recorded",
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
    own = {"ref": node.ref, "type": node.type.value, "version": node.version, "sha256": node.content_hash}
    facets: dict[str, Any] = {
        ENTITY_FACET: {
            "_producer": PRODUCER,
            "_schemaURL": f"{_SPEC}#/$defs/DatasetFacet",
            **{name: value for name, value in own.items() if value},
        }
    }
    if node.version:
        facets["version"] = {"_producer": PRODUCER, "_schemaURL": _VERSION_FACET, "datasetVersion": node.version}
    return {**_identifier(node, tenant), "facets": facets}


def _lineage(links: list[Link], nodes: dict[str, Node], tenant: str) -> dict[str, Any]:
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


def _own(link: Link, nodes: dict[str, Node]) -> dict[str, Any]:
    transform = {
        "type": link.transform_type,
        "implementation": link.transform_implementation,
        "version": link.transform_version,
        "config_hash": link.config_hash,
    }
    told = {
        "relation": link.relation.value,
        "output": _end(nodes[link.dependent]),
        "inputs": [_end(nodes[link.rests_on])],
        "transform": {name: value for name, value in transform.items() if value},
        "run_id": link.run_id,
    }
    return {name: value for name, value in told.items() if value}


def _end(node: Node) -> dict[str, str]:
    told = {"ref": node.ref, "type": node.type.value, "version": node.version}
    return {name: value for name, value in told.items() if value}
