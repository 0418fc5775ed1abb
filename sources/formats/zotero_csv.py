"""Zotero's CSV: a mark at the beginning, 87 columns with human headings, several values apart by `; `."""

from collections.abc import Iterator
from pathlib import Path

from sources.core.entries import Author, Item
from sources.core.records import RowError
from sources.formats.dates import date_of, dated
from sources.formats.description import Description, row_error
from sources.formats.extra import read_extra
from sources.formats.format import Format, Head
from sources.formats.people import author_of
from sources.formats.tables import Row, count_rows, headings_of, rows_of
from sources.formats.zotero_items import CSL_TYPES, NOT_WORKS, no_work

_TEXTS = (
    ("title", "title"), ("publication title", "container_title"), ("publisher", "publisher"), ("volume", "volume"),
    ("issue", "issue"), ("pages", "pages"), ("language", "language"), ("abstract note", "abstract"), ("rights",
    "rights"),
    ("extra", "note"),
)  # fmt: skip
_READ = frozenset(
    {"key", "item type", "publication year", "author", "editor", "date", "doi", "url", "isbn", "issn", "manual tags",
     "automatic tags", "access date", "edition", "version", "date added", "date modified"} | {name for name,
     _ in _TEXTS}
)  # fmt: skip


def _recognises(head: Head) -> bool:
    return {"item type", "publication year", "date added"} <= set(headings_of(head))


def _read(path: Path) -> Iterator[Item]:
    for row in rows_of(path):
        yield row if isinstance(row, RowError) else _item(row)


def _item(row: Row) -> Item:
    cells = row.cells
    kind = cells.get("item type", "")
    if kind in NOT_WORKS:
        return row_error(row.line, cells.get("title", kind), no_work(kind))
    told = Description(
        line=row.line, ref=cells.get("key", ""), kind=CSL_TYPES.get(kind, ""), warnings=list(row.repaired)
    )
    if not told.kind:
        told.keep("item type", kind)
    for heading, field in _TEXTS:
        setattr(told, field, cells.get(heading, ""))
    told.version = cells.get("version", "") or cells.get("edition", "")
    told.authors = _people(cells.get("author", ""))
    told.editors = _people(cells.get("editor", ""))
    told.date = date_of(cells.get("date", "")) or dated(cells.get("publication year", ""))
    told.last_checked_at = date_of(cells.get("access date", ""))
    for heading in ("manual tags", "automatic tags"):
        told.add_tags(*cells.get(heading, "").split(";"))
    if doi := cells.get("doi"):
        told.ids.add_doi(doi)
    if isbn := cells.get("isbn"):
        told.ids.add_isbn(isbn)
    if issn := cells.get("issn"):
        told.ids.add_issn(issn)
    read_extra(told, told.note)
    if url := cells.get("url"):
        told.add_url(url)
    for heading, cell in cells.items():
        if heading not in _READ:
            told.keep(heading, cell)
    return told.item()


def _people(cell: str) -> list[Author]:
    return [author for name in cell.split(";") if (author := author_of(name))]


FORMAT = Format(name="zotero_csv", label="Zotero CSV", recognises=_recognises, read=_read, count=count_rows)
