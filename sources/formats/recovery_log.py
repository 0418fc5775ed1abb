"""recovery-log.json: addresses that were dead and where their works were found again."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sources.core.entries import Item, SourceRecord
from sources.core.extraction.gathering import row_error
from sources.formats.format import Format, Head
from sources.formats.json_items import JsonItem, begins_with, objects_of, words
from sources.formats.naming import identities_of
from sources.formats.plain_text import text_of

_KEYS = frozenset({"original_url", "recovered_url"})
_ORIGINAL = re.compile(r'"original_url"\s*:')


def read_text(text: str, *, version: str = "", file: str = "") -> Iterator[Item]:
    """One record for each object: the work of its original address, with the other as a `variant` in `details`."""
    for item in objects_of(text, what="The recovery log"):
        yield _item(item, version=version, file=file)


def _item(item: JsonItem, *, version: str, file: str) -> Item:
    if item.problem:
        return row_error(item.line, item.written, item.problem)
    told: dict[str, Any] = item.value
    original, recovered = words(told.get("original_url")), words(told.get("recovered_url"))
    identities, warnings = identities_of([original])
    if not identities:
        why = warnings[0] if warnings else "This object has no `original_url`. Give it one, or delete it."
        return row_error(item.line, original, why)
    return SourceRecord(
        line=item.line,
        spelling=original[:200],
        identities=identities,
        title=words(told.get("title"))[:300],
        project_version=version,
        details=(
            *((("variant", recovered),) if recovered else ()),
            *((("matched_via", words(told["matched_via"])),) if words(told.get("matched_via")) else ()),
            *((("file", file),) if file else ()),
        ),
        warnings=warnings,
    )


def _recognises(head: Head) -> bool:
    return begins_with(head, keys=_KEYS)


def _read(path: Path) -> Iterator[Item]:
    yield from read_text(text_of(path))


def _count(path: Path) -> int:
    """Keys `original_url`; each object has one."""
    return len(_ORIGINAL.findall(text_of(path)))


FORMAT = Format(
    name="recovery-log",
    label="recovery-log.json of a memo run",
    recognises=_recognises,
    read=_read,
    count=_count,
)
