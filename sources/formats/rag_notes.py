"""The two notes of a session that say what was retrieved, taken apart.

    [[rag: N chunks from STORE, top score S]]
    [[rag-source: SOURCE[:LINES] [(TITLE[, doi:DOI])]]]

Nothing in them is escaped, so they are read from their ends: the last `]]` of the line closes the note, the last
balanced parenthesis after a blank is the description, and a DOI or URL stands last in it. A path may hold colons and
parentheses, a title parentheses, commas and brackets.
"""

import re
from typing import Final

from sources.core.entries import Retrieval, RetrievedSource
from sources.core.lines import one_line

_RAG: Final = "[[rag:"
_SOURCE: Final = "[[rag-source:"
_SUMMARY = re.compile(
    r"([0-9]{1,9}) chunks? from (.*?)(?:, top score (-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|-?inf|nan))?",
    re.IGNORECASE | re.ASCII,
)
_LINES = re.compile(r"(|.*\S):([0-9]{1,9}(?:[–-][0-9]{1,9})?)", re.ASCII | re.DOTALL)
_ONLY_HOST = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE | re.ASCII)
_LOCATOR = re.compile(r"(?:.*, )?(doi:\s*\S+|https?://\S+)", re.IGNORECASE | re.DOTALL)
_NEXT = re.compile(r"\]\]\s*(?=\[\[rag(?:-source)?:)", re.IGNORECASE)


class BadNote(ValueError):
    """A note that is not of its form; the message says what is wrong and how it reads."""


def is_rag_note(line: str) -> bool:
    """Whether a line begins with one of the two notes."""
    return line.lstrip()[:13].lower().startswith((_RAG, _SOURCE))


def notes_of(line: str) -> list[str]:
    """The notes of a line, one by one: a program may have put several in it. Raises `BadNote` where the last one is
    not closed."""
    told = line.strip()
    if not told.endswith("]]"):
        raise BadNote("The note is not closed. End it with ]].")
    parts = _NEXT.split(told[:-2])
    return [part + "]]" for part in parts]


def read_note(note: str) -> Retrieval | RetrievedSource:
    """What one note says: a retrieval without sources, or one source. Raises `BadNote`.

    `lines` are written with an en dash, whatever dash they had. `locator` is a URL as written, or a DOI without `doi:`.
    """
    if note.lower().startswith(_RAG):
        return _summary(one_line(note[len(_RAG) : -2]))
    return _source(one_line(note[len(_SOURCE) : -2]))


def _summary(told: str) -> Retrieval:
    found = _SUMMARY.fullmatch(told)
    if not found or not found[2].strip():
        raise BadNote("The note is not understood. It reads [[rag: 3 chunks from STORE, top score 0.87]].")
    score = float(found[3]) if found[3] and found[3][-1].isdigit() else None
    return Retrieval(store=found[2].strip(), chunk_count=int(found[1]), top_score=score)


def _source(told: str) -> RetrievedSource:
    place, description = _apart(told)
    source, lines = place, ""
    found = _LINES.fullmatch(place)
    # The digits after a bare host are its port.
    if found and not _ONLY_HOST.fullmatch(place):
        source, lines = found[1], found[2].replace("-", "–")
    located = _LOCATOR.fullmatch(description)
    locator = located[1] if located else ""
    title = description[: len(description) - len(locator)].removesuffix(", ") if locator else description
    if not source and not description:
        raise BadNote("The note names nothing. It reads [[rag-source: PATH:12–30 (TITLE, doi:DOI)]].")
    if locator[:4].lower() == "doi:":
        locator = locator[4:].strip()
    return RetrievedSource(source=source, lines=lines, title=title.strip(), locator=locator)


def _apart(told: str) -> tuple[str, str]:
    """What stands before the description, and the description without its parentheses ('' where there is none)."""
    if not told.endswith(")"):
        return told, ""
    depth = 0
    for at in range(len(told) - 1, -1, -1):
        depth += (told[at] == ")") - (told[at] == "(")
        if depth == 0:
            if at == 0 or told[at - 1] == " ":
                return told[:at].strip(), told[at + 1 : -1].strip()
            break
    # Not balanced, or no blank before it: the first opening after a blank is the only other sign.
    at = 0 if told.startswith("(") else told.find(" (") + 1
    if told.startswith("(") or at:
        return told[:at].strip(), told[at + 1 : -1].strip()
    return told, ""
