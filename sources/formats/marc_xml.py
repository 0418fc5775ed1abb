"""MARC 21 in XML, alone, in a collection, or in the answer of a library's search (SRU)."""

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from sources.core.entries import Item
from sources.formats.dates import date_of
from sources.formats.description import Description
from sources.formats.format import Format, Head, Unreadable
from sources.formats.opened import open_head
from sources.formats.people import author_of
from sources.formats.xml_items import xml_items
from sources.formats.xml_records import count_elements, root_of, whole_text

_ANSWER = "searchRetrieveResponse"
_PICA = (
    "This is a library's answer in PICA XML, which only PICA systems read. Ask the catalogue for MARC XML, MODS, RIS "
    "or BibTeX instead (in an SRU address: recordSchema=marcxml) and import that."
)
_OTHER = (
    "This library's answer holds no MARC records. Ask the catalogue for MARC XML (in an SRU address: "
    "recordSchema=marcxml) or MODS, and import that."
)
# From the first sign of a run only: a field of nothing but full stops would be read again from each.
_ENDING = re.compile(r"(?<![\s/:;,=.])[\s/:;,=.]+$")


def _recognises(head: Head) -> bool:
    root = root_of(head)
    return root == _ANSWER or (root in ("collection", "record") and "<" in head.text and "datafield" in head.text)


def _name(path: Path) -> str:
    return "recordData" if root_of(open_head(path)) == _ANSWER else "record"


def _read(path: Path) -> Iterator[Item]:
    head = open_head(path)
    if "picaXML" in head.text or "picaxml" in head.text:
        raise Unreadable(_PICA)
    if root_of(head) == _ANSWER and "datafield" not in head.text and head.is_whole:
        raise Unreadable(_OTHER)
    yield from xml_items(path, frozenset({_name(path)}), _described)


def _described(record: etree._Element, *, line: int) -> Description:
    told = Description(line=line)
    marc = _Marc(record)
    told.ref = marc.control("001")
    told.title = ": ".join(filter(None, (_bare(marc.first("245", "a")), _bare(marc.first("245", "b")))))
    for tag in ("100", "110", "111", "700", "710"):
        for field in marc.fields(tag):
            name = _bare(marc.sub(field, "a"), keep=".")
            roles = " ".join((marc.sub(field, "e"), marc.sub(field, "4"))).lower()
            author = author_of(name)
            if author and ("edt" in roles or "hrsg" in roles or "editor" in roles or "herausgeber" in roles):
                told.editors.append(author)
            elif author:
                told.authors.append(author)
    told.publisher = _bare(marc.first("264", "b") or marc.first("260", "b"))
    told.date = date_of(marc.first("264", "c") or marc.first("260", "c")) or date_of(marc.control("008")[7:11])
    told.container_title = _bare(marc.first("773", "t") or marc.first("773", "a"))
    told.version = _bare(marc.first("250", "a"))
    told.language = marc.control("008")[35:38].strip() or marc.first("041", "a")
    told.abstract = marc.first("520", "a")
    told.note = "\n".join(marc.every("500", "a"))
    told.kind = "chapter" if told.container_title else "book"
    told.add_tags(*(_bare(tag) for name in ("650", "651", "653") for tag in marc.every(name, "a")))
    told.pages = "" if not told.container_title else marc.first("773", "g")
    for value in marc.every("020", "a"):
        told.ids.add_isbn(value)
    for value in [*marc.every("022", "a"), *marc.every("773", "x")]:
        told.ids.add_issn(value)
    for field in marc.fields("024"):
        kind, value = marc.sub(field, "2").lower(), marc.sub(field, "a")
        if kind == "doi":
            told.ids.add_doi(value)
        elif kind in ("hdl", "handle"):
            told.ids.add_handle(value)
        else:
            told.keep(kind or "024", value)
    for value in marc.every("856", "u"):
        told.add_url(value)
    for value in marc.every("300", "a"):
        told.keep("extent", value)
    return told


class _Marc:
    """Fields of one record by their tag."""

    def __init__(self, element: etree._Element) -> None:
        self._fields: dict[str, list[etree._Element]] = {}
        for field in element.iter():
            if isinstance(field.tag, str) and field.get("tag"):
                self._fields.setdefault(field.get("tag", ""), []).append(field)

    def control(self, tag: str) -> str:
        return "".join(self._fields[tag][0].itertext()).strip("\n\r") if tag in self._fields else ""

    def fields(self, tag: str) -> list[etree._Element]:
        return self._fields.get(tag, [])

    def sub(self, field: etree._Element, code: str) -> str:
        return next((told for one in field if one.get("code") == code and (told := whole_text(one))), "")

    def every(self, tag: str, code: str) -> list[str]:
        return [
            told for field in self.fields(tag) for one in field if one.get("code") == code and (told := whole_text(one))
        ]

    def first(self, tag: str, code: str) -> str:
        return next(iter(self.every(tag, code)), "")


def _bare(text: str, *, keep: str = "") -> str:
    """`text` without the punctuation that cataloguers put before the next field; initials keep their full stop."""
    cut = _ENDING.sub("", text)
    return cut + "." if keep and text.rstrip(" ,").endswith(".") and cut else cut


def _count(path: Path) -> int:
    """`<record>` elements, in an answer `<recordData>` elements."""
    return count_elements(path, _name(path))


FORMAT = Format(name="marc_xml", label="MARC XML", recognises=_recognises, read=_read, count=_count)
