"""Biblioscape's tagged export: `--TI-- value`, a line of hyphens ends an entry."""

import re
from collections.abc import Iterator
from pathlib import Path

from sources.core.entries import Item
from sources.formats.dates import date_of
from sources.formats.description import Description
from sources.formats.format import Format, Head
from sources.formats.opened import lines_of
from sources.formats.people import author_of
from sources.formats.tagged import Tagged, records

_TAG = re.compile(r"--([A-Z][A-Z0-9])--(?:[ \t](.*))?$")
_KINDS = {"journal article": "article-journal", "article": "article-journal", "book": "book", "book section": "chapter"}
_READ = frozenset([
    "AU", "TI", "ST", "TT", "YP", "VL", "NB", "PS", "PE", "KW", "RT", "IS", "AB", "LG", "AT", "UR", "NT", "PB", "ED",
    "SB"
])  # fmt: skip


def _recognises(head: Head) -> bool:
    return bool(_TAG.match(head.text.lstrip().partition("\n")[0].rstrip("\r")))


def _split(text: str) -> tuple[str, str] | None:
    found = _TAG.match(text)
    if found:
        return found[1], (found[2] or "").strip()
    return ("--", "") if len(text) > 4 and not text.strip("-") else None


def _read(path: Path) -> Iterator[Item]:
    for record in records(lines_of(path), _split, opens="", closes="--"):
        yield _item(record)


def _item(record: Tagged) -> Item:
    told = Description(line=record.line, warnings=list(record.warnings))
    told.kind = _KINDS.get(record.first("RT").lower(), "")
    # `ST` is the journal of an article and the title where there is no other.
    told.title = record.first("TI") or record.first("TT") or record.first("ST")
    told.container_title = record.first("ST") if record.first("TI") else record.first("SB")
    told.authors = [one for name in record.first("AU").split(";") if (one := author_of(name))]
    told.editors = [one for name in record.first("ED").split(";") if (one := author_of(name))]
    told.date = date_of(record.first("YP"))
    told.volume, told.issue = record.first("VL"), record.first("NB")
    told.pages = "–".join(filter(None, (record.first("PS"), record.first("PE"))))
    told.publisher, told.language = record.first("PB"), record.first("LG")
    told.abstract, told.note = record.first("AB"), record.first("NT")
    told.add_tags(*record.first("KW").split(";"))
    told.ids.add_serial(record.first("IS"))
    for value in record.all("UR", "AT"):
        if value.lower().startswith("http"):
            told.add_url(value, name="UR")
        else:
            told.keep("AT", value)
    for tag, value in record.others(_READ):
        told.keep(tag, value)
    return told.item()


def _count(path: Path) -> int:
    """Entries that a line of hyphens ends, and one after the last such line."""
    entries, is_open = 0, False
    for line in lines_of(path):
        if line.text.startswith("--") and line.text[4:6] == "--":
            if line.text.strip("-") and not is_open and line.text[2:4].isalnum():
                entries, is_open = entries + 1, True
            elif not line.text.strip("-"):
                is_open = False
        elif len(line.text) > 4 and not line.text.strip("-"):
            is_open = False
    return entries


FORMAT = Format(name="biblioscape", label="Biblioscape", recognises=_recognises, read=_read, count=_count)
