"""Who is asked about retractions by the settings, and that those who are not are named."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from provenance_site.kit.outbound import OutboundClient
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from tests.fakes.loopback import Loopback, reply
from tests.fakes.outbound import policy_for
from validation.adapters import retraction_world as world
from validation.adapters.openalex_retractions import OpenAlexRetractions
from validation.adapters.pubmed_retractions import PubMedRetractions
from validation.adapters.retraction_world import RetractionWorld, absent_providers, download_export, retraction_world
from validation.core.ports import Unavailable
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


def test_an_export_is_written_to_a_file_as_it_comes_and_no_further_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = b"Record ID,Title\r\n" * 50_000
    with (
        Loopback(lambda _: reply(rows, "Content-Type: text/csv")) as server,
        (tmp_path / "export.csv").open("wb") as file,
    ):
        assert asyncio.run(download_export(server.url("/export.csv"), file)) is None
        file.flush()
        assert (tmp_path / "export.csv").read_bytes() == rows
    monkeypatch.setattr(world, "_LARGEST_EXPORT", 100_000)
    with Loopback(lambda _: reply(rows)) as server, (tmp_path / "large.csv").open("wb") as file:
        failed = asyncio.run(download_export(server.url("/export.csv"), file))
        assert isinstance(failed, Unavailable)
        assert "larger than" in failed.reason
        assert file.tell() <= 100_000


@pytest.mark.parametrize("key", ["", "k-7"])
def test_keys_are_optional_and_go_along_where_there_is_one(key: str) -> None:
    async def ask(server: Loopback) -> None:
        async with OutboundClient(policy_for(server)) as client:
            work = WorkId(IdentifierType.PMID, "9500320")
            await PubMedRetractions(server.url("/"), client, key=key).ask([work])
            await OpenAlexRetractions(server.url("/"), client, key=key).ask([work])

    with Loopback(lambda _: reply(b"{}")) as server:
        asyncio.run(ask(server))
        assert [("api_key=k-7" in one.target) for one in server.requests] == [bool(key)] * 2
