"""Who is asked about retractions by the settings, and that those who are not are named."""

import asyncio
from typing import Any

import pytest

from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from validation.adapters.retraction_world import RetractionWorld, absent_providers, retraction_world
from validation.core.retraction_ids import WorkId


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


def test_where_no_registry_may_be_asked_nobody_is(settings: Any) -> None:
    settings.SCHOLARLY = False
    assert built().providers == ()
    assert all("DESK_SCHOLARLY" in why for why in absent_providers().values())


def test_works_of_the_sample_publishers_are_asked_about_nowhere(settings: Any) -> None:
    settings.SAMPLE_PORT = 8010
    there = built()
    assert not there.is_askable(WorkId(IdentifierType.DOI, "10.5555/provdesk.7"))
    assert there.is_askable(WorkId(IdentifierType.DOI, "10.1016/s0140-6736(97)11096-0"))
