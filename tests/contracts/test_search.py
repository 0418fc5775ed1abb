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
from validation.adapters.search.firecrawl import FirecrawlSearch
from validation.adapters.search.perplexity import PerplexitySearch
from validation.adapters.search.searxng import SearxngSearch
from validation.adapters.search.tavily import TavilySearch
from validation.core.ports import Hit, Search, SearchAnswer, Unavailable

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


@pytest.fixture(params=["fake", "searxng", "tavily", "perplexity", "firecrawl"])
def engine(request: pytest.FixtureRequest, fake: Engine) -> Iterator[Engine]:
    if request.param == "fake":
        yield fake
        return
    broken: list[bool] = []
    provider, answer = request.param, ANSWERS[request.param]
    with Loopback(lambda asked: reply(b"oops", status="500 O") if broken else answer(asked)) as server:
        yield Engine(
            provider,
            lambda query, limit: ask(server, query, limit=limit, provider=provider),
            lambda: broken.append(True),
        )


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


def found_by(query: str) -> list[tuple[str, str]]:
    """The pages whose title shares a word with the query."""
    words = set(query.lower().replace('"', " ").split())
    return [(url, title) for url, title in PAGES if words & set(title.lower().split())]


def tavily(request: Request) -> Reply:
    """What Tavily answers, in the shape of its API: no more results than asked for."""
    asked = json.loads(request.body)
    results = [
        {"url": url, "title": title, "content": "…", "score": 0.9, "raw_content": None}
        for url, title in found_by(asked["query"])[: asked["max_results"]]
    ]
    body = {"query": asked["query"], "answer": None, "images": [], "results": results, "response_time": 1.09}
    return reply(json.dumps(body).encode(), "Content-Type: application/json")


def perplexity(request: Request) -> Reply:
    """What Perplexity answers: prose with addresses of its own invention, and apart from it what it retrieved."""
    asked = json.loads(request.body)["messages"][-1]["content"]
    prose = "The survey is at https://invented.example/survey [1] and at https://invented.example/two."
    body = {
        "id": "3c90c3cc",
        "model": "sonar",
        "object": "chat.completion",
        "usage": {"prompt_tokens": 14, "completion_tokens": 16},
        "citations": ["https://invented.example/cited"],
        "search_results": [
            {"title": title, "url": url, "date": "2024-04-01", "last_updated": "2024-05-01", "snippet": "…"}
            for url, title in found_by(asked)
        ],
        "choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": prose}}],
    }
    return reply(json.dumps(body).encode(), "Content-Type: application/json")


def firecrawl(request: Request) -> Reply:
    """What Firecrawl answers."""
    asked = json.loads(request.body)
    data = [{"url": url, "title": title, "description": "…"} for url, title in found_by(asked["query"])]
    return reply(json.dumps({"success": True, "data": data[: asked["limit"]]}).encode())


ANSWERS: dict[str, Callable[[Request], Reply]] = {
    "searxng": searxng,
    "tavily": tavily,
    "perplexity": perplexity,
    "firecrawl": firecrawl,
}
KEYED = ["tavily", "perplexity", "firecrawl"]
KEY = "key-of-the-harbour-desk"


def ask(server: Loopback, query: str, *, limit: int = 5, provider: str = "searxng") -> SearchAnswer:
    async def search() -> SearchAnswer:
        async with OutboundClient(policy_for(server, retry_wait_s=0.0)) as client:
            engines: dict[str, Search] = {
                "searxng": SearxngSearch(server.url("/"), client),
                "tavily": TavilySearch(server.url("/"), KEY, client),
                "perplexity": PerplexitySearch(server.url("/"), KEY, client),
                "firecrawl": FirecrawlSearch(server.url("/"), KEY, client),
            }
            return await engines[provider].search(query, limit=limit)

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


# -- the searches with a key -------------------------------------------------------------------------------------------

QUERY = '"Harbour survey" site:gazette.example'


@pytest.mark.parametrize(
    ("provider", "path", "sent"),
    [
        ("tavily", "/search", {"query": '"Harbour survey"', "max_results": 5, "include_domains": ["gazette.example"]}),
        (
            "perplexity",
            "/chat/completions",
            {
                "model": "sonar",
                "messages": [{"role": "user", "content": '"Harbour survey"'}],
                "max_tokens": 16,
                "search_domain_filter": ["gazette.example"],
            },
        ),
        ("firecrawl", "/v1/search", {"query": QUERY, "limit": 5}),
    ],
)
def test_each_is_asked_in_its_own_way(provider: str, path: str, sent: object) -> None:
    with Loopback(ANSWERS[provider]) as server:
        ask(server, QUERY, provider=provider)
        (request,) = server.requests
    assert (request.method, request.target) == ("POST", path)
    assert json.loads(request.body) == sent
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_addresses_that_a_model_typed_are_not_hits() -> None:
    with Loopback(perplexity) as server:
        hits = ask(server, "lighthouses harbour", provider="perplexity")
    assert isinstance(hits, tuple)
    assert hits
    assert not [hit for hit in hits if "invented" in hit.url]
    without = json.dumps(
        {"citations": ["https://a.example/"], "choices": [{"message": {"content": "https://b.example"}}]}
    )
    with Loopback(lambda _: reply(without.encode())) as server:
        assert ask(server, "harbour", provider="perplexity") == ()


@pytest.mark.parametrize("provider", KEYED)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (reply(b'{"detail": "key-of-the-harbour-desk is wrong"}', status="401 U"), "check DESK_"),
        (reply(b"", status="403 F"), "check DESK_"),
        (reply(b"", status="402 P"), "plan is used up"),
        (reply(b"", status="432 P"), "plan is used up"),
        (reply(b"", "Retry-After: 60", status="429 T"), "slow down"),
        (reply(b"oops", status="500 Oops"), "status 500"),
        (reply(b"", "Location: http://127.0.0.1:1/", status="302 F"), "status 302"),
        (reply(b"[]"), "cannot be read"),
        (reply(b"<html>"), "cannot be read"),
        (b"", "broke off"),
    ],
)
def test_one_that_cannot_be_asked_says_why_without_its_key(provider: str, answer: bytes, reason: str) -> None:
    with Loopback(lambda _: answer) as server:
        found = ask(server, "harbour", provider=provider)
    assert isinstance(found, Unavailable)
    assert reason in found.reason
    assert KEY not in repr(found)


def test_a_firecrawl_that_could_not_search_is_unavailable() -> None:
    with Loopback(lambda _: reply(b'{"success": false, "error": "no"}')) as server:
        assert isinstance(ask(server, "harbour", provider="firecrawl"), Unavailable)


@pytest.mark.parametrize(
    ("provider", "field"), [("tavily", "results"), ("perplexity", "search_results"), ("firecrawl", "data")]
)
def test_their_results_are_read_without_trust(provider: str, field: str) -> None:
    results = [None, 7, {"title": "x"}, {"url": "javascript:alert(1)", "title": "x"}, {"url": "https://a.example/"}]
    with Loopback(lambda _: reply(json.dumps({field: results}).encode())) as server:
        assert ask(server, "x", provider=provider) == (Hit("https://a.example/", "", provider),)
