"""Mermaid flowcharts (https://mermaid.js.org), for notes and pull requests: small graphs only."""

from collections.abc import Iterator
from itertools import islice

from lineage.core.relations import EntityState
from lineage.core.told import Graph, Node

# Mermaid itself refuses more than 500 edges unless told otherwise; a picture of more is not read by anybody.
MOST_NODES = 300
MOST_LINKS = 500


def write(graph: Graph) -> Iterator[str]:
    """The flowchart, from what things rest on to what rests on them; says in a comment where it was cut."""
    yield "flowchart LR\n"
    names: dict[str, str] = {}
    for node in islice(graph.nodes(), MOST_NODES + 1):
        if len(names) == MOST_NODES:
            yield f"  %% cut at {MOST_NODES} nodes\n"
            break
        names[node.ref] = f"n{len(names)}"
        yield f'  {names[node.ref]}["{_label(node)}"]\n'
    drawn = 0
    for link in graph.links():
        if link.dependent not in names or link.rests_on not in names:
            continue
        if drawn == MOST_LINKS:
            yield f"  %% cut at {MOST_LINKS} edges\n"
            return
        arrow = "-->" if link.is_dependence else "-.->"
        yield f"  {names[link.rests_on]} {arrow}|{link.relation}| {names[link.dependent]}\n"
        drawn += 1


def _label(node: Node) -> str:
    """The ref with the state in words; every character that means something to Mermaid or HTML as an entity code."""
    state = "" if node.state is EntityState.CURRENT else f" ({node.state})"
    text = f"{node.ref}{state}"
    return "".join(letter if letter.isalnum() or letter in " -_./:()@" else f"#{ord(letter)};" for letter in text)
