"""Best-Sources, Sources.md, sourced_corpus.json, kb export lines and the README of a download."""

import json
import re
from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.catalog import CitationStatus
from sources.core.exported import ExportedSource, Use
from sources.core.findings import Disposition, Verdict
from sources.core.holdings import Held
from sources.core.kinds import Sensitivity
from sources.core.listing import DecisionNote
from sources.core.retraction import RetractionStatus
from sources.reports import best_sources, kb_export, master_sources, readme_index, sourced_corpus, sources_md
from sources.reports.master_sources import Layout
from sources.reports.readme_index import FileNote
from tests.unit.sources.exports import CHECKED, EXPORT, NASTY, nasty, recovered, source, texts, web

MARKET = "02-market"
DROPPED = source(
    4,
    verdict=Verdict.HARD_404,
    disposition=Disposition.DROP,
    reason="status 404",
    decision=DecisionNote("Dropped", "anna", CHECKED, "An invented address."),
)
ALL = Held(
    [
        source(
            1, uses=(Use(MARKET, "v2", CitationStatus.FOUND_IN_RESEARCH), Use("05-team", "v1", CitationStatus.INCLUDED))
        ),
        source(2, verdict=Verdict.THIN, disposition=Disposition.REVIEW),
        source(
            3,
            retraction=RetractionStatus.RETRACTED,
            retraction_note="Invented.",
            uses=(Use(MARKET, "v1", CitationStatus.VALID_NOT_CITED), Use(MARKET, "v10", CitationStatus.INCLUDED)),
            variants=("http://harbour.example/3/",),
        ),
        DROPPED,
        recovered(5, "https://harbour.example/new", access_note="Continental Ledger: requires a subscription"),
        source(6, record_identities=(), uses=(), verdict=None, disposition=Disposition.UNCHECKED, checked_at=None),
    ]
)

BEST = """\
# Best Sources — Harbour memo — 02-market

**Firm**: Quay & Sons
**Generated**: 2026-03-02 10:30:00
**Versions merged** (2): v1, v2
**Unique sources**: 4

## Included in Final Draft (3)

- **[Harbour survey 3](https://harbour.example/3)**
  - HTTP: 200
  - Retraction: retracted, Invented.
  - Verdict: verified-accessible
  - Id: src-003
  - Versions (2): v1, v10
  - Variants: http://harbour.example/3/
- **[Harbour survey 5](https://harbour.example/5)**
  - HTTP: 404
  - Verdict: verified-via-republish
  - Access: Continental Ledger: requires a subscription
  - Found again: https://harbour.example/new
  - Id: src-005
  - Versions (1): v1
- **[Harbour survey 2](https://harbour.example/2)**
  - HTTP: 200
  - Verdict: thin
  - Id: src-002
  - Versions (1): v1

## Found in Research (1)

- **[Harbour survey 1](https://harbour.example/1)**
  - HTTP: 200
  - Verdict: verified-accessible
  - Id: src-001
  - Versions (1): v2
  - Also in (1): 05-team
"""


def test_the_best_sources_of_a_section_stand_by_their_best_status_there() -> None:
    assert "".join(best_sources.stream(ALL, EXPORT, section=MARKET)) == BEST


def test_each_section_with_a_usable_source_has_a_list() -> None:
    assert best_sources.sections_of(ALL) == {MARKET: 4, "05-team": 1}
    assert best_sources.sections_of(Held([DROPPED])) == {}


@pytest.mark.parametrize("layout", Layout)
def test_a_master_list_says_what_was_left_out_and_what_is_doubtful(layout: Layout) -> None:
    doubtful = source(1, retraction=RetractionStatus.CONCERN, retraction_note="Under review.")
    export = replace(EXPORT, left_out_internal=3)
    written = "".join(master_sources.stream(Held([doubtful]), export, layout=layout))
    assert "**Left out (internal)**: 3\n" in written
    told = {
        Layout.VERDICT: "  - EXPRESSION OF CONCERN: Under review.\n",
        Layout.MEMO: "  - Retraction: concern, Under review.\n",
    }
    assert told[layout] in written


def test_sources_md_names_what_may_be_used_and_remembers_what_was_rejected() -> None:
    written = "".join(sources_md.stream(ALL, replace(EXPORT, curated_by="anna", left_out_internal=1)))
    _, front, prose = written.split("---\n", 2)
    told = yaml.safe_load(front)
    assert (told["mode"], told["deal"], told["firm"], told["curated_by"]) == (
        "codified",
        "Harbour memo",
        "Quay & Sons",
        "anna",
    )
    assert [(one["url"].rpartition("/")[2], one["rank"], one["note"]) for one in told["sources"]] == [
        ("1", 1, ""),
        ("2", 1, ""),
        ("3", 1, "[RETRACTED: Invented.]"),
        ("new", 1, ""),
    ]
    assert [one["verdict"] for one in told["sources"]] == [
        "verified-accessible",
        "thin",
        "verified-accessible",
        "verified-via-republish",
    ]
    assert told["sources"][3]["access_note"] == "Continental Ledger: requires a subscription"
    assert told["sources"][3]["recovered_from"] == "https://harbour.example/5"
    assert told["sources"][0]["sections"] == [MARKET, "05-team"]
    assert {one["sensitivity"] for one in told["sources"]} == {Sensitivity.CITABLE_EXTERNALLY.value}
    assert "- `https://harbour.example/4` — An invented address.\n" in prose
    assert "## Without an address\n\n- Harbour survey 6\n" in prose
    assert "1 internal source(s) were left out" in prose


def test_the_corpus_of_a_section_has_the_fields_of_memo_pipelines() -> None:
    told = json.loads("".join(sourced_corpus.stream(ALL, section=MARKET)))
    assert [record["id"] for record in told] == ["src-001", "src-002", "src-003", "src-005"]
    assert told[3] == {
        "id": "src-005",
        "url": "https://harbour.example/new",
        "canonical_url": "https://harbour.example/new",
        "title": "Harbour survey 5",
        "fetched_at": "2026-03-02T10:30:00Z",
        "body_excerpt": None,
        "summary": None,
        "retrieval_query": None,
        "retrieval_tool": None,
        "verdict": "verified-via-republish",
        "access_note": "Continental Ledger: requires a subscription; recovered from https://harbour.example/5",
        "retraction_status": "unknown",
        "retraction_note": None,
    }
    assert (told[2]["retraction_status"], told[2]["retraction_note"]) == ("retracted", "Invented.")
    assert [record["id"] for record in json.loads("".join(sourced_corpus.stream(ALL, section="")))] == ["src-006"]
    assert json.loads("".join(sourced_corpus.stream(ALL, section="no such section"))) == []


def test_the_lines_for_kb_import_say_a_concern_in_the_note_since_they_have_one_bit() -> None:
    concern = source(2, retraction=RetractionStatus.CONCERN, retraction_note="Under review.")
    untitled = source(3, record_identities=())
    lines = [json.loads(one) for one in kb_export.stream([ALL.sources[2], concern, untitled], EXPORT)]
    assert [(one["type"], one["retracted"], one["retraction_note"]) for one in lines] == [
        ("source", True, "Invented."),
        ("source", False, "EXPRESSION OF CONCERN: Under review."),
        ("source", False, ""),
    ]
    assert [one["identifier_type"] for one in lines] == ["url", "url", ""]
    assert len({one["uuid"] for one in lines}) == 3


def test_a_work_has_the_same_uuid_in_every_export_and_its_own_where_it_has_one() -> None:
    one = source(1, record_uuid="11111111-2222-4333-8444-555555555555")
    assert json.loads(next(kb_export.stream([one], EXPORT)))["uuid"] == one.record.uuid
    again = source(9, record_identities=(web("https://harbour.example/1"),))
    first, second = (json.loads(line)["uuid"] for line in kb_export.stream([source(1), again], EXPORT))
    assert first == second


def test_the_readme_counts_files_verdicts_and_what_is_missing() -> None:
    files = [FileNote("a|b.md", "Every | source", 6), FileNote("run-report.md", "The run's report")]
    written = "".join(readme_index.stream(ALL.briefs(), replace(EXPORT, left_out_internal=7), files=files))
    assert "**Unique sources**: 6\n**Verified**: 3 of 6 (50.0 %): block\n" in written
    assert "| a\\|b.md | 6 | Every \\| source |\n| run-report.md |  | The run's report |\n" in written
    assert "| Verified | 2 |" in written
    assert "| Dropped | 1 |" in written
    assert "| Included in Final Draft | 5 |" in written
    assert "- RETRACTED (1): src-003\n" in written
    assert "Internal sources, which do not leave the house: 7\n" in written
    assert "rejected in Sources.md: 1\n" in written


MARKDOWN = {
    "best": lambda sources, text: best_sources.stream(sources, EXPORT, section=text),
    "by verdict": lambda sources, text: master_sources.stream(sources, EXPORT, layout=Layout.VERDICT),
    "memo": lambda sources, text: master_sources.stream(sources, EXPORT, layout=Layout.MEMO),
    "codified": lambda sources, text: sources_md.stream(sources, EXPORT),
}


@pytest.mark.parametrize("text", [text for text in NASTY if text])
@pytest.mark.parametrize("name", MARKDOWN)
def test_no_markup_of_strangers_is_live(name: str, text: str) -> None:
    held = Held([nasty(1, text), replace(nasty(2, text), disposition=Disposition.DROP)])
    written = "".join(MARKDOWN[name](held, text))
    assert "<script>" not in written.replace("\\<script", "")
    assert not re.search(r"(?<!\\)\]\(javascript", written)


@settings(max_examples=40, deadline=None)
@given(text=texts.filter(bool), disposition=st.sampled_from([Disposition.KEEP, Disposition.DROP]))
@pytest.mark.parametrize("name", MARKDOWN)
def test_text_of_strangers_makes_no_line_heading_or_markup(name: str, text: str, disposition: Disposition) -> None:
    def lines(word: str) -> list[str]:
        one = replace(nasty(1, word), disposition=disposition)
        return "".join(MARKDOWN[name](Held([one]), word)).encode("utf-8", "replace").decode().split("\n")

    written = lines(text)
    assert [line for line in written if line.startswith("#")][1:] == [
        line for line in lines("tame") if line.startswith("#")
    ][1:]
    assert written.count("---") == lines("tame").count("---")
    assert not [line for line in written if "<script>" in line.replace("\\<script", "")]
    assert "\r" not in "".join(written)


@settings(max_examples=60, deadline=None)
@given(texts)
def test_the_corpus_is_json_whatever_stands_in_it(text: str) -> None:
    written = "".join(sourced_corpus.stream(Held([nasty(1, text), source(2)]), section=text))
    told = json.loads(written.encode("utf-8").decode())
    assert [record["id"] for record in told] in (["src-001"], [])


def _usable(one: ExportedSource) -> bool:
    return one.disposition is not Disposition.DROP


def test_every_usable_source_with_a_section_stands_in_its_lists() -> None:
    for one in filter(_usable, ALL):
        for section in one.sections:
            assert f"  - Id: {one.stable_id}\n" in "".join(best_sources.stream(ALL, EXPORT, section=section))
