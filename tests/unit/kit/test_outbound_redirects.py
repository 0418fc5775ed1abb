"""Redirects by hand, cookies for a chain, and one retry, on a real socket."""

import asyncio
import gzip
import re
import tracemalloc
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from datetime import timedelta

import pytest

from provenance_site.kit.outbound import OutboundClient, Outcome, Trouble
from provenance_site.kit.outbound.retrying import retry_after_s
from provenance_site.kit.outbound.turns import NoTurns
from tests.clock import NOW
from tests.fakes.loopback import Loopback, Reply, Request, head, redirect, reply
from tests.fakes.outbound import answer_of, get, get_from, no_answer_of, policy_for

MIB = 1024 * 1024
PAGE = b"<!doctype html><title>Harbour survey</title>"


def site(request: Request) -> Reply:
    pages: dict[str, Reply] = {
        "/start": redirect("/second", "301 Moved"),
        "/second": redirect("third?x=1", "307 Temporary"),
        "/third?x=1": redirect("/stra\u00dfe", "308 Permanent"),
        "/stra%C3%9Fe": reply(PAGE, "X-Place: end"),
        "/loop": redirect("/loop"),
        "/ping": redirect("/pong"),
        "/pong": redirect("/ping"),
        "/nowhere": reply(b"no way on", status="302 Found"),
        "/fragment": redirect("/stra%C3%9Fe#part"),
        "/empty": redirect(""),
    }
    if match := re.fullmatch(r"/count/(\d+)", request.target):
        return redirect(f"/count/{int(match[1]) + 1}")
    if request.target == "/cookie":
        return (
            reply(PAGE)
            if "seen=1" in request.headers.get("cookie", "")
            else redirect("/cookie", "302 F", "Set-Cookie: seen=1")
        )
    if request.target == "/forgets":
        return redirect("/forgets", "302 F", "Set-Cookie: seen=1; Max-Age=0")
    return pages[request.target]


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(site) as running:
        yield running


class Counted(NoTurns):
    """Turns that note who took one, and that let redirects go on in them or not."""

    def __init__(self, *, goes_on: bool) -> None:
        self.taken: list[str] = []
        self._goes_on = goes_on

    def turn(self, host: str) -> AbstractAsyncContextManager[None]:
        self.taken.append(host)
        return super().turn(host)

    def goes_on(self, host: str) -> bool:
        return self._goes_on


@pytest.mark.parametrize(("goes_on", "taken"), [(True, 1), (False, 4)])
def test_a_redirect_within_a_host_needs_no_turn_of_its_own_where_the_turns_allow_it(
    goes_on: bool, taken: int, server: Loopback
) -> None:
    turns = Counted(goes_on=goes_on)

    async def ask() -> Outcome:
        async with OutboundClient(policy_for(server), turns=turns) as client:
            return await client.get(server.url("/start"), headers={})

    assert answer_of(asyncio.run(ask())).status == 200
    assert turns.taken == ["127.0.0.1"] * taken


def test_redirects_are_followed_by_hand_relative_and_raw_and_all_told(server: Loopback) -> None:
    answer = answer_of(get(server.url("/start"), policy_for(server)))
    assert answer.final_url == server.url("/stra%C3%9Fe")
    assert [(step.url.removeprefix(server.url("")), step.status) for step in answer.steps] == [
        ("/start", 301),
        ("/second", 307),
        ("/third?x=1", 308),
        ("/stra%C3%9Fe", 200),
    ]
    assert answer.headers["x-place"] == "end"
    assert answer.requested_url == server.url("/start")


def test_the_fragment_of_a_location_is_not_sent(server: Loopback) -> None:
    assert answer_of(get(server.url("/fragment"), policy_for(server))).final_url == server.url("/stra%C3%9Fe")


@pytest.mark.parametrize("path", ["/nowhere", "/empty"])
def test_a_redirect_without_a_place_to_go_is_the_answer(server: Loopback, path: str) -> None:
    assert answer_of(get(server.url(path), policy_for(server))).status == 302


@pytest.mark.parametrize(("path", "requests"), [("/loop", 1), ("/ping", 2), ("/forgets", 1)])
def test_a_loop_is_seen_at_once(server: Loopback, path: str, requests: int) -> None:
    assert no_answer_of(get(server.url(path), policy_for(server))).trouble is Trouble.REDIRECT_LOOP
    assert len(server.requests) == requests


def test_more_redirects_than_allowed_end_the_chain(server: Loopback) -> None:
    failure = no_answer_of(get(server.url("/count/0"), policy_for(server, max_hops=4)))
    assert failure.trouble is Trouble.REDIRECT_LOOP
    assert len(server.requests) == len(failure.steps) == 5


def test_a_site_that_redirects_to_itself_until_its_cookie_comes_back_is_no_loop(server: Loopback) -> None:
    assert answer_of(get(server.url("/cookie"), policy_for(server))).body == PAGE
    assert [request.headers.get("cookie") for request in server.requests] == [None, "seen=1"]


def test_cookies_neither_cross_hosts_nor_outlive_their_chain() -> None:
    with Loopback(lambda _: reply(PAGE)) as other:
        there = f"http://other.localhost:{other.port}/"
        with Loopback(lambda _: redirect(there, "302 F", "Set-Cookie: seen=1; Domain=localhost")) as first:
            policy = policy_for(first, extra=[f"other.localhost:{other.port}"])
            for _ in range(2):
                assert answer_of(get(first.url(), policy)).final_url == there
            assert all("cookie" not in request.headers for request in [*first.requests, *other.requests])


def test_a_redirect_is_followed_without_waiting_for_its_body() -> None:
    hanging: Reply = [head("HTTP/1.1 302 F", "Location: /end", "Content-Length: 10"), 30.0]
    outcome, server = get_from(hanging, reply(PAGE), deadline_s=1.0)
    assert answer_of(outcome).body == PAGE
    assert [request.target for request in server.requests] == ["/", "/end"]


def test_the_deadline_is_for_the_whole_chain() -> None:
    def answer(request: Request) -> Reply:
        return [0.15, redirect(f"{request.target}x")]

    with Loopback(answer) as server:
        failure = no_answer_of(get(server.url(), policy_for(server, deadline_s=0.4)))
    assert failure.trouble is Trouble.DEADLINE
    assert len(failure.steps) <= 2


def test_the_body_of_a_redirect_costs_no_memory() -> None:
    bomb = gzip.compress(bytes(40_000_000)) * 50

    def answer(request: Request) -> Reply:
        if request.target == "/end":
            return reply(PAGE)
        return [
            head("HTTP/1.1 302 F", "Location: /end", "Content-Encoding: gzip", f"Content-Length: {len(bomb)}"),
            bomb,
        ]

    with Loopback(answer) as server:
        tracemalloc.start()
        found = get(server.url(), policy_for(server))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert answer_of(found).body == PAGE
        assert peak < 12 * MIB


# -- one retry ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["503 Busy", "429 Slow down", "408 Time-out", "425 Early"])
def test_a_busy_server_is_asked_once_more(status: str) -> None:
    outcome, server = get_from(reply(status=status), reply(PAGE), retry_wait_s=0.01)
    assert answer_of(outcome).status == 200
    assert [step.status for step in answer_of(outcome).steps] == [int(status[:3]), 200]
    assert len(server.requests) == 2


def test_the_wait_is_what_the_server_asks_for() -> None:
    outcome, _ = get_from(reply(b"", "Retry-After: 0", status="503 Busy"), reply(PAGE), retry_wait_s=30.0)
    assert answer_of(outcome).status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (["Retry-After: 3600"], "429 S"),
        (["Retry-After: 6"], "503 B"),
        (["cf-mitigated: challenge"], "503 B"),
        ([], "500 O"),
        ([], "502 B"),
    ],
)
def test_a_long_wait_a_bot_check_or_another_error_is_the_answer(headers: list[str], status: str) -> None:
    outcome, server = get_from(reply(b"", *headers, status=status), retry_wait_s=0.0)
    assert answer_of(outcome).status == int(status[:3])
    assert len(server.requests) == 1


def test_a_server_that_stays_busy_is_asked_no_third_time() -> None:
    outcome, server = get_from(reply(status="503 Busy"), retry_wait_s=0.0)
    assert answer_of(outcome).status == 503
    assert len(server.requests) == 2


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    outcome, server = get_from(reply(b"", "Retry-After: 4", status="503 Busy"), deadline_s=1.0)
    assert answer_of(outcome).retry_after_s == 4
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0),
        ("3600", 3600),
        (" 7 ", 7),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("1.5", None),
        ("9" * 40, 999_999_999),
    ],
)
def test_retry_after_is_read_in_seconds(header: str, seconds: int | None) -> None:
    assert retry_after_s(header, now=NOW) == seconds


def test_retry_after_is_read_as_a_date() -> None:
    assert retry_after_s(f"{NOW:%a, %d %b %Y} 23:59:59 GMT", now=NOW.replace(hour=23, minute=59, second=0)) == 59
    assert retry_after_s("Mon, 01 Jan 1990 00:00:00 GMT", now=NOW) == 0


MANY = "9" * 5_000
NUMBERS = [
    *(f"Set-Cookie: seen=1; Max-Age={number}" for number in (MANY, f"-{MANY}", "0" * 5_000)),
    "Set-Cookie: seen=1; Expires=1 Jan 2024 00:00:00 +99999999999999999",
    f"Set-Cookie: seen=1; Expires=1 Jan {MANY} 00:00:00 GMT",
    f"Retry-After: {MANY}",
    "Retry-After: 1 Jan 2024 00:00:00 +99999999999999999",
    f"Retry-After: 1 Jan {MANY} 00:00:00 GMT",
    "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT",
    f"Content-Length: {MANY}",
    f"Content-Length: 5, {MANY}",
    f"Content-Encoding: {MANY}",
    f"Transfer-Encoding: {MANY}",
    f"Content-Type: text/html; charset={MANY}",
    f"Content-Range: bytes 0-{MANY}/{MANY}",
]


@pytest.mark.parametrize("line", NUMBERS, ids=lambda line: line[:40])
@pytest.mark.parametrize("status", ["200 OK", "302 Found", "429 Slow down", "503 Busy"])
def test_a_number_that_no_computer_holds_is_an_answer_like_any_other(status: str, line: str) -> None:
    way_on = ["Location: /again"] if status.startswith("302") else []
    first = head(f"HTTP/1.1 {status}", line, *way_on, "Connection: close") + b"harbour"
    outcome, _ = get_from(first, reply(PAGE))
    if line.startswith("Content-Length"):  # nobody knows where such a body ends
        assert no_answer_of(outcome).trouble is Trouble.UNDECODABLE
        return
    assert outcome.retry_after_s is None or NOW + timedelta(seconds=outcome.retry_after_s) >= NOW
    if way_on and not line.startswith("Transfer"):
        assert answer_of(outcome).body == PAGE
