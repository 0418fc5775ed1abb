"""Looks names up once per connection, checks every answer, and hands exactly those answers to the connector.

A name that answers a public address first and a private one second (rebinding) gains nothing: there is no second
look-up between the check and the connection.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor

from aiohttp.abc import AbstractResolver, ResolveResult

from provenance_site.kit.outbound.policy import OutboundPolicy

# RFC 6761, 6.3: `localhost` and every name below it mean this machine, and are not asked of a name server.
_LOCAL = "127.0.0.1"

Lookup = Callable[[str, int], Awaitable[Sequence[str]]]


class AddressRefused(Exception):
    """The guard's no. Not an OSError, so that no library takes it for a failed attempt and tries the next address."""


class NameNotFound(Exception):
    """There is no such name."""


class LookupFailed(Exception):
    """The name could not be looked up, or has no address for now; that says nothing of what stands under it."""


def system_lookup(threads: Executor, *, within_s: float) -> Lookup:
    """A look-up by the machine's resolver, in `threads`, that gives up after `within_s` seconds.

    A thread that still waits for a dead name server is left behind; the size of the pool bounds how many. The look-up
    raises NameNotFound and LookupFailed.
    """

    async def lookup(host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(within_s):
                found = await loop.run_in_executor(threads, _ask_system, host, port)
        except TimeoutError:
            raise LookupFailed("the name server did not answer in time") from None
        except socket.gaierror as problem:
            raise _meaning(problem.errno) from None
        except UnicodeError:
            raise NameNotFound("no name server can know such a name") from None
        except OSError:
            raise LookupFailed("no name server could be asked") from None
        return found

    return lookup


def _ask_system(host: str, port: int) -> list[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))


def _meaning(error: int | None) -> NameNotFound | LookupFailed:
    """NXDOMAIN alone says that a name is gone; SERVFAIL, refusals and silence do not (RFC 3493, 6.1; RFC 2308, 2)."""
    if error == socket.EAI_NONAME:
        return NameNotFound("no such name")
    if error == getattr(socket, "EAI_NODATA", None):  # the name is there: it may hold mail, or come back
        return LookupFailed("the name has no address")
    return LookupFailed("the name could not be looked up for now")


class PinnedResolver(AbstractResolver):
    """aiohttp's resolver for one client: what it returns has been checked, and nothing else is connected to."""

    def __init__(self, policy: OutboundPolicy, lookup: Lookup) -> None:
        self._policy = policy
        self._lookup = lookup

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The checked addresses of `host`. One refused answer refuses the host: such a name is not a public server's.

        Raises AddressRefused, NameNotFound and LookupFailed.
        """
        local = host == "localhost" or host.endswith(".localhost")
        addresses = (_LOCAL,) if local else await self._lookup(host, port)
        if not addresses:
            raise LookupFailed("the name has no address")
        for address in addresses:
            if reason := self._policy.address_refusal(host, port, address):
                raise AddressRefused(reason)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """Nothing is held here; the threads belong to the client."""
