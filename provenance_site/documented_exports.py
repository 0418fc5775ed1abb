"""docs/exports.md: what every exported file says, written from the writers."""

from collections.abc import Iterator

from sources.core.export_formats import ExportFormat
from sources.core.retraction import RetractionStatus, mark
from sources.reports import csv_table, sourced_corpus

# How each file tells that a work is retracted or doubtful.
_RETRACTION_IN = (
    ("BibTeX", "`note` begins with the mark, `keywords` name it"),
    ("RIS", "an `N1` of its own with the mark, `KW`"),
    ("CSL-JSON", "`status`, `note` begins with the mark, `keyword`"),
    ("CSV", "`retraction_status`, `retraction_note`"),
    ("Master-Sources.md by verdict", "a line `  - RETRACTED: note` under the source"),
    (
        "Master-Sources.md for memos, Best-Sources",
        "a line `  - Retraction: retracted, note`; memo tools pass over it",
    ),
    ("Sources.md", "`note` begins with the mark"),
    ("sourced_corpus.json", "`retraction_status`, `retraction_note`"),
    (
        "JSON Lines for `kb import`",
        "`retracted`, `retraction_note`; a concern stands in the note alone",
    ),
    ("README.md", "a list of the ids by status"),
)


def lines() -> Iterator[str]:
    """The lines of docs/exports.md below its note."""
    yield "# Exports"
    yield ""
    yield "Every file is UTF-8 and written entry by entry; the same state of a project gives the same bytes. What"
    yield "survives the way out and back stands in [round_trips.md](round_trips.md)."
    yield ""
    yield "Sources marked `internal_only` stand in no file for others; README.md, the lists and BibTeX's first line say"
    yield "how many were left out."
    yield ""
    yield "## Making and keeping"
    yield ""
    yield "A file is made by pressing a button on a project's page, from any list of sources, by"
    yield "`manage.py export_sources` and by the JSON interface. It is kept in the data folder under its SHA-256 and"
    yield "served as it was made; the page of the export names who made it and when, what was left out, and lineage has"
    yield "an edge to each source that stands in it. “CSV of this view” is sent at once and recorded nowhere. Files"
    yield "with internal sources are made and fetched by curators alone."
    yield ""
    yield "A file over more than 5,000 sources, or an archive over more than 500, is made by a worker: the page shows"
    yield "how far it is and then the file; the JSON interface answers 202 with `status_url`, to be read until"
    yield "`is_running` is false. The command makes its file itself. A file is of one state, so where a worker dies the"
    yield "next one begins it anew, after a minute at most, with the state of then; after three its page says so."
    yield ""
    yield "Under a project a source has the project's id (`src-001`); in a list of the workspace `src-` and twelve"
    yield "digits of its uuid, the same in every list."
    yield ""
    yield "| format | file | says what was left out |"
    yield "|---|---|---|"
    for one in ExportFormat:
        yield f"| `{one}` | {one.label}: {one.explanation} | {'yes' if one.tells_left_out else 'its page does'} |"
    yield ""
    yield "## Retractions"
    yield ""
    yield f"The mark is `{mark(RetractionStatus.RETRACTED, 'what the notice says')}`. A prefix before the title is an"
    yield "option of BibTeX, RIS and CSL-JSON: people see it in every list, but tools no longer find the work by its"
    yield "title."
    yield ""
    yield "| file | how it says so |"
    yield "|---|---|"
    for file, how in _RETRACTION_IN:
        yield f"| {file} | {how} |"
    yield ""
    yield "| status | mark | keywords |"
    yield "|---|---|---|"
    for status in RetractionStatus:
        if status.label:
            yield f"| `{status}` | {mark(status)} | {', '.join(f'`{word}`' for word in status.keywords)} |"
    yield ""
    yield "## The table (CSV)"
    yield ""
    yield "RFC 4180 with every cell quoted; with a byte order mark where asked for, by which Excel knows UTF-8. Several"
    yield "values in a cell have `; ` between them. A cell that a spreadsheet would compute begins with an apostrophe;"
    yield "taking one away gives the text back."
    yield ""
    yield "| column | what stands there |"
    yield "|---|---|"
    for column, about in csv_table.COLUMNS.items():
        yield f"| `{column}` | {about} |"
    yield ""
    yield "## sourced_corpus.json"
    yield ""
    yield "Per section, one object a source; what is not known is null. Fields:"
    yield f"{', '.join(f'`{field}`' for field in sourced_corpus.FIELDS)}."
