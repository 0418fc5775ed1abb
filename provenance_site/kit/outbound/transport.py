"""The httpx transport under `client`: aiohttp's engine (3.6 times httpx's own, measured), with the guard built in.

httpx-aiohttp's own transport hands the URL to aiohttp as text, where it is quoted anew: `%27` becomes `'`, `[1]`
becomes `%5B1%5D`, and some servers answer those differently. This one sends the bytes of the request's URL.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from functools import cache, partial

import aiohttp
import httpx
from aiohttp import AddrInfoType
from httpx_aiohttp import AiohttpTransport
from httpx_aiohttp.transport import AiohttpResponseStream, map_aiohttp_exceptions
from yarl import URL

from provenance_site.kit.outbound.policy import OutboundPolicy
from provenance_site.kit.outbound.resolving import AddressRefused, PinnedResolver
from provenance_site.kit.outbound.targets import UnusableTarget, target_of
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


class PinnedTransport(AiohttpTransport):
    """Sends one request and gives the answer with its body unread and undecoded. Follows nothing, keeps no cookie,
    reads no environment. Raises AddressRefused, NameNotFound or UnusableTarget from the guard, and the errors of
    httpx and aiohttp.
    """

    def __init__(
        self, policy: OutboundPolicy, resolver: PinnedResolver, *, tls: ssl.SSLContext, dial: OpenSocket = open_socket
    ) -> None:
        super().__init__(verify=tls, trust_env=False, client=self._session)
        self._policy = policy
        self._resolver = resolver
        self._dial = dial
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=policy.connect_s, sock_read=policy.first_byte_s)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer's status and headers; `stream` gives the raw body. Closing it early drops the connection."""
        target = target_of(str(request.url))
        if reason := self._policy.port_refusal(target.host, target.port):
            raise UnusableTarget(reason)
        # aiohttp asks no resolver about a literal address, so it is checked here.
        if target.is_literal and (reason := self._policy.address_refusal(target.host, target.port, target.host)):
            raise AddressRefused(reason)
        url = URL(str(target.url), encoded=True)
        if url.raw_host != target.host or url.port != target.port:
            raise UnusableTarget("the host cannot be read")
        if not isinstance(self.client, aiohttp.ClientSession):
            self.client = self.get_client()
        with map_aiohttp_exceptions():
            answer = await self.client.request(
                request.method,
                url,
                headers=request.headers,
                data=request.content or None,
                allow_redirects=False,
                auto_decompress=False,
            )
        return httpx.Response(
            answer.status, headers=answer.raw_headers, stream=AiohttpResponseStream(answer), request=request
        )

    def _session(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            use_dns_cache=False,
            socket_factory=self._guarded_socket,
            ssl=self.ssl_context,
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
