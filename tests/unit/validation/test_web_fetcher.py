"""The fetcher of the open web on a real socket: profiles, refreshes, coalescing, failures in validation's words."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from provenance_site.kit.outbound import Answer, OutboundClient, OutboundPolicy, Trouble
from sources.core.findings import Cause
from tests.fakes.loopback import Loopback, Reply, Request, closed_port, redirect, reply
from tests.fakes.outbound import AGENT, policy_for
from validation.adapters.hostlimit import HostLimit
from validation.adapters.web import _CAUSES, WebFetcher, onward
from validation.core.fetching import Failure, FetchResult, Page
from validation.core.pacing import Manners

TITLE = b"<title>Harbour survey results 2024</title>"
HTML = "Content-Type: text/html; charset=utf-8"


def fetch(*urls: str, policy: OutboundPolicy, reroute: Callable[[str], str] | None = None) -> list[FetchResult]:
    """The results of fetching the URLs one after the other with one fetcher."""

    async def one_by_one() -> list[FetchResult]:
        async with OutboundClient(policy, turns=HostLimit(Manners(interval_s=0.0))) as client:
            fetcher = WebFetcher(client, reroute=reroute)
            return [await fetcher.fetch(url) for url in urls]

    return asyncio.run(one_by_one())


def ask(answer: Callable[[Request], Reply], *paths: str, **limits: Any) -> tuple[list[FetchResult], Loopback]:
    with Loopback(answer) as server:
        return fetch(*(server.url(path) for path in paths or ("/",)), policy=policy_for(server, **limits)), server


def page_of(result: FetchResult) -> Page:
    assert isinstance(result, Page), result
    return result


def failure_of(result: FetchResult) -> Failure:
    assert isinstance(result, Failure), result
    return result


# -- pages -------------------------------------------------------------------------------------------------------------


def test_a_page_carries_everything_a_verdict_needs() -> None:
    def answer(request: Request) -> Reply:
        return redirect("/new", "301 M") if request.target == "/old" else reply(TITLE, HTML)

    (result,), server = ask(answer, "/old")
    page = page_of(result)
    assert page.requested_url == server.url("/old")
    assert page.final_url == server.url("/new")
    assert (page.status, page.body, page.truncated) == (200, TITLE, False)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert [(hop.url, hop.status) for hop in page.hops] == [(server.url("/old"), 301), (server.url("/new"), 200)]


def test_the_request_says_who_asks_and_is_a_plain_get() -> None:
    _, server = ask(lambda _: reply(TITLE, HTML))
    sent = server.requests[0].headers
    assert sent["user-agent"] == AGENT
    assert sent["user-agent"].startswith("Mozilla/5.0 (compatible; ProvenanceDesk/")
    assert sent["accept"].startswith("text/html,application/xhtml+xml,application/pdf")
    assert "accept-language" in sent
    assert not {"range", "if-modified-since", "cookie", "referer"} & set(sent)


def test_an_endless_page_is_cut_and_still_a_page() -> None:
    def answer(_: Request) -> Reply:
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        while True:
            yield b"4000\r\n" + TITLE.ljust(0x4000) + b"\r\n"

    (result,), _ = ask(answer, max_raw=100_000)
    assert page_of(result).truncated
    assert page_of(result).body.startswith(TITLE)


# -- the second profile ------------------------------------------------------------------------------------------------


def picky(status: str) -> Callable[[Request], Reply]:
    """A server that refuses every Accept header but the plainest."""
    return lambda request: reply(TITLE) if request.headers["accept"] == "*/*" else reply(b"no", status=status)


@pytest.mark.parametrize("status", ["403 Forbidden", "406 Not Acceptable", "404 Not Found"])
def test_a_server_that_dislikes_the_first_profile_gets_the_second_under_the_same_name(status: str) -> None:
    (result,), server = ask(picky(status))
    assert page_of(result).status == 200
    assert [hop.status for hop in page_of(result).hops] == [int(status[:3]), 200]
    assert {request.headers["user-agent"] for request in server.requests} == {AGENT}


@pytest.mark.parametrize(
    ("status", "requests"), [("403 F", 2), ("406 N", 2), ("404 N", 2), ("410 G", 1), ("401 U", 1), ("500 O", 1)]
)
def test_the_second_profile_follows_only_answers_that_may_be_about_headers(status: str, requests: int) -> None:
    (result,), server = ask(lambda _: reply(b"no", status=status))
    assert page_of(result).status == int(status[:3])
    assert len(server.requests) == requests


def test_a_404_of_a_host_that_answered_the_first_profile_is_believed() -> None:
    results, server = ask(
        lambda r: reply(TITLE) if r.target == "/" else reply(b"gone", status="404 N"), "/", "/a", "/b"
    )
    assert [page_of(result).status for result in results] == [200, 404, 404]
    assert len(server.requests) == 3


def test_a_refusal_stands_when_the_second_profile_brings_nothing() -> None:
    def answer(request: Request) -> Reply:
        return b"" if request.headers["accept"] == "*/*" else reply(b"no", status="403 F")

    (result,), _ = ask(answer)
    assert page_of(result).status == 403
    assert [hop.status for hop in page_of(result).hops] == [403]


def test_both_profiles_share_one_deadline() -> None:
    def answer(request: Request) -> Reply:
        return [0.5, reply(b"no", status="403 F")] if request.headers["accept"] != "*/*" else [30.0]

    started = time.monotonic()
    (result,), _ = ask(answer, deadline_s=0.6)
    assert page_of(result).status == 403
    assert time.monotonic() - started < 1.05


# -- refreshes ---------------------------------------------------------------------------------------------------------


def refreshing(request: Request) -> Reply:
    pages: dict[str, Reply] = {
        "/meta": reply(b'<meta http-equiv="refresh" content="0; url=/hop">', HTML),
        "/hop": reply(b"<p>moved", HTML, "Refresh: 1; url='/end?x=1'"),
        "/end?x=1": reply(TITLE, HTML),
        "/dead": reply(b'<meta http-equiv=refresh content="0;url=/gone">', HTML),
        "/gone": reply(b"<h1>Not found</h1>", HTML, status="404 N"),
        "/slow": reply(TITLE + b'<meta http-equiv="refresh" content="300; url=/end?x=1">', HTML),
        "/self": reply(TITLE + b'<meta http-equiv="refresh" content="5; url=/self">', HTML),
        "/a": reply(b"<p>", HTML, "Refresh: 0; url=/b"),
        "/b": reply(b"<p>", HTML, "Refresh: 0; url=/a"),
        "/inward": reply(b"<p>", HTML, "Refresh: 0; url=http://169.254.169.254/"),
        "/script": reply(TITLE, HTML, "Refresh: 0; url=javascript:alert(1)"),
        "/sorry": reply(b"<h1>Sorry</h1>", HTML, "Refresh: 3; url=/", status="410 G"),
    }
    return pages[request.target]


@pytest.mark.parametrize(
    ("path", "status", "ends_at", "hops"),
    [
        ("/meta", 200, "/end?x=1", 3),
        ("/dead", 404, "/gone", 2),
        ("/slow", 200, "/slow", 1),
        ("/self", 200, "/self", 1),
        ("/script", 200, "/script", 1),
        ("/sorry", 410, "/sorry", 1),
    ],
)
def test_a_quick_refresh_is_followed_like_a_redirect(path: str, status: int, ends_at: str, hops: int) -> None:
    with Loopback(refreshing) as server:
        # The host answers 200 first, so that its 404 is believed at once.
        *_, result = fetch(server.url("/slow"), server.url(path), policy=policy_for(server))
        page = page_of(result)
        assert (page.status, page.final_url) == (status, server.url(ends_at))
        assert len(page.hops) == hops


@pytest.mark.parametrize(("path", "cause"), [("/a", Cause.REDIRECT_LOOP), ("/inward", Cause.BLOCKED_ADDRESS)])
def test_refreshes_pass_the_same_walls(path: str, cause: Cause) -> None:
    (result,), _ = ask(refreshing, path)
    assert failure_of(result).cause is cause


def test_what_stood_before_a_refresh_is_no_evidence_of_what_came_after() -> None:
    pages: dict[str, Reply] = {"/": reply(TITLE, HTML, "Refresh: 0; url=/hangs"), "/hangs": [30.0]}
    (result,), _ = ask(lambda request: pages[request.target], deadline_s=0.3)
    assert failure_of(result).cause is Cause.DEADLINE
    assert failure_of(result).body == b""


def test_only_pages_that_were_found_send_their_reader_on() -> None:
    def answer(status: int) -> Answer:
        return Answer("http://a.example/", "http://a.example/", status, {"refresh": "0; url=/x"}, b"")

    assert onward(answer(200)) == "/x"
    assert onward(answer(404)) is None


# -- failures ----------------------------------------------------------------------------------------------------------


def test_every_trouble_has_a_cause() -> None:
    assert set(_CAUSES) == set(Trouble)


def test_a_dripped_page_fails_at_the_deadline_and_keeps_what_was_read() -> None:
    def answer(_: Request) -> Reply:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + TITLE
        while True:
            yield 0.03
            yield b"."

    (result,), server = ask(answer, deadline_s=0.3)
    failure = failure_of(result)
    assert (failure.cause, failure.requested_url) == (Cause.DEADLINE, server.url())
    assert failure.body.startswith(TITLE)
    assert [hop.status for hop in failure.hops] == [200]


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (reply(TITLE, length=900), Cause.HANG_UP),
        (b"", Cause.HANG_UP),
        (redirect("/"), Cause.REDIRECT_LOOP),
        (redirect("http://10.0.0.1/"), Cause.BLOCKED_ADDRESS),
        (redirect("mailto:desk@example.com"), Cause.UNUSABLE_URL),
        (reply(TITLE, "Content-Encoding: gzip, gzip"), Cause.UNDECODABLE),
        (b"220 mail.example ESMTP\r\n\r\n", Cause.UNDECODABLE),
    ],
)
def test_what_a_server_does_wrong_has_its_cause(answer: bytes, cause: Cause) -> None:
    (result,), _ = ask(lambda _: answer)
    assert failure_of(result).cause is cause


def test_what_is_not_there_has_its_cause() -> None:
    port = closed_port()
    policy = OutboundPolicy(user_agent=AGENT, deadline_s=2.0, loopback_hosts=frozenset({f"127.0.0.1:{port}"}))
    refused, unlisted, unknown, ftp = fetch(
        f"http://127.0.0.1:{port}/",
        "http://127.0.0.1:1234/",
        "http://no-such-host.invalid/",
        "ftp://a.example/",
        policy=policy,
    )
    assert failure_of(refused).cause is Cause.CONNECTION
    assert failure_of(unlisted).cause is Cause.BLOCKED_ADDRESS
    assert failure_of(unknown).cause is Cause.DNS
    assert failure_of(ftp).cause is Cause.UNUSABLE_URL


# -- many at once ------------------------------------------------------------------------------------------------------


def test_one_url_wanted_many_times_at_once_is_fetched_once() -> None:
    with Loopback(lambda _: [0.05, reply(TITLE)]) as server:

        async def together() -> list[FetchResult]:
            async with OutboundClient(policy_for(server)) as client:
                fetcher = WebFetcher(client)
                return list(await asyncio.gather(*(fetcher.fetch(server.url()) for _ in range(20))))

        results = asyncio.run(together())
        assert {page_of(result).status for result in results} == {200}
        assert len(server.requests) == 1


def test_one_caller_that_gives_up_does_not_take_the_page_from_the_others() -> None:
    with Loopback(lambda _: [0.1, reply(TITLE)]) as server:

        async def scene() -> FetchResult:
            async with OutboundClient(policy_for(server)) as client:
                fetcher = WebFetcher(client)
                hasty, patient = (asyncio.create_task(fetcher.fetch(server.url())) for _ in range(2))
                await asyncio.sleep(0.02)
                hasty.cancel()
                return await patient

        assert page_of(asyncio.run(scene())).body == TITLE


def test_waiting_for_a_turn_does_not_eat_the_deadline() -> None:
    with Loopback(lambda _: [0.1, reply(TITLE)]) as server:

        async def scene() -> list[FetchResult]:
            limit = HostLimit(Manners(at_once=1, interval_s=0.0))
            async with OutboundClient(policy_for(server, deadline_s=0.6), turns=limit) as client:
                fetcher = WebFetcher(client)
                return list(await asyncio.gather(*(fetcher.fetch(server.url(f"/{n}")) for n in range(8))))

        results = asyncio.run(scene())
        assert [page_of(result).status for result in results] == [200] * 8
        assert all(page_of(result).elapsed_ms < 600 for result in results)


def test_an_abandoned_fetch_ends_with_the_fetcher() -> None:
    with Loopback(lambda _: [30.0]) as server:

        async def scene() -> int:
            async with OutboundClient(policy_for(server)) as client:
                fetcher = WebFetcher(client)
                task = asyncio.create_task(fetcher.fetch(server.url()))
                await asyncio.sleep(0.05)
                task.cancel()
                await fetcher.aclose()
                return len(asyncio.all_tasks()) - 1

        assert asyncio.run(scene()) == 0


def test_a_rerouted_url_keeps_its_own_name() -> None:
    with Loopback(lambda _: reply(TITLE)) as server:
        (result,) = fetch("https://doi.org/10.1/x", policy=policy_for(server), reroute=lambda _: server.url("/there"))
        assert page_of(result).requested_url == "https://doi.org/10.1/x"
        assert page_of(result).final_url == server.url("/there")
