"""What in Markdown cites, links or marks: the kinds of constructs, and which of their addresses lead outside."""

import re
from dataclasses import dataclass
from enum import Enum, auto

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|www\.", re.ASCII)
_SCHEMES = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|www\.)+", re.ASCII | re.IGNORECASE)
_FIRST_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:/{0,2}|//|www\.)+", re.ASCII | re.IGNORECASE)
_NO_SOURCE = re.compile(r"(?:mailto|tel|sms):", re.IGNORECASE)


class Kind(Enum):
    """What a construct is."""

    CITATION = auto()  # [src-007], [src-007, src-012], [text](src-007) with the id as address
    UNREADABLE = auto()  # [see src-007, p. 3]
    MENTION = auto()  # src-007 without brackets
    NOTE = auto()  # [^1], [^deck]
    NUMBER = auto()  # [1], [1, 4-6] of a numbered list of references
    LINK = auto()  # [text](address), [text][label], <a href="address">text</a>
    ADDRESS = auto()  # https://…, www.…, <https://…>
    IMAGE = auto()  # ![text](address), ![text][label]
    MARKER = auto()  # <needs-source claim="…">
    ARTEFACT = auto()  # citeturn0search0, 【3†source】


@dataclass(slots=True)
class Construct:
    """`start` to `end` is the whole of it, `text_start` to `text_end` what stays when its markup goes. `target` is an
    address without Markdown's escapes, `label` a note's or definition's label, `ids` what a citation names.

    `title` is a link's title, or a marker's claim. `inside` where it stands in the text of a link.
    """

    kind: Kind
    start: int
    end: int
    text_start: int
    text_end: int
    target: str = ""
    label: str = ""
    ids: tuple[str, ...] = ()
    title: str = ""
    inside: bool = False


def is_outside_target(target: str) -> bool:
    """True for addresses of other places, False for those inside the document (`#part`, `file.md`) and for mail."""
    return bool(_SCHEME.match(target)) and not _NO_SOURCE.match(target)


def schemes_in(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where an address between two places says that it is one: its scheme, and those of addresses inside it."""
    first = _FIRST_SCHEME.match(text, start, end)
    at = first.end() if first else start
    inner = [found.span() for found in _SCHEMES.finditer(text, at, end) if not text[found.start() - 1].isalnum()]
    return [(start, at), *inner]
