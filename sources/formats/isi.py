"""The tagged export of Web of Science (ISI): two letters, a blank, a value; `ER` ends a record."""

import re
from collections.abc import Iterator
from pathlib import Path

from sources.core.entries import Item
from sources.formats.dates import dated, month_of
from sources.formats.description import Description
from sources.formats.format import Format, Head
from sources.formats.opened import lines_of
from sources.formats.people import author_of
from sources.formats.tagged import Tagged, records

_TAG = re.compile(r"([A-Z][A-Z0-9])(?: (.*))?$")
_TYPE = re.compile(r"^PT [A-Z]\w*[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"^(?:AU|TI|SO|UT|PY|SN|AF|CR|DI) \S", re.MULTILINE)
_OPENS = re.compile(r"[A-Z][A-Z0-9](?: |$)")
_OF_THE_FILE = frozenset({"FN", "VR", "EF"})
_KINDS = {"J": "article-journal", "B": "book", "S": "chapter", "P": "patent", "C": "paper-conference"}
_READ = frozenset([
    "PT", "AU", "AF", "BE", "ED", "TI", "SO", "JI", "J9", "PY", "PD", "VL", "IS", "BP", "EP", "PS", "AR", "DI", "D2",
    "PM", "SN", "EI", "BN", "AB", "DE", "ID", "LA", "PU", "UT"
])  # fmt: skip


def _recognises(head: Head) -> bool:
    return bool(_TYPE.search(head.text)) and len(_FIELD.findall(head.text)) > 1


def _split(text: str) -> tuple[str, str] | None:
    found = _TAG.match(text)
    return (found[1], (found[2] or "").strip()) if found else None


def _read(path: Path) -> Iterator[Item]:
    for record in records(lines_of(path), _split, opens="PT", closes="ER", between=_OF_THE_FILE):
        yield _item(record)


def _item(record: Tagged) -> Item:
    told = Description(line=record.line, ref=record.first("UT"), warnings=list(record.warnings))
    if not record.is_closed:
        told.warnings.append("The entry has no “ER” at its end; it was taken to end before the next one.")
    told.kind = _KINDS.get(record.first("PT")[:1], "")
    told.title = " ".join(record.first("TI").split())
    # One name a line; `AF` has them in full.
    names = (record.first("AF") or record.first("AU")).split("\n")
    told.authors = [author for name in names if (author := author_of(name))]
    told.editors = [author for name in record.first("BE", "ED").split("\n") if (author := author_of(name))]
    published = record.first("PD")
    told.date = dated(record.first("PY"), str(month_of(published) or ""), "".join(re.findall(r"\b\d{1,2}$", published)))
    told.container_title = record.first("SO", "JI", "J9")
    told.volume, told.issue = record.first("VL"), record.first("IS")
    told.pages = "–".join(filter(None, (record.first("BP"), record.first("EP")))) or record.first("PS", "AR")
    told.publisher, told.language = record.first("PU"), record.first("LA")
    told.abstract = record.first("AB")
    told.add_tags(*re.split(r";\s*", " ".join(f"{record.first('DE')}; {record.first('ID')}".split())))
    for value in record.all("DI", "D2"):
        told.ids.add_doi(value)
    told.ids.add_pmid(record.first("PM"))
    for value in record.all("BN"):
        told.ids.add_isbn(value)
    for value in record.all("SN", "EI"):
        told.ids.add_serial(value)
    for tag, value in record.others(_READ):
        told.keep(tag, value)
    return told.item()


def _count(path: Path) -> int:
    """`PT` lines, and entries behind an `ER` that have none."""
    entries, is_open = 0, False
    for line in lines_of(path):
        if line.text.startswith("PT ") or line.text == "PT":
            entries, is_open = entries + 1, True
        elif line.text.startswith("ER ") or line.text == "ER":
            is_open = False
        elif not is_open and _OPENS.match(line.text) and line.text[:2] not in _OF_THE_FILE:
            entries, is_open = entries + 1, True
    return entries


FORMAT = Format(name="isi", label="Web of Science (ISI)", recognises=_recognises, read=_read, count=_count)
