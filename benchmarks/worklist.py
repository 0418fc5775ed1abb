"""The addresses that are checked, what is right to say of each, and the server that answers them."""

import json
import random
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from benchmarks.server import ADDRESSES

# Of each kind so many addresses: 2,000 in all.
CLEAN = {"ok": 1300, "nf": 300, "mv": 300, "home": 50, "soft": 50}
# 1 % hang, 1 % drip, 0.5 % never end, 0.5 % are bombs; what asks for an hour is one host with all its twenty pages.
HOSTILE = {"hang": 20, "drip": 20, "endless": 10, "bomb": 10}
BUSY_HOST = 99
HOSTILE_KINDS = frozenset({*HOSTILE, "busy"})
FINE = frozenset({"ok", "mv"})
TRAPS = frozenset({"home", "soft"})
# The server that other tools were measured with lies on these instead.
_OTHER_ADDRESSES = tuple(f"127.10.0.{place}" for place in range(1, 101))


@dataclass(frozen=True)
class Server:
    """A running server: where it listens, and on which hosts the list may be spread."""

    port: int
    hosts: tuple[str, ...]

    def url(self, path: str) -> str:
        """An address of the server itself, outside the count."""
        return f"http://127.0.0.1:{self.port}{path}"

    def counts(self) -> dict[str, Any]:
        """What was asked of it since the last call."""
        with urllib.request.urlopen(self.url("/__stats"), timeout=10) as answer:  # noqa: S310
            return dict(json.load(answer))

    def put(self, urls: list[str]) -> str:
        """Has it show `urls` as a page of links; gives the page's address."""
        request = urllib.request.Request(self.url("/__list"), data="\n".join(urls).encode(), method="PUT")  # noqa: S310
        with urllib.request.urlopen(request, timeout=10):  # noqa: S310
            return self.url("/__list")


def kind_of(url: str) -> str:
    """The kind of an address of the list: ok, nf, mv, home, soft, or a hostile one."""
    return urlsplit(url).path.split("/")[1]


def addresses(server: Server, *, first: int = 0, hostile: bool = False) -> list[str]:
    """2,000 addresses in mixed order, twenty a host; the hostile mix puts its own in place of good pages.

    `first` shifts the numbers, so that a second list names other pages.
    """
    kinds = dict(CLEAN)
    if hostile:
        kinds = kinds | HOSTILE | {"ok": kinds["ok"] - sum(HOSTILE.values())}
    paths = [f"/{kind}/{first + number}" for kind, many in kinds.items() for number in range(many)]
    random.Random(11).shuffle(paths)
    urls = []
    for place, path in enumerate(paths):
        host = place % len(server.hosts)
        if hostile and host == BUSY_HOST:
            path = f"/busy/{first + place}"
        urls.append(f"http://{server.hosts[host]}:{server.port}{path}")
    return urls


@contextmanager
def started(*, seconds: float = 1800) -> Iterator[Server]:
    """A server of our own in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.server", "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None  # noqa: S101
        port = int(process.stdout.readline())
        yield Server(port=port, hosts=ADDRESSES)
    finally:
        process.terminate()
        process.wait()


def found_at(address: str) -> Server:
    """The server that already runs at `address`, on whichever of the known families of loopback hosts it answers."""
    parts = urlsplit(address)
    port = parts.port or 80
    for family in (ADDRESSES, _OTHER_ADDRESSES):
        if _answers(family[0], port) and _answers(family[-1], port):
            return Server(port=port, hosts=family)
    return Server(port=port, hosts=(parts.hostname or "127.0.0.1",))


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def scored(flagged: set[str], urls: list[str]) -> dict[str, int]:
    """How many of the traps were found, and how many addresses were flagged or passed wrongly."""
    return {
        "traps_found": sum(kind_of(url) in TRAPS and url in flagged for url in urls),
        "false_flags": sum(kind_of(url) in FINE and url in flagged for url in urls),
        "missed_404": sum(kind_of(url) == "nf" and url not in flagged for url in urls),
    }


def scored_verdicts(verdicts: Mapping[str, str], urls: list[str]) -> dict[str, int]:
    """The same of our verdicts: a 404 must be hard-404, a trap soft-404, and every good page verified."""
    right = {"nf": "hard-404", "home": "soft-404-graceful", "soft": "soft-404-graceful"}
    wrong = {url for url in urls if verdicts.get(url) != right.get(kind_of(url), "verified-accessible")}
    return {
        "traps_found": sum(kind_of(url) in TRAPS and url not in wrong for url in urls),
        "false_flags": sum(kind_of(url) in FINE and url in wrong for url in urls),
        "missed_404": sum(kind_of(url) == "nf" and url in wrong for url in urls),
    }
