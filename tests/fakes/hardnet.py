"""A corner of the web on loopback, for the whole validator: any host name leads to one server of raw sockets."""

import asyncio
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from provenance_site.kit.outbound import OutboundClient
from provenance_site.kit.outbound.resolving import Lookup
from sources.core.findings import Cause, Evidence, Finding, Verdict
from sources.core.identifiers import identify
from tests.clock import NOW
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.outbound import policy_for
from tests.fakes.providers import FakeHandles, FakeSearch
from tests.pages import html, prose
from validation.adapters.hostlimit import HostLimit
from validation.adapters.registry import Outside
from validation.adapters.web import WebFetcher
from validation.core.classify import Claimed
from validation.core.pacing import Manners
from validation.services.validate import Target, examine

TITLE = "Harbour survey results 2024"
PATH = "/2024/harbour-survey"
HOST = "gazette.press"
AS_HTML = "Content-Type: text/html; charset=utf-8"

Answering = Callable[[Request], Reply]


def article(title: str = TITLE, words: int = 300, **more: str) -> bytes:
    """A readable page under `title`."""
    return html(title, prose(words), **more)


def found(title: str = TITLE, words: int = 300) -> bytes:
    """The whole answer of a server that has the article."""
    return reply(article(title, words), AS_HTML)


def page(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A whole answer with an HTML body."""
    return reply(body, AS_HTML, *headers, status=status)


def missing(status: str = "404 Not Found") -> bytes:
    """A whole answer of a server that has nothing there."""
    return page(html("Not found", "<p>There is no such page.</p>"), status=status)


def by_path(pages: Mapping[str, Reply], *, otherwise: Reply | None = None) -> Answering:
    """Answers by request target; `otherwise` (a 404 where not given) for all others."""
    return lambda request: pages.get(request.target, missing() if otherwise is None else otherwise)


@dataclass(frozen=True, slots=True)
class Told:
    """What the validator said of each address in turn, what the server saw meanwhile, and how long it took."""

    findings: tuple[Finding, ...]
    requests: Sequence[Request]
    sent: int
    seconds: float

    @property
    def said(self) -> tuple[Verdict, Cause]:
        """Verdict and cause of the last address."""
        return self.findings[-1].verdict, self.findings[-1].cause

    @property
    def evidence(self) -> Evidence:
        """The evidence of the last address."""
        return self.findings[-1].evidence

    @property
    def signals(self) -> list[str]:
        """The names of the signals at the last address."""
        return [signal.name for signal in self.evidence.signals]

    @property
    def targets(self) -> list[str]:
        """What stood in the request lines, in order."""
        return [request.target for request in self.requests]


@dataclass
class Web:
    """How the corner is set up. `addresses` (or `paths` at `host`) are checked one after the other in one run.

    `also_hosts` lead to the same server; `elsewhere` are further `host:port` pairs that may be contacted.
    """

    answer: Answering
    title: str = TITLE
    author: str = ""
    host: str = HOST
    paths: Sequence[str] = (PATH,)
    addresses: Sequence[str] = ()
    also_hosts: Sequence[str] = ()
    elsewhere: Sequence[str] = ()
    handles: FakeHandles = field(default_factory=FakeHandles)
    search: FakeSearch | None = None
    lookup: Lookup | None = None
    uses_system_lookup: bool = False
    reroute: Callable[[str], str] | None = None
    serves_tls: ssl.SSLContext | None = None
    trusts: ssl.SSLContext | None = None
    greeting: bytes = b""
    limits: dict[str, Any] = field(default_factory=dict)

    def check(self) -> Told:
        """Serves, asks, and says what came of it. `{port}` in addresses and the search's pages becomes the server's."""
        with Loopback(self.answer, tls=self.serves_tls, greeting=self.greeting) as server:
            scheme = "https" if self.serves_tls else "http"
            addresses = self.addresses or [f"{scheme}://{self.host}:{{port}}{path}" for path in self.paths]
            named = [address.replace("{port}", str(server.port)) for address in addresses]
            if self.search is not None:
                pages = [(url.replace("{port}", str(server.port)), title) for url, title in self.search.pages]
                self.search.pages = pages
            started = time.monotonic()
            findings = asyncio.run(self._ask(named, server))
            return Told(tuple(findings), list(server.requests), server.sent, time.monotonic() - started)

    async def _ask(self, addresses: Sequence[str], server: Loopback) -> list[Finding]:
        hosts = [f"{host}:{server.port}" for host in (self.host, *self.also_hosts)]
        policy = policy_for(server, extra=[*hosts, *self.elsewhere], **self.limits)
        turns = HostLimit(Manners(interval_s=0.0))
        lookup = None if self.uses_system_lookup else self.lookup or _here
        async with OutboundClient(policy, turns=turns, lookup=lookup, tls=self.trusts) as client:
            fetcher = WebFetcher(client, reroute=self._rerouted(server))
            searches = (self.search,) if self.search is not None else ()
            world = Outside(fetcher=fetcher, handles=self.handles, searches=searches)
            found = [
                await examine(
                    Target(identify(address), Claimed(title=self.title, author=self.author)), world, clock=lambda: NOW
                )
                for address in addresses
            ]
            await fetcher.aclose()
            return found

    def _rerouted(self, server: Loopback) -> Callable[[str], str] | None:
        reroute = self.reroute
        return None if reroute is None else lambda url: reroute(url).replace("{port}", str(server.port))


async def _here(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


def told(answer: Answering | bytes, **more: Any) -> Told:
    """What the validator says of the one address where `answer` is given; `more` as in `Web`."""
    return Web((lambda _: answer) if isinstance(answer, bytes) else answer, **more).check()
