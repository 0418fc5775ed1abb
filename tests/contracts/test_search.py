"""One suite for every Search: the fake that other tests use, and the adapter over a real socket."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest

from provenance_site.kit.outbound import OutboundClient
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.outbound import policy_for
from tests.fakes.providers import FakeSearch
from validation.adapters.search.searxng import SearxngSearch
from validation.core.ports import Hit, SearchAnswer, Unavailable

PAGES = [(f"https://gazette.example/{n}", f"Harbour survey {n}") for n in range(2020, 2026)]


@dataclass
class Engine:
    """A search under test, and the way to break it."""

    name: str
    ask: Callable[[str, int], SearchAnswer]
    break_down: Callable[[], None]


@pytest.fixture
def fake() -> Engine:
    search = FakeSearch(pages=PAGES)
    return Engine(
        search.name,
        lambda query, limit: asyncio.run(search.search(query, limit=limit)),
        lambda: setattr(search, "down", "out of order"),
    )


@pytest.fixture
def adapter() -> Iterator[Engine]:
    broken: list[bool] = []
    with Loopback(lambda request: reply(b"oops", status="500 O") if broken else searxng(request)) as server:
        yield Engine("searxng", lambda query, limit: ask(server, query, limit=limit), lambda: broken.append(True))


@pytest.fixture(params=["fake", "adapter"])
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.getfixturevalue(request.param)
    return found


def searxng(request: Request) -> Reply:
    """What a SearXNG with JSON enabled answers: the query back, results with many more fields than we read."""
    asked = parse_qs(urlsplit(request.target).query)
    words = asked["q"][0].lower().replace('"', " ").split()
    results = [
        {"url": url, "title": title, "content": "…", "engine": "x", "score": 1.0, "publishedDate": None}
        for url, title in PAGES
        if set(words) & set(title.lower().split())
    ]
    body = {"query": asked["q"][0], "number_of_results": 0, "results": results, "unresponsive_engines": []}
    return reply(json.dumps(body).encode(), "Content-Type: application/json")


def ask(server: Loopback, query: str, *, limit: int = 5) -> SearchAnswer:
    async def search() -> SearchAnswer:
        async with OutboundClient(policy_for(server, retry_wait_s=0.0)) as client:
            return await SearxngSearch(server.url("/"), client).search(query, limit=limit)

    return asyncio.run(search())


# -- the contract ------------------------------------------------------------------------------------------------------


def test_hits_come_best_first_and_name_who_found_them(engine: Engine) -> None:
    hits = engine.ask('"Harbour survey" site:gazette.example', 10)
    assert hits == tuple(Hit(url, title, engine.name) for url, title in PAGES)


def test_no_more_hits_come_than_were_asked_for(engine: Engine) -> None:
    hits = engine.ask("harbour", 2)
    assert hits == tuple(Hit(url, title, engine.name) for url, title in PAGES[:2])


def test_nothing_found_is_an_empty_answer(engine: Engine) -> None:
    assert engine.ask("lighthouses", 5) == ()


def test_a_search_that_is_out_of_order_knows_nothing(engine: Engine) -> None:
    engine.break_down()
    answer = engine.ask("harbour", 5)
    assert isinstance(answer, Unavailable)
    assert answer.provider == engine.name
    assert answer.reason


# -- the adapter alone -------------------------------------------------------------------------------------------------


def test_the_query_arrives_as_it_was_written() -> None:
    query = '"Zürich & Genève: 50 % + more" site:press.example #x'
    with Loopback(searxng) as server:
        ask(server, query)
        sent = urlsplit(server.requests[0].target)
    assert sent.path == "/search"
    assert parse_qs(sent.query) == {"q": [query], "format": ["json"]}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (reply(b"<html>results</html>", "Content-Type: text/html"), "add `json` to `search.formats`"),
        (reply(b"<html>Forbidden</html>", status="403 Forbidden"), "add `json` to `search.formats`"),
        (reply(b"", "Retry-After: 60", status="429 Too Many Requests"), "limiter"),
        (reply(b"oops", status="500 Oops"), "status 500"),
        (reply(b'{"results": [], "unresponsive_engines": [["ddg", "timeout"]]}'), "none of its engines answered"),
        (b"", "broke off"),
    ],
)
def test_an_engine_that_cannot_be_asked_says_what_its_operator_can_do(answer: bytes, reason: str) -> None:
    with Loopback(lambda _: answer) as server:
        found = ask(server, "harbour")
    assert isinstance(found, Unavailable)
    assert reason in found.reason


def test_results_of_any_shape_are_read_without_trust() -> None:
    results = [
        None,
        7,
        {"title": "no address"},
        {"url": 5},
        {"url": "javascript:alert(1)", "title": "x"},
        {"url": "ftp://a.example/", "title": "x"},
        {"url": "https://a.example/", "title": None},
    ]
    with Loopback(lambda _: reply(json.dumps({"results": results}).encode())) as server:
        assert ask(server, "x") == (Hit("https://a.example/", "", "searxng"),)
    with Loopback(lambda _: reply(b'{"results": "none"}')) as server:
        assert ask(server, "x") == ()
