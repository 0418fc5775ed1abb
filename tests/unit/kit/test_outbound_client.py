"""What the client makes of real answers on a real socket: bodies without end, silence, rubbish."""

import gzip
import time
import tracemalloc
from collections.abc import Iterator

import aiohttp
import httpx
import pytest

from provenance_site.kit.outbound import Trouble
from provenance_site.kit.outbound.troubles import trouble_of
from tests.fakes.loopback import Loopback, Reply, head, redirect, reply
from tests.fakes.outbound import answer_of, get, get_from, no_answer_of, policy_for

KIB = 1024
PAGE = b"<!doctype html><title>Harbour survey</title>"


# -- bodies ------------------------------------------------------------------------------------------------------------


def endless() -> Iterator[bytes]:
    yield head("HTTP/1.1 200 OK", "Content-Type: text/html", "Transfer-Encoding: chunked")
    while True:
        yield b"4000\r\n" + b"x" * 0x4000 + b"\r\n"


def test_an_endless_body_is_cut_at_the_cap_and_the_connection_dropped() -> None:
    outcome, server = get_from(endless(), max_raw=200 * KIB)
    answer = answer_of(outcome)
    assert answer.truncated
    assert len(answer.body) == 200 * KIB
    assert server.sent < 8 * KIB * KIB  # the rest lay in the system's buffers


def test_a_bomb_costs_little_memory() -> None:
    bomb = gzip.compress(bytes(60_000_000), compresslevel=9)
    packed = [head("HTTP/1.1 200 OK", "Content-Encoding: gzip", f"Content-Length: {len(bomb)}"), bomb]
    with Loopback(lambda _: packed) as server:
        tracemalloc.start()
        answer = answer_of(get(server.url(), policy_for(server, max_body=500 * KIB)))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert answer.truncated
    assert len(answer.body) == 500 * KIB
    assert peak < 8 * KIB * KIB


def test_a_body_encoded_twice_is_undecodable() -> None:
    outcome, _ = get_from(reply(gzip.compress(gzip.compress(PAGE)), "Content-Encoding: gzip, gzip"))
    assert no_answer_of(outcome).trouble is Trouble.UNDECODABLE


def test_plain_text_called_gzip_is_taken_as_it_is() -> None:
    outcome, _ = get_from(reply(PAGE, "Content-Encoding: gzip"))
    assert answer_of(outcome).body == PAGE


def test_damaged_gzip_is_undecodable() -> None:
    outcome, _ = get_from(reply(gzip.compress(PAGE)[:-8] + b"\xff" * 8, "Content-Encoding: gzip"))
    assert no_answer_of(outcome).trouble is Trouble.UNDECODABLE


def test_a_body_that_ends_with_the_connection_is_whole() -> None:
    outcome, _ = get_from(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE)
    assert answer_of(outcome).body == PAGE
    assert not answer_of(outcome).truncated


def test_bytes_are_handed_on_as_they_came() -> None:
    latin = "<title>R\u00e9sum\u00e9 de l'\u00e9t\u00e9</title>".encode("latin-1")
    outcome, _ = get_from(reply(latin, "Content-Type: text/html"))
    assert answer_of(outcome).body == latin


@pytest.mark.parametrize(
    "status", ["202 Accepted", "403 Forbidden", "404 Not Found", "410 Gone", "451 Legal", "500 Oops", "999 Denied"]
)
def test_every_status_is_an_answer(status: str) -> None:
    outcome, _ = get_from(reply(PAGE, status=status))
    assert answer_of(outcome).status == int(status[:3])


def test_a_status_line_without_words_and_long_headers_are_read() -> None:
    outcome, _ = get_from(reply(PAGE, "Content-Security-Policy: " + "x" * 20_000, "Link: a", "Link: b", status="200 "))
    assert answer_of(outcome).headers["link"] == "a, b"


def test_early_hints_are_not_the_answer() -> None:
    outcome, _ = get_from(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" + reply(PAGE))
    assert answer_of(outcome).status == 200


# -- servers that fail -------------------------------------------------------------------------------------------------


def dripping() -> Iterator[bytes | float]:
    yield head("HTTP/1.1 200 OK", "Content-Type: text/html", "Content-Length: 100000") + PAGE
    while True:
        yield 0.03
        yield b"."


def dripping_headers() -> Iterator[bytes | float]:
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield 0.03
        yield b"X-Drip: 1\r\n"


@pytest.mark.parametrize("answer", [[30.0], dripping_headers(), [redirect("/next")]])
def test_a_server_that_never_gets_to_the_end_is_left_at_the_deadline(answer: Reply) -> None:
    started = time.monotonic()
    outcome, _ = get_from(answer, [30.0], deadline_s=0.3)
    assert no_answer_of(outcome).trouble is Trouble.DEADLINE
    assert 0.25 < time.monotonic() - started < 1.3


def test_a_dripped_body_ends_at_the_deadline_and_what_was_read_is_kept() -> None:
    outcome, _ = get_from(dripping(), deadline_s=0.4)
    failure = no_answer_of(outcome)
    assert failure.trouble is Trouble.DEADLINE
    assert failure.body.startswith(PAGE)
    assert 300 < failure.elapsed_ms < 1_400
    assert [step.status for step in failure.steps] == [200]


def test_silence_before_the_first_byte_has_a_limit_of_its_own() -> None:
    outcome, _ = get_from([30.0], first_byte_s=0.2)
    assert (no_answer_of(outcome).trouble, no_answer_of(outcome).elapsed_ms < 1_500) == (Trouble.DEADLINE, True)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-",
        reply(PAGE, length=5_000),
        head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + b"ff\r\nx",
    ],
)
def test_a_server_that_hangs_up_in_the_middle_is_told_as_such(answer: bytes) -> None:
    outcome, _ = get_from(answer)
    assert no_answer_of(outcome).trouble is Trouble.HANG_UP


def test_what_came_before_the_hang_up_is_kept() -> None:
    outcome, _ = get_from(reply(PAGE, length=5_000))
    assert no_answer_of(outcome).body == PAGE


@pytest.mark.parametrize(
    "answer", [b"SSH-2.0-OpenSSH_9.2\r\n" * 3, b"\x00\x01\x02\r\n\r\n", reply(PAGE, "X: " + "y" * 300_000)]
)
def test_what_is_no_http_is_undecodable(answer: bytes) -> None:
    outcome, _ = get_from(answer)
    assert no_answer_of(outcome).trouble is Trouble.UNDECODABLE
    assert "OpenSSH" not in no_answer_of(outcome).detail


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (aiohttp.ConnectionTimeoutError(), Trouble.TIMEOUT),
        (aiohttp.SocketTimeoutError(), Trouble.DEADLINE),
        (aiohttp.ServerDisconnectedError(), Trouble.HANG_UP),
        (aiohttp.ClientOSError(104, "Connection reset by peer"), Trouble.HANG_UP),
        (ConnectionResetError(104, "Connection reset by peer"), Trouble.HANG_UP),
        (httpx.ReadError("no cause is known"), Trouble.HANG_UP),
    ],
)
def test_errors_of_the_libraries_have_one_meaning_wrapped_or_not(error: Exception, trouble: Trouble) -> None:
    wrapped = httpx.ConnectTimeout("the other library's word for it")
    wrapped.__cause__ = error
    assert trouble_of(error)[0] is trouble_of(wrapped)[0] is trouble
