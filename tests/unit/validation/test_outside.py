"""The outside world as the settings describe it, and the sample publishers' own corner of it."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from sources.core.findings import Cause
from tests.fakes.loopback import Loopback, Reply, Request, redirect, reply
from validation.adapters.registry import Outside, outside
from validation.adapters.sample import SampleRoutes
from validation.core.fetching import Failure, Page
from validation.core.ports import Hit, NotRegistered, Registered, Unavailable

HOSTS = ("gazette.sample.localhost", "doi.sample.localhost", "search.sample.localhost")
SAMPLE = SampleRoutes(hosts=frozenset(HOSTS), port=8010)


@pytest.mark.parametrize(
    "address",
    [
        "http://gazette.sample.localhost:8010/2024/harbour",
        "http://GAZETTE.sample.localhost:8010/",
        "https://doi.org/10.5555/provdesk.7",
        "http://dx.doi.org/10.5555/PROVDESK.7",
        "10.5555/provdesk.7",
    ],
)
def test_the_sample_holds_its_hosts_on_its_port_and_its_dois(address: str) -> None:
    assert SAMPLE.holds(address)
    assert not SampleRoutes(hosts=frozenset(HOSTS), port=0).holds(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://gazette.sample.localhost:8011/",
        "http://gazette.sample.localhost/",
        "http://other.sample.localhost:8010/",
        "https://doi.org/10.5555/other.7",
        "https://evil.example/10.5555/provdesk.7",
        "https://gazette.sample.localhost:8010.evil.example/",
        "10.5555/other.7",
        "",
    ],
)
def test_the_sample_holds_nothing_else(address: str) -> None:
    assert not SAMPLE.holds(address)
    assert SAMPLE.reroute(address) == address


def test_the_link_of_a_sample_doi_is_asked_of_the_samples_agency() -> None:
    assert SAMPLE.reroute("https://doi.org/10.5555/provdesk.7") == "http://doi.sample.localhost:8010/10.5555/provdesk.7"
    for url in ("https://doi.org/10.1000/182", "http://gazette.sample.localhost:8010/x"):
        assert SAMPLE.reroute(url) == url
    assert (
        SampleRoutes(hosts=frozenset(HOSTS), port=0)
        .reroute("https://doi.org/10.5555/provdesk.7")
        .startswith("https://")
    )


# -- over real sockets -------------------------------------------------------------------------------------------------


def sample_site(request: Request) -> Reply:
    name, _, port = request.headers["host"].partition(":")
    landing = f"http://gazette.sample.localhost:{port}/2024/harbour"
    match name, request.target:
        case "doi.sample.localhost", "/10.5555/provdesk.7":
            return redirect(landing)
        case "doi.sample.localhost", "/api/handles/10.5555/provdesk.7":
            value = {"type": "URL", "data": {"format": "string", "value": landing}}
            return reply(json.dumps({"responseCode": 1, "values": [value]}).encode())
        case "search.sample.localhost", _:
            return reply(json.dumps({"results": [{"url": landing, "title": "Harbour"}]}).encode())
        case "gazette.sample.localhost", "/2024/harbour":
            return reply(b"<title>Harbour</title>")
        case "gazette.sample.localhost", "/inward":
            return redirect(f"http://127.0.0.1:{port}/")
    return reply(b'{"responseCode": 100}', status="404 N")


@pytest.fixture
def sample() -> Iterator[Loopback]:
    with Loopback(sample_site) as server:
        yield server


@pytest.fixture
def world(settings: Any, sample: Loopback) -> Any:
    """The settings of an installation that serves the sample; nothing else is configured but a deaf DOI resolver."""
    settings.SAMPLE_HOSTS = HOSTS
    settings.SAMPLE_PORT = sample.port
    settings.SEARXNG_URL = ""
    settings.DOI_RESOLVER_URL = "http://resolver.invalid/"
    settings.FETCH_DEADLINE_S = 2
    return settings


async def ask(*, fetch: str = "", doi: str = "", search_for: str = "") -> Any:
    async with outside() as world:
        if fetch:
            return await world.fetcher.fetch(fetch)
        if doi:
            return await world.handles.lookup(doi)
        return [await search.search("harbour", limit=3) for search in world.searches_for(search_for)]


def test_sample_pages_dois_and_searches_stay_with_the_sample(world: Any, sample: Loopback) -> None:
    landing = f"http://gazette.sample.localhost:{sample.port}/2024/harbour"
    page = asyncio.run(ask(fetch="https://doi.org/10.5555/provdesk.7"))
    assert isinstance(page, Page)
    assert (page.requested_url, page.final_url) == ("https://doi.org/10.5555/provdesk.7", landing)
    assert asyncio.run(ask(doi="10.5555/provdesk.7")) == Registered("10.5555/provdesk.7", landing)
    assert asyncio.run(ask(doi="10.5555/provdesk.8")) == NotRegistered("10.5555/provdesk.8")
    assert asyncio.run(ask(search_for=landing)) == [(Hit(landing, "Harbour", "searxng"),)]
    agents = {request.headers["user-agent"] for request in sample.requests}
    assert agents == {f"Mozilla/5.0 (compatible; ProvenanceDesk/{world.PRODUCT_VERSION}; +{world.CONTACT_URL})"}


def test_what_is_not_the_samples_is_not_asked_of_it(world: Any, sample: Loopback) -> None:
    assert isinstance(asyncio.run(ask(doi="10.1000/182")), Unavailable)
    assert asyncio.run(ask(search_for="https://press.example/x")) == []
    assert sample.requests == []


@pytest.mark.parametrize("path", ["http://127.0.0.1:{port}/", "http://other.sample.localhost:{port}/"])
def test_only_the_samples_own_names_may_lie_on_loopback(world: Any, sample: Loopback, path: str) -> None:
    for url in (path.format(port=sample.port), f"http://gazette.sample.localhost:{sample.port}/inward"):
        failure = asyncio.run(ask(fetch=url))
        assert isinstance(failure, Failure)
        assert failure.cause is Cause.BLOCKED_ADDRESS


def test_without_a_sample_its_names_are_refused(world: Any, sample: Loopback) -> None:
    port, world.SAMPLE_PORT = sample.port, 0
    failure = asyncio.run(ask(fetch=f"http://gazette.sample.localhost:{port}/2024/harbour"))
    assert isinstance(failure, Failure)
    assert failure.cause is Cause.BLOCKED_ADDRESS
    assert sample.connections == 0


def test_an_operators_search_engine_may_be_private_but_no_source_may_use_its_address(world: Any) -> None:
    found = json.dumps({"results": [{"url": "https://press.example/x", "title": "Harbour"}]}).encode()
    with Loopback(lambda _: reply(found)) as engine:
        world.SEARXNG_URL = engine.url()
        assert asyncio.run(ask(search_for="https://press.example/y")) == [
            (Hit("https://press.example/x", "Harbour", "searxng"),)
        ]
        failure = asyncio.run(ask(fetch=engine.url("/search?q=x")))
        assert isinstance(failure, Failure)
        assert failure.cause is Cause.BLOCKED_ADDRESS
        assert len(engine.requests) == 1


def test_an_operators_search_engine_cannot_send_us_elsewhere_inside(world: Any) -> None:
    with Loopback(lambda _: reply(b"secret")) as inside, Loopback(lambda _: redirect(inside.url())) as engine:
        world.SEARXNG_URL = engine.url()
        (answer,) = asyncio.run(ask(search_for="https://press.example/y"))
        assert isinstance(answer, Unavailable)
        assert inside.connections == 0


# -- searches, registries, the archive ---------------------------------------------------------------------------------

KEYS = {"TAVILY": "tavily-key", "PERPLEXITY": "perplexity-key", "FIRECRAWL": "firecrawl-key"}


async def names(address: str) -> tuple[list[str], list[str], str]:
    async with outside() as world:
        archive = world.archive_for(address)
        searches = [one.name for one in world.searches_for(address)]
        return searches, [one.name for one in world.registries_for(address)], archive.name if archive else ""


def test_providers_are_asked_in_their_order(world: Any) -> None:
    for name, key in KEYS.items():
        setattr(world, f"{name}_KEY", key)
    world.SEARXNG_URL = "http://searx.press.org/"
    searches, registries, archive = asyncio.run(names("https://press.example/x"))
    assert searches == ["searxng", "tavily", "perplexity", "firecrawl"]
    assert (registries, archive) == (["crossref", "openalex"], "wayback")


def test_without_keys_only_what_needs_none_is_asked(world: Any) -> None:
    assert asyncio.run(names("https://press.example/x")) == ([], ["crossref", "openalex"], "wayback")


def test_registries_and_the_archive_can_be_left_unasked(world: Any) -> None:
    world.SCHOLARLY = world.ARCHIVE = False
    assert asyncio.run(names("https://press.example/x")) == ([], [], "")


@pytest.mark.parametrize("address", ["http://gazette.sample.localhost:{port}/x", "10.5555/provdesk.7"])
def test_what_the_sample_holds_is_asked_of_the_sample_alone(world: Any, sample: Loopback, address: str) -> None:
    world.TAVILY_KEY = "tavily-key"
    found = asyncio.run(names(address.format(port=sample.port)))
    assert found == (["searxng"], [], "")


def test_a_key_reaches_its_own_provider_and_no_other(world: Any) -> None:
    hit = {"url": "https://press.example/x", "title": "Harbour"}
    with Loopback(
        lambda _: reply(json.dumps({"results": [hit], "search_results": [hit], "data": [hit]}).encode())
    ) as one:
        for name, key in KEYS.items():
            setattr(world, f"{name}_KEY", key)
            setattr(world, f"{name}_URL", one.url(f"/{name.lower()}"))
        answers = asyncio.run(ask(search_for="https://press.example/y"))
        sent = {request.target.split("/")[1]: request.headers["authorization"] for request in one.requests}
    assert [found[0].provider for found in answers] == ["tavily", "perplexity", "firecrawl"]
    assert sent == {name.lower(): f"Bearer {key}" for name, key in KEYS.items()}


def test_a_key_crosses_no_public_network_in_plain_http(world: Any) -> None:
    world.TAVILY_KEY, world.TAVILY_URL = "tavily-key", "http://api.press.org/"
    (answer,) = asyncio.run(ask(search_for="https://press.example/y"))
    assert isinstance(answer, Unavailable)
    assert "https only" in answer.reason


def test_a_question_is_asked_once_while_the_world_is_open(world: Any) -> None:
    async def twice() -> None:
        async with outside() as opened:
            for _ in range(2):
                for search in opened.searches_for("https://press.example/y"):
                    await search.search("harbour", limit=3)

    with Loopback(lambda _: reply(b'{"results": []}')) as engine:
        world.SEARXNG_URL = engine.url()
        asyncio.run(twice())
        assert len(engine.requests) == 1


def test_no_provider_configured_is_a_normal_state() -> None:
    async def nobody(*_: object) -> Any: ...

    world = Outside(fetcher=nobody, handles=nobody)  # type: ignore[arg-type]
    assert world.searches_for("https://press.example/x") == ()
