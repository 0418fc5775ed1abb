"""One parser for the URLs we send requests to, so that the host that was checked is the host that is connected to.

Parsers disagree on strings such as `http://inside:8888\\@outside/` or `http://127.1/`; such strings are refused, and
what is left is parsed a second time by the HTTP library and compared.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin

import httpx
import idna

from provenance_site.kit.outbound.addresses import parse

# RFC 9110, 4.1 asks servers for 8,000 octets at least; redirects to login pages carry whole addresses in their query.
MAX_LENGTH = 16_000

_ABSOLUTE = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/?#]*))?(?P<rest>[^#]*)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_PORT = re.compile(r"[0-9]{1,5}")
# Every parser reads such a path and query alike, so the second one need not be asked: most addresses are so, and it
# takes longer than all the rest. (No dots alone between slashes, which parsers fold.)
_SAFE_PATH = re.compile(r"(?:/(?!\.{1,2}(?:[/?]|$))[A-Za-z0-9._~-]*)+(?:\?[A-Za-z0-9._~=&-]*)?")
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class UnusableTarget(ValueError):
    """No request can be made to this; the message says why, in words for a person."""


@dataclass(frozen=True, slots=True)
class Target:
    """A URL that can be requested. `host` is lower-case ASCII without brackets or final dot; `url` has no fragment.

    `text` is the same as text, the bytes that go out.
    """

    text: str
    host: str
    port: int

    @property
    def url(self) -> httpx.URL:
        """The URL, read by the HTTP library."""
        return httpx.URL(self.text)

    @property
    def is_secure(self) -> bool:
        """True for https."""
        return self.text.startswith("https:")

    @property
    def is_literal(self) -> bool:
        """True when the host is an address, so that no name is looked up."""
        return parse(self.host) is not None


# A page that redirects to itself, a second try and a second profile ask for what was read before.
@lru_cache(maxsize=512)
def target_of(text: str) -> Target:
    """The target that `text` names. User and password are dropped, never sent; path and query keep their bytes.

    Raises UnusableTarget: not http or https, no host, an address in disguise (WHATWG URL, "ends in a number"), a host
    that is no IDNA name, control characters, too long.
    """
    text = text.strip(" ")
    if len(text) > MAX_LENGTH:
        raise UnusableTarget("the address is too long")
    if _CONTROL.search(text):
        raise UnusableTarget("the address holds control characters")
    match = _ABSOLUTE.match(text)
    if match is None:
        raise UnusableTarget("the address is not absolute")
    scheme = match["scheme"].lower()
    if scheme not in _DEFAULT_PORTS:
        raise UnusableTarget(f"only http and https are fetched, not {scheme[:20]}:")
    authority = (match["authority"] or "").rpartition("@")[2]
    if "\\" in (match["authority"] or ""):
        raise UnusableTarget("the host cannot be read")
    host, port = _host_and_port(authority)
    port = port or _DEFAULT_PORTS[scheme]
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port != _DEFAULT_PORTS[scheme] else "")
    path = match["rest"] if match["rest"].startswith("/") else f"/{match['rest']}"
    written = f"{scheme}://{netloc}{path}"
    if _SAFE_PATH.fullmatch(path) and match["authority"] == netloc:
        return Target(text=written, host=host, port=port)
    try:
        url = httpx.URL(written)
    except httpx.InvalidURL:
        raise UnusableTarget("the address cannot be read") from None
    if url.raw_host.decode("ascii") != host or (url.port or _DEFAULT_PORTS[scheme]) != port:
        raise UnusableTarget("the host cannot be read")
    return Target(text=str(url), host=host, port=port)


def joined(base: Target, location: bytes) -> Target:
    """The target of a Location header met at `base`. Relative forms and raw UTF-8 are usual; Latin-1 is the fallback.

    Raises UnusableTarget as `target_of` does.
    """
    try:
        text = location.decode("utf-8")
    except UnicodeDecodeError:
        text = location.decode("latin-1")
    try:
        return target_of(urljoin(base.text, text.strip(" \t")))
    except UnusableTarget:
        raise
    except ValueError:  # urllib refuses, for instance, an unclosed bracket
        raise UnusableTarget("the address cannot be read") from None


def _host_and_port(authority: str) -> tuple[str, int]:
    if authority.startswith("["):
        literal, closed, after = authority[1:].partition("]")
        address = parse(literal)
        if not closed or address is None or (after and not after.startswith(":")):
            raise UnusableTarget("the host is not an IPv6 address")
        return str(address), _port(after[1:])
    name, _, port = authority.partition(":")
    return _ascii_host(name), _port(port)


def _port(text: str) -> int:
    if not text:
        return 0
    if not _PORT.fullmatch(text) or not 0 < int(text) < 65_536:
        raise UnusableTarget("the port cannot be read")
    return int(text)


def _ascii_host(name: str) -> str:
    host = name.lower()
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True, std3_rules=False).decode("ascii").lower()
        except (idna.IDNAError, UnicodeError):
            raise UnusableTarget("the host is not a valid international name") from None
    host = host.removesuffix(".")
    if not _HOST.fullmatch(host) or len(host) > 253:
        raise UnusableTarget("there is no usable host")
    if _ENDS_IN_NUMBER.fullmatch(host) and parse(host) is None:
        raise UnusableTarget("the host is a number that is no IPv4 address")
    return host
