"""A server of raw sockets on 127.0.0.1, for answers that no well-behaved HTTP server would give."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

PATIENCE_S = 5.0


@dataclass(frozen=True)
class Request:
    """What a client sent: target of the request line as on the wire, headers in lower case, method, body."""

    target: str
    headers: dict[str, str]
    method: str = "GET"
    body: bytes = b""


# Bytes are sent, a number is a pause in seconds that ends early when the server is closed.
Reply = bytes | Iterable[bytes | float]


def reply(body: bytes = b"", *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """A whole HTTP/1.1 answer; `length` may lie about the body."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    return head(*lines) + body


def head(*lines: str) -> bytes:
    """The lines of a status line and headers, as Latin-1 with the empty line behind them."""
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")


def redirect(location: str | bytes, status: str = "302 Found", *headers: str) -> bytes:
    """A redirect; `location` may be raw bytes."""
    raw = location.encode() if isinstance(location, str) else location
    return b"\r\n".join(
        [
            f"HTTP/1.1 {status}".encode(),
            b"Location: " + raw,
            b"Content-Length: 0",
            *(h.encode() for h in headers),
            b"",
            b"",
        ]
    )


@dataclass
class Loopback:
    """Answers each connection's one request with `answer`, then hangs up. A context manager; port chosen by the system.

    `requests` are those that came whole, `connections` counts also those that sent nothing, `sent` counts bytes that
    the other side took. `greeting` is sent before anything is read, as servers of other protocols do.
    """

    answer: Callable[[Request], Reply]
    tls: ssl.SSLContext | None = None
    greeting: bytes = b""
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    sent: int = 0

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def authority(self) -> str:
        """`127.0.0.1:port`."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        """The address of `path` here."""
        return f"{'https' if self.tls else 'http'}://{self.authority}{path}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the accepting thread; close alone would not
        self._listener.close()
        for thread in self._threads:
            thread.join(PATIENCE_S)

    def _start(self, work: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE_S)
        with contextlib.suppress(OSError), connection:
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with connection:
                connection.sendall(self.greeting)
                request = _read_request(connection)
                if request is None:
                    return
                self.requests.append(request)
                answered = self.answer(request)
                for piece in [answered] if isinstance(answered, bytes) else answered:
                    if self._closing.is_set():
                        return
                    if isinstance(piece, bytes):
                        connection.sendall(piece)
                        self.sent += len(piece)
                    else:
                        self._closing.wait(piece)


def _read_request(connection: socket.socket) -> Request | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    top, _, body = data.partition(b"\r\n\r\n")
    first, *lines = top.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    method, target, _ = first.split(" ")
    while len(body) < int(headers.get("content-length", "0")):
        more = connection.recv(65536)
        if not more:
            return None
        body += more
    return Request(target=target, headers=headers, method=method, body=body)


def closed_port() -> int:
    """A port of this machine where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
