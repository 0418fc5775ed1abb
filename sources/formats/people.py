"""Names of people and organisations, from one line each."""

import re

from sources.core.entries import Author
from sources.core.lines import one_line

_ORCID = re.compile(r"(?<![0-9])([0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx])(?![0-9])", re.ASCII)
_SUFFIX = re.compile(r"(?:jr|sr|[ivx]{1,4})\.?", re.IGNORECASE)
_INITIALS = re.compile(r"[A-Z]{1,4}")
_LONGEST = 500
MOST = 5_000
"""More authors than any work has: the largest collaborations name about 5,000."""


def author_of(text: str, *, orcid: str = "") -> Author | None:
    """`Family, Given` or `Family, Jr, Given` split at the comma; else the name stands whole. None where empty."""
    name = one_line(text[:_LONGEST]).strip(" ,;")
    if not name:
        return None
    family, comma, given = name.partition(",")
    parts = [part.strip() for part in given.split(",") if part.strip()]
    if len(parts) == 2 and _SUFFIX.fullmatch(parts[0]):
        parts.reverse()
    if not comma or not parts:
        return Author(family=name.rstrip(","), orcid=orcid_of(orcid))
    return Author(family=family.strip(), given=", ".join(parts), orcid=orcid_of(orcid))


def author_in_order(text: str) -> Author | None:
    """`Given Family` split before the last word; a name with a comma by that, one word stands whole."""
    name = one_line(text[:_LONGEST]).strip(" ;")
    if "," in name or " " not in name:
        return author_of(name)
    given, _, family = name.rpartition(" ")
    return Author(family=family, given=given)


def author_with_initials(text: str) -> Author | None:
    """`Family AB` of MEDLINE: initials behind the name are split off."""
    name = one_line(text[:_LONGEST]).strip(" ,;")
    family, _, initials = name.rpartition(" ")
    if family and _INITIALS.fullmatch(initials):
        return Author(family=family, given=initials)
    return author_of(name)


def orcid_of(text: str) -> str:
    """The ORCID iD in `text` as `0000-0000-0000-0000`, '' where there is none or its check digit is wrong
    (ISO 7064 11,2)."""
    found = _ORCID.search(text)
    if not found:
        return ""
    digits = found[1].replace("-", "").upper()
    total = 0
    for digit in digits[:15]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return found[1].upper() if digits[15] == ("X" if check == 10 else str(check)) else ""
