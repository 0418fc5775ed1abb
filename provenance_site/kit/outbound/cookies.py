"""The cookies of one redirect chain: some sites set one and redirect to the same URL until it comes back.

Kept only for the host that set them and only as long as the chain; no Domain, no Path, so nothing crosses hosts.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_MOST_COOKIES = 50
_LONGEST = 4096
# RFC 6265, 4.1.1, less strict: whatever is visible ASCII, so that no header can be broken open.
_PAIR = re.compile(r"[\x21-\x3a\x3c\x3e-\x7e]+=[\x20-\x3a\x3c-\x7e]*")


class ChainCookies:
    """Cookies by host. Not for more than one chain."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, tuple[str, bool]]] = {}

    def remember(self, host: str, set_cookie: str, *, now: datetime) -> None:
        """Takes one Set-Cookie header of an answer of `host`; a cookie that is already over is forgotten instead."""
        pair, *attributes = (part.strip() for part in set_cookie.split(";"))
        if not _PAIR.fullmatch(pair) or len(pair) > _LONGEST:
            return
        name, _, value = pair.partition("=")
        jar = self._kept.setdefault(host, {})
        named = {key.strip().lower(): text.strip() for key, _, text in (part.partition("=") for part in attributes)}
        if _is_over(named, now=now):
            jar.pop(name, None)
        elif name in jar or len(jar) < _MOST_COOKIES:
            jar[name] = (value, "secure" in named)

    def header(self, host: str, *, secure: bool) -> str:
        """The Cookie header for a request to `host`; '' where there is none. Secure cookies only go over https."""
        jar = self._kept.get(host, {})
        return "; ".join(f"{name}={value}" for name, (value, only_secure) in jar.items() if secure or not only_secure)


def _is_over(attributes: dict[str, str], *, now: datetime) -> bool:
    age = attributes.get("max-age", "")
    if re.fullmatch(r"-?[0-9]+", age):
        return age.startswith("-") or not age.strip("0")  # `int` refuses more than 4,300 digits
    try:
        expires = parsedate_to_datetime(attributes.get("expires", ""))
    except (ValueError, OverflowError):  # the latter for an offset from UTC of years
        return False
    return expires.replace(tzinfo=expires.tzinfo or UTC) <= now
