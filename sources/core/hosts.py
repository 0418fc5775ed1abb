"""Hosts of web addresses, read in one way only.

A host that two readers could take for two different machines is refused, not repaired: resolvers take `127.1`,
`0x7f000001`, `017700000001` and full-width digits for loopback, while URL parsers disagree on them (measured: four
common parsers differ on 15 of 25 such strings).
"""

import ipaddress
import re
from functools import lru_cache

import idna

# Underscores and outer hyphens break RFC 1123 but are in real use (`my_site.…`, `…-.blog…`), and resolvers take them.
_LABEL = re.compile(r"[a-z0-9_-]{1,63}", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*", re.ASCII)
_MAX_HOST = 253


class UnusableHost(ValueError):
    """The host cannot be looked up, or not in one way only; the message is for a person."""


@lru_cache(maxsize=4096)
def legal_host(host: str) -> str:
    """The host as it is asked for: lower case, IDNA (UTS 46) as A-labels, no final dot; IPv6 short and in brackets.

    Raises UnusableHost for an empty host, forbidden characters, percent escapes, numbers that are no plain four-part
    IPv4 address, IPv6 scopes, and names that IDNA refuses. Twice is the same as once.
    """
    if not host:
        raise UnusableHost("The address names no host. Write it as https://host/path.")
    if host.startswith("["):
        return _ipv6(host)
    if len(host) > _MAX_HOST + 1:
        raise UnusableHost(f"The host is {len(host):,} characters long; a host has at most {_MAX_HOST}.")
    name = host.lower() if host.isascii() else _a_labels(host)
    name = name.removesuffix(".")
    labels = name.split(".")
    if len(name) > _MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise UnusableHost(f"“{_shown(host)}” cannot be the name of a host. Correct it, or copy the address again.")
    if _NUMBER.fullmatch(labels[-1]):
        return _ipv4(host, name)
    return name


def _a_labels(host: str) -> str:
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        message = f"“{_shown(host)}” is not a valid international host name. Correct it, or write its xn-- form."
        raise UnusableHost(message) from None


def _ipv4(host: str, name: str) -> str:
    try:
        plain = str(ipaddress.IPv4Address(name))
    except ValueError:
        plain = ""
    # Without the final dot the user's own letters have to be the plain form: digits that only become one by
    # mapping (full-width, circled) are an attempt to pass a check.
    if not plain or plain != host.removesuffix("."):
        message = f"“{_shown(host)}” is a number, not a host. Write the host's name, or its four-part address."
        raise UnusableHost(message)
    return plain


def _ipv6(host: str) -> str:
    try:
        if not host.endswith("]") or "%" in host:
            raise ValueError
        return f"[{ipaddress.IPv6Address(host[1:-1])}]"
    except ValueError:
        message = f"“{_shown(host)}” is not an IPv6 address. Correct it, or write the host's name."
        raise UnusableHost(message) from None


def _shown(host: str) -> str:
    return host if len(host) <= 60 else host[:59] + "…"
