"""Web addresses in two forms that are never mixed: what is requested, and what is the same page.

The *request URL* is what the user gave, made legal and nothing more: no parameter is moved, no letter's case changed.
The *canonical URL* is an identity: two spellings of one page have one. It is compared and shown, not fetched.
Sources: RFC 3986 (syntax, 6.2.2 normalisation), UTS 46 (hosts); none of four measured libraries is safe as both forms.
"""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote

from sources.core.credentials import holds_credentials, without_credentials
from sources.core.hosts import UnusableHost, legal_host
from sources.core.trackers import is_tracker

__all__ = [
    "MAX_LENGTH",
    "UnusableUrl",
    "WebAddress",
    "canonical_url",
    "parse_request",
    "parse_url",
    "request_url",
    "without_credentials",
]

MAX_LENGTH = 8_000

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
# Controls, line and paragraph separators, and halves of surrogate pairs: nothing a person typed into an address.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_INVISIBLE_ENDS = " \t\r\n\f\v\u00a0\u200b\u200e\u200f\u2060\ufeff"
_PORT = re.compile(r"[0-9]{1,8}", re.ASCII)
_ILLEGAL = re.compile(r"%(?![0-9A-Fa-f]{2})|[^%A-Za-z0-9._~!$&'()*+,;=:@/-]+", re.ASCII)
_ILLEGAL_AFTER_PATH = re.compile(r"%(?![0-9A-Fa-f]{2})|[^%A-Za-z0-9._~!$&'()*+,;=:@/?-]+", re.ASCII)
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+", re.ASCII)
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_EMBEDDED = re.compile(r"/(?:https?|ftp):/", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}

_PROGRAM_CODE = frozenset({"javascript", "vbscript", "data", "blob", "about"})
_MAIL = frozenset({"mailto", "tel", "sms"})


class UnusableUrl(ValueError):
    """The text is no address that can be requested; the message says why and what to do, without any password."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An http(s) address taken apart once. `host` and escapes are legal; `path` begins with `/`; `query` and `fragment`
    are None where their mark is missing; `port` is None where none is written. Userinfo is gone."""

    scheme: str
    host: str
    port: int | None
    path: str
    query: str | None
    fragment: str | None

    @property
    def request(self) -> str:
        """The address to send. No fragment: it never leaves a browser either."""
        port = "" if self.port is None else f":{self.port}"
        query = "" if self.query is None else f"?{self.query}"
        return f"{self.scheme}://{self.host}{port}{self.path}{query}"

    @property
    def canonical(self) -> str:
        """The identity: see `canonical_url`."""
        port = "" if self.port in (None, _DEFAULT_PORTS[self.scheme], 443) else f":{self.port}"
        path = _normal(self.path)
        if _EMBEDDED.search(path):
            query = _normal(self.query or "")
        else:
            path = _without_dot_segments(path).rstrip("/") or "/"
            query = _ordered(self.query or "")
        fragment = self.fragment or ""
        kept = f"#{_normal(fragment)}" if fragment.startswith(("!", "/")) else ""
        return f"https://{_without_www(self.host)}{port}{path}{'?' if query else ''}{query}{kept}"


def parse_url(text: str) -> WebAddress:
    """Takes an address apart, in one way only.

    What is illegal in path, query and fragment is percent-encoded. Raises UnusableUrl for schemes other than http and
    https, missing or doubtful hosts (see `hosts.legal_host`), a backslash before the path, control characters, bad
    ports, and a second address inside that carries a password. Any length.
    """
    text = text.strip(_INVISIBLE_ENDS)
    control = _CONTROL.search(text)
    if control:
        code = f"U+{ord(control[0]):04X}"
        raise UnusableUrl(f"The address holds a control character ({code}). Delete it, or copy the address again.")
    scheme, rest = _after_scheme(text)
    end = next((at for at, char in enumerate(rest) if char in "/?#"), len(rest))
    authority, tail = rest[:end], rest[end:]
    if "\\" in authority:
        raise UnusableUrl("The address has a backslash before its path. Write / instead.")
    host, port = _host_and_port(authority.rpartition("@")[2])
    if host in ("http", "https") and tail.startswith("//"):
        raise UnusableUrl("The address begins twice with http. Delete the first one.")
    if holds_credentials(tail):
        raise UnusableUrl("Another address with a password stands inside this one. Delete the user name and password.")
    tail, mark, fragment = tail.partition("#")
    path, question, query = tail.partition("?")
    return WebAddress(
        scheme=scheme,
        host=host,
        port=port,
        path=_legal(path, _ILLEGAL) or "/",
        query=_legal(query, _ILLEGAL_AFTER_PATH) if question else None,
        fragment=_legal(fragment, _ILLEGAL_AFTER_PATH) if mark else None,
    )


def parse_request(text: str) -> WebAddress:
    """`parse_url`, for addresses to fetch: at most 8,000 characters, as written and as sent. Raises UnusableUrl."""
    if len(text) > MAX_LENGTH:
        raise _too_long(len(text))
    address = parse_url(text)
    if len(address.request) > MAX_LENGTH:
        raise _too_long(len(address.request))
    return address


def request_url(text: str) -> str:
    """The address to fetch: the user's bytes, made legal (RFC 3986 6.2.2; IDNA, UTS 46 for the host).

    Lower-cased are scheme and host only; percent-encoded is only what is illegal; userinfo and fragment are removed.
    At most 8,000 characters, as written and as sent. Twice is the same as once. Raises UnusableUrl.
    """
    return parse_request(text).request


def canonical_url(url: str) -> str:
    """The identity of a page, the same for every spelling of its address.

    https for http; `www.`, default ports, dot segments, the final slash (a root keeps `/`) and the fragment (other than
    `#!…` and `#/…`, which name a page) dropped; parameters sorted by name, equal names left in their order; trackers
    dropped (`trackers.is_tracker`); escapes in capitals, those of unreserved characters decoded, Unicode in NFC.
    Path and query of an address that holds another (`…/web/2020/http://…`) are left as they are. `//`, `;`, `%2F`, `+`
    and the case of path and query are never touched. Twice is the same as once. Raises UnusableUrl.
    """
    return parse_url(url).canonical


def identity_form(url: str) -> str:
    """`canonical_url(url)`, or '' where `url` cannot be used: for comparing addresses that strangers gave."""
    try:
        return canonical_url(url)
    except UnusableUrl:
        return ""


def _too_long(length: int) -> UnusableUrl:
    return UnusableUrl(
        f"The address is {length:,} characters long; at most {MAX_LENGTH:,} are taken. "
        "Use a shorter link to the same page, such as its permalink or DOI."
    )


def _after_scheme(text: str) -> tuple[str, str]:
    found = _SCHEME.match(text)
    if not text:
        raise UnusableUrl("There is no address here. Paste the whole address, from https:// on.")
    if not found:
        raise UnusableUrl("This is not a whole web address. Write it from https:// on.")
    scheme, rest = found[1].lower(), text[found.end() :]
    if scheme not in _DEFAULT_PORTS:
        raise UnusableUrl(_wrong_scheme(scheme))
    if not rest.startswith("//"):
        raise UnusableUrl(f"“{scheme}:” is not followed by two slashes and a host. Write it as {scheme}://host/path.")
    return scheme, rest[2:]


def _wrong_scheme(scheme: str) -> str:
    name = scheme if len(scheme) <= 20 else scheme[:19] + "…"
    if scheme in _PROGRAM_CODE:
        reason = "is content for a browser, not the address of a page. Delete it, or give"
    elif scheme == "file" or len(scheme) == 1:
        reason = "points into one computer, where nobody else can read it. Give"
    elif scheme in _MAIL:
        reason = "reaches a person, not a source. Delete it, or give"
    else:
        reason = "addresses are not fetched; only http:// and https:// are. Give"
    return f"“{name}:” {reason} the page's https:// address."


def _host_and_port(text: str) -> tuple[str, int | None]:
    if text.startswith("["):
        host, bracket, after = text.partition("]")
        host += bracket
    else:
        host, colon, number = text.partition(":")
        after = colon + number
    port = after.removeprefix(":")
    # The text of a bad port is not repeated: it may be the password of `http://user:pass/word@host`.
    if after and (not after.startswith(":") or (port and not _PORT.fullmatch(port))):
        raise UnusableUrl("What stands after the host is not a port number. Correct it, or copy the address again.")
    if port and not 0 < int(port) < 65_536:
        raise UnusableUrl(f"There is no port {int(port)}. Ports are 1 to 65535; most addresses need none.")
    try:
        return legal_host(host), int(port) if port else None
    except UnusableHost as error:
        raise UnusableUrl(str(error)) from None


def _legal(text: str, illegal: re.Pattern[str]) -> str:
    return illegal.sub(lambda found: _encoded(found[0]), text)


def _encoded(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape"))


def _normal(text: str) -> str:
    """Escapes in capitals, those of unreserved characters decoded, the Unicode under the others in NFC. Bytes that are
    not UTF-8 (`%F6`) pass through as they are."""
    if "%" not in text:
        return text
    decoded = _ESCAPES.sub(_loosened, text)
    if not decoded.isascii():
        decoded = unicodedata.normalize("NFC", decoded)
    return _legal(decoded, _ILLEGAL_AFTER_PATH)


def _loosened(found: re.Match[str]) -> str:
    parts: list[str] = []
    high = bytearray()
    for byte in bytes.fromhex(found[0].replace("%", "")):
        if byte >= 0x80:
            high.append(byte)
            continue
        if high:
            parts.append(high.decode("utf-8", "surrogateescape"))
            high.clear()
        parts.append(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}")
    if high:
        parts.append(high.decode("utf-8", "surrogateescape"))
    return "".join(parts)


def _without_www(host: str) -> str:
    while host.startswith("www.") and "." in host[4:]:
        host = host[4:]
    return host


def _without_dot_segments(path: str) -> str:
    """RFC 3986 5.2.4 on a path that begins with `/`."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _ordered(query: str) -> str:
    parameters: list[tuple[str, str]] = []
    for parameter in query.split("&"):
        name, equals, value = parameter.partition("=")
        name, value = _normal(name), _normal(value)
        if parameter and not is_tracker(unquote(name), value):
            parameters.append((name, f"{name}{equals}{value}"))
    return "&".join(whole for _, whole in sorted(parameters, key=lambda pair: pair[0]))
