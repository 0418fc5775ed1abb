"""Answers that browsers read although they break HTTP's letter, made readable for a strict parser.

Old servers and proxies send a length beside chunks, the same length twice, a status line of another protocol version,
lines that are no headers, more headers than allowed, and bytes behind the promised end. Everything is decided on the
bytes of one head; nothing here decides what a body is.
"""

import asyncio
import re
from dataclasses import dataclass
from typing import Any

from aiohttp.client_proto import ResponseHandler

# What Chromium takes as the head of an answer. Longer ones are handed on as they are, and refused.
_LONGEST_HEAD = 256 * 1024
_MOST_LINES = 120  # the parser takes 128
_LONGEST_VALUE = 30_000
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LINE_END = re.compile(rb"\r?\n")
_STATUS_LINE = re.compile(rb"(?:HTTP/(\d)(?:\.(\d))?|ICY)[ \t]+(\d{3})(?!\d)[ \t]*(.*)", re.IGNORECASE | re.DOTALL)
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*", re.DOTALL)
# A final answer with a body, and header lines that no parser argues about; a hundred of them at most.
_PLAIN_HEAD = re.compile(
    rb"HTTP/1\.1 (?!204|304)[2-5][0-9]{2}(?: [^\r\n\x00]*)?(?:\r\n[A-Za-z0-9-]+: [^\r\n\x00]*){0,100}"
)
_LENGTHS = re.compile(rb"\r\n(?:content-length|transfer-encoding): *([^\r\n]*?) *(?=\r\n|$)", re.IGNORECASE)
_BEGINNINGS = (b"HTTP/", b"ICY ")
_NO_BODY = frozenset({204, 304})
# Kept when there are too many: these are asked for somewhere.
_ASKED_FOR = (
    b"content-",
    b"location",
    b"set-cookie",
    b"retry-after",
    b"refresh",
    b"transfer-encoding",
    b"connection",
    b"cf-mitigated",
    b"x-amzn-waf-action",
    b"x-archive-orig-status",
)


@dataclass(frozen=True, slots=True)
class Head:
    """The head of an answer as a strict parser takes it.

    `length` is that of the body in bytes, None where it is told by chunks or by the end of the connection.
    `is_doubtful`: the server said it more than once, so nobody should read a second answer from this connection.
    """

    status: int
    data: bytes
    length: int | None
    is_doubtful: bool


def legal_head(raw: bytes) -> Head | None:
    """`raw` (a whole head without the empty line behind it) made legal; None where there is no status line to read.

    A head that is legal already says the same afterwards. Where two lengths differ, both stay, to be refused: nobody
    knows where such a body ends (RFC 9112, 6.3).
    """
    if (plain := _length_of_plain(raw)) is not None:
        return Head(int(raw[9:12]), raw + b"\r\n\r\n", plain, is_doubtful=False)
    first, *lines = _LINE_END.split(raw)
    found = _STATUS_LINE.fullmatch(first)
    if found is None:
        return None
    status = int(found[3])
    headers = _headers(lines)
    lengths_said = sum(name.lower() == b"content-length" for name, _ in headers)
    is_doubtful = lengths_said > 1
    if any(name.lower() == b"transfer-encoding" and b"chunked" in value.lower() for name, value in headers):
        length: int | None = None
        is_doubtful = lengths_said > 0
        headers = [(name, value) for name, value in headers if name.lower() != b"content-length"]
    else:
        headers, length = _with_one_length(headers)
    if status in _NO_BODY:
        headers = [one for one in headers if one[0].lower() not in {b"content-length", b"transfer-encoding"}]
        length = 0
    version = b"HTTP/1.0" if found[1] in {b"0", None} or (found[1], found[2]) == (b"1", b"0") else b"HTTP/1.1"
    parts = [b"%b %03d %b" % (version, status, found[4].replace(b"\0", b"")), *(b"%b: %b" % one for one in headers)]
    return Head(status, b"\r\n".join(parts) + b"\r\n\r\n", length, is_doubtful)


def _length_of_plain(raw: bytes) -> int | None:
    """The length that a head says which is legal as it stands: most are, and mending takes ten times as long to find
    out. None for every other head, and for one without a length or with more about it than that."""
    if len(raw) > _LONGEST_VALUE or _PLAIN_HEAD.fullmatch(raw) is None:
        return None
    lengths = _LENGTHS.findall(raw)
    return _number(lengths[0]) if len(lengths) == 1 and lengths[0].isdigit() else None


def _headers(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    headers: list[tuple[bytes, bytes]] = []
    for line in lines:
        if line[:1] in {b" ", b"\t"} and headers:  # a folded line (RFC 9112, 5.2)
            name, value = headers[-1]
            headers[-1] = (name, value + b" " + line.strip())
        elif match := _HEADER.fullmatch(line):
            headers.append((match[1], match[2].replace(b"\0", b"").replace(b"\r", b" ")))
    if len(headers) > _MOST_LINES:
        # A stable sort: the asked-for ones first, each kind in its order.
        headers = sorted(headers, key=lambda one: not one[0].lower().startswith(_ASKED_FOR))[:_MOST_LINES]
    return [(name, value[:_LONGEST_VALUE]) for name, value in headers]


def _with_one_length(headers: list[tuple[bytes, bytes]]) -> tuple[list[tuple[bytes, bytes]], int | None]:
    """The headers with at most one Content-Length, and its value; one that is no number is none."""
    said = [value for name, value in headers if name.lower() == b"content-length"]
    lengths = {_number(part) for value in said for part in map(bytes.strip, value.split(b",")) if part.isdigit()}
    if len(lengths) > 1:
        return headers, None
    others = [one for one in headers if one[0].lower() != b"content-length"]
    if not lengths:
        return others, None
    length = lengths.pop()
    return [*others, (b"Content-Length", b"%d" % length)], length


def _number(digits: bytes) -> int:
    # No body is as long as 18 digits say, and `int` refuses more than 4,300 of them.
    return int(digits.lstrip(b"0")[:18] or b"0")


class AnswerFilter:
    """Passes the bytes of one answer on: its head made legal, its body no further than the head promises.

    `is_last` says that nothing else should be read from the connection: more came than was promised, or the length is
    doubtful.
    """

    def __init__(self) -> None:
        self._held = b""
        self._in_head = True
        self._left: int | None = None
        self.is_last = False

    def feed(self, data: bytes) -> bytes:
        """What a strict parser should see of the next bytes; empty while the head is not whole."""
        if not self._in_head:
            return self._body(data)
        searched = max(0, len(self._held) - 3)
        self._held += data
        start = len(self._held) - len(self._held.lstrip(b"\r\n"))
        if not _may_begin(self._held[start : start + 5]):
            return self._give_up()
        end = _HEAD_END.search(self._held, max(start, searched))
        if (len(self._held) if end is None else end.start()) > _LONGEST_HEAD:
            return self._give_up()
        if end is None:
            return b""
        raw, rest = self._held[start : end.start()], self._held[end.end() :]
        head = legal_head(raw)
        if head is None or head.status == 101:
            return self._give_up()
        self._held = b""
        if 100 <= head.status < 200:  # another head follows (RFC 9110, 15.2)
            return head.data + (self.feed(rest) if rest else b"")
        self._in_head, self._left, self.is_last = False, head.length, head.is_doubtful
        return head.data + self._body(rest)

    def _body(self, data: bytes) -> bytes:
        if self._left is None:
            return data
        if len(data) > self._left:
            data, self.is_last = data[: self._left], True
        self._left -= len(data)
        return data

    def _give_up(self) -> bytes:
        """Everything held, as it came: the parser says what is wrong with it."""
        held, self._held = self._held, b""
        self._in_head, self._left = False, None
        return held


def _may_begin(start: bytes) -> bool:
    upper = start.upper()
    return any(mark.startswith(upper[: len(mark)]) for mark in _BEGINNINGS)


class TolerantHandler(ResponseHandler):
    """aiohttp's reader of answers behind an `AnswerFilter`. One connection; a filter for each request on it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._filter = AnswerFilter()

    def set_response_params(self, **params: Any) -> None:
        """Called before each request, so that the next bytes begin an answer."""
        self._filter = AnswerFilter()
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Hands on what the parser should see. The parser is None until the first request is under way."""
        if not data or self._parser is None or self._upgraded:
            super().data_received(data)
            return
        passed = self._filter.feed(data)
        if self._filter.is_last:
            self.force_close()
        if passed:
            super().data_received(passed)


def tolerant_reader(loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    """The reader of one new connection."""
    return TolerantHandler(loop)
