"""GraphML (http://graphml.graphdrawing.org), for Gephi, yEd, networkx and their like."""

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from lineage.core.told import Graph
from provenance_site.kit.text import for_xml

_OF_NODES = ("type", "version", "sha256", "authority", "classification", "state", "source_time")
_OF_EDGES = ("relation", "is_dependence", "transform", "transform_version", "config_hash", "run")


def write(graph: Graph) -> Iterator[str]:
    """The document in pieces; an edge leads from the dependent to what it rests on."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for kind, names in (("node", _OF_NODES), ("edge", _OF_EDGES)):
        for name in names:
            yield f'  <key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="string"/>\n'
    yield '  <graph edgedefault="directed">\n'
    for node in graph.nodes():
        told = {
            "type": node.type.value,
            "version": node.version,
            "sha256": node.content_hash,
            "authority": node.authority,
            "classification": node.label.value,
            "state": node.state.value,
            "source_time": node.source_time.isoformat() if node.source_time else "",
        }
        yield f"    <node id={_attribute(node.ref)}>{_data('node', told)}</node>\n"
    for link in graph.links():
        told = {
            "relation": link.relation.value,
            "is_dependence": str(link.is_dependence).lower(),
            "transform": " ".join(one for one in (link.transform_type, link.transform_implementation) if one),
            "transform_version": link.transform_version,
            "config_hash": link.config_hash,
            "run": link.run_id,
        }
        ends = f"source={_attribute(link.dependent)} target={_attribute(link.rests_on)}"
        yield f'    <edge id="{link.key}" {ends}>{_data("edge", told)}</edge>\n'
    yield "  </graph>\n</graphml>\n"


def _data(kind: str, told: Mapping[str, str]) -> str:
    written = {name: escape(for_xml(value)) for name, value in told.items() if value}
    return "".join(f'<data key="{kind}_{name}">{value}</data>' for name, value in written.items())


def _attribute(text: str) -> str:
    return quoteattr(for_xml(text))
