"""User names and passwords inside addresses: found and taken out, whatever the text around them."""

import re
from urllib.parse import unquote

MASK = "***"

# `//user:password@` up to the last @ before the path. A run never crosses its own stop characters, so that every
# character is read a bounded number of times; quotes and angle brackets stop it, since HTML puts them after a host.
_USERINFO = re.compile(r"(?<=:)//[^\s/?#<>\"]*@")
# The same percent-encoded, once or more often, as in `?url=https%3A%2F%2Fuser%3Apassword%40host`.
_ENCODED = re.compile(
    r"(?<=3A)(%(?:25)*2F%(?:25)*2F)(?:(?:[^\s/?#@%<>\"]|%(?!(?:25)*(?:2F|3F|23|40)))*(%(?:25)*40))+", re.IGNORECASE
)
# A password with an unescaped / ? # or quote: what follows `//user:` is then no port, and an @ comes later in the word.
_BROKEN = re.compile(r"(?<=:)//[^\s/?#@:\[\]<>\"]+:(?![0-9]{0,5}(?:[/?#\s<>\"'()\[\]*]|$))")
_WORD = re.compile(r"\S+")
_INSIDE = re.compile(r"//(?:\*\*\*\\*|[^/?#\s]*:[^/?#\s]*)@")


def without_credentials(text: str) -> str:
    """`text` with the userinfo of every address in it replaced by `***`, for display and storage.

    Reaches percent-encoded addresses too. Twice is the same as once; line ends stay where they are. Linear. Text
    without an @ comes back unchanged.
    """
    if "@" not in text and "40" not in text:
        return text
    masked = _USERINFO.sub(_masked, text)
    masked = _ENCODED.sub(rf"\1{MASK}\2", masked)
    return _WORD.sub(_mend, masked) if _BROKEN.search(masked) else masked


def holds_credentials(text: str) -> bool:
    """True where an address with a password, or with one already masked, stands in `text`, plain or percent-encoded."""
    if "@" not in text and "%" not in text:
        return False
    once = unquote(text)
    return any(_INSIDE.search(form) for form in (text, once, unquote(once)))


def _masked(found: re.Match[str]) -> str:
    # A backslash makes the host doubtful (browsers read it as a slash). It stays, so that the address is refused;
    # twice, because Markdown takes one away before punctuation.
    doubt = "\\\\" if "\\" in found[0] else ""
    return f"//{MASK}{doubt}@"


def _mend(found: re.Match[str]) -> str:
    word = found[0]
    broken = _BROKEN.search(word)
    last = word.rfind("@")
    if not broken or last < broken.end():
        return word
    return f"{word[: broken.start()]}//{MASK}{word[last:]}"
