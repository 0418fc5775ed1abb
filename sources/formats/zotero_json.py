"""Zotero's items as JSON: the export of Better BibTeX, and a list of items as Zotero's web interface gives it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sources.core.entries import Author, Item
from sources.formats.dates import date_of
from sources.formats.description import Description, row_error
from sources.formats.extra import read_extra
from sources.formats.format import Format, Head
from sources.formats.json_items import JsonItem, count_objects, items_of, list_start, text_of, written
from sources.formats.opened import opened
from sources.formats.zotero_items import CSL_TYPES, NOT_WORKS, no_work

_EDITORS = frozenset({"editor", "seriesEditor"})
_NOT_AUTHORS = _EDITORS | {"translator", "contributor", "reviewedAuthor", "bookAuthor", "recipient", "commenter"}
_CONTAINERS = (
    "publicationTitle", "bookTitle", "proceedingsTitle", "encyclopediaTitle", "dictionaryTitle", "blogTitle",
    "websiteTitle", "forumTitle", "programTitle", "seriesTitle",
)  # fmt: skip
_PUBLISHERS = ("publisher", "institution", "university", "company", "studio", "label", "network", "distributor")
_TEXTS = (
    ("container_title", _CONTAINERS), ("publisher", _PUBLISHERS), ("volume", ("volume", "codeVolume")),
    ("issue", ("issue",)), ("pages", ("pages",)), ("language", ("language",)), ("abstract", ("abstractNote",)),
    ("rights", ("rights",)), ("version", ("versionNumber", "edition")),
)  # fmt: skip
_TITLES = ("title", "caseName", "nameOfAct", "subject")
_READ = frozenset(
    {"title", "caseName", "nameOfAct", "subject", "itemType", "creators", "date", "extra", "DOI", "url", "ISBN", "ISSN",
     "PMID", "tags", "accessDate", "citationKey", "citekey", "key", "itemID", "itemKey", "attachments", "notes",
     "version",
     "uri", "relations", "collections", "dateAdded", "dateModified", "libraryID"}
)  # fmt: skip


def _recognises(head: Head) -> bool:
    return head.text.lstrip()[:1] in ("{", "[") and bool(re.search(r'"itemType"\s*:\s*"', head.text))


def _start(text: str) -> int:
    at = list_start(text)
    return at if at >= 0 else list_start(text, "items")


def _read(path: Path) -> Iterator[Item]:
    file = opened(path)
    at = _start(file.text)
    if at < 0:
        return
    for item in items_of(file.text, at):
        yield _item(item)


def _item(item: JsonItem) -> Item:
    if item.problem:
        return row_error(item.line, item.written, item.problem)
    inner = item.value.get("data")
    fields: dict[str, Any] = inner if isinstance(inner, dict) else item.value
    kind = text_of(fields.get("itemType"))
    if kind in NOT_WORKS:
        return row_error(item.line, text_of(fields.get("title")) or kind, no_work(kind))
    key = text_of(fields.get("citationKey")) or text_of(fields.get("citekey")) or text_of(fields.get("key"))
    told = Description(line=item.line, ref=key, kind=CSL_TYPES.get(kind, ""))
    if not told.kind:
        told.keep("itemType", kind)
    told.title = next((title for name in _TITLES if (title := text_of(fields.get(name)))), "")
    _creators(told, fields.get("creators"))
    written_date = text_of(fields.get("date"))
    told.date = date_of(written_date)
    if written_date and not told.date:
        told.warnings.append(f"“{written_date[:40]}” is no date that could be read; it was left empty.")
        told.keep("date", written_date)
    used = set(_READ)
    for target, names in _TEXTS:
        name = next((name for name in names if text_of(fields.get(name))), "")
        if name:
            used.add(name)
            setattr(told, target, text_of(fields[name]))
    tags = fields.get("tags")
    for tag in tags if isinstance(tags, list) else []:
        told.add_tags(text_of(tag.get("tag")) if isinstance(tag, dict) else text_of(tag))
    told.last_checked_at = date_of(text_of(fields.get("accessDate")))
    extra = fields.get("extra")
    told.note = "\n".join(text_of(line) for line in extra) if isinstance(extra, list) else text_of(extra)
    _identify(told, fields)
    for name, value in fields.items():
        if name not in used:
            told.keep(str(name), written(value))
    return told.item()


def _identify(told: Description, fields: dict[str, Any]) -> None:
    if doi := text_of(fields.get("DOI")):
        told.ids.add_doi(doi)
    if pmid := text_of(fields.get("PMID")):
        told.ids.add_pmid(pmid)
    if isbn := text_of(fields.get("ISBN")):
        told.ids.add_isbn(isbn)
    if issn := text_of(fields.get("ISSN")):
        told.ids.add_issn(issn)
    read_extra(told, told.note)
    if url := text_of(fields.get("url")):
        told.add_url(url)


def _creators(told: Description, creators: Any) -> None:
    for creator in creators if isinstance(creators, list) else []:
        if not isinstance(creator, dict):
            continue
        name = text_of(creator.get("name"))
        family, given = text_of(creator.get("lastName")), text_of(creator.get("firstName"))
        whole = " ".join((name or family or given).split())[:500]
        author = Author(family=whole, given="" if name or not family else " ".join(given.split())[:500])
        role = text_of(creator.get("creatorType"))
        if not whole:
            continue
        if role in _EDITORS:
            told.editors.append(author)
        elif role in _NOT_AUTHORS:
            told.keep(role, str(author))
        else:
            told.authors.append(author)


def _count(path: Path) -> int:
    """Objects of the list of items, by counting brackets."""
    text = opened(path).text
    at = _start(text)
    return count_objects(text, at) if at >= 0 else 0


FORMAT = Format(name="zotero_json", label="Zotero JSON", recognises=_recognises, read=_read, count=_count)
