"""The connections under `client`: aiohttp's engine with the guard built in.

aiohttp was measured at 3.6 times httpx's own engine, and at twice the same engine behind httpx's requests and
responses: of what those do, a client that follows redirects, keeps cookies and decodes bodies itself uses nothing.
httpx's words for errors stay (`httpx_aiohttp` maps them), since aiohttp's time-outs cannot be told from our own
deadline. URLs go out as bytes: aiohttp would quote text anew (`%27` becomes `'`), and some servers answer that
differently.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import cache, partial

import aiohttp
import httpx
from aiohttp import AddrInfoType
from httpx_aiohttp.transport import map_aiohttp_exceptions
from yarl import URL

from provenance_site.kit.outbound.policy import OutboundPolicy
from provenance_site.kit.outbound.resolving import AddressRefused, PinnedResolver
from provenance_site.kit.outbound.targets import Target, UnusableTarget
from provenance_site.kit.outbound.tolerance import tolerant_reader

# Real pages send security policies and cookies well over aiohttp's 8,190 bytes a header line.
_LONGEST_HEADER = 32 * 1024
# Long enough for the next page of the same host at the usual interval, short enough not to pile up idle sockets.
_KEEP_ALIVE_S = 5.0

OpenSocket = Callable[[AddrInfoType], socket.socket]


def open_socket(info: AddrInfoType) -> socket.socket:
    """A fresh socket for this address, not yet connected."""
    family, kind, protocol, _, _ = info
    return socket.socket(family=family, type=kind, proto=protocol)


@cache
def trusted_certificates() -> ssl.SSLContext:
    """Verifies servers against certifi's list and the machine's own (which holds an operator's private authority).

    One for the process: loading the lists costs some 30 ms.
    """
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


class PinnedTransport:
    """Sends one request and gives the answer with its body unread and undecoded. Follows nothing, keeps no cookie,
    reads no environment. Raises AddressRefused, NameNotFound or UnusableTarget from the guard, and the errors of
    httpx and aiohttp.
    """

    def __init__(
        self, policy: OutboundPolicy, resolver: PinnedResolver, *, tls: ssl.SSLContext, dial: OpenSocket = open_socket
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._tls = tls
        self._dial = dial
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=policy.connect_s, sock_read=policy.first_byte_s)
        self._opened: aiohttp.ClientSession | None = None

    async def send(
        self, method: str, target: Target, *, headers: Mapping[str, str], content: bytes | None = None
    ) -> aiohttp.ClientResponse:
        """The answer's status and headers. Its body is read by `chunks`; `release` it in any case."""
        if reason := self._policy.port_refusal(target.host, target.port):
            raise UnusableTarget(reason)
        # aiohttp asks no resolver about a literal address, so it is checked here.
        if target.is_literal and (reason := self._policy.address_refusal(target.host, target.port, target.host)):
            raise AddressRefused(reason)
        url = URL(target.text, encoded=True)
        if url.raw_host != target.host or url.port != target.port:
            raise UnusableTarget("the host cannot be read")
        if self._opened is None:
            self._opened = self._session()
        with map_aiohttp_exceptions():
            return await self._opened.request(
                method, url, headers=headers, data=content, allow_redirects=False, auto_decompress=False
            )

    async def chunks(self, answer: aiohttp.ClientResponse) -> AsyncGenerator[bytes, None]:
        """The raw body as it comes in, in pieces of any size."""
        with map_aiohttp_exceptions():
            async for chunk in answer.content.iter_any():
                yield chunk

    async def release(self, answer: aiohttp.ClientResponse) -> None:
        """Gives the connection back, or drops it where the body was not read to its end."""
        answer.release()
        await answer.wait_for_close()

    async def aclose(self) -> None:
        """Closes all connections."""
        if self._opened is not None:
            await self._opened.close()

    def _session(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            use_dns_cache=False,
            socket_factory=self._guarded_socket,
            ssl=self._tls,
            limit=0,  # the caller's turns bound how many run; waiting here would eat the deadline
            keepalive_timeout=_KEEP_ALIVE_S,
        )
        # aiohttp has no setting for how an answer is read; this is where it takes its reader from.
        connector._factory = partial(tolerant_reader, loop=asyncio.get_running_loop())
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=self._timeout,
            trust_env=False,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
        )

    def _guarded_socket(self, info: AddrInfoType) -> socket.socket:
        """The last wall: whatever way an address came in, no socket is opened towards one that the policy refuses."""
        address, port = info[4][0], info[4][1]
        if reason := self._policy.socket_refusal(str(address), int(port)):
            raise AddressRefused(reason)
        return self._dial(info)
