"""The sources of a project as lines of Harvey's `kb export`, with what was noted on them. Pure.

The lines themselves are made in `core.kb_lines`; here a source becomes what Harvey has columns for.
"""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sources.core.entries import Author, Record, SourceRecord, first_identity
from sources.core.exported import Export, ExportedSource
from sources.core.kb_lines import lines
from sources.reports.plain_text import line, paragraphs

FILE_NAME = "sources.jsonl"

# Sources that carry no uuid of a registry get the same one in every export.
_SPACE = uuid.UUID("6a0d6f0e-52a7-5c1e-9a4b-2f1c2f7f8a11")


def stream(
    sources: Iterable[ExportedSource], export: Export, *, before: Iterable[Record] = (), behind: Iterable[Record] = ()
) -> Iterator[str]:
    """The file, one line a piece. Importing it twice changes nothing there: identity travels by `uuid`.

    `before` are projects and concepts, `behind` observations and the links between all of them, which name a source as
    `ref_of` does. Raises `NotExportable` for what the format has no place for.
    """
    yield from lines(before)
    yield from lines(_record(source, export) for source in sources)
    yield from lines(behind)


def ref_of(source: ExportedSource, export: Export) -> str:
    """`source:<uuid>`, by which a link names the source: its own uuid, else one that is the same in every export."""
    best = first_identity(source.record)
    own = source.record.uuid or str(uuid.uuid5(_SPACE, best.key or f"{export.project}\n{source.stable_id}"))
    return f"source:{own}"


def _record(source: ExportedSource, export: Export) -> SourceRecord:
    record = source.record
    ref = ref_of(source, export)
    return replace(
        record,
        ref=ref,
        uuid=ref.removeprefix("source:"),
        title=line(record.title),
        identities=tuple(replace(one, value=line(one.value)) for one in record.identities[:1]),
        authors=tuple(Author(family=line(one.family), given=line(one.given)) for one in record.authors),
        editors=(),
        published_date=line(record.published_date),
        publisher=line(record.publisher),
        rights=paragraphs(record.rights),
        version=line(record.version),
        retracted=source.retraction.is_retracted,
        retraction_note=_retraction_note(source),
        first_seen_at=line(record.first_seen_at),
        origin_host=line(record.origin_host),
        details=tuple((name, line(told)) for name, told in record.details),
    )


def _retraction_note(source: ExportedSource) -> str:
    """The note; where the work is not retracted but something is to be told, its word before it: the format has one
    bit."""
    note = line(source.retraction_note)
    if source.retraction.is_retracted or not source.retraction.label:
        return note
    return f"{source.retraction.label}: {note}" if note else source.retraction.label
