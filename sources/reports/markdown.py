"""Writing text into Markdown so that it stays text: titles and addresses come from strangers."""

import re
from datetime import UTC, datetime
from urllib.parse import quote

from sources.core.credentials import without_credentials

# An underscore between letters or digits means nothing (CommonMark 6.2), and in addresses there are many. An & counts
# where it begins an entity, a final # where it would close a heading.
_SPECIAL = re.compile(r"[\\`*\[\]<>|]|(?<!/)~|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|(?<=\s)#(?=#*$)|^#(?=#*$)")
# Nothing below changes any of this, and most titles and addresses are of it.
_AS_IT_IS = re.compile(r"[A-Za-z0-9,.:;/?=()'!+-]+(?: [A-Za-z0-9,.:;/?=()'!+-]+)*")
_SPACE = re.compile(r"\s+")
# Controls act on a terminal; marks that turn the direction of writing make `exe.jpg` of `gpj.exe`.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSAFE_IN_LINK = re.compile(r"[\s<>\\]")
_ENTITY = re.compile(r"&(?=#?\w+;)")
# CommonMark asks readers for three levels of parentheses and allows them to stop there.
_NESTED = 3


def plain(text: str) -> str:
    """`text` on one line, with Markdown's special characters escaped, without controls and passwords of addresses."""
    if _AS_IT_IS.fullmatch(text):
        return text
    words = _UNSEEN.sub("", _SPACE.sub(" ", without_credentials(text)))
    return _SPECIAL.sub(r"\\\g<0>", _SPACE.sub(" ", words).strip())


def link(text: str, url: str) -> str:
    """A Markdown link; without a usable http(s) address only the text."""
    if not url.startswith(("https://", "http://")):
        return plain(text)
    target = _UNSEEN.sub("", _UNSAFE_IN_LINK.sub(lambda found: quote(found.group()), without_credentials(url)))
    target = _ENTITY.sub("&amp;", target)
    return f"[{plain(text)}]({target})" if _closes(target) else f"[{plain(text)}](<{target}>)"


def moment(at: datetime) -> str:
    """A time as memo pipelines write it, in UTC: `2026-05-14 10:11:12`."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def _closes(target: str) -> bool:
    """True where every parenthesis has its partner, so that the last one of the link is found."""
    depth = 0
    for letter in target:
        depth += (letter == "(") - (letter == ")")
        if not 0 <= depth <= _NESTED:
            return False
    return depth == 0
