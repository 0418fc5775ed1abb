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
    """A name that did not resolve; the message says whether it is unknown or could not be asked for now."""


def system_lookup(threads: Executor, *, within_s: float) -> Lookup:
    """A look-up by the machine's resolver, in `threads`, that gives up after `within_s` seconds.

    A thread that still waits for a dead name server is left behind; the size of the pool bounds how many.
    """

    async def lookup(host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(within_s):
                found = await loop.run_in_executor(threads, _ask_system, host, port)
        except TimeoutError:
            raise NameNotFound("the name server did not answer in time") from None
        except socket.gaierror as problem:
            raise NameNotFound(_why(problem.errno)) from None
        except (UnicodeError, OSError):
            raise NameNotFound("the name cannot be looked up") from None
        return found

    return lookup


def _ask_system(host: str, port: int) -> list[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))


def _why(error: int | None) -> str:
    if error in {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}:
        return "no such name"
    return "the name could not be looked up for now"


class PinnedResolver(AbstractResolver):
    """aiohttp's resolver for one client: what it returns has been checked, and nothing else is connected to."""

    def __init__(self, policy: OutboundPolicy, lookup: Lookup) -> None:
        self._policy = policy
        self._lookup = lookup

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The checked addresses of `host`. One refused answer refuses the host: such a name is not a public server's.

        Raises AddressRefused and NameNotFound.
        """
        local = host == "localhost" or host.endswith(".localhost")
        addresses = (_LOCAL,) if local else await self._lookup(host, port)
        if not addresses:
            raise NameNotFound("no such name")
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
