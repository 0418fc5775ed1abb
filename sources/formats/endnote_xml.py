"""EndNote's XML export (`<xml><records><record>`): every text may be split over `<style>` elements."""

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from sources.core.entries import Item
from sources.formats.dates import date_of, dated
from sources.formats.description import Description
from sources.formats.endnote_tagged import KINDS
from sources.formats.extra import read_extra
from sources.formats.format import Format, Head
from sources.formats.people import author_of
from sources.formats.xml_items import xml_items
from sources.formats.xml_records import count_elements, elements, root_of, text, texts

_NAMES = frozenset({"record"})
_OWN = re.compile(r"<(?:records|record|ref-type|contributors|source-app)[\s>]")
_DOI = re.compile(r"10\.[0-9]{4,9}/")
_READ = frozenset(
    {"rec-number", "foreign-keys", "ref-type", "contributors", "titles", "periodical", "pages", "volume", "number",
     "dates", "urls", "isbn", "publisher", "electronic-resource-num", "accession-num", "abstract", "notes",
     "keywords", "language", "edition", "database", "source-app", "label"}
)  # fmt: skip


def _recognises(head: Head) -> bool:
    return root_of(head) in ("xml", "records") and bool(_OWN.search(head.text))


def _read(path: Path) -> Iterator[Item]:
    return xml_items(path, _NAMES, described)


def described(entry: etree._Element, *, line: int) -> Description:
    """The work that one `<record>` describes, wherever it stands."""
    told = Description(line=line, ref=text(entry, "label", "rec-number"))
    kind = next((found.get("name", "") for found in elements(entry, "ref-type")), "")
    told.kind = KINDS.get(kind.lower(), "")
    if not told.kind:
        told.keep("ref-type", kind)
    told.title = text(entry, "titles/title", "titles/short-title")
    for path, people in (("authors", told.authors), ("secondary-authors", told.editors)):
        for name in texts(entry, f"contributors/{path}/author"):
            author = author_of(name)
            if author:
                people.append(author)
    told.container_title = text(
        entry, "titles/secondary-title", "periodical/full-title", "alt-periodical/full-title", "titles/alt-title"
    )
    told.volume, told.issue, told.pages = text(entry, "volume"), text(entry, "number"), text(entry, "pages")
    told.publisher, told.language, told.version = (
        text(entry, "publisher"),
        text(entry, "language"),
        text(entry, "edition"),
    )
    told.abstract = text(entry, "abstract")
    told.note = "\n".join(texts(entry, "notes"))
    year, day = text(entry, "dates/year"), text(entry, "dates/pub-dates/date")
    whole = date_of(day) or date_of(f"{day} {year}")
    told.date = whole if whole.startswith(year[:4]) else dated(year) or date_of(year)
    told.add_tags(*(tag for found in texts(entry, "keywords/keyword") for tag in re.split(r"[\n\r;]+", found)))
    _identify(told, entry)
    for child in entry:
        name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if name and name not in _READ:
            told.keep(name, "; ".join(part.strip() for part in child.itertext() if part.strip()))
    return told


def _identify(told: Description, entry: etree._Element) -> None:
    for value in texts(entry, "electronic-resource-num"):
        if _DOI.search(value):
            told.ids.add_doi(value)
        elif "://" in value:
            told.add_url(value, name="electronic-resource-num")
        else:
            told.keep("electronic-resource-num", value)
    database = " ".join(texts(entry, "remote-database-name") + texts(entry, "database")).lower()
    for value in texts(entry, "accession-num"):
        if "pubmed" in database or "medline" in database or "nlm" in database:
            told.ids.add_pmid(value)
        else:
            told.keep("accession-num", value)
    for value in texts(entry, "isbn"):
        told.ids.add_serial(value.replace("\r", "\n"))
    read_extra(told, told.note)
    for where in ("urls/related-urls/url", "urls/web-urls/url"):
        for value in texts(entry, where):
            for address in value.split():
                told.add_url(address)
    for value in texts(entry, "urls/pdf-urls/url"):
        told.keep("pdf-url", value)


def _count(path: Path) -> int:
    """`<record>` elements."""
    return count_elements(path, "record")


FORMAT = Format(name="endnote_xml", label="EndNote XML", recognises=_recognises, read=_read, count=_count)
