"""The sprite and the list of its names agree, and the sprite brings nothing but shapes."""

from xml.etree import ElementTree

from provenance_site.kit.icons import ICONS
from tests.environment import ROOT

SVG = "{http://www.w3.org/2000/svg}"
SPRITE = ElementTree.fromstring((ROOT / "static" / "desk" / "icons.svg").read_text(encoding="utf-8"))  # noqa: S314


def test_every_name_has_a_symbol_and_every_symbol_a_name() -> None:
    assert sorted(str(symbol.get("id")) for symbol in SPRITE) == sorted(ICONS)


def test_the_sprite_holds_shapes_alone() -> None:
    shapes = {element.tag.removeprefix(SVG) for element in SPRITE.iter()}
    assert shapes == {"svg", "symbol", "g", "path", "circle", "rect"}
