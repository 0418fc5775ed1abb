"""`python -m benchmarks.server [--port N] [--seconds S]`: pages, errors and traps on a hundred loopback addresses.

Pure standard library, 127.0.1.1 to 127.0.1.100 only, ends by itself. The first line it prints is its port. Answers come
after 20 ms, so that a client must keep many requests under way; every request and connection is counted.

    /ok/N   200, a page of some 20 KB       /nf/N    404
    /mv/N   301 to /ok/N                    /home/N  302 to the front page (a trap)
    /soft/N 200 «Page not found» (a trap)   /        the front page
    /__stats  the counters since the last look, as JSON; looking sets them back
    /__list   every address of the last PUT of a list, as a page of links; PUT it as text, one a line

Hostile ones: /hang/N never answers, /drip/N gives a byte a second, /endless/N never stops, /bomb/N is a small gzip of a
large page, /busy/N answers 429 and asks for an hour.
"""

import argparse
import asyncio
import gzip
import html
import json
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import lru_cache

ADDRESSES = tuple(f"127.0.1.{place}" for place in range(1, 101))
DELAY_S = 0.02
_BOMB_SIZE = 64 * 1024 * 1024
_CHUNK = 64 * 1024

_SUBJECTS = ("The harbour master", "A second survey", "The council", "Every ferry", "The tide table", "An old chart")
_DEEDS = ("counted", "repaired", "described", "closed", "measured", "forgot to list")
_OBJECTS = ("the eastern breakwater", "forty moorings", "three fog signals", "the fish market", "a slipway", "the quay")
_TIMES = ("before the winter storms", "in the dry summer", "at the request of the pilots", "after a long debate")


def sentence(seed: int) -> str:
    """One of a few hundred sentences; the same seed gives the same one."""
    parts = (_SUBJECTS[seed % 6], _DEEDS[seed // 2 % 6], _OBJECTS[seed // 5 % 6], _TIMES[seed // 7 % 4])
    return f"{' '.join(parts)}, and the record of year {1800 + seed % 200} says so."


def _document(title: str, inner: str) -> bytes:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>'
        f'<nav><a href="/">Front page</a> <a href="/about">About</a></nav><main>{inner}</main>'
        f"<footer>Pilot Records, an archive of small harbours</footer></body></html>"
    ).encode()


@lru_cache(maxsize=4096)
def article(number: int) -> bytes:
    """A page of some 20 KB with a title and text of its own."""
    title = f"Pilot record {number}: {sentence(number * 31)[:48]}"
    paragraphs = (f"<p>{' '.join(sentence(number + part * 7 + line) for line in range(6))}</p>" for part in range(32))
    return _document(title, f"<h1>{title}</h1>{''.join(paragraphs)}")


FRONT = _document("Pilot Records", "<h1>Pilot Records</h1>" + "".join(f"<p>{sentence(n)}</p>" for n in range(60)))
MISSING = _document("404 Not Found", "<h1>Not Found</h1><p>There is no such record on this server.</p>")
SOFT = _document(
    "Page not found | Pilot Records",
    "<h1>Page not found</h1><p>Sorry, we cannot find the page you asked for. It may have moved.</p>",
)
BUSY = _document("Too many requests", "<h1>Too many requests</h1><p>Please come back in an hour.</p>")


@lru_cache(maxsize=1)
def bomb() -> bytes:
    """A gzip body of some 64 KB that holds 64 MB."""
    return gzip.compress(b"<p>" + b"tide " * (_BOMB_SIZE // 5), compresslevel=9)


@dataclass
class Counts:
    """What was asked of the server since the last look."""

    req: int = 0
    head: int = 0
    conn: int = 0
    sent: int = 0
    open: int = 0
    maxopen: int = 0
    by: Counter[str] = field(default_factory=Counter)


class Connection(asyncio.Protocol):
    """One keep-alive connection; requests are answered in their order."""

    counts = Counts()
    listed: tuple[str, ...] = ()
    delay_s = DELAY_S
    lift = False  # tells LinkChecker, by its own header, that it need not slow down

    def __init__(self) -> None:
        self.received = b""
        self.waiting: deque[tuple[bytes, bytes]] = deque()
        self.answering = False
        self.transport: asyncio.Transport | None = None
        self.timers: list[asyncio.TimerHandle] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Counts it."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101
        self.transport = transport
        self.counts.conn += 1
        self.counts.open += 1
        self.counts.maxopen = max(self.counts.maxopen, self.counts.open)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops what was still to be said."""
        self.counts.open -= 1
        self.transport = None
        for timer in self.timers:
            timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Takes whole requests out of the stream; only PUT has a body."""
        self.received += data
        while (end := self.received.find(b"\r\n\r\n")) >= 0:
            head, rest = self.received[:end], self.received[end + 4 :]
            size = 0
            for line in head.split(b"\r\n")[1:]:
                name, _, value = line.partition(b":")
                if name.strip().lower() == b"content-length":
                    size = int(value)
            if len(rest) < size:
                return
            self.received = rest[size:]
            self.waiting.append((head, rest[:size]))
        self._next()

    def _next(self) -> None:
        if self.answering or not self.waiting or self.transport is None:
            return
        head, body = self.waiting.popleft()
        method, path = (word.decode("latin-1") for word in head.split(b" ", 2)[:2])
        closing = b"connection: close" in head.lower()
        if path.startswith("/__"):
            self._service(method, path, body)
            return
        self.answering = True
        self.timers = [asyncio.get_running_loop().call_later(self.delay_s, self._answer, method, path, closing)]

    def _service(self, method: str, path: str, body: bytes) -> None:
        cls = type(self)
        if path == "/__stats":
            told, cls.counts = self.counts, Counts(open=self.counts.open, maxopen=self.counts.open)
            self._send("200 OK", json.dumps(vars(told)).encode(), kind="application/json")
        elif path == "/__list" and method == "PUT":
            cls.listed = tuple(body.decode().split())
            self._send("200 OK", b"kept")
        elif path.startswith("/__lift"):
            cls.lift = path.endswith("/on")
            self._send("200 OK", b"noted")
        else:
            links = "\n".join(f'<a href="{html.escape(url)}">{place}</a>' for place, url in enumerate(self.listed))
            self._send("200 OK", _document("All records", links))
        self._next()

    def _answer(self, method: str, path: str, closing: bool) -> None:
        if self.transport is None:
            return
        kind, _, number = path.removeprefix("/").partition("/")
        self.counts.req += 1
        self.counts.head += method == "HEAD"
        self.counts.by[kind or "front"] += 1
        if kind in {"hang", "drip", "endless", "bomb"} and number.isdigit():
            self._misbehave(kind)
            return
        status, location, body = "404 Not Found", "", MISSING
        match kind:
            case "ok" if number.isdigit():
                status, body = "200 OK", article(int(number))
            case "mv" if number.isdigit():
                status, location, body = "301 Moved Permanently", f"/ok/{number}", b""
            case "home":
                status, location, body = "302 Found", "/", b""
            case "soft":
                status, body = "200 OK", SOFT
            case "":
                status, body = "200 OK", FRONT
            case "robots.txt":
                status, body = "200 OK", b"User-agent: *\nAllow: /\n"
            case "busy":
                status, body = "429 Too Many Requests", BUSY
        extra = f"Location: {location}\r\n" if location else ""
        extra += "Retry-After: 3600\r\n" if kind == "busy" else ""
        self._send(status, body, extra=extra, bare=method == "HEAD", closing=closing)
        self.answering = False
        self._next()

    def _misbehave(self, kind: str) -> None:
        if kind == "hang" or self.transport is None:
            return
        if kind == "bomb":
            self._send("200 OK", bomb(), extra="Content-Encoding: gzip\r\n", closing=True)
            return
        size = "Content-Length: 100000" if kind == "drip" else "Transfer-Encoding: chunked"
        self.transport.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{size}\r\n\r\n".encode())
        self._drip() if kind == "drip" else self._flow()

    def _drip(self) -> None:
        if self.transport is not None:
            self.transport.write(b"a")
            self.timers = [asyncio.get_running_loop().call_later(1.0, self._drip)]

    def _flow(self) -> None:
        if self.transport is not None:
            if self.transport.get_write_buffer_size() < _CHUNK:
                block = (b"<p>" + sentence(7).encode() + b"</p>\n") * 400
                self.transport.write(f"{len(block):x}\r\n".encode() + block + b"\r\n")
                self.counts.sent += len(block)
            self.timers = [asyncio.get_running_loop().call_later(0.002, self._flow)]

    def _send(
        self,
        status: str,
        body: bytes,
        *,
        kind: str = "text/html; charset=utf-8",
        extra: str = "",
        bare: bool = False,
        closing: bool = False,
    ) -> None:
        if self.transport is None:
            return
        lines = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{extra}"
        lines += "LinkChecker: benchmark\r\n" if self.lift else ""
        lines += "Connection: close\r\n\r\n" if closing else "\r\n"
        answer = lines.encode() + (b"" if bare else body)
        self.counts.sent += len(answer)
        self.transport.write(answer)
        if closing:
            self.transport.close()


async def serve(port: int, seconds: float) -> None:
    """Serves on every address at one port (0: the system's choice), says it, and ends after `seconds`."""
    loop = asyncio.get_running_loop()
    first = await loop.create_server(Connection, ADDRESSES[0], port, backlog=1024)
    port = first.sockets[0].getsockname()[1]
    servers = [first]
    for address in ("127.0.0.1", *ADDRESSES[1:]):
        servers.append(await loop.create_server(Connection, address, port, backlog=1024))
    print(port, flush=True)
    await asyncio.sleep(seconds)


def main() -> None:
    """Reads the arguments and serves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--delay", type=float, default=DELAY_S)
    wanted = parser.parse_args()
    Connection.delay_s = wanted.delay
    bomb()
    for number in range(2000):  # made now, so that the first client does not pay for all
        article(number)
    asyncio.run(serve(wanted.port, wanted.seconds))


if __name__ == "__main__":
    main()
