"""What of a source survives the way out and back, format by format: `python -m tests.round_trips` writes the table.

A reader takes the text of a file and gives records; to read with another one, put it into `read_back.READERS`.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sources.core.catalog import CitationStatus
from sources.core.entries import Author, SourceRecord
from sources.core.exported import Export, ExportedSource, Use
from sources.core.findings import Disposition, Verdict
from sources.core.holdings import Held
from sources.core.kinds import IdentifierType, Sensitivity
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus
from sources.reports import bibtex, csl_json, csv_table, kb_export, ris, sources_md
from tests.clock import NOW
from tests.environment import ROOT
from tests.read_back import READERS

PAGE = ROOT / "docs" / "round_trips.md"
EXPORT = Export(project="Harbour memo", as_of=NOW)

_KINDS = (IdentifierType.DOI, IdentifierType.URL, IdentifierType.ARXIV, IdentifierType.PMID, IdentifierType.URN)
FIELDS = (
    *("title", "kind", "authors", "editors", "published_date", "publisher", "container_title", "volume", "issue"),
    *("pages", "isbn", "issn", "language", "abstract", "note", "rights", "version", "tags", "ref", "uuid"),
    *("section", "status", "sensitivity", "retracted", "retraction_note"),
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


WRITERS: dict[str, Callable[[], Iterable[str]]] = {
    "BibTeX": lambda: bibtex.stream(sources(), EXPORT),
    "RIS": lambda: ris.stream(sources()),
    "CSL-JSON": lambda: csl_json.stream(sources()),
    "CSV": lambda: csv_table.stream(sources()),
    "Sources.md": lambda: sources_md.stream(Held(sources()), EXPORT),
    "JSON Lines": lambda: kb_export.stream(sources(), EXPORT),
}


def kept(name: str) -> dict[str, str]:
    """For every field `yes`, `partly` (in some of the works that have it) or `no`, after one way out and back."""
    back = READERS[name]("".join(WRITERS[name]()))
    if len(back) < len(RECORDS):
        # Sources.md leaves out what has no address.
        rest = iter(back)
        back = [next(rest) if any(one.link for one in record.identities) else _record() for record in RECORDS]
    pairs = list(zip(RECORDS, back, strict=True))
    found: dict[str, str] = {}
    for field in FIELDS:
        same = [_value(one, field) == wanted for record, one in pairs if (wanted := _value(record, field))]
        found[field] = "yes" if all(same) else "partly" if any(same) else "no"
    return found


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
    yield "- BibTeX and RIS have fewer kinds of work than CSL; a kind without a type of its own comes back without one."
    yield "- RIS parts names at the comma and has one field for ISBN and ISSN: an organisation loses its comma, and of"
    yield "  the two numbers the ISBN is written. Other identifiers travel as addresses. In CSV and JSON Lines an"
    yield "  organisation keeps its comma, and a reader takes it for a person's."
    yield "- A comma parts keywords in BibTeX and CSL-JSON, so a tag with a comma comes back with a blank in its place."
    yield "- Square brackets in a retraction's note become round ones: the mark `[RETRACTED: …]` ends at the first."
    yield "- A work that was found again is written with the address at which it is read today; the dead one stands in"
    yield "  the CSV, in sourced_corpus.json and in recovery-log.json."
    yield "- Sources.md knows a source by its address alone; its `rank` is the status where nobody gave a rank."


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
