"""Any table with headings that name a title, an address or an identifier (CSV, TSV, semicolons)."""

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from sources.core.catalog import CitationStatus
from sources.core.entries import Item, SourceRecord
from sources.core.kinds import Authority, Classification, Sensitivity
from sources.core.records import RowError
from sources.formats.csl_json import CSL_TYPES
from sources.formats.dates import date_of
from sources.formats.description import Description, row_error
from sources.formats.desk_table import is_own
from sources.formats.extra import read_extra
from sources.formats.format import Format, Head
from sources.formats.people import author_of
from sources.formats.tables import Row, count_rows, headings_of, rows_of

W = TypeVar("W", bound=StrEnum)

# What a column may be called, folded to letters and digits; the first that is filled wins.
_COLUMNS = {
    "title": ("title", "titel", "name", "titre", "titulo", "articletitle", "documenttitle", "sourcetitle"),
    "url": (
        "url",
        "link",
        "address",
        "webaddress",
        "website",
        "uri",
        "href",
        "canonicalurl",
        "requesturl",
        "sourceurl",
    ),
    "doi": ("doi", "doinumber", "doilink", "sourcedoi"),
    "pmid": ("pmid", "pubmedid", "pubmed"),
    "arxiv": ("arxiv", "arxivid"),
    "isbn": ("isbn", "isbns", "isbn13", "isbn10"),
    "issn": ("issn", "eissn", "issns"),
    "handle": ("handle", "hdl"),
    "identifier": ("identifier", "identifiers", "identifiervalue", "sourceid"),
    "authors": ("authors", "author", "autor", "autoren", "creator", "creators", "by", "authorfullnames"),
    "editors": ("editors", "editor"),
    "date": ("date", "published", "publisheddate", "publicationdate", "year", "publicationyear", "jahr", "annee"),
    "publisher": ("publisher", "verlag", "organization", "organisation", "institution"),
    "container_title": ("journal", "publication", "publicationtitle", "containertitle", "booktitle", "zeitschrift"),
    "volume": ("volume", "vol"),
    "issue": ("issue", "number"),
    "pages": ("pages", "page"),
    "language": ("language", "lang"),
    "abstract": ("abstract", "summary", "description"),
    "note": ("note", "notes", "comment", "comments", "extra"),
    "rights": ("rights", "license", "licence", "copyright"),
    "version": ("version", "edition"),
    "tags": ("tags", "keywords", "labels", "tag", "authorkeywords", "keyword"),
    "section": ("section", "sections", "chapter", "heading"),
    "kind": ("type", "kind", "itemtype", "documenttype", "csltype"),
    "status": ("status", "citationstatus", "cataloguestatus"),
    "authority": ("authority",),
    "classification": ("classification",),
    "sensitivity": ("sensitivity",),
    "retracted": ("retracted", "isretracted"),
    "retraction_note": ("retractionnote", "retractionreason"),
    "rejected_because": ("rejectedbecause", "rejected", "rejectedreason", "reasonforrejection"),
    "ref": ("id", "key", "ref", "citationkey", "citekey", "stableid"),
}
_NAMED = {name: field for field, names in _COLUMNS.items() for name in names}
# One of these makes rows name works; `name`, `link` or `by` alone stand in any table.
_NAMING = frozenset({"title", "url", "doi", "pmid", "arxiv", "isbn", "handle", "identifier"})
_ANYWHERE = frozenset({"name", "link", "address", "website", "by", "identifier", "identifiers", "href"})
_TEXTS = ("title", "publisher", "container_title", "volume", "issue", "pages", "language", "abstract", "note", "rights",
          "version", "section", "retraction_note", "rejected_because", "ref")  # fmt: skip
_STATUSES = {status.value: status for status in CitationStatus} | {
    status.heading.lower(): status for status in CitationStatus
}
_KINDS = {
    "journal article": "article-journal", "article": "article-journal", "journalarticle": "article-journal",
    "book": "book", "book section": "chapter", "chapter": "chapter", "web page": "webpage", "webpage": "webpage",
    "website": "webpage", "report": "report", "thesis": "thesis", "conference paper": "paper-conference",
    "preprint": "article", "dataset": "dataset", "software": "software", "newspaper article": "article-newspaper",
    "magazine article": "article-magazine", "patent": "patent", "article-journal": "article-journal",
}  # fmt: skip
_TRUE = frozenset({"1", "true", "yes", "y", "retracted", "ja", "oui", "x"})
_FALSE = frozenset({"0", "false", "no", "n", "nein", "non"})


def _folded(heading: str) -> str:
    return re.sub(r"[^a-z0-9]", "", heading.lower().replace("é", "e").replace("í", "i"))


def _recognises(head: Head) -> bool:
    if head.text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", "<", "@", "%", "#") or "\x00" in head.text[:200]:
        return False
    headings = headings_of(head)
    if {"item type", "publication year", "date added"} <= set(headings) or is_own(headings):
        return False
    fields = [_NAMED[name] for heading in headings if (name := _folded(heading)) in _NAMED and len(heading) <= 60]
    if len(headings) == 1:
        return len(fields) == 1 and fields[0] in ("url", "doi", "pmid", "isbn")
    sure = {_NAMED[name] for heading in headings if (name := _folded(heading)) in _NAMED and name not in _ANYWHERE}
    names_works = bool(_NAMING & sure) or {"title", "url"} <= set(fields)
    return names_works and len(set(fields)) * 2 >= min(len(headings), 4)


def _read(path: Path) -> Iterator[Item]:
    for row in rows_of(path):
        yield row if isinstance(row, RowError) else _item(row)


def _item(row: Row) -> SourceRecord | RowError:
    told = Description(line=row.line, warnings=list(row.repaired))
    cells: dict[str, list[str]] = {}
    for heading, cell in row.cells.items():
        field = _NAMED.get(_folded(heading), "")
        if field:
            cells.setdefault(field, []).append(cell)
        else:
            told.keep(heading or "column", cell)
    for field in _TEXTS:
        values = cells.get(field, [])
        if values:
            setattr(told, field, values[0])
            for more in values[1:]:
                told.keep(field, more)
    if row.beyond:
        told.warnings.append("The row has more cells than there are headings; the others are kept as “beyond”.")
        told.keep("beyond", "; ".join(row.beyond))
    told.authors = [one for value in cells.get("authors", []) for name in _names(value) if (one := author_of(name))]
    told.editors = [one for value in cells.get("editors", []) for name in _names(value) if (one := author_of(name))]
    told.date = max((date_of(value) for value in cells.get("date", [])), key=len, default="")
    told.add_tags(*(tag for value in cells.get("tags", []) for tag in re.split(r"[;,\n|]", value)))
    kind = next(iter(cells.get("kind", [])), "")
    told.kind = _KINDS.get(kind.lower(), kind.lower() if kind.lower() in CSL_TYPES else "")
    if not told.kind:
        told.keep("type", kind)
    _judged(told, cells)
    _identify(told, cells)
    item = told.item()
    if isinstance(item, RowError):
        return row_error(row.line, ", ".join(row.cells.values())[:400], item.message)
    return item


def _judged(told: Description, cells: dict[str, list[str]]) -> None:
    for value in cells.get("status", []):
        status = _STATUSES.get(value.strip().lower())
        if status:
            told.status = status
        else:
            told.keep("status", value)
    told.authority = _word_of(told, "authority", Authority, cells, between="-")
    told.classification = _word_of(told, "classification", Classification, cells, between="-")
    told.sensitivity = _word_of(told, "sensitivity", Sensitivity, cells, between="_")
    for value in cells.get("retracted", []):
        if value.lower() in _TRUE | _FALSE:
            told.retracted = value.lower() in _TRUE
        else:
            told.keep("retracted", value)


def _word_of(told: Description, field: str, words: type[W], cells: dict[str, list[str]], *, between: str) -> W | None:
    """The word of a closed list that the column says, in any case; what is none of them is kept under its name: other
    tools have columns of these names for other things."""
    found: W | None = None
    for value in cells.get(field, []):
        try:
            found = words(between.join(value.lower().split()))
        except ValueError:
            told.keep(field, value)
    return found


def _identify(told: Description, cells: dict[str, list[str]]) -> None:
    for field, add in (
        ("doi", told.ids.add_doi),
        ("arxiv", told.ids.add_arxiv),
        ("pmid", told.ids.add_pmid),
        ("handle", told.ids.add_handle),
        ("isbn", told.ids.add_isbn),
        ("issn", told.ids.add_issn),
    ):
        for value in cells.get(field, []):
            add(value)
    for value in cells.get("identifier", []):
        for token in re.split(r"[;\n]", value):
            if token.strip() and not told.ids.add_any(token):
                told.keep("identifier", token)
    for value in cells.get("note", []):
        read_extra(told, value)
    for value in cells.get("url", []):
        for address in value.split("\n"):
            if address.strip():
                told.add_url(address)


def _names(value: str) -> list[str]:
    """Names apart by semicolons, `and`, `&` or line ends; commas part them only where no name has one of its own."""
    if re.search(r"[;\n|]", value):
        return re.split(r"[;\n|]", value)
    if re.search(r"\s(?:and|und|&)\s", value):
        return re.split(r"\s(?:and|und|&)\s", value)
    parts = value.split(",")
    if len(parts) > 1 and all(" " in part.strip() for part in parts):
        return parts
    return [value]


FORMAT = Format(name="csv_table", label="Table (CSV, TSV)", recognises=_recognises, read=_read, count=count_rows)
