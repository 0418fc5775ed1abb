"""sourced_corpus.json of one section: the closed set of sources that a writer may cite there. Pure.

The fields are those of memo pipelines, with the retraction behind them. `url` is the address at which the work is read
today; one that was found again says so in `access_note`. Excerpt, summary, question and tool are those of the section,
where its corpus keeps any. Dropped sources are left out. What is not known is null.
"""

import json
from collections.abc import Iterator
from typing import Any

from sources.core.exported import ExportedSource
from sources.core.findings import Disposition
from sources.core.holdings import Holdings
from sources.core.urls import identity_form
from sources.reports.plain_text import address, iso_moment, line, paragraphs

FIELDS = (
    "id",
    "url",
    "canonical_url",
    "title",
    "fetched_at",
    "body_excerpt",
    "summary",
    "retrieval_query",
    "retrieval_tool",
    "verdict",
    "access_note",
    "retraction_status",
    "retraction_note",
)


def stream(sources: Holdings, *, section: str) -> Iterator[str]:
    """A JSON array with one object a line, in the order of stable ids. '' is the section of sources that no section
    uses."""
    positions = [
        position
        for position, brief in enumerate(sources.briefs())
        if brief.disposition is not Disposition.DROP
        and (any(name == section for name, _ in brief.sections) if section else not brief.sections)
    ]
    between = "[\n"
    for source in sources.read(positions):
        yield between + json.dumps(_record(source, section), ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


def _record(source: ExportedSource, section: str) -> dict[str, Any]:
    url = address(source.address)
    brought = source.retrieval_for(section)
    values = (
        source.stable_id,
        url,
        identity_form(url),
        line(source.record.title),
        iso_moment(brought.fetched_at or source.checked_at),
        paragraphs(brought.body_excerpt),
        paragraphs(brought.summary),
        line(brought.query),
        line(brought.tool),
        source.verdict.value if source.verdict else "",
        _access_note(source, brought.access_note),
        source.retraction.value,
        line(source.retraction_note),
    )
    return {name: value or None for name, value in zip(FIELDS, values, strict=True)}


def _access_note(source: ExportedSource, kept: str) -> str:
    found_again = f"recovered from {address(source.recovered_from)}" if source.is_recovered else ""
    return "; ".join(part for part in (line(source.access_note or kept), found_again) if part)
