"""Records of reference-list entries: what names the work, and what the entry says by its style."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sources.core.catalog import CitationStatus
from sources.core.entries import Author, SourceRecord
from sources.core.extraction.bibliography import Entry
from sources.core.extraction.citation import Citation, read_citation
from sources.core.extraction.marks import without_marks
from sources.core.extraction.spans import SpanKind, spans_in
from sources.core.extraction.wording import MAX_CONTEXT, plain, title_beside, title_of_link
from sources.formats.naming import identities_of, issn_of

_SPELLING = 200
UNCLEAR = "Title, authors and year could not be told apart in this entry; correct the title."
_MENDED = "An address or DOI was broken by a line end and is joined again; compare it with the file."
_LINKED = frozenset({SpanKind.LINK, SpanKind.BARE, SpanKind.IDENTIFIER})


def records_of(entries: Iterable[tuple[Entry, str]], *, status: CitationStatus) -> Iterator[SourceRecord]:
    """One record for each entry with its heading, in order. An entry without an identifier is a record with a title
    only."""
    authors: tuple[Author, ...] = ()
    for entry, section in entries:
        record = record_of(entry, section=section, status=status)
        if entry.repeats_author and not record.authors:
            record = replace(record, authors=authors)
        authors = record.authors
        yield record


def record_of(entry: Entry, *, section: str = "", status: CitationStatus) -> SourceRecord:
    """The record of one entry. `spelling` is its first address or identifier, else its beginning."""
    text = without_marks(entry.text)
    spans = [span for span in spans_in(text) if span.kind in _LINKED and span.target.strip()]
    spans = [span for span in spans if not span.target.lower().startswith(("mailto:", "#", "tel:"))]
    identities, warnings = identities_of(span.target for span in spans)
    told = read_citation(text)
    title = told.title
    if not told.is_clear:
        linked = next((words for span in spans if (words := title_of_link(span.text) or span.title)), "")
        beside = title_beside(text[: spans[0].start], text[spans[0].end :]) if spans else ""
        title = linked or beside or title
        warnings = warnings if linked or beside else (*warnings, UNCLEAR)
    numbered = bool(told.volume or told.issue or told.pages)
    return SourceRecord(
        line=entry.line,
        spelling=(spans[0].spelling if identities else plain(text))[:_SPELLING],
        ref=entry.number,
        identities=identities,
        title=title,
        authors=told.authors,
        published_date=told.published_date,
        container_title=told.container_title if numbered else "",
        publisher="" if numbered else told.container_title,
        volume=told.volume,
        issue=told.issue,
        pages=told.pages,
        issn=issn_of(identities),
        section=section,
        status=status,
        context=plain(text)[:MAX_CONTEXT],
        warnings=(*((_MENDED,) if entry.mended and identities else ()), *warnings),
    )


def enriched(record: SourceRecord, told: Citation, authors: Sequence[Author] = ()) -> SourceRecord:
    """`record` with what its entry says where the record itself does not say it."""
    numbered = bool(told.volume or told.issue or told.pages)
    return replace(
        record,
        title=told.title if told.is_clear else record.title or told.title,
        authors=record.authors or told.authors or tuple(authors),
        published_date=record.published_date or told.published_date,
        container_title=record.container_title or (told.container_title if numbered else ""),
        publisher=record.publisher or ("" if numbered else told.container_title),
        volume=told.volume,
        issue=told.issue,
        pages=told.pages,
    )
