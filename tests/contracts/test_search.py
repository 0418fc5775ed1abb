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
from validation.adapters.search.crossref import CrossrefSearch
from validation.adapters.search.firecrawl import FirecrawlSearch
from validation.adapters.search.openalex import OpenAlexSearch
from validation.adapters.search.perplexity import PerplexitySearch
from validation.adapters.search.searxng import SearxngSearch
from validation.adapters.search.tavily import TavilySearch
from validation.core.ports import ANYWHERE, Domains, Hit, Search, SearchAnswer, Unavailable

PAGES = [(f"https://gazette.example/{n}", f"Harbour survey {n}") for n in range(2020, 2026)]


@dataclass
class Engine:
    """A search under test, and the way to break it."""

    name: str
    ask: Callable[..., SearchAnswer]
    break_down: Callable[[], None]


@pytest.fixture
def fake() -> Engine:
    search = FakeSearch(pages=PAGES)
    return Engine(
        search.name,
        lambda query, limit, domains=ANYWHERE: asyncio.run(search.search(query, limit=limit, domains=domains)),
        lambda: setattr(search, "down", "out of order"),
    )


@pytest.fixture(params=["fake", "searxng", "tavily", "perplexity", "firecrawl", "crossref", "openalex"])
def engine(request: pytest.FixtureRequest, fake: Engine) -> Iterator[Engine]:
    if request.param == "fake":
        yield fake
        return
    broken: list[bool] = []
    provider, answer = request.param, ANSWERS[request.param]
    with Loopback(lambda asked: reply(b"oops", status="500 O") if broken else answer(asked)) as server:
        yield Engine(
            provider,
            lambda query, limit, domains=ANYWHERE: ask(server, query, limit=limit, provider=provider, domains=domains),
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
    data = data[: asked["limit"]]
    return reply(json.dumps({"success": True, "data": {"web": data} if "/v2/" in request.target else data}).encode())


def crossref(request: Request) -> Reply:
    """What Crossref answers to a search by words: records, whose resource is the page that a DOI leads to."""
    asked = parse_qs(urlsplit(request.target).query)
    items = [
        {
            "DOI": f"10.5555/Harbour.{place}",
            "title": [title],
            "score": 20.5 - place,
            "issued": {"date-parts": [[2020 + place, 4]]},
            "publisher": "Gazette Press",
            "container-title": ["The <i>Gazette</i>"],
            "abstract": "<jats:p>Boats &amp; tides.</jats:p>",
            "resource": {"primary": {"URL": url}},
        }
        for place, (url, title) in enumerate(found_by(asked["query.bibliographic"][0]))
    ]
    return reply(json.dumps({"message": {"items": [*items[: int(asked["rows"][0])], {"title": ["no DOI"]}]}}).encode())


def openalex(request: Request) -> Reply:
    """What OpenAlex answers to a search by words."""
    asked = parse_qs(urlsplit(request.target).query)
    results = [
        {
            "id": f"https://openalex.org/W{place}",
            "doi": f"https://doi.org/10.5555/harbour.{place}",
            "display_name": title,
            "relevance_score": 9.5 - place,
            "publication_date": f"202{place}-04-25",
            "primary_location": {"landing_page_url": url, "source": {"display_name": "The Gazette"}},
        }
        for place, (url, title) in enumerate(found_by(asked["search"][0]))
    ]
    return reply(json.dumps({"results": [*results[: int(asked["per-page"][0])], {"doi": None}]}).encode())


ANSWERS: dict[str, Callable[[Request], Reply]] = {
    "searxng": searxng,
    "tavily": tavily,
    "perplexity": perplexity,
    "firecrawl": firecrawl,
    "crossref": crossref,
    "openalex": openalex,
}
REGISTRIES = ["crossref", "openalex"]
KEYED = ["tavily", "perplexity", "firecrawl"]
KEY = "key-of-the-harbour-desk"


def ask(
    server: Loopback, query: str, *, limit: int = 5, provider: str = "searxng", domains: Domains = ANYWHERE
) -> SearchAnswer:
    async def search() -> SearchAnswer:
        async with OutboundClient(policy_for(server, retry_wait_s=0.0)) as client:
            engines: dict[str, Search] = {
                "searxng": SearxngSearch(server.url("/"), client),
                "tavily": TavilySearch(server.url("/"), KEY, client),
                "perplexity": PerplexitySearch(server.url("/"), KEY, client),
                "firecrawl": FirecrawlSearch(server.url("/"), KEY, client),
                "crossref": CrossrefSearch(server.url("/"), client, mailto="desk@example.org"),
                "openalex": OpenAlexSearch(server.url("/"), client),
            }
            return await engines[provider].search(query, limit=limit, domains=domains)

    return asyncio.run(search())


# -- the contract ------------------------------------------------------------------------------------------------------


def test_hits_come_best_first_and_name_who_found_them(engine: Engine) -> None:
    hits = engine.ask("Harbour survey", 10)
    assert isinstance(hits, tuple)
    assert [(hit.title, hit.provider) for hit in hits] == [(title, engine.name) for _, title in PAGES]
    works = [f"https://doi.org/10.5555/harbour.{place}" for place in range(len(PAGES))]
    assert [hit.url for hit in hits] == (works if engine.name in REGISTRIES else [url for url, _ in PAGES])


def test_no_more_hits_come_than_were_asked_for(engine: Engine) -> None:
    hits = engine.ask("harbour", 2)
    assert isinstance(hits, tuple)
    assert [hit.title for hit in hits] == [title for _, title in PAGES[:2]]


def test_nothing_comes_from_outside_of_the_domains_whether_or_not_the_provider_heeds_them(engine: Engine) -> None:
    """The stand-ins here pass over the domains that they are told, as a provider may."""
    assert engine.ask("harbour", 10, Domains(include=("gazette.example",))) == engine.ask("harbour", 10)
    assert engine.ask("harbour", 10, Domains(include=("press.example", "azette.example"))) == ()
    assert engine.ask("harbour", 10, Domains(exclude=("gazette.example",))) == ()
    assert engine.ask("harbour", 10, Domains(exclude=("press.example",))) == engine.ask("harbour", 10)
    assert engine.ask("harbour", 10)


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
    odd = {"url": "https://a.example/", "content": ["x"], "score": float("inf"), "publishedDate": {}}
    with Loopback(lambda _: reply(json.dumps({"results": [odd, {**odd, "score": True}]}).encode())) as server:
        assert ask(server, "x") == (Hit("https://a.example/", "", "searxng"),) * 2
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


ONLY, NOT, BOTH = (
    Domains(include=("a.example", "b.example")),
    Domains(exclude=("c.example",)),
    Domains(include=("a.example",), exclude=("c.a.example",)),
)


@pytest.mark.parametrize(
    ("provider", "domains", "told"),
    [
        ("tavily", ONLY, {"include_domains": ["a.example", "b.example"]}),
        ("tavily", NOT, {"exclude_domains": ["c.example"]}),
        ("tavily", BOTH, {"include_domains": ["a.example"], "exclude_domains": ["c.a.example"]}),
        ("perplexity", ONLY, {"search_domain_filter": ["a.example", "b.example"]}),
        ("perplexity", NOT, {"search_domain_filter": ["-c.example"]}),
        ("perplexity", BOTH, {"search_domain_filter": ["a.example"]}),
        ("firecrawl", ONLY, {"includeDomains": ["a.example", "b.example"]}),
        ("firecrawl", NOT, {"excludeDomains": ["c.example"]}),
        ("firecrawl", BOTH, {"includeDomains": ["a.example"]}),
    ],
)
def test_domains_are_told_by_a_field_of_their_own_and_never_in_words(
    provider: str, domains: Domains, told: dict[str, object]
) -> None:
    with Loopback(ANSWERS[provider]) as server:
        ask(server, "harbour survey", provider=provider, domains=domains)
        sent = json.loads(server.requests[0].body)
    fields = {"include_domains", "exclude_domains", "search_domain_filter", "includeDomains", "excludeDomains"}
    assert {name: value for name, value in sent.items() if name in fields} == told
    asked = sent["messages"][-1]["content"] if provider == "perplexity" else sent["query"]
    assert asked == "harbour survey"


@pytest.mark.parametrize(
    ("domains", "asked"),
    [
        (ONLY, "harbour site:a.example OR site:b.example"),
        (NOT, "harbour -site:c.example"),
        (BOTH, "harbour site:a.example -site:c.a.example"),
    ],
)
def test_searxng_is_told_domains_by_the_operators_of_its_engines(domains: Domains, asked: str) -> None:
    with Loopback(searxng) as server:
        ask(server, "harbour", domains=domains)
        assert parse_qs(urlsplit(server.requests[0].target).query)["q"] == [asked]


@pytest.mark.parametrize("provider", REGISTRIES)
def test_registries_of_works_are_asked_for_the_words_alone(provider: str) -> None:
    with Loopback(ANSWERS[provider]) as server:
        hits = ask(server, "harbour survey", provider=provider, domains=Domains(include=("gazette.example",)))
        asked = parse_qs(urlsplit(server.requests[0].target).query)
    assert isinstance(hits, tuple)
    first = hits[0]
    assert asked["query.bibliographic" if provider == "crossref" else "search"] == ["harbour survey"]
    assert (first.publisher, first.published[:7]) == ("The Gazette", "2020-04")
    assert first.score in {20.5, 9.5}
    assert first.snippet == ("Boats & tides." if provider == "crossref" else "")


@pytest.mark.parametrize("provider", REGISTRIES)
def test_records_of_any_shape_are_read_without_trust(provider: str) -> None:
    odd = [None, {}, {"DOI": 7, "doi": 7}, {"DOI": "x"}, {"doi": "x", "primary_location": {"landing_page_url": "ftp:"}}]
    bodies: list[dict[str, object]] = [
        {"message": {"items": odd}, "results": odd},
        {"message": [], "results": {}},
        {},
    ]
    for body in bodies:
        told = json.dumps(body).encode()
        with Loopback(lambda _, told=told: reply(told)) as server:  # type: ignore[misc]
            assert ask(server, "x", provider=provider) == ()


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


@pytest.mark.parametrize("provider", ["searxng", "tavily", "perplexity", "firecrawl", *REGISTRIES])
@pytest.mark.parametrize("body", [b'"\\ud83d", "\\u0000b"', b'"\\uD83D\\uD83D", "x\\u0000"'])
def test_what_no_database_keeps_comes_from_no_provider(provider: str, body: bytes) -> None:
    """Halves of characters and NULs, which JSON can hold: one such title would undo all that was asked beside it."""
    told = b"[%s]" % body
    half, nul = json.loads(told)
    hit = {"url": f"https://a.example/{half}", "title": half + nul, "content": nul, "snippet": half, "doi": "10.1/x"}
    work = {"DOI": "10.1/x", "display_name": half, "title": [half] if provider == "crossref" else half + nul}
    rows = [{**hit, **work}] if provider in REGISTRIES else [hit]
    answer = dict.fromkeys(("results", "search_results", "data"), rows) | {"message": {"items": rows}}
    with Loopback(lambda _: reply(json.dumps(answer).encode())) as server:
        hits = ask(server, "x", provider=provider)
    assert isinstance(hits, tuple)
    assert hits
    for each in hits:
        said = f"{each.url}{each.title}{each.snippet}{each.publisher}{each.published}"
        assert "\x00" not in said
        assert said.encode()


@pytest.mark.parametrize(
    ("provider", "field", "result"),
    [
        ("tavily", "results", {"content": "Boats.", "score": 0.9, "published_date": "2024-04-25"}),
        ("perplexity", "search_results", {"snippet": "Boats.", "date": "2024-04-25", "score": 0.9}),
        ("searxng", "results", {"content": "Boats.", "score": 0.9, "publishedDate": "2024-04-25"}),
        ("firecrawl", "data", {"description": "Boats.", "score": 0.9}),
    ],
)
def test_what_a_provider_says_of_a_hit_comes_along(provider: str, field: str, result: dict[str, object]) -> None:
    told = json.dumps({field: [{"url": "https://a.example/", "title": "T", **result}]}).encode()
    with Loopback(lambda _: reply(told)) as server:
        hits = ask(server, "x", provider=provider)
    assert isinstance(hits, tuple)
    (hit,) = hits
    assert (hit.snippet, hit.score) == ("Boats.", 0.9)
    assert hit.published == ("" if provider == "firecrawl" else "2024-04-25")
