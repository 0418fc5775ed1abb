"""Where a request comes from, as far as it can be believed."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"


def client_network(request: HttpRequest) -> str:
    """The network of the client: the address of IPv4, the /64 of IPv6 (one household or server owns that much).

    `DESK_TRUSTED_PROXIES` says how many proxies of ours stand in front; without them X-Forwarded-For is what the client
    likes to write, and is not read.
    """
    return network_of(
        remote=request.META.get("REMOTE_ADDR", ""),
        forwarded=request.META.get("HTTP_X_FORWARDED_FOR", ""),
        proxies=settings.TRUSTED_PROXIES,
    )


def network_of(*, remote: str, forwarded: str, proxies: int) -> str:
    """The network of a client that reached us from `remote` through `proxies` trusted proxies.

    Each proxy appends the address it was called from, so the n-th entry from the right is the last one that is true.
    With fewer entries the request did not come that way, and `remote` is all that is known. 'unknown' for no usable
    address.
    """
    hops = [hop.strip() for hop in forwarded.split(",")] if forwarded.strip() else []
    if 0 < proxies <= len(hops):
        return _network(hops[-proxies]) or _network(remote) or UNKNOWN
    return _network(remote) or UNKNOWN


def _network(text: str) -> str:
    try:
        found = ipaddress.ip_address(text.partition("%")[0].strip("[]"))
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))
