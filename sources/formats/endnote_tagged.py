"""EndNote's tagged format (`.enw`, Refer): a percent sign, one character, a value; blank lines part entries."""

import re
from collections.abc import Iterator
from pathlib import Path

from sources.core.entries import Item
from sources.formats.dates import date_of
from sources.formats.description import Description
from sources.formats.extra import read_extra
from sources.formats.format import Format, Head
from sources.formats.opened import lines_of
from sources.formats.people import author_of
from sources.formats.tagged import Tagged, records

_TAG = re.compile(r"(%[0-9A-Z@!#$&~<>()*+^=?\[\]|:;])(?:[ \t](.*))?$")
_MARKS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ@!#$&~<>()*+^=?[]|:;"
_FIRST = re.compile(r"\s*%[0-9A-Z@][ \t]\S")
_BIBTEX = re.compile(r"^[ \t]*@\w+\s*[{(]", re.MULTILINE)
KINDS = {
    "journal article": "article-journal", "magazine article": "article-magazine",
    "newspaper article": "article-newspaper",
    "book": "book", "edited book": "book", "electronic book": "book", "book section": "chapter",
    "electronic book section": "chapter", "conference proceedings": "paper-conference",
    "conference paper": "paper-conference", "thesis": "thesis", "report": "report", "government document": "report",
    "web page": "webpage", "blog": "post-weblog", "electronic article": "article-journal", "patent": "patent",
    "dataset": "dataset", "computer program": "software", "generic": "document", "manuscript": "manuscript",
    "unpublished work": "manuscript", "statute": "legislation", "case": "legal_case", "standard": "standard",
    "map": "map", "encyclopedia": "entry-encyclopedia", "dictionary": "entry-dictionary",
    "personal communication": "personal_communication", "film or broadcast": "motion_picture",
}  # fmt: skip
_READ = frozenset([
    "%0", "%A", "%E", "%T", "%B", "%J", "%S", "%D", "%8", "%V", "%N", "%P", "%I", "%G", "%X", "%Z", "%K", "%F", "%R",
    "%U", "%@", "%M", "%7", "%["
])  # fmt: skip


def _recognises(head: Head) -> bool:
    return bool(_FIRST.match(head.text)) and not _BIBTEX.search(head.text)


def _split(text: str) -> tuple[str, str] | None:
    found = _TAG.match(text.lstrip(" \ufeff"))
    return (found[1], (found[2] or "").strip()) if found else None


def _read(path: Path) -> Iterator[Item]:
    for record in records(lines_of(path), _split, opens="%0", blank_ends=True):
        yield _item(record)


def _item(record: Tagged) -> Item:
    told = Description(line=record.line, ref=record.first("%F"), warnings=list(record.warnings))
    told.kind = KINDS.get(record.first("%0").lower(), "")
    if not told.kind:
        told.keep("%0", record.first("%0"))
    told.title = record.first("%T")
    told.authors = [author for name in record.all("%A") if (author := author_of(name))]
    told.editors = [author for name in record.all("%E") if (author := author_of(name))]
    told.date = date_of(record.first("%D")) or date_of(record.first("%8"))
    whole = date_of(record.first("%8"))
    told.date = whole if whole.startswith(told.date) else told.date
    told.container_title = record.first("%J", "%B", "%S")
    told.volume, told.issue, told.pages = record.first("%V"), record.first("%N"), record.first("%P")
    told.publisher, told.language, told.version = record.first("%I"), record.first("%G"), record.first("%7")
    told.abstract = record.first("%X")
    told.note = "\n".join(record.all("%Z"))
    told.add_tags(*(tag for value in record.all("%K") for tag in re.split(r"[\n;]+", value)))
    for value in record.all("%R"):
        if re.search(r"10\.[0-9]{4,9}/", value):
            told.ids.add_doi(value)
        else:
            told.keep("%R", value)
    for value in record.all("%@"):
        told.ids.add_serial(value)
    read_extra(told, told.note)
    for value in record.all("%U"):
        for address in value.split():
            told.add_url(address, name="%U")
    told.last_checked_at = date_of(record.first("%["))
    for tag, value in record.others(_READ - {"%M"}):
        told.keep(tag, value)
    return told.item()


def _count(path: Path) -> int:
    """`%0` lines, and the first tagged line after each blank one."""
    entries, is_open, after_blank = 0, False, False
    for line in lines_of(path):
        text = line.text.lstrip(" \ufeff")
        if not text.strip():
            after_blank = True
            continue
        if text[0] == "%" and text[1:2] in _MARKS and text[2:3] in ("", " ", "\t") and len(text) > 1:
            entries += after_blank or not is_open or text[1] == "0"
            is_open = True
        after_blank = False
    return entries


FORMAT = Format(name="endnote_tagged", label="EndNote tagged (.enw)", recognises=_recognises, read=_read, count=_count)
