"""A picture put down: the parts of an SVG, and data with places."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from lineage.core.pairs import MEANS, OUTPUTS
from lineage.core.relations import EntityType
from lineage.queries.bounded import Cut
from lineage.views.picture import Shown
from provenance_site.kit.text import middle_cut

WIDTH, HEIGHT = 184.0, 44.0
_LETTERS = 23
_CLAIMS = frozenset({EntityType.CLAIM, EntityType.DECISION})
_ORIGINS = frozenset({EntityType.SOURCE, EntityType.SOURCE_VERSION})
_PARTS = frozenset({EntityType.DOCUMENT_IR, EntityType.BLOCK, EntityType.TABLE, EntityType.FIGURE, EntityType.CHUNK})


def svg(picture: Shown) -> dict[str, Any]:
    """What the template of the drawing needs."""
    places = picture.layout.places
    return {
        "width": max(picture.layout.width, 1),
        "height": max(picture.layout.height, 1),
        "sentence": picture.sentence,
        "ways": [_path(points) for points in picture.layout.ways.values()],
        "shapes": [
            {
                "thing": thing,
                "outline": _outline(thing.box.type),
                "x": places[key].x,
                "y": places[key].y,
                "words": middle_cut(thing.words, _LETTERS),
                "is_start": key == picture.start.pk,
            }
            for key, thing in picture.things.items()
        ],
    }


def as_json(picture: Shown) -> dict[str, Any]:
    """The picture as data: nodes and groups with their places, edges from the dependent, and how far it goes."""
    places = picture.layout.places
    return {
        "ref": picture.start.ref,
        "complete": picture.cut is Cut.NOWHERE,
        "cut": picture.cut.value,
        "extent": picture.extent,
        "nodes": [
            {
                "id": thing.box.handle,
                "ref": thing.row.entity.ref if thing.row else None,
                "type": thing.box.type,
                "state": thing.state,
                "words": thing.words,
                "note": thing.note,
                "count": thing.total,
                "side": thing.box.side,
                "url": thing.url,
                "x": places[key].x if key in places else None,
                "y": places[key].y if key in places else None,
            }
            for key, thing in picture.things.items()
        ],
        "edges": [
            {
                "from": picture.things[dependent].box.handle,
                "to": picture.things[other].box.handle,
                "relations": list(relations),
            }
            for (dependent, other), relations in picture.drawing.edges.items()
        ],
    }


def _path(points: Sequence[tuple[float, float]]) -> str:
    """A line from the box of the dependent (right) to the box it rests on (left), with soft bends."""
    (x, y), *between, (end_x, end_y) = points
    turn = WIDTH / 2 if x >= end_x else -WIDTH / 2
    stops = [(x - turn, y), *between, (end_x + turn, end_y)]
    path = f"M{stops[0][0]:g} {stops[0][1]:g}"
    for (from_x, from_y), (to_x, to_y) in pairwise(stops):
        middle = (from_x + to_x) / 2
        path += f"C{middle:g} {from_y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}"
    return path


def _outline(kind: EntityType) -> str:
    """The outline around (0, 0), by the family of its type: shapes differ where colours cannot be seen."""
    w, h = WIDTH / 2, HEIGHT / 2
    if kind in _ORIGINS:
        left, right, bow = f"{h - w:g}", f"{w - h:g}", f"A{h:g} {h:g} 0 0 1"
        return f"M{left} {-h:g}H{right}{bow} {right} {h:g}H{left}{bow} {left} {-h:g}Z"
    if kind in _CLAIMS:
        return f"M{12 - w:g} {-h:g}H{w - 12:g}L{w:g} 0L{w - 12:g} {h:g}H{12 - w:g}L{-w:g} 0Z"
    if kind in OUTPUTS or kind is EntityType.ARTIFACT:
        return f"M{-w:g} {-h:g}H{w - 13:g}L{w:g} {13 - h:g}V{h:g}H{-w:g}ZM{w - 13:g} {-h:g}V{13 - h:g}H{w:g}"
    if kind in MEANS:
        top, low = f"{9 - h:g}", f"{h - 9:g}"
        return f"M{9 - w:g} {-h:g}H{w - 9:g}L{w:g} {top}V{low}L{w - 9:g} {h:g}H{9 - w:g}L{-w:g} {low}V{top}Z"
    if kind in _PARTS:
        return f"M{-w:g} {-h:g}H{w:g}V{h:g}H{-w:g}Z"
    return f"M{10 - w:g} {-h:g}H{w:g}L{w - 10:g} {h:g}H{-w:g}Z"
