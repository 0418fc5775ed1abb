"""MODS 3, the Library of Congress's description of works in XML."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from sources.core.entries import Author, Item
from sources.formats.dates import date_of
from sources.formats.description import Description
from sources.formats.format import Format, Head
from sources.formats.people import author_of, orcid_of
from sources.formats.xml_items import xml_items
from sources.formats.xml_records import (
    count_elements,
    elements,
    root_of,
    text,
    texts,
    whole_text,
)

_NAMES = frozenset({"mods"})
_KINDS = {
    "article": "article-journal", "journal article": "article-journal", "book": "book", "book chapter": "chapter",
    "conference publication": "paper-conference", "thesis": "thesis", "report": "report", "web site": "webpage",
    "newspaper": "article-newspaper", "patent": "patent", "periodical": "periodical", "dictionary": "entry-dictionary",
    "encyclopedia": "entry-encyclopedia", "dataset": "dataset", "software": "software", "map": "map",
}  # fmt: skip
_DATES = ("dateIssued", "copyrightDate", "dateCreated", "dateOther")


def _recognises(head: Head) -> bool:
    return root_of(head) in ("mods", "modsCollection")


def _read(path: Path) -> Iterator[Item]:
    return xml_items(path, _NAMES, _described)


def _described(work: etree._Element, *, line: int) -> Description:
    told = Description(line=line, ref=work.get("ID", "") or text(work, "recordInfo/recordIdentifier"))
    told.title = _title(work)
    genres = [genre.lower() for genre in texts(work, "genre")]
    told.kind = next((_KINDS[genre] for genre in genres if genre in _KINDS), "")
    if not told.kind and text(work, "originInfo/issuance") == "monographic":
        told.kind = "book"
    _people(told, work)
    told.date = next(
        (date for name in _DATES for value in texts(work, f"originInfo/{name}") if (date := date_of(value))), ""
    )
    told.publisher, told.version = text(work, "originInfo/publisher"), text(work, "originInfo/edition")
    told.language = text(work, "language/languageTerm", "language")
    told.abstract = "\n".join(texts(work, "abstract"))
    told.note = "\n".join(texts(work, "note"))
    told.rights = text(work, "accessCondition")
    told.add_tags(*texts(work, "subject/topic"), *texts(work, "subject/geographic"))
    for host in elements(work, "relatedItem"):
        if host.get("type") == "host":
            told.container_title = told.container_title or _title(host)
            _part(told, host)
            _identify(told, host, is_host=True)
    _part(told, work)
    _identify(told, work)
    for value in texts(work, "originInfo/place/placeTerm"):
        told.keep("place", value)
    for genre in genres:
        told.keep("genre", genre)
    return told


def _title(work: etree._Element) -> str:
    for found in elements(work, "titleInfo"):
        if found.get("type") not in ("abbreviated", "alternative", "translated", "uniform"):
            main = " ".join(filter(None, (text(found, "nonSort"), text(found, "title"))))
            return ": ".join(filter(None, (main, text(found, "subTitle"))))
    return text(work, "titleInfo/title")


def _people(told: Description, work: etree._Element) -> None:
    for name in elements(work, "name"):
        roles = [role.lower() for role in texts(name, "role/roleTerm")]
        parts = {part.get("type", ""): whole_text(part) for part in elements(name, "namePart")}
        orcid = next((orcid_of(whole_text(one)) for one in elements(name, "nameIdentifier")), "")
        whole = parts.get("", "").strip(" ,")
        author: Author | None
        if parts.get("family"):
            author = Author(family=parts["family"], given=parts.get("given", ""), orcid=orcid)
        elif name.get("type") == "corporate":
            author = Author(family=whole) if whole else None
        else:
            author = author_of(whole or text(name, "displayForm"), orcid=orcid)
        if not author:
            continue
        if any(role in ("edt", "editor") for role in roles):
            told.editors.append(author)
        elif not roles or any(role in ("aut", "author", "cre", "creator") for role in roles):
            told.authors.append(author)
        else:
            told.keep(roles[0], str(author))


def _part(told: Description, work: etree._Element) -> None:
    for detail in elements(work, "part/detail"):
        if detail.get("type") == "volume":
            told.volume = told.volume or text(detail, "number")
        elif detail.get("type") in ("issue", "number"):
            told.issue = told.issue or text(detail, "number")
    for extent in elements(work, "part/extent"):
        pages = "–".join(filter(None, (text(extent, "start"), text(extent, "end")))) or text(extent, "list")
        told.pages = told.pages or pages
    told.date = told.date or date_of(text(work, "part/date"))


def _identify(told: Description, work: etree._Element, *, is_host: bool = False) -> None:
    for one in elements(work, "identifier"):
        kind, value = one.get("type", "").lower(), whole_text(one)
        if not value or one.get("invalid") == "yes":
            continue
        match kind:
            case "issn":
                told.ids.add_issn(value)
            case _ if is_host:
                told.keep(f"host-{kind}" if kind else "host-identifier", value)
            case "doi":
                told.ids.add_doi(value)
            case "isbn":
                told.ids.add_isbn(value)
            case "hdl" | "handle":
                told.ids.add_handle(value)
            case "uri" | "url":
                told.add_url(value)
            case "pmid" | "pubmed":
                told.ids.add_pmid(value)
            case "arxiv":
                told.ids.add_arxiv(value)
            case _:
                told.keep(kind or "identifier", value)
    if not is_host:
        for value in texts(work, "location/url"):
            told.add_url(value)


def _count(path: Path) -> int:
    """`<mods>` elements."""
    return count_elements(path, "mods")


FORMAT = Format(name="mods", label="MODS XML", recognises=_recognises, read=_read, count=_count)
