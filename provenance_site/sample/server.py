"""Carries answers out over HTTP/1.1 on 127.0.0.1, with their delays, hang-ups and cold starts."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from provenance_site.sample.answers import Answer
from provenance_site.sample.site import respond

# After this many seconds without a request a cold page has gone to sleep again, so each later check meets its 503 too.
WARM_S = 20.0


class SampleServer(ThreadingHTTPServer):
    """All sample hosts on one port, told apart by the Host header. Listens on loopback only."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, port: int = 0, *, slowness: float = 1.0) -> None:
        """Binds `127.0.0.1:port` (0: the system chooses). `slowness` multiplies every delay; tests pass 0.

        Raises OSError where the port is taken.
        """
        self.slowness = slowness
        self._asked_at: dict[str, float] = {}
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def port(self) -> int:
        """The port that is really bound."""
        return int(self.server_address[1])

    def is_warm(self, address: str) -> bool:
        """Whether `address` was asked for during the last `WARM_S` seconds; counts as asking."""
        now = time.monotonic()
        with self._guard:
            last = self._asked_at.get(address)
            self._asked_at[address] = now
        return last is not None and now - last < WARM_S


class _Handler(BaseHTTPRequestHandler):
    server: SampleServer
    protocol_version = "HTTP/1.1"
    server_version = "sample"
    sys_version = ""
    timeout = 15  # seconds an idle connection is kept

    def do_GET(self) -> None:
        self._carry_out(self._answer(), with_body=True)

    def do_HEAD(self) -> None:
        self._carry_out(self._answer(), with_body=False)

    def _answer(self) -> Answer:
        host = self.headers.get("Host", "")
        parts = urlsplit(self.path)
        answer = respond(host, parts.path or "/", parts.query, {k.lower(): v for k, v in self.headers.items()})
        if answer.while_cold is not None and not self.server.is_warm(f"{host}{parts.path}"):
            return answer.while_cold
        return answer

    def _carry_out(self, answer: Answer, *, with_body: bool) -> None:
        if answer.delay_s:
            time.sleep(answer.delay_s * self.server.slowness)
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body[: answer.hang_up_after])
        if answer.hang_up_after is not None:
            self.close_connection = True

    def handle(self) -> None:
        """As inherited, but a visitor who leaves early is no news."""
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """One line a request, with the host that was meant."""
        host = self.headers.get("Host", "-") if getattr(self, "headers", None) else "-"
        super().log_message("%s %s", host, format % args)


@contextmanager
def serving(*, slowness: float = 0.0, port: int = 0) -> Iterator[int]:
    """Serves the sample publishers from a thread while the block runs; gives the port. For tests."""
    with SampleServer(port, slowness=slowness) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server.port
        finally:
            server.shutdown()
            thread.join()
