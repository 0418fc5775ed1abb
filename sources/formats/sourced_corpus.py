"""sourced_corpus.json: what a memo run fetched for one section before anything was written."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sources.core.catalog import CitationStatus
from sources.core.entries import Item, SourceRecord
from sources.core.extraction.gathering import row_error
from sources.core.extraction.wording import MAX_CONTEXT, MAX_TITLE
from sources.core.retraction import status_named, told_by
from sources.formats.format import Format, Head
from sources.formats.json_items import JsonItem, begins_with, objects_of, words
from sources.formats.naming import identities_of
from sources.formats.plain_text import text_of

_KEYS = frozenset({"id", "url", "canonical_url"})
_DETAILS = (
    "canonical_url",
    "fetched_at",
    "retrieval_query",
    "retrieval_tool",
    "verdict",
    "access_note",
    "body_excerpt",
)
_ID = re.compile(r'"id"\s*:\s*"src-\d+"')
_LONGEST = 8_000


def read_text(text: str, *, section: str = "", version: str = "", file: str = "") -> Iterator[Item]:
    """One record for each object, one `RowError` for each without a usable address or that is no JSON. Raises
    `Unreadable` for what is no list."""
    for item in objects_of(text, what="The sourced corpus"):
        yield _item(item, section=section, version=version, file=file)


def _item(item: JsonItem, *, section: str, version: str, file: str) -> Item:
    if item.problem:
        return row_error(item.line, item.written, item.problem)
    told: dict[str, Any] = item.value
    url = words(told.get("url")) or words(told.get("canonical_url"))
    identities, warnings = identities_of([url])
    title = words(told.get("title"))[:MAX_TITLE]
    if not identities and not title:
        why = warnings[0] if warnings else "This object has neither `url` nor `title`. Give it one, or delete it."
        return row_error(item.line, url, why)
    retracted, finer = told_by(status_named(words(told.get("retraction_status"))))
    return SourceRecord(
        line=item.line,
        spelling=(url or title)[:200],
        ref=words(told.get("id"))[:200],
        identities=identities,
        title=title,
        abstract=words(told.get("summary"))[:_LONGEST],
        section=section or words(told.get("section"))[:300],
        project_version=version,
        status=CitationStatus.FOUND_IN_RESEARCH,
        context=words(told.get("body_excerpt"))[:MAX_CONTEXT],
        retracted=retracted,
        retraction_note=words(told.get("retraction_note"))[:_LONGEST],
        details=(
            *finer,
            *((key, words(told[key])[:_LONGEST]) for key in _DETAILS if words(told.get(key))),
            *((("file", file),) if file else ()),
        ),
        warnings=warnings,
    )


def _recognises(head: Head) -> bool:
    return begins_with(head, keys=_KEYS)


def _read(path: Path) -> Iterator[Item]:
    yield from read_text(text_of(path))


def _count(path: Path) -> int:
    """Ids of the form `src-001`; each object has one."""
    return len(_ID.findall(text_of(path)))


FORMAT = Format(
    name="sourced-corpus",
    label="sourced_corpus.json of a memo run",
    recognises=_recognises,
    read=_read,
    count=_count,
)
