"""Files of memo pipelines: source lists, master lists both ways, codified lists, corpora, whole output folders."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from sources.core.catalog import CitationStatus
from sources.core.entries import ProjectRecord
from sources.core.findings import Disposition, Evidence, Recovery, Verdict
from sources.core.kinds import Sensitivity
from sources.core.listing import DecisionNote
from sources.formats import sources_md
from sources.formats.format import Unreadable
from sources.formats.memo import section, validation_log
from sources.reports.master_sources import Layout
from tests.clock import NOW
from tests.formats.given import errors, named, read, records, zipped
from tests.growth import assert_linear
from tests.unit.sources.told_lists import Entry, Listing, write

SOURCE_LIST = """# Market Context — Complete Source List

**Company**: ExampleDeal
**Generated**: 2026-05-14 10:11:12

## Included in Final Draft (2)

*Sources that appear in the final memo with citations.*

- **[Storm gates [2024]](https://a.example/gates)**
  - HTTP: 200
  - LLM Verification: supported
  - Definition: 2024, Apr 25. [Storm gates [2024]](https://a.example/gates). Harbour Gazette. Published: 2024-04-25
- **A deck without a link** (no URL)

## Added During Fact Correction

- **[Fog](https://a.example/fog)**

## Defined but Not Cited Inline (1)

- **[Eels](https://a.example/eels)**

## Found in Research (0)

None.

## Excluded - Invalid URL (1)

- **[Lost](https://a.example/lost)**

## Hallucinated

- **[Never](https://a.example/never)**
"""

SECTION = """# Market Context

Storm gates hold. [^1] The deck says so. [^deck] Fog thins. [^3]

---

## References

[^1]: 2024, Apr 25. [Storm gates](https://a.example/gates). Harbour Gazette. Published: 2024-04-25
[^2]: 2023, May. [Eels](https://a.example/eels). Fish Board.
[^deck]: The company's own deck, page 4.
"""


def test_a_source_list_keeps_what_the_run_kept_and_names_what_it_left_out(tmp_path: Path) -> None:
    items = read(SOURCE_LIST, tmp_path)
    assert [(one.line, one.title, named(one), one.status) for one in records(items)] == [
        (10, "Storm gates [2024]", "https://a.example/gates", CitationStatus.INCLUDED),
        (14, "A deck without a link", "", CitationStatus.INCLUDED),
        (18, "Fog", "https://a.example/fog", CitationStatus.ADDED_BY_CORRECTION),
        (22, "Eels", "https://a.example/eels", CitationStatus.VALID_NOT_CITED),
    ]
    first = records(items)[0]
    assert (first.section, first.publisher, first.published_date) == ("Market Context", "Harbour Gazette", "2024-04-25")
    assert ("llm verification", "supported") in first.details
    assert [(error.line, error.spelling) for error in errors(items)] == [
        (30, "https://a.example/lost"),
        (34, "https://a.example/never"),
    ]
    assert "Excluded - Invalid URL" in errors(items)[0].message


@pytest.mark.parametrize("heading", ["## Included", "## Included in Final Draft (1)", "### Included in final draft"])
def test_headings_are_read_with_and_without_count_and_dash(heading: str, tmp_path: Path) -> None:
    (found,) = read(f"# Team - Complete Source List\n\n{heading}\n\n- **[Fog](https://a.example/fog)**\n", tmp_path)
    assert records([found])[0].status is CitationStatus.INCLUDED
    assert records([found])[0].section == "Team"


def _entry(number: int, **fields: object) -> Entry:
    told: dict[str, object] = {
        "stable_id": f"src-{number:03d}",
        "title": f"Harbour [survey] *{number}*",
        "link": f"https://harbour.example/{number}",
        "verdict": Verdict.VERIFIED_ACCESSIBLE,
        "reason": "",
        "disposition": Disposition.KEEP,
        "checked_at": NOW,
        "added_at": NOW,
        "evidence": Evidence(status=200),
        "status": CitationStatus.INCLUDED,
        "sections": ("02-market-context", "05-team"),
        "versions": ("Deal-v0.0.1", "Deal-v0.0.2"),
        "variants": ("http://www.harbour.example/1/?utm_source=x", "https://harbour.example/1/"),
    }
    return Entry(**{**told, **fields})  # type: ignore[arg-type]


RECOVERY = Recovery("https://harbour.example/new", "T", "title", "q", "searxng", 0.9)
LISTING = Listing(
    "Harbour memo",
    "Quay & Sons",
    ("Deal-v0.0.1", "Deal-v0.0.2"),
    (
        _entry(1),
        _entry(2, title="", status=CitationStatus.VALID_NOT_CITED, sections=("Fish, fog",), variants=()),
        _entry(3, retraction_note="Data were *invented*.", variants=()),
        _entry(
            4,
            disposition=Disposition.DROP,
            verdict=Verdict.TITLE_SWAPPED,
            variants=(),
            decision=DecisionNote("Dropped", "ada@quay.example", NOW + timedelta(hours=1), "It is: another_report."),
        ),
        _entry(
            5, verdict=Verdict.VERIFIED_VIA_REPUBLISH, evidence=Evidence(status=404, recovery=RECOVERY), variants=()
        ),
        _entry(6, link="", variants=("ISBN 0306406152",), verdict=None, disposition=Disposition.UNCHECKED),
        _entry(
            7, link="https://harbour.example/(odd)_path", disposition=Disposition.DROP, verdict=Verdict.FETCH_FAILED,
            reason="Nobody answers.", variants=(),
        ),
    ),
    NOW,
)  # fmt: skip


def test_our_own_list_by_verdict_comes_back_as_it_was(tmp_path: Path) -> None:
    items = read(write(LISTING, Layout.VERDICT), tmp_path)
    project = items[0]
    assert isinstance(project, ProjectRecord)
    assert (project.name, project.versions) == ("Harbour memo", LISTING.versions)
    assert errors(items) == []
    found = {one.ref: one for one in records(items)}
    assert set(found) == {entry.stable_id for entry in LISTING.entries}
    for entry in LISTING.entries:
        one = found[entry.stable_id]
        assert one.title == entry.title
        assert _several(one.details, "section") == entry.sections
        assert _several(one.details, "version") == entry.versions
        assert set(entry.variants) <= set(_several(one.details, "variant"))
        assert one.retraction_note == (entry.retraction_note or "")
        assert one.retracted is (True if entry.retraction_note else None)
        assert bool(one.rejected_because) is (entry.disposition is Disposition.DROP)
    assert named(found["src-001"]) == "https://harbour.example/1"
    assert named(found["src-005"]) == "https://harbour.example/5"
    assert _several(found["src-005"].details, "variant") == ("https://harbour.example/new",)
    assert named(found["src-006"]) == "9780306406157"
    assert named(found["src-007"]) == "https://harbour.example/(odd)_path"
    assert found["src-004"].rejected_because == "It is: another_report."
    assert found["src-007"].rejected_because.startswith("fetch-failed")


def test_our_own_memo_layout_comes_back_as_it_was(tmp_path: Path) -> None:
    items = read(write(LISTING, Layout.MEMO), tmp_path)
    project = items[0]
    assert isinstance(project, ProjectRecord)
    assert (project.name, project.firm, project.versions) == ("Harbour memo", "Quay & Sons", LISTING.versions)
    kept = [entry for entry in LISTING.entries if entry.disposition is not Disposition.DROP]
    by_title = {(one.title, one.section): one for one in records(items)}
    for entry in kept:
        one = by_title[entry.title, entry.sections[0]]
        assert one.status is entry.status
        assert _several(one.details, "version") == entry.versions
        assert _several(one.details, "variant") == entry.variants
        assert one.rejected_because == ""
    assert len(records(items)) == len(kept)


def _several(details: tuple[tuple[str, str], ...], name: str) -> tuple[str, ...]:
    return tuple(value for given, value in details if given == name)


CODIFIED = """---
mode: codified
deal: ExampleDeal
firm: Quay & Sons
curated_by: ada
sources:
  - url: https://a.example/gates
    sections: [02-market-context, 05-team]
    rank: 1
    sensitivity: citable_externally
    note: The best on gates.
  - url: https://a.example/room
    sensitivity: internal
  - note: nothing here
---

# Why

Prose with [a link](https://a.example/prose).

## Examined and rejected

- `https://a.example/blog` — a blog without an author
- `https://a.example/ad`: advertising
- `https://a.example/bare`
"""


def test_a_codified_list_gives_sources_and_remembers_rejections(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(CODIFIED)
    items = list(sources_md.FORMAT.read(path))
    project = items[0]
    assert isinstance(project, ProjectRecord)
    assert (project.name, project.firm, project.description) == ("ExampleDeal", "Quay & Sons", "Curated by ada")
    first, second, *rejected = records(items)
    assert (first.line, named(first), first.section, first.note) == (
        7,
        "https://a.example/gates",
        "02-market-context",
        "The best on gates.",
    )
    assert first.sensitivity is Sensitivity.CITABLE_EXTERNALLY
    assert {("section", "05-team"), ("rank", "1"), ("mode", "codified")} <= set(first.details)
    assert second.sensitivity is Sensitivity.INTERNAL_ONLY
    assert "neither" in second.warnings[0]
    assert [(one.line, named(one), one.rejected_because) for one in rejected] == [
        (23, "https://a.example/blog", "a blog without an author"),
        (24, "https://a.example/ad", "advertising"),
        (25, "https://a.example/bare", "rejected"),
    ]
    assert [(error.line, "url" in error.message) for error in errors(items)] == [(14, True)]


def test_a_codified_list_is_counted_by_its_urls_and_rejections(tmp_path: Path) -> None:
    items = read(CODIFIED.replace("  - note: nothing here\n", ""), tmp_path)
    assert len(items) == 6


@pytest.mark.parametrize(
    ("front", "says"),
    [
        ("sources: &a [x]\ndeal: *a", "aliases"),
        ("sources: " + "[" * 5_000, "nests"),
        ("sources: [unclosed", "Line"),
        ("sources: !!python/object/apply:os.system ['true']", "tag"),
    ],
)
def test_hostile_front_matter_is_refused_with_a_reason(front: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=says):
        read(f"---\nmode: codified\n{front}\n---\n", tmp_path)


def test_a_sourced_corpus_and_a_recovery_log_are_read_by_object(tmp_path: Path) -> None:
    corpus = [
        {"id": "src-001", "url": "https://a.example/1", "canonical_url": "https://a.example/1", "title": "T",
         "summary": "S", "verdict": "verified-accessible", "retrieval_tool": "tavily"},
        {"id": "src-002", "url": "not an address", "canonical_url": "", "title": ""},
    ]  # fmt: skip
    items = read(json.dumps(corpus).replace("}, ", "},\n"), tmp_path)
    (one,) = records(items)
    assert (one.ref, one.title, one.abstract, named(one)) == ("src-001", "T", "S", "https://a.example/1")
    assert ("verdict", "verified-accessible") in one.details
    assert [error.line for error in errors(items)] == [2]
    log = [{"original_url": "https://a.example/old", "recovered_url": "https://a.example/new", "matched_via": "title"}]
    (moved,) = records(read(json.dumps(log), tmp_path))
    assert named(moved) == "https://a.example/old"
    assert moved.details == (("variant", "https://a.example/new"), ("matched_via", "title"))


def _outputs(**more: str | bytes) -> bytes:
    run = "firms/quay/deals/ExampleDeal/outputs/ExampleDeal-v0.0."
    members: dict[str, str | bytes] = {
        f"{run}10/3-source-catalog/02-Market-Context-Complete-Source-List.md": SOURCE_LIST,
        f"{run}10/2-sections/02-market-context.md": SECTION,
        f"{run}2/1-research/02-market-context.md": "# Notes\n\nSee [Tides](https://a.example/tides) for it.\n",
        f"{run}2/1-research/empty.md": "# Notes\n\nNothing was found.\n",
        f"{run}10/source-validation-log-1.json": json.dumps(
            {"results": [{"url": "https://a.example/gates", "status": "valid", "http_status": 200},
                         {"url": "https://a.example/lost", "status": "hallucinated"}]}
        ),
        f"{run}10/4-final-draft.md": "# Memo\n\nNot a part that is read: https://a.example/no\n",
        **more,
    }  # fmt: skip
    return zipped(members)


def test_an_outputs_folder_gives_the_deal_and_every_run(tmp_path: Path) -> None:
    items = read(_outputs(), tmp_path)
    project = items[0]
    assert isinstance(project, ProjectRecord)
    assert (project.name, project.firm) == ("ExampleDeal", "quay")
    assert project.versions == ("ExampleDeal-v0.0.2", "ExampleDeal-v0.0.10")
    assert "[^deck]" in project.description
    rows = [(one.project_version[-3:], one.section, one.status.value, one.title) for one in records(items)]
    assert rows == [
        ("0.2", "02-market-context", "found-in-research", "Tides"),
        (".10", "02-market-context", "included", "Storm gates [2024]"),
        (".10", "02-market-context", "included", "A deck without a link"),
        (".10", "02-market-context", "added-by-correction", "Fog"),
        (".10", "02-market-context", "valid-not-cited", "Eels"),
        (".10", "02-market-context", "included", "Storm gates"),
        (".10", "02-market-context", "valid-not-cited", "Eels"),
        (".10", "", "found-in-research", ""),
    ]
    assert records(items)[6].published_date == "2023-05"
    assert records(items)[5].context == "Storm gates hold."
    told = [error.message for error in errors(items)]
    assert len(told) == 4
    assert any("[^3], which no definition explains" in message for message in told)
    assert not any("deck" in message for message in told)


def test_one_run_without_its_folder_takes_the_deal_from_its_lists(tmp_path: Path) -> None:
    items = read(zipped({"3-source-catalog/02-Team-Complete-Source-List.md": SOURCE_LIST}), tmp_path)
    assert isinstance(items[0], ProjectRecord)
    assert items[0].name == "ExampleDeal"


def test_a_broken_member_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    run = "ExampleDeal-v1/"
    items = read(
        zipped({f"{run}3-source-catalog/01-A-Complete-Source-List.md": b"\xff\xfe\x00bad",
                f"{run}source-validation-log-1.json": "[" * 100_000,
                f"{run}attachments.zip": zipped({"a.txt": "x"}),
                f"{run}2-sections/01-a.md": SECTION}), tmp_path
    )  # fmt: skip
    assert len(records(items)) == 2
    assert sum("nested" in error.message for error in errors(items)) == 1
    assert any("archive or document inside" in error.message for error in errors(items))


@pytest.mark.parametrize("piece", ["- **[a](https://a.example/)**\n", "- **[", "  - A: b\n", "**A** ", "- **a** [b](c"])
def test_hostile_source_lists_grow_linearly(piece: str, tmp_path: Path) -> None:
    assert_linear(lambda text: read(text, tmp_path), piece, 40_000, before=SOURCE_LIST + "\n## Included\n")


def test_a_number_that_is_defined_twice_is_told_with_both_lines() -> None:
    text = "Boats rose [^1].\n\n[^1]: [A](https://a.example/1)\n[^1]: [B](https://b.example/1)\n"
    items = list(section.read_text(text))
    assert [record.title for record in records(items)] == ["A"]
    assert [(error.line, error.message) for error in errors(items)] == [
        (4, "[^1] is defined in line 3 already. Give this one a number of its own.")
    ]


def test_what_no_database_takes_stands_in_no_field_of_a_log() -> None:
    told = [{"url": "\x00"}, {"url": "https://a.example/1\x00", "title": "Tides\ud800 and\x00 ports"}]
    (record,) = records(list(validation_log.read_text(json.dumps(told))))
    assert (record.title, record.spelling) == ("Tides and ports", "https://a.example/1")


@pytest.mark.parametrize("title", ["# Market — Complete Source List", "# Master Sources — Deal"])
def test_an_entry_that_names_no_work_is_an_error_with_its_line(title: str, tmp_path: Path) -> None:
    entry = "[ftp://a.example/x](ftp://a.example/x)"
    text = f"{title}\n\n## Included in Final Draft (2)\n\n- **[Tides](https://a.example/1)**\n- **{entry}**\n"
    items = read(text, tmp_path)
    assert [record.title for record in records(items)] == ["Tides"]
    assert [error.line for error in errors(items)] == [6]
    assert "only http:// and https:// are" in errors(items)[0].message


@pytest.mark.parametrize("piece", [" ", "\u00a0", " (", "(1", "*", "# "])
def test_a_hostile_heading_of_a_source_list_grows_linearly(piece: str, tmp_path: Path) -> None:
    assert_linear(lambda text: read(text, tmp_path), piece, 40_000, before=SOURCE_LIST + "\n## Included", after="x\n")
