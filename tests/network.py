"""A guard for test processes: connections stay on this machine, names other than localhost do not resolve.

`ForbiddenError` is an AssertionError, so that code which answers an OSError with "not reachable" cannot hide a test
that would have gone out.
"""

import ipaddress
import socket
from collections.abc import Callable
from typing import Any


class ForbiddenError(AssertionError):
    """A test tried to reach another machine."""


def is_local(family: int, address: Any) -> bool:
    """True for UNIX sockets and for literal loopback addresses."""
    if family not in {socket.AF_INET, socket.AF_INET6}:
        return True
    host = str(address[0]).partition("%")[0]
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return _is_local_name(host)
    mapped = getattr(found, "ipv4_mapped", None)
    return bool((mapped or found).is_loopback)


def guarded(connect: Callable[..., Any]) -> Callable[..., Any]:
    """`connect` (or `connect_ex`) of sockets, refusing every address that is not local."""

    def connect_locally(self: socket.socket, address: Any) -> Any:
        if not is_local(self.family, address):
            raise ForbiddenError(f"a test tried to connect to {address}")
        return connect(self, address)

    return connect_locally


def local_names_only(getaddrinfo: Callable[..., Any]) -> Callable[..., Any]:
    """`socket.getaddrinfo` that answers for addresses and localhost names; other names do not exist."""

    def resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name and not _is_address(name) and not _is_local_name(name):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return getaddrinfo(host, *args, **kwargs)

    return resolve


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_local_name(name: str) -> bool:
    name = name.rstrip(".").lower()
    return name == "localhost" or name.endswith(".localhost")
