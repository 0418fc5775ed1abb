"""The sources of a project as lines of Harvey's `kb export`: one JSON object a line, which its `kb import` reads. Pure.

Lines may come in any order and files may be joined, so observations and links can be written behind these.
"""

import json
import uuid
from collections.abc import Iterable, Iterator

from sources.core.entries import first_identity
from sources.core.exported import Export, ExportedSource
from sources.core.kinds import IdentifierType
from sources.reports.plain_text import iso_moment, line, paragraphs

FILE_NAME = "sources.jsonl"

# Sources that carry no uuid of a registry get the same one in every export.
_SPACE = uuid.UUID("6a0d6f0e-52a7-5c1e-9a4b-2f1c2f7f8a11")


def stream(sources: Iterable[ExportedSource], export: Export) -> Iterator[str]:
    """The file, one line a piece. Importing it twice changes nothing there: identity travels by `uuid`."""
    for source in sources:
        yield json.dumps(_line(source, export), ensure_ascii=False) + "\n"


def _line(source: ExportedSource, export: Export) -> dict[str, str | bool]:
    record, best = source.record, first_identity(source.record)
    named = best.type is not IdentifierType.NONE
    return {
        "type": "source",
        "uuid": record.uuid or str(uuid.uuid5(_SPACE, best.key or f"{export.project}\n{source.stable_id}")),
        "title": line(record.title),
        "identifier_type": best.type.value if named else "",
        "identifier_value": line(best.value),
        "authors": "; ".join(line(str(author)) for author in record.authors),
        "published_date": line(record.published_date),
        "publisher": line(record.publisher),
        "rights": paragraphs(record.rights),
        "version": line(record.version),
        "retracted": source.retraction.is_retracted,
        "retraction_note": _retraction_note(source),
        "first_seen_at": line(record.first_seen_at),
        "last_checked_at": iso_moment(source.checked_at) or line(record.last_checked_at),
        "origin_host": line(record.origin_host),
    }


def _retraction_note(source: ExportedSource) -> str:
    """The note; where the work is not retracted but something is to be told, its word before it: the format has one
    bit."""
    note = line(source.retraction_note)
    if source.retraction.is_retracted or not source.retraction.label:
        return note
    return f"{source.retraction.label}: {note}" if note else source.retraction.label
