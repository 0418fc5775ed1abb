"""The reports that RePEc mails on new papers (NEP): a number and a title, then `Date:`, `By:`, `URL:` and the abstract.

The order of the fields has changed over the years; their names have not.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sources.core.entries import Item
from sources.formats.dates import date_of
from sources.formats.description import Description
from sources.formats.format import Format, Head
from sources.formats.opened import Line, lines_of
from sources.formats.people import author_in_order

_NUMBERED = re.compile(r"[ \t]{0,6}\d{1,4}\.[ \t]+(\S.*)")
_FIELD = re.compile(r"[ \t]{0,6}(Date|By|URL|Keywords|JEL|Abstract)[ \t]?:[ \t]*(.*)")
_OPENING = frozenset({"Date", "By", "URL"})
_OWN = re.compile(r"^[ \t]{0,6}URL[ \t]?:[ \t]*https?://d\.repec\.org/n\?u=RePEc:", re.MULTILINE | re.IGNORECASE)
_BY = re.compile(r"^[ \t]{0,6}By[ \t]?:", re.MULTILINE)
_ADDRESS = re.compile(r"(https?://d\.repec\.org/n\?u=(RePEc:[^&\s]+))", re.IGNORECASE)
_AFFILIATION = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\(.*$")
_LONGEST_TITLE = 6  # lines
_LONGEST_TEXT = 2_000  # lines


@dataclass(slots=True)
class _Entry:
    """One paper: its title in lines, those lines as they were written, and its fields in lines, by name."""

    line: int
    title: list[str]
    written: list[str]
    fields: dict[str, list[str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    name: str = ""

    def add(self, lines: list[str], *, name: str = "") -> None:
        """Adds lines to the field `name`, without one to the last field, as long as it is no longer than any abstract.
        An address has one line: what stands behind it without a name is the abstract."""
        self.name = name or ("Abstract" if self.name == "URL" else self.name)
        told = self.fields.setdefault(self.name, [])
        told += lines[: max(0, _LONGEST_TEXT - len(told))]


def _recognises(head: Head) -> bool:
    return bool(_OWN.search(head.text) and _BY.search(head.text))


def _read(path: Path) -> Iterator[Item]:
    for entry in _entries(lines_of(path)):
        yield _item(entry)


def _entries(lines: Iterator[Line]) -> Iterator[_Entry]:
    """A numbered title is an entry where a field follows it before a blank line. In the contents at the beginning none
    does; what looks so amid an entry is part of its abstract."""
    titled: _Entry | None = None
    entry: _Entry | None = None
    after_blank = True
    for line in lines:
        text = line.text.strip()
        found = _FIELD.match(line.text)
        numbered = _NUMBERED.match(line.text) if after_blank or titled else None
        after_blank = not text
        if titled and found and found[1] in _OPENING:
            if entry:
                yield entry
            entry, titled = titled, None
        elif titled and (not text or found or numbered):
            if entry:
                entry.add(titled.written)
            titled = None
        if numbered:
            titled = _Entry(line.number, [numbered[1].strip()], [text])
        elif titled:
            titled.title += [text] if len(titled.title) < _LONGEST_TITLE else []
            titled.written += [text] if len(titled.written) < _LONGEST_TEXT else []
        elif entry and text:
            entry.add([found[2].strip() if found else text], name=found[1] if found else "")
        if entry and line.repaired and len(entry.warnings) < 3:
            entry.warnings.append(line.repaired)
    if entry:
        entry.add(titled.written if titled else [])
        yield entry


def _item(entry: _Entry) -> Item:
    told = Description(line=entry.line, title=" ".join(entry.title), warnings=entry.warnings, kind="report")
    names = (_AFFILIATION.sub("", name) for name in entry.fields.get("By", []))
    told.authors = [author for name in names if (author := author_in_order(name))]
    told.date = date_of(" ".join(entry.fields.get("Date", [])).replace("–", "-"))
    told.abstract = "\n".join(entry.fields.get("Abstract", []))
    told.add_tags(*" ".join(entry.fields.get("Keywords", [])).split(","))
    for address in entry.fields.get("URL", []):
        if found := _ADDRESS.match(address):
            # Behind it stands for which report the mail was made; the paper is the same in all of them.
            told.add_url(found[1])
            told.ref = found[2]
        told.add_url(address)
    told.keep("JEL", " ".join(entry.fields.get("JEL", [])))
    return told.item()


def _count(path: Path) -> int:
    """Numbered lines that a line `Date:`, `By:` or `URL:` follows before the next blank one."""
    entries, is_titled, after_blank = 0, False, True
    for line in lines_of(path):
        number, stop, rest = line.text.strip().partition(".")
        if not line.text.strip():
            is_titled, after_blank = False, True
            continue
        if number.isascii() and number.isdigit() and stop and rest[:1] in (" ", "\t") and (after_blank or is_titled):
            is_titled = True
        elif is_titled and line.text.lstrip().startswith(("Date:", "By:", "URL:", "Date :", "By :", "URL :")):
            entries, is_titled = entries + 1, False
        after_blank = False
    return entries


FORMAT = Format(name="nep", label="RePEc report (NEP mail)", recognises=_recognises, read=_read, count=_count)
