"""Where the processes may listen: which ports are free, and what to say where one is not."""

import errno
import ipaddress
import socket
from contextlib import closing
from dataclasses import dataclass
from enum import Enum, auto
from typing import assert_never

LOOPBACK = "127.0.0.1"
_TRIED_ABOVE = 100


@dataclass(frozen=True, slots=True)
class Places:
    """Addresses that were free a moment ago. The sample publishers always listen on 127.0.0.1."""

    host: str
    port: int
    sample_port: int

    @property
    def url(self) -> str:
        """What a person opens; a wildcard host is shown as this machine."""
        return f"http://{_in_url(LOOPBACK if is_wildcard(self.host) else self.host)}:{self.port}"


class Problem(Enum):
    """Why a server cannot listen at a place."""

    TAKEN = auto()
    FORBIDDEN = auto()
    NO_ADDRESS = auto()
    NO_PORT = auto()


@dataclass(frozen=True, slots=True)
class Refused:
    """Why nothing is started: one line with the way out."""

    message: str


def choose(*, host: str, port: int, sample_port: int, remembered: int) -> Places | Refused:
    """Free places for web and sample publishers, or why there are none.

    `sample_port` is what the user asked for (0: nothing); else the `remembered` one of the last start is taken where it
    is free, since the sample project's addresses carry it; else `port + 10`, else any free one.
    """
    problem = why_not(host, port)
    if problem:
        return Refused(_in_words(problem, host, port, "PORT"))
    if sample_port:
        problem = Problem.TAKEN if sample_port == port else why_not(LOOPBACK, sample_port)
        if problem:
            return Refused(_in_words(problem, LOOPBACK, sample_port, "SAMPLE_PORT"))
        return Places(host, port, sample_port)
    for candidate in (remembered, port + 10):
        if 0 < candidate < 65536 and candidate != port and not why_not(LOOPBACK, candidate):
            return Places(host, port, candidate)
    return Places(host, port, any_free(LOOPBACK))


def why_not(host: str, port: int) -> Problem | None:
    """Why no server can listen there; None where one can.

    Bound as servers bind, with SO_REUSEADDR, so that connections of the last run in TIME_WAIT do no harm; and connected
    to, since BSDs let two servers share a port when one of them listens on all addresses.
    """
    if not 0 < port < 65536:
        return Problem.NO_PORT
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        return Problem.NO_ADDRESS
    with closing(socket.socket(family, kind, protocol)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            return _BIND_ERRORS.get(error.errno or 0, Problem.NO_ADDRESS)
    with closing(socket.socket(family, kind, protocol)) as visitor:
        visitor.settimeout(0.5)
        there = (LOOPBACK, port) if is_wildcard(host) and family == socket.AF_INET else address
        return Problem.TAKEN if visitor.connect_ex(there) == 0 else None


_BIND_ERRORS = {
    errno.EADDRINUSE: Problem.TAKEN,
    errno.EACCES: Problem.FORBIDDEN,
    errno.EPERM: Problem.FORBIDDEN,
}


def any_free(host: str) -> int:
    """A port that the system says is free."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def is_wildcard(host: str) -> bool:
    """Whether `host` means every address of this machine."""
    return host in {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_words(problem: Problem, host: str, port: int, variable: str) -> str:
    match problem:
        case Problem.TAKEN:
            return f"Port {port} is taken: {variable}={_next_free(host, port)} make run"
        case Problem.FORBIDDEN:
            return f"Port {port} is not open to this user: {variable}={_next_free(host, max(port, 8000))} make run"
        case Problem.NO_PORT:
            return f"{variable} takes a number from 1 to 65535, not {port}: {variable}=8000 make run"
        case Problem.NO_ADDRESS:
            return f"{host} is no address of this machine: HOST={LOOPBACK} make run"
        case _:
            assert_never(problem)


def _next_free(host: str, port: int) -> int:
    above = range(port + 1, min(port + _TRIED_ABOVE, 65536))
    return next((candidate for candidate in above if not why_not(host, candidate)), 0) or any_free(LOOPBACK)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
