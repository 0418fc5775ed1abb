"""What PROV-JSON and PROV-N share: our names in PROV-DM terms (https://www.w3.org/TR/prov-dm/).

A node is an entity, a run an activity. Every dependence is a derivation, with its relation as `lin:relation`; one told
by a run also says that the run used the one and generated the other. FETCHED_FROM is a primary source, SUPERSEDES a
revision, CONTAINS a membership (which has no id in PROV). Nothing is ever written as mere influence.
"""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import quote

from lineage.core.relations import EntityState, Relation
from lineage.core.told import Graph, Link, Node

PREFIXES = {
    "lin": "urn:provenance-desk:lineage#",
    "ent": "urn:provenance-desk:lineage:entity:",
    "run": "urn:provenance-desk:lineage:run:",
    "edge": "urn:provenance-desk:lineage:edge:",
}
_ENDED = frozenset({EntityState.RETRACTED, EntityState.TOMBSTONED})


def entity_name(ref: str) -> str:
    """The qualified name of a node: its ref, percent-encoded, so that any path is a local name."""
    return f"ent:{quote(ref, safe='')}"


def run_name(run_id: str) -> str:
    """The qualified name of a run."""
    return f"run:{quote(run_id, safe='')}"


def facts_of(node: Node) -> dict[str, str]:
    """What is told of a node, by qualified attribute name; without what is not known."""
    told = {
        "lin:ref": node.ref,
        "lin:type": node.type.value,
        "lin:version": node.version,
        "lin:contentHash": node.content_hash,
        "lin:authority": node.authority,
        "lin:classification": node.label.value,
        "lin:state": node.state.value,
    }
    return {name: value for name, value in told.items() if value}


def facts_of_link(link: Link) -> dict[str, str]:
    """What is told of an edge, by qualified attribute name; without what is not known."""
    told = {
        "lin:relation": link.relation.value,
        "lin:transformType": link.transform_type,
        "lin:transformImplementation": link.transform_implementation,
        "lin:transformVersion": link.transform_version,
        "lin:configHash": link.config_hash,
        "lin:traceId": link.trace_id,
    }
    return {name: value for name, value in told.items() if value}


def prov_type(link: Link) -> str:
    """The kind of derivation in PROV's own words, '' for a plain one."""
    return {Relation.FETCHED_FROM: "prov:PrimarySource", Relation.SUPERSEDES: "prov:Revision"}.get(link.relation, "")


def derivations(graph: Graph) -> Iterator[Link]:
    """The edges that are derivations: all but memberships."""
    return (link for link in graph.links() if link.relation is not Relation.CONTAINS)


def memberships(graph: Graph) -> Iterator[Link]:
    """The edges that are memberships."""
    return (link for link in graph.links() if link.relation is Relation.CONTAINS)


def runs(graph: Graph) -> Iterator[str]:
    """Each run once, in the order of its first edge."""
    seen: set[str] = set()
    for link in graph.links():
        if link.run_id and link.run_id not in seen:
            seen.add(link.run_id)
            yield link.run_id


def generations(graph: Graph) -> Iterator[tuple[str, str]]:
    """Each (node, run that generated it) once."""
    return _once((link.dependent, link.run_id) for link in derivations(graph) if link.run_id)


def uses(graph: Graph) -> Iterator[tuple[str, str]]:
    """Each (run, node it used) once."""
    return _once((link.run_id, link.rests_on) for link in derivations(graph) if link.run_id)


def invalidations(graph: Graph) -> Iterator[tuple[str, datetime]]:
    """Nodes that were retracted or removed, with the moment."""
    return ((node.ref, node.gone_at) for node in graph.nodes() if node.state in _ENDED and node.gone_at is not None)


def _once(pairs: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    seen: set[tuple[str, str]] = set()
    for pair in pairs:
        if pair not in seen:
            seen.add(pair)
            yield pair
