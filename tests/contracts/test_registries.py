"""One suite for every Registry: the fake, and Crossref's and OpenAlex's adapters over real sockets.

The answers are written in the shapes of the two APIs as recorded; the works are invented.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from provenance_site.kit.outbound import OutboundClient
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.outbound import policy_for
from tests.fakes.providers import FakeRegistry
from validation.adapters.crossref import CrossrefRegistry
from validation.adapters.openalex import OpenAlexRegistry
from validation.core.ports import NoWork, Registry, Unavailable, Work, WorkAnswer, WorksAnswer

WORKS = [
    Work(
        doi="10.5555/quay.2024.1",
        title="Boats of the harbour in spring: a count of three years",
        provider="",
        authors=("Ada Quay", "Ben Low"),
        year=2024,
        landing_url="https://press.example/quay-2024",
    ),
    Work(doi="10.5555/a#b?c,d/e", title="Harbour lights", provider="", year=1998),
]


@dataclass
class Desk:
    """A registry under test, and the way to break it."""

    name: str
    by_doi: Callable[[str], WorkAnswer]
    by_title: Callable[[str, int], WorksAnswer]
    break_down: Callable[[], None]

    def own(self, work: Work) -> Work:
        """`work` as this registry tells it."""
        return replace(work, provider=self.name)


def crossref_record(work: Work) -> dict[str, Any]:
    """A work as Crossref gives it: DOI in lower case, titles in a list, markup inside, year and month alone."""
    record: dict[str, Any] = {
        "DOI": work.doi,
        "type": "journal-article",
        "title": [work.title.replace("harbour", "<i>harbour</i>").replace(":", "&#58;")],
        "issued": {"date-parts": [[work.year, 2]]},
        "relation": {},
    }
    if work.authors:
        record["author"] = [
            {"given": name.split()[0], "family": name.split()[1], "sequence": "first"} for name in work.authors
        ]
    if work.landing_url:
        record["resource"] = {"primary": {"URL": work.landing_url}}
    return record


def crossref(request: Request) -> Reply:
    asked = urlsplit(request.target)
    if asked.path == "/works":
        words = set(parse_qs(asked.query)["query.bibliographic"][0].lower().split())
        items = [crossref_record(work) for work in WORKS if words & set(work.title.lower().split())]
        message = {"total-results": len(items), "items": items, "items-per-page": 5}
        return reply(json.dumps({"status": "ok", "message-type": "work-list", "message": message}).encode())
    doi = unquote(asked.path.removeprefix("/works/"))
    known = next((work for work in WORKS if work.doi == doi.lower()), None)
    if known is None:
        return reply(b"Resource not found.", "Content-Type: text/plain", status="404 Not Found")
    return reply(json.dumps({"status": "ok", "message-type": "work", "message": crossref_record(known)}).encode())


def openalex_record(work: Work) -> dict[str, Any]:
    """A work as OpenAlex gives it: the DOI as an address, the landing page's address is the DOI's where it has none."""
    doi = f"https://doi.org/{work.doi}"
    return {
        "id": "https://openalex.org/W2117847125",
        "doi": doi,
        "display_name": work.title,
        "publication_year": work.year,
        "authorships": [{"author_position": "first", "author": {"display_name": name}} for name in work.authors],
        "primary_location": {"landing_page_url": work.landing_url or doi, "version": "publishedVersion"},
    }


def openalex(request: Request) -> Reply:
    asked = urlsplit(request.target)
    if asked.path == "/works":
        words = set(parse_qs(asked.query)["search"][0].lower().split())
        results = [openalex_record(work) for work in WORKS if words & set(work.title.lower().split())]
        return reply(json.dumps({"meta": {"count": len(results)}, "results": results}).encode())
    doi = unquote(asked.path.removeprefix("/works/doi:"))
    known = next((work for work in WORKS if work.doi == doi.lower()), None)
    if known is None:
        return reply(b"<!doctype html><title>404 Not Found</title>", status="404 Not Found")
    return reply(json.dumps(openalex_record(known)).encode())


SERVERS: dict[str, Callable[[Request], Reply]] = {"crossref": crossref, "openalex": openalex}


def ask(server: Loopback, provider: str, *, doi: str = "", title: str = "", limit: int = 5, mailto: str = "") -> Any:
    async def look_up() -> Any:
        async with OutboundClient(policy_for(server, retry_wait_s=0.0)) as client:
            kinds = {"crossref": CrossrefRegistry, "openalex": OpenAlexRegistry}
            registry: Registry = kinds[provider](server.url("/"), client, mailto=mailto)
            return await registry.by_doi(doi) if doi else await registry.by_title(title, limit=limit)

    return asyncio.run(look_up())


@pytest.fixture(params=["fake", "crossref", "openalex"])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    if request.param == "fake":
        fake = FakeRegistry(works=[replace(work, provider="fake") for work in WORKS])
        yield Desk(
            "fake",
            lambda doi: asyncio.run(fake.by_doi(doi)),
            lambda title, limit: asyncio.run(fake.by_title(title, limit=limit)),
            lambda: setattr(fake, "down", "out of order"),
        )
        return
    broken: list[bool] = []
    provider, answer = request.param, SERVERS[request.param]
    with Loopback(lambda asked: reply(b"oops", status="500 O") if broken else answer(asked)) as server:
        yield Desk(
            provider,
            lambda doi: ask(server, provider, doi=doi),
            lambda title, limit: ask(server, provider, title=title, limit=limit),
            lambda: broken.append(True),
        )


# -- the contract ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.doi)
def test_a_doi_leads_to_its_record(desk: Desk, work: Work) -> None:
    assert desk.by_doi(work.doi) == desk.own(work)


def test_a_doi_that_it_does_not_hold_is_told_as_none(desk: Desk) -> None:
    assert desk.by_doi("10.5555/no-such") == NoWork(desk.name)


def test_a_title_leads_to_works_best_first(desk: Desk) -> None:
    assert desk.by_title("harbour lights count", 5) == tuple(desk.own(work) for work in WORKS)


def test_no_more_works_come_than_were_asked_for(desk: Desk) -> None:
    assert desk.by_title("harbour", 1) == (desk.own(WORKS[0]),)


def test_a_title_that_nothing_is_like_finds_nothing(desk: Desk) -> None:
    assert desk.by_title("volcanoes", 5) == ()


def test_a_registry_that_is_out_of_order_knows_nothing(desk: Desk) -> None:
    desk.break_down()
    for answer in (desk.by_doi(WORKS[0].doi), desk.by_title("harbour", 5)):
        assert isinstance(answer, Unavailable)
        assert answer.provider == desk.name
        assert answer.reason


# -- the adapters alone ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("provider", "path"), [("crossref", "/works/"), ("openalex", "/works/doi:")])
def test_a_doi_is_one_escaped_segment(provider: str, path: str) -> None:
    with Loopback(SERVERS[provider]) as server:
        ask(server, provider, doi="10.5555/a#b?c,d/../e")
        assert urlsplit(server.requests[0].target).path == f"{path}10.5555%2Fa%23b%3Fc%2Cd%2F..%2Fe"


@pytest.mark.parametrize("provider", SERVERS)
def test_the_operators_address_is_told_where_there_is_one(provider: str) -> None:
    with Loopback(SERVERS[provider]) as server:
        ask(server, provider, title="harbour", mailto="desk@press.example")
        ask(server, provider, title="harbour")
        first, second = (parse_qs(urlsplit(request.target).query) for request in server.requests)
    assert first["mailto"] == ["desk@press.example"]
    assert "mailto" not in second


@pytest.mark.parametrize("provider", SERVERS)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (reply(b"", status="403 F"), "DESK_CONTACT_EMAIL"),
        (reply(b"", "Retry-After: 60", status="429 T"), "slow down"),
        (reply(b"", status="400 B"), "status 400"),
        (reply(b"[]"), "cannot be read"),
        (reply(b'{"message": '), "cannot be read"),
        (b"", "broke off"),
    ],
)
def test_what_is_no_answer_is_unavailable(provider: str, answer: bytes, reason: str) -> None:
    with Loopback(lambda _: answer) as server:
        for found in (ask(server, provider, doi="10.5555/1"), ask(server, provider, title="harbour")):
            assert isinstance(found, Unavailable)
            assert reason in found.reason


@pytest.mark.parametrize(
    "record",
    [
        {"DOI": "10.5555/1"},
        {"DOI": "10.5555/1", "title": [], "author": None, "issued": {"date-parts": [[None]]}, "resource": 5},
        {"DOI": "10.5555/1", "title": "text", "author": [7, {}], "resource": {"primary": {"URL": "javascript:x"}}},
    ],
)
def test_a_sparse_crossref_record_is_read_without_trust(record: dict[str, Any]) -> None:
    with Loopback(lambda _: reply(json.dumps({"message": record}).encode())) as server:
        found = ask(server, "crossref", doi="10.5555/1")
    assert isinstance(found, Work)
    assert (found.authors, found.year, found.landing_url) == ((), None, "")


def test_a_work_without_a_doi_is_told_without_one() -> None:
    results = [{"doi": None, "display_name": None, "authorships": None, "publication_year": "1998"}, 7]
    with Loopback(lambda _: reply(json.dumps({"results": results}).encode())) as server:
        assert ask(server, "openalex", title="harbour") == (Work(doi="", title="", provider="openalex"),)
