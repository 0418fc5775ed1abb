"""Walls of common vendors, in several languages, and readable pages that carry their furniture."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.pages import judge, told_pages

KINDS = ("bot-wall", "block-wall", "login-wall", "consent-wall")
WALLS = {(kind, name): page for kind in KINDS for name, page in told_pages("walls", kind).items()}
READABLE = told_pages("walls", "readable")


@pytest.mark.parametrize(("kind", "name"), WALLS)
def test_the_wall_of_a_common_vendor_is_a_wall(kind: str, name: str) -> None:
    judgement = judge(WALLS[kind, name], title="")
    assert judgement.verdict is Verdict.FETCH_FAILED, judgement.signals
    assert judgement.cause.is_wall, judgement.signals


def test_most_walls_are_told_apart_by_what_they_ask_for() -> None:
    told = {key: judge(page, title="").cause for key, page in WALLS.items()}
    other = {key: cause for key, cause in told.items() if cause is not Cause(key[0])}
    assert len(other) <= len(WALLS) // 20, other


@pytest.mark.parametrize("name", READABLE)
def test_a_page_that_only_carries_a_walls_furniture_is_readable(name: str) -> None:
    judgement = judge(READABLE[name], title="")
    assert judgement.verdict is Verdict.VERIFIED_ACCESSIBLE, judgement.signals
