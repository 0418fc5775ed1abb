"""Text of strangers as clean text, before a format escapes it: without controls, hidden marks and passwords."""

import re
from datetime import UTC, date, datetime
from urllib.parse import quote

from sources.core.credentials import without_credentials

# Controls act on a terminal; marks that turn the direction of writing make `exe.jpg` of `gpj.exe`; U+FFFE and U+FFFF
# are no characters, and YAML and XML refuse them. Half a surrogate pair cannot be written as UTF-8.
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_LONE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[\s\x1c-\x1f\x85]+")
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_UNSAFE_IN_ADDRESS = re.compile(r"[\s<>\\{}\"^`|]")
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?", re.ASCII)


def line(text: str) -> str:
    """`text` on one line with single blanks."""
    if not text:
        return ""
    if text.isprintable() and "  " not in text:
        return without_credentials(text).strip()
    words = _UNSEEN.sub("", _SPACE.sub(" ", _LONE.sub("\ufffd", text)))
    return without_credentials(_SPACE.sub(" ", words).strip())


def paragraphs(text: str) -> str:
    """`text` with its line ends, each as a line feed."""
    if text.isprintable():
        return without_credentials(text)
    return without_credentials(_UNSEEN.sub("", _LINE_END.sub("\n", _LONE.sub("\ufffd", text))))


def address(url: str) -> str:
    """An address with nothing in it that ends or opens something in another format: such characters are
    percent-encoded, which every server reads as the same address."""
    return _UNSAFE_IN_ADDRESS.sub(lambda found: quote(found[0]), line(url))


def date_parts(text: str) -> tuple[int, ...]:
    """(2024, 4, 25), (2024, 4) or (2024,) of `YYYY[-MM[-DD]]`; () for everything else."""
    found = _DATE.fullmatch(text)
    return tuple(int(part) for part in found.groups() if part) if found else ()


def day_of(at: datetime | None) -> date | None:
    """The day in UTC."""
    return at.astimezone(UTC).date() if at else None


def iso_moment(at: datetime | None) -> str:
    """`2026-05-14T10:11:12Z`, '' for None."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if at else ""
