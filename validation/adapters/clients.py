"""Clients of the outside world: what each may reach, and how fast."""

from contextlib import AsyncExitStack
from urllib.parse import urlsplit

from django.conf import settings

from provenance_site.kit.outbound import OutboundClient, OutboundPolicy
from validation.adapters.hostlimit import HostLimit
from validation.core.seeking import is_askable

_DEFAULT_PORTS = {"http": 80, "https": 443}


def policy(
    *, loopback_hosts: frozenset[str] = frozenset(), private_hosts: frozenset[str] = frozenset()
) -> OutboundPolicy:
    """The policy of all clients: who we are, how long we wait, and the exemptions of this one."""
    return OutboundPolicy(
        user_agent=f"Mozilla/5.0 (compatible; ProvenanceDesk/{settings.PRODUCT_VERSION}; +{settings.CONTACT_URL})",
        deadline_s=settings.FETCH_DEADLINE_S,
        loopback_hosts=loopback_hosts,
        private_hosts=private_hosts,
    )


def provider(stack: AsyncExitStack, *base_urls: str, limit: HostLimit | None = None) -> OutboundClient:
    """A client for one provider that the operator named; its exact hosts and ports may lie on a private network.

    Closed with `stack`.
    """
    return _opened(stack, policy_of_provider(*base_urls), limit)


def policy_of_provider(*base_urls: str) -> OutboundPolicy:
    """The policy of a client for addresses that the operator named."""
    return policy(private_hosts=frozenset(_authority(url) for url in base_urls))


def keyed_provider(stack: AsyncExitStack, base_url: str) -> OutboundClient:
    """The same for one that is given a key, which crosses no public network in plain http: see `Bearer.header_for`."""
    if base_url.lower().startswith("http://") and is_askable(base_url):
        return strangers_provider(stack)
    return provider(stack, base_url)


def strangers_provider(stack: AsyncExitStack) -> OutboundClient:
    """A client for an address that somebody else than the operator named: public hosts only."""
    return _opened(stack, policy(), None)


def _opened(stack: AsyncExitStack, allowed: OutboundPolicy, limit: HostLimit | None) -> OutboundClient:
    client = OutboundClient(allowed, turns=limit or HostLimit())
    stack.push_async_exit(client)
    return client


def _authority(base_url: str) -> str:
    parts = urlsplit(base_url)
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{name}:{port}"
