"""What of a source survives the way out and back, format by format: `python -m tests.round_trips` writes the table.

A reader takes the text of a file and gives records; to read with another one, put it into `read_back.READERS`.
"""

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sources.core.catalog import CitationStatus
from sources.core.entries import Author, SourceRecord
from sources.core.exported import Export, ExportedSource, Use
from sources.core.findings import Disposition, Verdict
from sources.core.holdings import Held
from sources.core.kinds import Authority, Classification, IdentifierType, Sensitivity
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus, status_named
from sources.reports import (
    best_sources,
    bibtex,
    csl_json,
    csv_table,
    kb_export,
    master_sources,
    ris,
    sourced_corpus,
    sources_md,
)
from sources.reports.master_sources import Layout
from tests.clock import NOW
from tests.environment import ROOT
from tests.read_back import READERS

PAGE = ROOT / "docs" / "round_trips.md"
EXPORT = Export(project="Harbour memo", as_of=NOW)

_KINDS = (IdentifierType.DOI, IdentifierType.URL, IdentifierType.ARXIV, IdentifierType.PMID, IdentifierType.URN)
LOST = (
    "**kind**: BibTeX and RIS have fewer kinds of work than CSL; `post` comes back as `webpage`, a kind "
    "without a type of its own as `document`. Sources.md, Master-Sources.md, Best-Sources, "
    "sourced_corpus.json and JSON Lines have no kind.",
    "**authors, editors**: RIS parts names at the comma, so an organisation loses its comma; in CSV and "
    "JSON Lines it keeps it, and a reader takes what stands behind for a given name. JSON Lines have no "
    "editors; the memo files no people.",
    "**ref**: the key stands in BibTeX, RIS, CSL-JSON and CSV; Master-Sources.md by verdict, Best-Sources "
    "and sourced_corpus.json name sources by their stable id, and JSON Lines by the uuid, in its place.",
    "**uuid**: only CSV and JSON Lines name the source of another desk; elsewhere the identifier does.",
    "**section, status**: those of a project, not of a work, so no reference manager has them. In "
    "Sources.md `rank` stands for the status where nobody gave a rank, and comes back as the rank; "
    "Master-Sources.md by verdict has no status.",
    "**authority, classification**: only CSV has them; JSON Lines are made for Harvey, which has no field for "
    "either. An import raises a classification that is here already, and never lowers one.",
    "**sensitivity**: only CSV and Sources.md have it. What is internal leaves no export for others.",
    "**identities**: RIS has one field for ISBN and ISSN, of which the ISBN is written, and writes other "
    "identifiers as addresses, which a URN has not. JSON Lines carry the best identifier; Sources.md, "
    "Master-Sources.md, Best-Sources and sourced_corpus.json know a source by one address, and leave out "
    "the address of what has none.",
    "**publisher, container, volume, issue, pages, language, abstract, note, rights, version, tags, "
    "dates**: where the table says no, the format has no field that its other readers would understand; "
    "RIS has none for rights.",
    "**tags**: commas and semicolons part keywords, so one inside a tag comes back as a blank in BibTeX and CSL-JSON.",
    "**retraction_note**: square brackets become round ones where the mark `[RETRACTED: …]` carries it.",
    "**a work found again** is written with the address at which it is read today; the dead one stands in "
    "the CSV, Sources.md, Master-Sources.md by verdict, sourced_corpus.json and recovery-log.json.",
)
FIELDS = (
    *("title", "kind", "authors", "editors", "published_date", "publisher", "container_title", "volume", "issue"),
    *("pages", "isbn", "issn", "language", "abstract", "note", "rights", "version", "tags", "ref", "uuid"),
    *("section", "status", "authority", "classification", "sensitivity", "retracted", "retraction_note"),
    *(f"identities: {kind}" for kind in _KINDS),
)


def _record(**fields: Any) -> SourceRecord:
    return SourceRecord(line=0, spelling="", **fields)


_ARTICLE = _record(
    ref="nunez2024",
    uuid="11111111-2222-4333-8444-555555555555",
    identities=(
        Identity(IdentifierType.DOI, "10.5555/harbour<1>_a(2)", ""),
        Identity(IdentifierType.ARXIV, "2404.00017", ""),
        Identity(IdentifierType.PMID, "31452104", ""),
        Identity(IdentifierType.URL, "https://harbour.example/a?b=1&c=50%25_x", ""),
    ),
    title="Tides & DNA: 50 % of {harbours} cost $5_000",
    kind="article-journal",
    authors=(Author(family="Núñez", given="Ana María"), Author(family="van der Berg", given="Jan")),
    published_date="2024-04-25",
    publisher="Quay & Sons",
    container_title="Journal of Harbours",
    volume="12",
    issue="3",
    pages="17–29",
    issn="1234-5679",
    language="en",
    abstract="One result: 5 < 6 & rising. #1",
    note="Read the appendix first.",
    rights="CC BY 4.0",
    tags=("tides", "DNA"),
    section="02-market",
    status=CitationStatus.INCLUDED,
    authority=Authority.OFFICIAL,
    classification=Classification.CONFIDENTIAL,
    retracted=True,
    retraction_note="Notice of 2 May: data were invented.",
)
_PAGE = _record(
    ref="who-harbours",
    uuid="11111111-2222-4333-8444-666666666666",
    identities=(Identity(IdentifierType.URL, "https://who.example/harbours", ""),),
    title="Harbours and health",
    kind="webpage",
    authors=(Author(family="World Health Organization"), Author(family="Ministry of Ports, Ghana")),
    published_date="2023-11",
    container_title="WHO pages",
    language="fr",
    section="05-team",
    status=CitationStatus.FOUND_IN_RESEARCH,
    authority=Authority.PRIMARY,
    classification=Classification.PUBLIC,
    sensitivity=Sensitivity.CITABLE_EXTERNALLY,
)
_CHAPTER = _record(
    uuid="11111111-2222-4333-8444-777777777777",
    ref="barnes",
    identities=(
        Identity(IdentifierType.ISBN, "9780306406157", ""),
        Identity(IdentifierType.URN, "urn:nbn:de:101:1-20", ""),
    ),
    title="On piers",
    kind="chapter",
    authors=(Author(family="Barnes and Noble"),),
    editors=(Author(family="O’Hara", given="Lin"),),
    published_date="1999",
    publisher="Pier Press",
    container_title="All about piers",
    pages="iv, 7",
    isbn="9780306406157",
    version="2",
    tags=("piers",),
    section="05-team",
    status=CitationStatus.ADDED_BY_CORRECTION,
)
RECORDS = (_ARTICLE, _PAGE, _CHAPTER)


def sources() -> list[ExportedSource]:
    """The three works as exports tell them."""
    return [
        ExportedSource(
            record=record,
            stable_id=f"src-{number:03d}",
            verdict=Verdict.VERIFIED_ACCESSIBLE,
            disposition=Disposition.KEEP,
            checked_at=NOW,
            retraction=RetractionStatus.RETRACTED if record.retracted else RetractionStatus.UNKNOWN,
            retraction_note=record.retraction_note,
            uses=(Use(record.section, "v1", record.status),),
        )
        for number, record in enumerate(RECORDS, start=1)
    ]


Files = list[str]

WRITERS: dict[str, Callable[[Held], Files]] = {
    "BibTeX": lambda held: ["".join(bibtex.stream(held, EXPORT))],
    "RIS": lambda held: ["".join(ris.stream(held))],
    "CSL-JSON": lambda held: ["".join(csl_json.stream(held))],
    "CSV": lambda held: ["".join(csv_table.stream(held))],
    "JSON Lines": lambda held: ["".join(kb_export.stream(held, EXPORT))],
    "Sources.md": lambda held: ["".join(sources_md.stream(held, EXPORT))],
    "Master-Sources.md (memo)": lambda held: ["".join(master_sources.stream(held, EXPORT, layout=Layout.MEMO))],
    "Master-Sources.md (verdict)": lambda held: ["".join(master_sources.stream(held, EXPORT, layout=Layout.VERDICT))],
    "Best-Sources": lambda held: [
        "".join(best_sources.stream(held, EXPORT, section=section)) for section in best_sources.sections_of(held)
    ],
    "sourced_corpus.json": lambda held: [
        "".join(sourced_corpus.stream(held, section=section)) for section in best_sources.sections_of(held)
    ],
}
"""What is written of some sources, by format; where a format has a file a section, each of them."""


def read_again(name: str, given: list[ExportedSource]) -> list[SourceRecord | None]:
    """For each source the record that comes back by way of the format, None where the file does not name it."""
    found = [record for file in WRITERS[name](Held(given)) for record in READERS[name](file)]
    return [next((record for record in found if _is_same(source.record, record)), None) for source in given]


def imported(source: ExportedSource, record: SourceRecord | None) -> ExportedSource:
    """The source as it stands after the record was imported into an empty desk: the work and its retraction are the
    file's, verdicts and uses the desk's own."""
    if record is None:
        return source
    status = status_named(dict(record.details).get("retraction_status", ""))
    if status is RetractionStatus.UNKNOWN and record.retracted:
        status = RetractionStatus.RETRACTED
    return replace(source, record=record, retraction=status, retraction_note=record.retraction_note)


def kept(name: str) -> dict[str, str]:
    """For every field `yes`, `partly` (in some of the works that have it) or `no`, after one way out and back."""
    given = sources()
    pairs = [(one.record, back or _record()) for one, back in zip(given, read_again(name, given), strict=True)]
    found: dict[str, str] = {}
    for field in FIELDS:
        same = [_value(one, field) == wanted for record, one in pairs if (wanted := _value(record, field))]
        found[field] = "yes" if all(same) else "partly" if any(same) else "no"
    return found


def _is_same(one: SourceRecord, other: SourceRecord) -> bool:
    named = {(identity.type, identity.value) for identity in one.identities}
    return bool(named & {(identity.type, identity.value) for identity in other.identities}) or (
        bool(one.title) and one.title == other.title
    )


def page() -> str:
    """The whole table as docs/round_trips.md."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "<!-- Written by `python -m tests.round_trips` from what the writers write and readers read. -->"
    yield ""
    yield "# What survives an export"
    yield ""
    yield "Three works (a retracted article, a web page, a chapter) are written, read back and compared field by field."
    yield "“partly”: kept in some of the works that have the field."
    yield ""
    yield f"| field | {' | '.join(WRITERS)} |"
    yield f"|---|{'---|' * len(WRITERS)}"
    tables = {name: kept(name) for name in WRITERS}
    for field in FIELDS:
        yield f"| {field} | {' | '.join(tables[name][field] for name in WRITERS)} |"
    yield ""
    yield "Written, read and written again, every file has the same bytes; a test holds that."
    yield ""
    yield "## What is lost, and why"
    yield ""
    for reason in LOST:
        yield from textwrap.wrap(f"- {reason}", 118, subsequent_indent="  ", break_on_hyphens=False)


def _value(record: SourceRecord, field: str) -> Any:
    """What the field says; None or empty where it says nothing."""
    if field.startswith("identities: "):
        kind = IdentifierType(field.removeprefix("identities: "))
        return tuple(one.value for one in record.identities if one.type is kind)
    if field == "status" and record.status is CitationStatus.FOUND_IN_RESEARCH:
        return None
    return getattr(record, field)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
