"""Short ways for tests to ask the outbound client, with limits that keep a test quick."""

import asyncio
import ssl
from collections.abc import Sequence
from typing import Any

from provenance_site.kit.outbound import Answer, NoAnswer, OutboundClient, OutboundPolicy, Outcome
from provenance_site.kit.outbound.resolving import Lookup
from tests.fakes.loopback import Loopback, Reply

AGENT = "Mozilla/5.0 (compatible; ProvenanceDesk/test; +https://desk.example/bot)"


def policy_for(*servers: Loopback, extra: Sequence[str] = (), **limits: Any) -> OutboundPolicy:
    """A policy under which exactly these servers may be contacted; two seconds for everything unless told otherwise."""
    hosts = frozenset({*(server.authority for server in servers), *extra})
    return OutboundPolicy(**{"user_agent": AGENT, "deadline_s": 2.0, "loopback_hosts": hosts, **limits})


def get(
    url: str, policy: OutboundPolicy, *, lookup: Lookup | None = None, tls: ssl.SSLContext | None = None
) -> Outcome:
    """One GET in an event loop of its own."""

    async def ask() -> Outcome:
        async with OutboundClient(policy, lookup=lookup, tls=tls) as client:
            return await client.get(url, headers={"Accept": "*/*"})

    return asyncio.run(ask())


def get_from(*replies: Reply, **limits: Any) -> tuple[Outcome, Loopback]:
    """The outcome of one GET / to a server that gives these replies in turn, the last one for ever; and the server."""
    left = list(replies)
    with Loopback(lambda _: left.pop(0) if len(left) > 1 else left[0]) as server:
        return get(server.url(), policy_for(server, **limits)), server


def answer_of(outcome: Outcome) -> Answer:
    """The outcome, which must be an answer."""
    assert isinstance(outcome, Answer), outcome
    return outcome


def no_answer_of(outcome: Outcome) -> NoAnswer:
    """The outcome, which must be none."""
    assert isinstance(outcome, NoAnswer), outcome
    return outcome
