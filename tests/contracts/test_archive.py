"""One suite for every Archive: the fake, and the Wayback Machine's adapter over a real socket."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from provenance_site.kit.outbound import OutboundClient
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.outbound import policy_for
from tests.fakes.providers import FakeArchive
from validation.adapters.wayback import WaybackArchive
from validation.core.ports import Capture, CaptureAnswer, NoCapture, Unavailable

ALIVE = "https://gazette.example/2024/harbour-survey?page=2"
DIED = "http://gazette.example/2023/harbour-survey"
ALWAYS_DEAD = "https://gazette.example/never"
UNKNOWN = "https://gazette.example/unknown"
# (address, moment, status): what the archive has captured.
CAPTURES = [
    (ALIVE, "20240102030405", 200),
    (ALIVE, "20220102030405", 200),
    (DIED, "20200506070809", 200),
    (DIED, "20250506070809", 404),
    (ALWAYS_DEAD, "20250506070809", 404),
]


def moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)


def copy(url: str, at: str, status: int, provider: str) -> Capture:
    return Capture(f"https://web.archive.org/web/{at}/{url}", url, status, moment(at), provider)


@dataclass
class Vault:
    """An archive under test, and the way to break it."""

    name: str
    ask: Callable[[str], CaptureAnswer]
    break_down: Callable[[], None]


def wayback(request: Request) -> Reply:
    """What the two doors answer: the newest copy with its status as text, and rows under their columns' names."""
    asked = urlsplit(request.target)
    query = {name: values[0] for name, values in parse_qs(asked.query).items()}
    mine = sorted((at, status) for url, at, status in CAPTURES if url == query["url"])
    if asked.path == "/wayback/available":
        snapshots: dict[str, Any] = {}
        if mine:
            at, status = mine[-1]
            address = f"http://web.archive.org/web/{at}/{query['url']}"
            closest = {"status": str(status), "available": True, "url": address, "timestamp": at}
            snapshots = {"closest": closest}
        return reply(json.dumps({"url": query["url"], "archived_snapshots": snapshots}).encode())
    assert (query["filter"], query["limit"], query["output"]) == ("statuscode:2..", "-1", "json")
    rows = [[at, query["url"], str(status)] for at, status in mine if 200 <= status < 300][-1:]
    body = [["timestamp", "original", "statuscode"], *rows] if rows else []
    return reply(json.dumps(body).encode())


def ask(server: Loopback, url: str) -> CaptureAnswer:
    async def newest() -> CaptureAnswer:
        async with OutboundClient(policy_for(server, retry_wait_s=0.0)) as client:
            return await WaybackArchive(server.url("/"), client).newest(url)

    return asyncio.run(newest())


@pytest.fixture(params=["fake", "wayback"])
def vault(request: pytest.FixtureRequest) -> Iterator[Vault]:
    if request.param == "fake":
        fake = FakeArchive(captures=[copy(url, at, status, "fake") for url, at, status in CAPTURES])
        yield Vault("fake", lambda url: asyncio.run(fake.newest(url)), lambda: setattr(fake, "down", "out of order"))
        return
    broken: list[bool] = []
    with Loopback(lambda asked: reply(b"oops", status="502 B") if broken else wayback(asked)) as server:
        yield Vault("wayback", lambda url: ask(server, url), lambda: broken.append(True))


# -- the contract ------------------------------------------------------------------------------------------------------


def test_the_newest_copy_is_told_with_its_moment(vault: Vault) -> None:
    assert vault.ask(ALIVE) == copy(ALIVE, "20240102030405", 200, vault.name)


def test_a_newer_copy_of_an_error_page_is_passed_over(vault: Vault) -> None:
    assert vault.ask(DIED) == copy(DIED, "20200506070809", 200, vault.name)


@pytest.mark.parametrize("url", [ALWAYS_DEAD, UNKNOWN])
def test_a_page_that_was_never_seen_alive_has_no_copy(vault: Vault, url: str) -> None:
    assert vault.ask(url) == NoCapture(vault.name)


def test_an_archive_that_is_out_of_order_knows_nothing(vault: Vault) -> None:
    vault.break_down()
    answer = vault.ask(ALIVE)
    assert isinstance(answer, Unavailable)
    assert answer.provider == vault.name


# -- the adapter alone -------------------------------------------------------------------------------------------------


def test_the_index_is_asked_only_where_the_newest_copy_is_no_success() -> None:
    with Loopback(wayback) as server:
        ask(server, ALIVE)
        assert len(server.requests) == 1
        ask(server, DIED)
        assert [urlsplit(request.target).path for request in server.requests[1:]] == [
            "/wayback/available",
            "/cdx/search/cdx",
        ]


@pytest.mark.parametrize(
    "answer",
    [
        reply(b"", "Retry-After: 60", status="429 T"),
        reply(b"<html>", status="200 OK"),
        reply(b"{}"),
        reply(b'{"archived_snapshots": []}'),
        b"",
    ],
)
def test_what_is_no_answer_is_unavailable(answer: bytes) -> None:
    with Loopback(lambda _: answer) as server:
        assert isinstance(ask(server, ALIVE), Unavailable)


@pytest.mark.parametrize(
    "closest",
    [
        {"available": False, "status": "200", "url": "http://web.archive.org/web/20240102030405/https://a.example/"},
        {"available": True, "status": "200", "url": "javascript:alert(1)"},
        {"available": True, "status": "200", "url": "http://web.archive.org/web/20249902030405/https://a.example/"},
        {"available": True, "status": "OK"},
        7,
    ],
)
def test_a_closest_copy_of_any_shape_is_read_without_trust(closest: object) -> None:
    def answer(request: Request) -> Reply:
        told = {"archived_snapshots": {"closest": closest}} if "available" in request.target else []
        return reply(json.dumps(told).encode())

    with Loopback(answer) as server:
        assert not isinstance(ask(server, ALIVE), Capture)
