"""The formats that a part of the graph is handed on in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lineage.core.told import Graph
from lineage.reports import graphml, mermaid, openlineage, prov_json, prov_n


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what it is called, the type and ending of its files, and its writer."""

    name: str
    title: str
    content_type: str
    ending: str
    write: Callable[[Graph], Iterator[str]]


FORMATS = {
    one.name: one
    for one in (
        Format("prov-json", "PROV-JSON", "application/json", "provjson.json", prov_json.write),
        Format("prov-n", "PROV-N", "text/provenance-notation; charset=utf-8", "provn", prov_n.write),
        Format("openlineage", "OpenLineage", "application/x-ndjson", "openlineage.ndjson", openlineage.write),
        Format("graphml", "GraphML", "application/graphml+xml; charset=utf-8", "graphml", graphml.write),
        Format("mermaid", "Mermaid", "text/plain; charset=utf-8", "mmd", mermaid.write),
    )
}
