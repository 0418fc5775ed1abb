"""The colours of tokens.css keep WCAG 2.2's ratios in both themes: 4.5 for text, 3 for the edge of a control.

Ratio and relative luminance: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
"""

import re

import pytest

from tests.environment import ROOT

CSS = (ROOT / "static" / "desk" / "tokens.css").read_text(encoding="utf-8")
PAIRS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", CSS)
}
SURFACES = ["paper", "card", "raised", "sunken", "hover"]
TONES = ["good", "note", "warn", "bad", "idle"]
TEXTS = [
    *[(ink, ground) for ink in ("ink", "ink-2", "ink-3", "link", "link-strong", "accent") for ground in SURFACES],
    *[(tone, ground) for tone in TONES for ground in (f"{tone}-soft", "card", "paper", "raised")],
    *[("ink", f"{tone}-soft") for tone in TONES],
    *[("on-accent", ground) for ground in ("accent", "accent-strong")],
    *[("on-fill", tone) for tone in TONES],
    *[(ink, "accent-soft") for ink in ("accent", "ink", "ink-2")],
]
EDGES = [*[(edge, ground) for edge in ("line-strong", "focus") for ground in SURFACES]]


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def test_the_ratio_is_computed_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXTS)
def test_a_text_can_be_read(ink: str, ground: str, theme: int) -> None:
    assert contrast(PAIRS[ink][theme], PAIRS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("edge", "ground"), EDGES)
def test_the_edge_of_a_control_can_be_seen(edge: str, ground: str, theme: int) -> None:
    assert contrast(PAIRS[edge][theme], PAIRS[ground][theme]) >= 3
