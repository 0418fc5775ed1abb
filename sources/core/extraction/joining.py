"""The lines of one entry put together again: words, DOIs and addresses that a line end has broken."""

import re
from collections.abc import Iterable

_IN_PROGRESS = re.compile(r"(?:https?://|10\.\d{4,9}(?:/|$)|doi[:.]?$)\S*$", re.IGNORECASE)
_GOES_ON_AFTER = ("/", "-", ".", "_", "=", "(", "%", "&", "?", "~")
_GOES_ON_WITH = ("/", ".", "_", "-", "=", "%", "&", "?")
# What continues an address holds a digit, a slash or a dot inside; the next sentence begins with a plain word.
_CONTINUES = re.compile(r"(?=\S*[\d/])[\w().;:/%=&?#<>~+-]+|[a-z]+(?:[._-][\w.-]+)+")
_ALONE = re.compile(r"(?=\S*\d)(?=\S*[^\d\s])[\w().;/-]{3,60}")
_BROKEN_WORD = re.compile(r"(?<![^\W\d_][-])\b[^\W\d_]{2,}[-\u00ad]$")
_COMPOUND = re.compile(
    r"\b(?:two|three|four|self|non|cross|well|long|short|high|low|large|small|open|post|pre)-$", re.IGNORECASE
)
# A blank that a line end has left inside: `10.1000/ j.abc.1`, `https://doi. org/10.1000/1`, `https:// doi.org/…`.
_AFTER_PREFIX = re.compile(r"(10\.\d{4,9}/)[ \t]+(?=[A-Za-z(]{0,20}[\w.()-]*\d)")
_IN_RESOLVER = re.compile(
    r"\b(https?:)[ \t]?//[ \t]?((?:dx\.)?doi)[ \t]?\.[ \t]?org[ \t]?/[ \t]?(?=10\.)", re.IGNORECASE
)


def joined(lines: Iterable[str]) -> tuple[str, bool]:
    """The lines as one text with single blanks, and whether an address or DOI was mended. Linear.

    A word broken by a hyphen is whole again where it goes on in lower case; inside an address the hyphen stays. An
    address goes on where its line ends in a character that ends no address (`/`, `-`, `_`, `.` before a piece with a
    digit), or where the next line begins with one.
    """
    parts: list[str] = []
    mended = False
    last = ""
    for line in lines:
        text = " ".join(line.split())
        if not text:
            continue
        if last and _breaks_address(last, text):
            parts.append(text)
            mended = True
        elif last and _BROKEN_WORD.search(last[-80:]) and text[0].islower():
            if not _COMPOUND.search(last[-20:]):
                parts[-1] = parts[-1][:-1]
            parts.append(text)
        else:
            parts.append(f" {text}" if parts else text)
        last = text
    whole = "".join(parts)
    closed = _AFTER_PREFIX.sub(r"\1", _IN_RESOLVER.sub(r"\1//\2.org/", whole))
    return closed, mended or closed != whole


def goes_on(above: str, below: str) -> bool:
    """True where `below` can only be the rest of the line above it: of a broken address, or without a word in it."""
    text = " ".join(below.split())
    return _breaks_address(" ".join(above.split()), text) or not any(letter.isalpha() for letter in text)


def _breaks_address(above: str, below: str) -> bool:
    tail = above[-2_000:].rpartition(" ")[2]
    if not _IN_PROGRESS.search(tail):
        return False
    head = below[:2_000].partition(" ")[0]
    if tail.endswith(_GOES_ON_AFTER):
        return bool(_CONTINUES.match(head)) and not head.lower().startswith(("http", "doi", "pmid", "isbn"))
    if head.startswith(_GOES_ON_WITH) and len(head) > 1:
        return head[1].isalnum()
    year = head.strip("().,").isdecimal() and len(head.strip("().,")) == 4
    return head == below and not year and "/" in tail.partition("10.")[2] and bool(_ALONE.fullmatch(head))
