"""Who is asked about retractions by the settings, and that those who are not are named."""

import asyncio
from typing import Any

import pytest

from sources.core.retraction_status import Provider
from validation.adapters.retraction_world import RetractionWorld, absent_providers, retraction_world


def built() -> RetractionWorld:
    async def build() -> RetractionWorld:
        async with retraction_world() as there:
            return there

    return asyncio.run(build())


def test_all_are_asked_unless_the_operator_says_otherwise() -> None:
    there = built()
    assert [one.name for one in there.providers] == [
        Provider.CROSSREF,
        Provider.PUBMED,
        Provider.ARXIV,
        Provider.ARXIV,
    ]
    assert [one.name for one in there.tie_breakers] == [Provider.OPENALEX]
    assert [one.name for one in there.feeds] == [Provider.CROSSREF]
    assert there.absent == {}


@pytest.mark.parametrize("listed", [["none"], ["pubmed"]])
def test_who_is_not_listed_is_not_asked_and_named(settings: Any, listed: list[str]) -> None:
    settings.RETRACTION_PROVIDERS = listed
    there = built()
    assert {one.name for one in there.providers} == set(listed) - {"none"}
    assert (there.tie_breakers, there.feeds, there.handles) == ((), (), None)
    assert set(absent_providers()) == {"crossref", "pubmed", "arxiv", "openalex"} - set(listed)
    assert "DESK_RETRACTION_PROVIDERS" in absent_providers()[Provider.CROSSREF]
