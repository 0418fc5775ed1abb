"""Time, size and rate: nothing holds a worker longer than the deadline, and a host that asks for a pause gets it."""

import asyncio
import gzip
import socket
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from provenance_site.kit.outbound import HostParked
from sources.core.findings import Cause, Verdict
from tests.fakes.hardnet import AS_HTML, HOST, PATH, Told, Web, article, by_path, found, page, told
from tests.fakes.loopback import Reply, Request, head, redirect, reply
from validation.adapters.hostlimit import HostLimit

FAILED = Verdict.FETCH_FAILED
ACCESSIBLE = (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)
RATE_LIMITED = (FAILED, Cause.RATE_LIMITED)
AN_HOUR = "Retry-After: 3600"
DEADLINE_S = 0.4
SLACK_S = 1.0


def in_an_hour() -> str:
    """The Retry-After header as an HTTP date."""
    return f"Retry-After: {format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)}"


# -- rates -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
@pytest.mark.parametrize("header", [lambda: AN_HOUR, in_an_hour], ids=["seconds", "date"])
def test_11_a_long_retry_after_is_told_and_frees_the_worker(status: str, header: Callable[[], str]) -> None:
    seen = told(missing_for(status, header()))
    assert seen.said == RATE_LIMITED
    assert seen.evidence.retry_after_s is not None
    assert 3595 <= seen.evidence.retry_after_s <= 3600
    assert seen.seconds < SLACK_S
    assert len(seen.requests) == 1


def missing_for(status: str, *headers: str) -> bytes:
    return page(b"<h1>Slow down</h1>", *headers, status=status)


def test_11_a_parked_host_is_left_alone_for_the_rest_of_the_run() -> None:
    seen = told(missing_for("429 T", AN_HOUR), paths=["/2024/a", "/2024/b", "/2024/c"])
    assert [(one.verdict, one.cause) for one in seen.findings] == [RATE_LIMITED] * 3
    assert seen.targets == ["/2024/a"]
    for one in seen.findings:
        assert one.evidence.retry_after_s is not None
        assert 3590 <= one.evidence.retry_after_s <= 3600


def test_a_parked_host_delays_no_other() -> None:
    def answer(request: Request) -> Reply:
        return missing_for("429 T", AN_HOUR) if request.headers["host"].startswith("busy") else found()

    addresses = [f"http://{host}:{{port}}{PATH}" for host in ("busy.press", HOST, "busy.press", HOST)]
    seen = told(answer, addresses=addresses, also_hosts=["busy.press"])
    assert [one.cause for one in seen.findings] == [Cause.RATE_LIMITED, Cause.CONTENT] * 2
    assert len(seen.requests) == 3


def test_a_redirect_to_a_parked_host_ends_as_rate_limited() -> None:
    def answer(request: Request) -> Reply:
        if request.headers["host"].startswith("busy"):
            return missing_for("429 T", AN_HOUR)
        return redirect(f"http://busy.press:{request.headers['host'].rpartition(':')[2]}{PATH}")

    seen = told(answer, paths=["/a", "/b"], also_hosts=["busy.press"])
    assert [one.cause for one in seen.findings] == [Cause.RATE_LIMITED] * 2
    assert [request.target for request in seen.requests] == ["/a", PATH, "/b"]
    assert [hop.status for hop in seen.evidence.hops] == [302]


@pytest.mark.parametrize("status", ["429 T", "503 S"])
def test_a_bot_check_with_a_long_retry_after_parks_nobody(status: str) -> None:
    answer = missing_for(status, AN_HOUR, "cf-mitigated: challenge")
    seen = told(answer, paths=["/2024/a", "/2024/b"])
    assert seen.said == (FAILED, Cause.BOT_WALL)
    assert len(seen.requests) == 2


def flaky(*first: bytes) -> Callable[[Request], Reply]:
    left = list(first)
    return lambda _: left.pop(0) if left else found()


@pytest.mark.parametrize("status", ["503 Service Unavailable", "429 Too Many Requests", "408 R", "425 Too Early"])
@pytest.mark.parametrize("headers", [("Retry-After: 0",), ("Retry-After: nonsense",), ()])
def test_12_a_short_overload_is_waited_out_once(status: str, headers: tuple[str, ...]) -> None:
    seen = told(flaky(missing_for(status, *headers)), limits={"retry_wait_s": 0.02})
    assert seen.said == ACCESSIBLE
    assert len(seen.requests) == 2


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        ("429 T", Cause.RATE_LIMITED),
        ("420 Enhance Your Calm", Cause.RATE_LIMITED),
        ("503 S", Cause.SERVER_ERROR),
        ("500 O", Cause.SERVER_ERROR),
        ("502 B", Cause.SERVER_ERROR),
        ("504 G", Cause.SERVER_ERROR),
        ("507 I", Cause.SERVER_ERROR),
        ("521 Web Server Is Down", Cause.SERVER_ERROR),
        ("530 Origin DNS Error", Cause.SERVER_ERROR),
        ("408 R", Cause.SERVER_ERROR),
    ],
)
def test_an_overload_that_stays_is_a_failure_with_its_cause(status: str, cause: Cause) -> None:
    seen = told(missing_for(status), limits={"retry_wait_s": 0.02})
    assert seen.said == (FAILED, cause)
    assert len(seen.requests) <= 2


def test_who_waits_for_a_host_that_is_parked_is_sent_away_at_once() -> None:
    async def scene() -> list[object]:
        limit = HostLimit()
        loop = asyncio.get_running_loop()

        async def visit() -> str:
            async with limit.turn(HOST):
                await asyncio.sleep(0.05)
            return "visited"

        visits = [asyncio.create_task(visit()) for _ in range(6)]  # four at once, so two wait
        await asyncio.sleep(0.02)
        limit.park(HOST, loop.time() + 0.15)
        limit.park(HOST, loop.time() + 0.01)  # never shortens
        early = await asyncio.gather(*visits, visit(), return_exceptions=True)
        await asyncio.sleep(0.16)
        return [*early, await visit()]

    outcomes = asyncio.run(scene())
    sent_away = [outcome for outcome in outcomes if isinstance(outcome, HostParked)]
    assert outcomes[-1] == "visited"
    assert len(sent_away) >= 2
    assert all(one.retry_after_s == 1 for one in sent_away)


# -- time --------------------------------------------------------------------------------------------------------------


def drip(first: bytes, *, every_s: float = 0.02) -> Callable[[Request], Reply]:
    """A server that sends `first` and then a byte at a time, for ever."""

    def answer(_: Request) -> Iterator[bytes | float]:
        yield first
        while True:
            yield every_s
            yield b"a"

    return answer


TITLED = head("HTTP/1.1 200 OK", AS_HTML, "Content-Length: 900000") + article(words=30)
NEVER_DONE: dict[str, Callable[[Request], Reply]] = {
    "44-dripped-body": drip(TITLED),
    "44-dripped-chunks": drip(head("HTTP/1.1 200 OK", AS_HTML, "Transfer-Encoding: chunked") + b"ffffff\r\n"),
    "45-dripped-head": drip(b"HTTP/1.1 200 OK\r\nX-Slow: "),
    "45-dripped-status": drip(b"HTTP/1.1 200 "),
    "45-silence": lambda _: [30.0],
    "silence-after-the-head": lambda _: [head("HTTP/1.1 200 OK", "Content-Length: 9"), 30.0],
    "silence-before-the-last-chunk": lambda _: [
        head("HTTP/1.1 200 OK", AS_HTML, "Transfer-Encoding: chunked") + b"5\r\nhello\r\n",
        30.0,
    ],
    "endless-headers": drip(b"HTTP/1.1 200 OK\r\n" + b"X-Many: y\r\n" * 20),
    "endless-early-hints": lambda _: hints(),
    "dripped-redirects": lambda request: [0.15, redirect(f"{request.target}x")],
}


def hints() -> Iterator[bytes | float]:
    while True:
        yield b"HTTP/1.1 103 Early Hints\r\n\r\n"
        yield 0.02


@pytest.mark.parametrize("answer", NEVER_DONE.values(), ids=NEVER_DONE)
def test_a_server_that_never_ends_is_left_at_the_deadline(answer: Callable[[Request], Reply]) -> None:
    seen = told(answer, limits={"deadline_s": DEADLINE_S})
    assert seen.said == (FAILED, Cause.DEADLINE)
    assert seen.seconds < DEADLINE_S + SLACK_S


def test_44_what_was_read_before_the_deadline_is_evidence() -> None:
    seen = told(drip(TITLED), limits={"deadline_s": DEADLINE_S})
    assert seen.evidence.title_found == "Harbour survey results 2024"
    assert seen.evidence.byte_count > 0


def test_53_a_host_that_swallows_connections_is_told_as_a_time_out_every_time() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        port = silent.getsockname()[1]
        # With a backlog of none, the kernel drops what comes when these have filled it.
        fillers = [socket.socket() for _ in range(4)]
        try:
            for filler in fillers:
                filler.setblocking(False)
                filler.connect_ex(("127.0.0.1", port))
            seen = told(
                found(),
                addresses=[f"http://far.press:{port}/a"] * 2,
                elsewhere=[f"far.press:{port}"],
                limits={"connect_s": 0.15},
            )
        finally:
            for filler in fillers:
                filler.close()
    assert [(one.verdict, one.cause) for one in seen.findings] == [(FAILED, Cause.TIMEOUT)] * 2


def test_a_refused_connection_is_told_apart_from_silence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    seen = told(found(), addresses=[f"http://far.press:{port}/a"], elsewhere=[f"far.press:{port}"])
    assert seen.said == (FAILED, Cause.CONNECTION)


# -- size --------------------------------------------------------------------------------------------------------------


def endless(kind: str) -> Callable[[Request], Reply]:
    """An article and then filler without end: in chunks, under a length of 5 GB, or until the connection ends."""
    how = {"chunked": "Transfer-Encoding: chunked", "long": "Content-Length: 5368709120", "closed": "X-Length: none"}[
        kind
    ]

    def answer(_: Request) -> Iterator[bytes]:
        yield head("HTTP/1.1 200 OK", AS_HTML, how)
        for block in (article(words=400), b"<p>more " * 2048):
            yield chunk(block) if kind == "chunked" else block
        while True:
            filler = b"<p>more and more of it</p>" * 1024
            yield chunk(filler) if kind == "chunked" else filler

    return answer


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


@pytest.mark.parametrize("kind", ["chunked", "long", "closed"])
def test_42_an_endless_page_is_judged_by_its_beginning(kind: str) -> None:
    seen = told(endless(kind), limits={"max_raw": 200_000})
    assert seen.said == ACCESSIBLE
    assert "truncated" in seen.signals
    assert seen.evidence.byte_count <= 200_000


BOMBS = {
    "gzip": (gzip.compress(article(words=400) + b" " * 30_000_000), "gzip"),
    "deflate": (zlib.compress(article(words=400) + b" " * 30_000_000), "deflate"),
    "many-members": (gzip.compress(article(words=400)) + gzip.compress(b" " * 1_000_000) * 40, "gzip"),
}


@pytest.mark.parametrize(("bomb", "coding"), BOMBS.values(), ids=BOMBS)
def test_42_a_bomb_is_judged_by_its_beginning(bomb: bytes, coding: str) -> None:
    seen = told(reply(bomb, AS_HTML, f"Content-Encoding: {coding}"), limits={"max_body": 300_000})
    assert seen.said == ACCESSIBLE
    assert seen.evidence.byte_count == 300_000


def test_a_bomb_behind_a_redirect_costs_nothing() -> None:
    bomb = gzip.compress(b" " * 5_000_000)
    moved = head("HTTP/1.1 302 Found", "Location: /new", "Content-Encoding: gzip", f"Content-Length: {len(bomb)}")
    assert told(by_path({PATH: moved + bomb, "/new": found()})).said == ACCESSIBLE


def test_endless_headers_are_no_answer() -> None:
    def answer(_: Request) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n"
        while True:
            yield b"X-Many: " + b"y" * 16_000 + b"\r\n"

    verdict, cause = told(answer, limits={"deadline_s": 1.5}).said
    assert verdict is FAILED
    assert cause in {Cause.UNDECODABLE, Cause.DEADLINE}


def test_one_hanging_address_holds_no_other() -> None:
    async def together() -> list[Told]:
        def answer(request: Request) -> Reply:
            return [30.0] if request.target == "/hangs" else found()

        web = Web(answer, paths=["/hangs"], limits={"deadline_s": 0.8})
        quick = Web(answer, paths=[PATH])
        return list(await asyncio.gather(asyncio.to_thread(web.check), asyncio.to_thread(quick.check)))

    hangs, quick = asyncio.run(together())
    assert hangs.said == (FAILED, Cause.DEADLINE)
    assert quick.said == ACCESSIBLE
    assert quick.seconds < hangs.seconds
