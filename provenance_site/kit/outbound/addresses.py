"""Which network addresses may be contacted: an explicit list, because the standard library's answers changed between
Python 3.12.1 and 3.13.0 and let NAT64, 6to4 and carrier-grade addresses through (measured on 38 dangerous addresses).
"""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

# IANA special-purpose registry (RFC 6890 and its successors), multicast, the reserved block, and one address outside
# every registry: 168.63.129.16 is the host agent inside a large cloud.
_V4_REFUSED = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT; 100.100.100.200 is a metadata service
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # cloud host agent
        "169.254.0.0/16",  # link-local; 169.254.169.254 is the usual metadata service
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; 192.0.0.192 is a metadata service
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # automatic multicast tunneling
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)

# Of IPv6 only global unicast is allowed, so everything not named here (loopback, mapped and translated addresses,
# unique-local, link-local, the old site-local, multicast, discard) is refused without a list of its own.
_V6_ALLOWED = IPv6Network("2000::/3")
_V6_REFUSED = tuple(
    IPv6Network(block)
    for block in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: carries any IPv4 address
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)

_LOOPBACK = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))
_PRIVATE = (
    IPv4Network("10.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.168.0.0/16"),
    IPv6Network("fc00::/7"),
)


# Asked four times a request: for a host that is an address, for its port, at the socket.
@lru_cache(maxsize=4096)
def parse(text: str) -> IPv4Address | IPv6Address | None:
    """The address in `text` (no brackets), an IPv4-mapped one as the IPv4 address it is; None for anything else.

    Only canonical dotted quads are IPv4 addresses here: `127.1`, `2130706433` and `0x7f000001` give None. A scope id
    (`fe80::1%eth0`) gives None too: it only means something on a local link.
    """
    if "%" in text:
        return None
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


@lru_cache(maxsize=4096)
def is_public(text: str) -> bool:
    """True when `text` is an address of the public internet. False for everything else, text that is none included."""
    address = parse(text)
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _V4_REFUSED)
    if isinstance(address, IPv6Address):
        return address in _V6_ALLOWED and not any(address in block for block in _V6_REFUSED)
    return False


def is_loopback(text: str) -> bool:
    """True when `text` is an address of this machine (127.0.0.0/8, ::1)."""
    return _lies_in(text, _LOOPBACK)


def is_private_network(text: str) -> bool:
    """True when `text` is an address of a private network (RFC 1918, RFC 4193, RFC 6598); not link-local ones."""
    return _lies_in(text, _PRIVATE)


def _lies_in(text: str, blocks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    address = parse(text)
    return address is not None and any(address.version == block.version and address in block for block in blocks)
