"""How Harvey's knowledge base spells what it holds: an identifier pair, one text for all authors, dates."""

import re
from typing import Final

from sources.core.entries import Author
from sources.core.identifiers import identify
from sources.core.lines import one_line
from sources.core.records import Identity

_PREFIXES: Final = {
    "doi": "doi:",
    "isbn": "ISBN ",
    "issn": "ISSN ",
    "arxiv": "arXiv:",
    "pmid": "PMID:",
    "handle": "hdl:",
}
# The longest list of authors known has some 5,000 names; a made-up one must not become millions of objects.
_LONGEST_AUTHORS = 500_000
DATE = re.compile(r"(?:1[0-9]|20)[0-9]{2}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?", re.ASCII)
"""A year, a month or a day."""


def identity_from(kind: str, value: str) -> Identity:
    """The identity of an identifier pair. The value may carry a prefix or be an address, whatever the kind says; an
    unknown kind is told by the value alone. Raises BadIdentifier or UnusableUrl."""
    bare = one_line(value)
    prefix = _PREFIXES.get(kind.lower(), "")
    if not prefix or re.match(r"[a-z]+\s*:", bare, re.IGNORECASE) or bare.upper().startswith(prefix.strip().upper()):
        return identify(bare)
    return identify(prefix + bare)


def authors_from(text: str) -> tuple[Author, ...]:
    """The authors of Harvey's one free text field, each whole in `family` unless written `Family, Given`."""
    told = one_line(text)[:_LONGEST_AUTHORS]
    if ";" in told:
        names = told.split(";")
    elif told.count(",") == 1 and " " not in told.partition(",")[0]:
        names = [told]
    else:
        parts = [part.strip() for part in told.split(",")]
        names = parts if all(" " in part and len(part.split()[0].rstrip(".")) > 1 for part in parts) else [told]
    split_once = ";" in told or len(names) == 1
    return tuple(_author(name.strip(), split_once) for name in names if name.strip())


def authors_text(authors: tuple[Author, ...]) -> str:
    """The authors as one text that `authors_from` reads again."""
    return "; ".join(str(author) for author in authors)


def _author(name: str, may_be_inverted: bool) -> Author:
    if may_be_inverted and name.count(",") == 1:
        family, _, given = (part.strip() for part in name.partition(","))
        if family and given:
            return Author(family=family, given=given)
    return Author(family=name)
