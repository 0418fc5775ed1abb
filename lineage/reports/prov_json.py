"""PROV-JSON (W3C member submission of 2013), written section by section, so that its size needs no memory."""

import json
from collections.abc import Iterator
from typing import Any

from lineage.core.told import Graph, Link, Node
from lineage.reports import prov_terms as terms

Entry = tuple[str, Any]


def write(graph: Graph) -> Iterator[str]:
    """The document in pieces. The same graph gives the same text."""
    sections: list[tuple[str, Iterator[Entry]]] = [
        ("entity", ((terms.entity_name(node.ref), _node(node)) for node in graph.nodes())),
        (
            "activity",
            ((terms.run_name(run), {"prov:type": _name("lin:run"), "lin:runId": run}) for run in terms.runs(graph)),
        ),
        ("wasDerivedFrom", ((f"edge:{link.key}", _derivation(link)) for link in terms.derivations(graph))),
        ("wasGeneratedBy", _numbered("generation", (_generation(*pair) for pair in terms.generations(graph)))),
        ("used", _numbered("use", (_use(*pair) for pair in terms.uses(graph)))),
        ("hadMember", _numbered("member", (_membership(link) for link in terms.memberships(graph)))),
        ("wasInvalidatedBy", _numbered("end", (_ending(*pair) for pair in terms.invalidations(graph)))),
    ]
    yield "{" + f'"prefix": {json.dumps(terms.PREFIXES)}'
    for name, entries in sections:
        yield from _section(name, entries)
    yield "}\n"


def _section(name: str, entries: Iterator[Entry]) -> Iterator[str]:
    """A section, left out where it is empty."""
    is_first = True
    for key, value in entries:
        opening = f',\n"{name}": {{\n' if is_first else ",\n"
        yield f"{opening}{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        is_first = False
    if not is_first:
        yield "\n}"


def _node(node: Node) -> dict[str, Any]:
    told: dict[str, Any] = {"prov:type": _name(f"lin:{node.type}"), **terms.facts_of(node)}
    if node.source_time is not None:
        told["lin:sourceTime"] = {"$": node.source_time.isoformat(), "type": "xsd:dateTime"}
    return told


def _derivation(link: Link) -> dict[str, Any]:
    told: dict[str, Any] = {
        "prov:generatedEntity": terms.entity_name(link.dependent),
        "prov:usedEntity": terms.entity_name(link.rests_on),
        **terms.facts_of_link(link),
    }
    if link.run_id:
        told["prov:activity"] = terms.run_name(link.run_id)
    if kind := terms.prov_type(link):
        told["prov:type"] = _name(kind)
    return told


def _generation(ref: str, run_id: str) -> dict[str, str]:
    return {"prov:entity": terms.entity_name(ref), "prov:activity": terms.run_name(run_id)}


def _use(run_id: str, ref: str) -> dict[str, str]:
    return {"prov:activity": terms.run_name(run_id), "prov:entity": terms.entity_name(ref)}


def _membership(link: Link) -> dict[str, str]:
    return {"prov:collection": terms.entity_name(link.dependent), "prov:entity": terms.entity_name(link.rests_on)}


def _ending(ref: str, at: Any) -> dict[str, str]:
    return {"prov:entity": terms.entity_name(ref), "prov:time": at.isoformat()}


def _numbered(name: str, entries: Iterator[Any]) -> Iterator[Entry]:
    return ((f"_:{name}{number}", entry) for number, entry in enumerate(entries, start=1))


def _name(qualified: str) -> dict[str, str]:
    return {"$": qualified, "type": "prov:QUALIFIED_NAME"}
