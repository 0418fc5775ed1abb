"""Heads that break HTTP's letter become legal, legal ones keep their meaning, and pieces make no difference."""

import asyncio
import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.kit.outbound import OutboundClient
from provenance_site.kit.outbound.tolerance import AnswerFilter, legal_head
from tests.fakes.outbound import answer_of, policy_for

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5"


def passed(*pieces: bytes) -> tuple[bytes, bool]:
    """What a filter lets through of an answer that comes in these pieces, and whether it was the connection's last."""
    answer = AnswerFilter()
    return b"".join(answer.feed(piece) for piece in pieces), answer.is_last


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK"),
        (b"http/1.1  200", b"HTTP/1.1 200 "),
        (b"HTTP/1.0 404 Not Found", b"HTTP/1.0 404 Not Found"),
        (b"HTTP/2 200", b"HTTP/1.1 200 "),
        (b"ICY 200 OK", b"HTTP/1.0 200 OK"),
    ],
)
def test_a_status_line_is_written_as_the_letter_asks(raw: bytes, line: bytes) -> None:
    head = legal_head(raw)
    assert head is not None
    assert head.data == line + b"\r\n\r\n"


@pytest.mark.parametrize("raw", [b"", b"220 mail.test ESMTP", b"HTTP/1.1 2000 OK", b"HTTP/1.1 OK", b"<html>"])
def test_what_has_no_status_line_is_left_to_the_parser(raw: bytes) -> None:
    assert legal_head(raw) is None
    assert passed(raw + b"\r\n\r\n<p>") == (raw + b"\r\n\r\n<p>", False)


@pytest.mark.parametrize(
    ("lines", "length", "is_doubtful"),
    [
        (b"Content-Length: 5", 5, False),
        (b"Content-Length: 5\r\ncontent-length: 5", 5, True),
        (b"Content-Length: 5, 5", 5, False),
        (b"Content-Length: many", None, False),
        (b"Content-Length: -5", None, False),
        (b"Transfer-Encoding: Chunked\r\nContent-Length: 5", None, True),
        (b"Content-Length: 5\r\nContent-Length: 6", None, True),
        (b"X-A: y", None, False),
    ],
)
def test_a_length_is_told_once_or_not_at_all(lines: bytes, length: int | None, is_doubtful: bool) -> None:
    head = legal_head(b"HTTP/1.1 200 OK\r\n" + lines)
    assert head is not None
    assert (head.length, head.is_doubtful) == (length, is_doubtful)


def test_lines_that_are_no_headers_are_dropped_and_folded_ones_joined() -> None:
    head = legal_head(b"HTTP/1.1 200 OK\r\nRubbish\r\nX Y: 1\r\nX-A : one\r\n  two\r\nX-N: a\0b")
    assert head is not None
    assert head.data == b"HTTP/1.1 200 OK\r\nX-A: one two\r\nX-N: ab\r\n\r\n"


def test_too_many_headers_leave_those_that_are_asked_for() -> None:
    lines = b"\r\n".join(b"X-%d: y" % number for number in range(400))
    head = legal_head(b"HTTP/1.1 302 Found\r\n" + lines + b"\r\nLocation: /new")
    assert head is not None
    assert head.data.count(b"\r\n") < 128
    assert b"Location: /new\r\n" in head.data


def test_bytes_behind_the_promised_end_are_not_passed_and_end_the_connections_use() -> None:
    body, is_last = passed(PLAIN + b"\r\n\r\nhel", b"lo<p>")
    assert body.endswith(b"\r\n\r\nhello")
    assert is_last
    assert passed(PLAIN + b"\r\n\r\nhello")[1] is False


def test_a_preliminary_head_is_followed_by_the_head() -> None:
    body, _ = passed(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\nContent-Le", b"ngth: 2\n\nokXX")
    assert body.endswith(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def test_a_head_without_an_end_is_handed_on_at_last() -> None:
    answer = AnswerFilter()
    line = b"X-Many: " + b"y" * 10_000 + b"\r\n"
    given_on = answer.feed(b"HTTP/1.1 200 OK\r\n") + b"".join(answer.feed(line) for _ in range(40))
    assert len(given_on) > 256 * 1024


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.integers(1, 9), st.sampled_from([b"", b"\r\n", b"Content-Length: 9\r\n", b"\n"]))
def test_pieces_make_no_difference(tail: bytes, size: int, lines: bytes) -> None:
    data = b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n" + tail
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert passed(*pieces) == passed(data)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_a_legal_head_stays_as_it_is(rubbish: bytes) -> None:
    once = legal_head(b"HTTP/1.1 200 OK\r\n" + rubbish)
    if once is not None:
        again = legal_head(once.data.removesuffix(b"\r\n\r\n"))
        assert again is not None
        assert (again.status, again.data, again.length) == (once.status, once.data, once.length)


def conversation(*answers: bytes) -> tuple[list[bytes], int]:
    """The bodies that one client reads when it asks a server of lasting connections once for each of `answers`, and how
    many connections it took."""
    left = list(answers)
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(left.pop(0))
        writer.close()

    async def scene() -> list[bytes]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        authority = "{}:{}".format(*server.sockets[0].getsockname())
        bodies = []
        async with server, OutboundClient(policy_for(extra=[authority])) as client:
            for number in range(len(answers)):
                bodies.append(answer_of(await client.get(f"http://{authority}/{number}", headers={})).body)
        return bodies

    return asyncio.run(scene()), connections


WITH_LENGTH = PLAIN + b"\r\n\r\nhello"
IN_CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"


def test_a_lasting_connection_carries_answers_of_every_kind() -> None:
    hinted = b"HTTP/1.1 103 Early Hints\r\n\r\n" + WITH_LENGTH
    bodies, connections = conversation(
        WITH_LENGTH, IN_CHUNKS, b"HTTP/1.1 204 No Content\r\n\r\n", hinted, IN_CHUNKS, WITH_LENGTH
    )
    assert bodies == [b"hello", b"hello", b"", b"hello", b"hello", b"hello"]
    assert connections == 1


@pytest.mark.parametrize(
    "doubtful",
    [
        WITH_LENGTH + b"<p>HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ],
)
def test_no_second_answer_is_read_from_a_connection_that_lost_count(doubtful: bytes) -> None:
    bodies, connections = conversation(doubtful, WITH_LENGTH)
    assert bodies == [b"hello", b"hello"]
    assert connections == 2
