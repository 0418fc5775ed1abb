"""How one node rests on another."""

from dataclasses import dataclass
from itertools import pairwise

from lineage import access
from lineage.core.asking import Asker
from lineage.core.refs import Ref
from lineage.core.steps import Link
from lineage.models import Entity
from lineage.queries import bounded


@dataclass(frozen=True, slots=True)
class Hop:
    """A node on the way, and the link by which it rests on the next one: None at the end, and where a node stands
    between them that was named but never told of."""

    node: Entity
    link: Link | None


@dataclass(frozen=True, slots=True)
class Path:
    """A shortest way from the dependent to what it rests on; no hops where neither of the two rests on the other."""

    hops: list[Hop]

    @property
    def exists(self) -> bool:
        """True where one rests on the other (a node on itself: one hop)."""
        return bool(self.hops)


def path(*, a: Ref | str, b: Ref | str, asker: Asker) -> Path:
    """A shortest way between two nodes along dependences, whichever of them is the dependent; always the same one.

    Linear in what the one rests on and in what rests on the other. Raises `access.NoSuchEntity` where the asker may not
    see one of them.
    """
    first = access.entity_at(a, asker=asker)
    second = access.entity_at(b, asker=asker)
    if first == second:
        return Path([Hop(first, None)])
    way = bounded.path_of(dependent=first.pk, origin=second.pk, asker=asker) or bounded.path_of(
        dependent=second.pk, origin=first.pk, asker=asker
    )
    if not way:
        return Path([])
    links: dict[tuple[int, int], Link] = {}
    for link in bounded.links_among(way):
        links.setdefault((link.dependent, link.other), link)
    nodes = Entity.objects.filter(is_placeholder=False).in_bulk(way)
    after = dict(pairwise(way))
    return Path(
        [
            Hop(nodes[key], links.get((key, after[key])) if after.get(key) in nodes else None)
            for key in way
            if key in nodes
        ]
    )
