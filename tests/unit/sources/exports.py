"""Sources as exports tell them, made by hand."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st

from sources.core.catalog import CitationStatus
from sources.core.entries import Author, SourceRecord
from sources.core.exported import Export, ExportedSource, Use
from sources.core.findings import Recovery, Verdict
from sources.core.kinds import IdentifierType
from sources.core.listing import DecisionNote
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus
from tests.clock import NOW

CHECKED = NOW + timedelta(hours=1)
EXPORT = Export(project="Harbour memo", firm="Quay & Sons", versions=("v1", "v2"), as_of=CHECKED)

NASTY = (
    '"quotes", {braces}, 100 % of #1 & $5_000 ~ a^b',
    r"\input{/etc/passwd} \write18{x} \\ \{",
    "{{{ never closed",
    "}}} never opened",
    "@article{evil, title = {x}}",
    "mail @comment DNA {x}",
    "<script>alert(1)</script> &amp; <b>bold</b>",
    "](javascript:alert(1)) [a](b) `code` | cell |",
    "first line\nTY  - JOUR\r\nER  - \n\n## Heading\u2028- item",
    "=cmd|' /C calc'!A0",
    "-1+1;=2+2\t@SUM(A1)",
    "émoji 🦊👩‍🔬 Ünïcode 東京",
    "\u202egpj.exe\u202c",
    "עברית and العربية",
    "--- ``quoted'' -- dashes ?` !` <<x>> ,,",
    "half \ud800 pair \x00 nul \x1b[31m \x85 \ufffe",
    "---\nmode: search\n---",
    "%comment # hash \\% \\",
    "x" * 5_000,
)

_LETTERS = st.sampled_from("{}\\%#$&_~^@\"'`,;:|<>[]()=+-*!? \t\r\n\x00\u2028\u202e\ud800aAé🦊ש0")
texts = st.one_of(st.sampled_from(NASTY), st.text(_LETTERS, max_size=30), st.text(max_size=30))


def web(url: str) -> Identity:
    """An address as an identity."""
    return Identity(IdentifierType.URL, url, url)


def doi(value: str) -> Identity:
    """A DOI as an identity."""
    return Identity(IdentifierType.DOI, value, f"https://doi.org/{value}")


def source(number: int, /, **fields: object) -> ExportedSource:
    """The verified source `src-<number>` with an address; `record_…` names a field of its record."""
    record = SourceRecord(
        line=number,
        spelling=f"https://harbour.example/{number}",
        title=f"Harbour survey {number}",
        identities=(web(f"https://harbour.example/{number}"),),
    )
    of_record = {name.removeprefix("record_"): value for name, value in fields.items() if name.startswith("record_")}
    others = {name: value for name, value in fields.items() if not name.startswith("record_")}
    plain = ExportedSource(
        record=replace(record, **of_record),  # type: ignore[arg-type]
        stable_id=f"src-{number:03d}",
        verdict=Verdict.VERIFIED_ACCESSIBLE,
        reason="real content and a fitting title",
        disposition=Verdict.VERIFIED_ACCESSIBLE.disposition,
        checked_at=CHECKED,
        http_status=200,
        uses=(Use("02-market", "v1", CitationStatus.INCLUDED),),
    )
    return replace(plain, **others)  # type: ignore[arg-type]


def nasty(number: int, text: str, /) -> ExportedSource:
    """A source all of whose texts are `text`. The registry's identifiers can be written as UTF-8."""
    value = text.encode("utf-8", "replace").decode()
    return source(
        number,
        record_title=text,
        record_ref=text,
        record_kind="article-journal",
        record_authors=(Author(family=text, given=text), Author(family=text)),
        record_editors=(Author(family=text),),
        record_published_date=text,
        record_publisher=text,
        record_container_title=text,
        record_volume=text,
        record_issue=text,
        record_pages=text,
        record_issn=text,
        record_isbn=text,
        record_language=text,
        record_abstract=text,
        record_note=text,
        record_rights=text,
        record_version=text,
        record_tags=(text, text + "2"),
        record_rejected_because=text,
        record_identities=(
            Identity(IdentifierType.DOI, value, ""),
            Identity(IdentifierType.URL, f"https://harbour.example/{value}", ""),
            Identity(IdentifierType.ARXIV, value, ""),
            Identity(IdentifierType.PMID, value, ""),
            Identity(IdentifierType.URN, value, ""),
        ),
        reason=text,
        access_note=text,
        retraction=RetractionStatus.RETRACTED,
        retraction_note=text,
        uses=(Use(text, text, CitationStatus.INCLUDED),),
        variants=(text,),
        decision=DecisionNote("Accepted", text, CHECKED, text),
        body_excerpt=text,
        summary=text,
        retrieval_query=text,
        retrieval_tool=text,
    )


def recovered(number: int, url: str, /, **fields: object) -> ExportedSource:
    """A source that was found again at `url`."""
    return source(
        number,
        verdict=Verdict.VERIFIED_VIA_REPUBLISH,
        http_status=404,
        recovery=Recovery(url, "Harbour survey", "title and site", '"Harbour survey"', "searxng", 0.934),
        **fields,
    )
