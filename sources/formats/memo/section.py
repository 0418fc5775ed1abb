"""A section of a memo (`2-sections/*.md`): its numbered citation definitions and where the text uses them."""

import re
from collections.abc import Iterator

from sources.core import extract
from sources.core.catalog import CitationStatus
from sources.core.entries import Item, SourceRecord
from sources.core.extraction.definitions import read_definition
from sources.core.extraction.gathering import row_error
from sources.core.extraction.wording import sentence_around
from sources.formats import drafts
from sources.formats.naming import identities_of

_DEFINITION = re.compile(r" {0,3}\[\^([^\[\]\s]{1,100})\]:[ \t]*(.*)")
_USE = re.compile(r"\[\^([^\[\]\s]{1,100})\](?!:)")
_NAMELESS = "The definition names no source. Write its title and address behind the number, or delete it."
_CONTINUES = re.compile(r"(?: {2,}|\t)\S")


def read_text(text: str, *, section: str = "", version: str = "", file: str = "") -> Iterator[Item]:
    """One record for each numbered definition: included where the text uses its number, else valid but not cited.

    Named ids (`[^deck]`) are documents of the firm: neither records nor errors. A number that nothing defines, and one
    that is defined again, is a `RowError`. Links outside the definitions are read as a draft's.
    """
    lines = extract.lines_of(text)
    defined: dict[str, tuple[int, str]] = {}
    rest = list(lines)
    for at, line in enumerate(lines):
        found = _DEFINITION.match(line)
        if found:
            parts = [found[2]]
            rest[at] = ""
            following = at + 1
            while following < len(lines) and _CONTINUES.match(lines[following]):
                parts.append(lines[following])
                rest[following] = ""
                following += 1
            first, _ = defined.setdefault(found[1], (at + 1, " ".join(parts)))
            if first != at + 1 and found[1].isdecimal():
                message = f"[^{found[1]}] is defined in line {first} already. Give this one a number of its own."
                yield row_error(at + 1, line, message)
    uses = _uses(rest)
    details = (("file", file),) if file else ()
    for label, (number, body) in defined.items():
        if label.isdecimal():
            context = uses.get(label, (0, ""))[1]
            yield _record(number, label, body, context=context, section=section, version=version, details=details)
    for label, (number, _) in uses.items():
        if label.isdecimal() and label not in defined:
            message = f"The text cites [^{label}], which no definition explains. Add one, or delete the mark."
            yield row_error(number, f"[^{label}]", message)
    yield from _links(rest, section=section, version=version, details=details)


def internal_labels(text: str) -> list[str]:
    """The named ids that a section cites or defines, as written, each once: documents that only the firm has."""
    labels = dict.fromkeys(found[1] for found in re.finditer(r"\[\^([^\[\]\s]{1,100})\]", text))
    return [f"[^{label}]" for label in labels if not label.isdecimal()]


def _record(
    line: int, label: str, body: str, *, context: str, section: str, version: str, details: tuple[tuple[str, str], ...]
) -> Item:
    told = read_definition(body)
    identities, warnings = identities_of([told.address])
    if not identities and not told.title:
        return row_error(line, f"[^{label}]: {body}", warnings[0] if warnings else _NAMELESS)
    return SourceRecord(
        line=line,
        spelling=(told.address or told.title)[:200],
        ref=label,
        identities=identities,
        title=told.title[:300],
        publisher=told.publisher[:300],
        published_date=told.published_date,
        section=section,
        project_version=version,
        status=CitationStatus.INCLUDED if context else CitationStatus.VALID_NOT_CITED,
        context=context,
        details=details,
        warnings=warnings,
    )


def _uses(lines: list[str]) -> dict[str, tuple[int, str]]:
    """The first use of each label: its line and sentence."""
    uses: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines, 1):
        for found in _USE.finditer(line):
            if found[1] not in uses:
                uses[found[1]] = (number, sentence_around(line, found.start(), found.end()) or found[0])
    return uses


def _links(lines: list[str], *, section: str, version: str, details: tuple[tuple[str, str], ...]) -> Iterator[Item]:
    text = "\n".join(lines)
    if "](" not in text and "://" not in text:
        return
    for item in drafts.read_text(text):
        if isinstance(item, SourceRecord):
            yield drafts.placed(item, section=section, version=version, details=details)
        else:
            yield item
