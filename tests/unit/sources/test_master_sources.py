"""Master-Sources.md, byte by byte: what each layout says of every kind of source."""

from dataclasses import replace
from datetime import timedelta

import pytest

from sources.core.catalog import CitationStatus
from sources.core.findings import Cause, Disposition, Evidence, Recovery, Verdict
from sources.core.listing import DecisionNote
from sources.reports.master_sources import Layout
from tests.clock import NOW
from tests.unit.sources.told_lists import Entry, Listing, write

CHECKED = NOW + timedelta(hours=1)


def entry(number: int, verdict: Verdict | None, cause: Cause | None, /, **fields: object) -> Entry:
    """The source `src-<number>`, standing where its verdict puts it."""
    plain = Entry(
        stable_id=f"src-{number:03d}",
        title=f"Harbour survey {number}",
        link=f"https://harbour.example/{number}",
        verdict=verdict,
        reason=cause.explanation if cause else "",
        disposition=verdict.disposition if verdict else Disposition.UNCHECKED,
        checked_at=CHECKED if verdict else None,
        added_at=NOW,
        evidence=Evidence(status=200) if verdict else Evidence(),
        status=CitationStatus.INCLUDED,
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def listing(*entries: Entry, **fields: object) -> Listing:
    """A project's list of these entries."""
    return replace(Listing("Harbour memo", "Quay & Sons", ("draft-1.md", "draft-2.md"), entries, NOW), **fields)  # type: ignore[arg-type]


ACCESSIBLE = entry(
    1,
    Verdict.VERIFIED_ACCESSIBLE,
    Cause.CONTENT,
    sections=("02-market-context", "05-team"),
    versions=("draft-1.md", "draft-2.md"),
    variants=("http://www.harbour.example/1/?utm_source=x", "https://harbour.example/1/"),
)
GATED = entry(
    2,
    Verdict.VERIFIED_GATED,
    Cause.PAY_WALL,
    evidence=Evidence(status=403, access_note="Continental Ledger: requires a subscription"),
    status=CitationStatus.ADDED_BY_CORRECTION,
)
THIN = entry(3, Verdict.THIN, Cause.LITTLE_TEXT, status=CitationStatus.VALID_NOT_CITED)
DROPPED = entry(
    4,
    Verdict.TITLE_SWAPPED,
    Cause.OTHER_TITLE,
    disposition=Disposition.DROP,
    decision=DecisionNote("Dropped", "anna", NOW + timedelta(hours=2), "It is *another* report."),
)
RECOVERED = entry(
    5,
    Verdict.VERIFIED_VIA_REPUBLISH,
    Cause.RECOVERED_BY_SEARCH,
    evidence=Evidence(
        status=404,
        recovery=Recovery(
            recovered_url="https://harbour.example/new/5",
            recovered_title="Harbour survey 5",
            matched_via="title and site",
            query='"Harbour survey 5" site:harbour.example',
            provider="searxng",
            similarity=0.934,
        ),
    ),
)
UNCHECKED = entry(6, None, None, status=CitationStatus.FOUND_IN_RESEARCH)
RETRACTED = entry(7, Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT, retraction_note="Notice of 2 May: data were invented.")
A_BOOK = entry(8, Verdict.FETCH_FAILED, Cause.NO_ADDRESS, link="", evidence=Evidence(), variants=("ISBN 0306406152",))
ALL = listing(ACCESSIBLE, GATED, THIN, DROPPED, RECOVERED, UNCHECKED, RETRACTED, A_BOOK)

BY_VERDICT = """\
# Master Sources — Harbour memo

**Generated**: 2026-03-02 11:30:00
**Versions merged** (2): draft-1.md, draft-2.md
**Unique sources**: 8
**Verified**: 4 of 8 (50.0 %): block

## Verified (2)

- **[Harbour survey 1](https://harbour.example/1)**
  - Verdict: verified-accessible, real content and a fitting title
  - HTTP: 200
  - Checked: 2026-03-02 10:30:00
  - Id: src-001
  - Sections (2): 02-market-context, 05-team
  - Versions (2): draft-1.md, draft-2.md
  - Variants: http://www.harbour.example/1/?utm_source=x, https://harbour.example/1/
- **[Harbour survey 7](https://harbour.example/7)**
  - RETRACTED: Notice of 2 May: data were invented.
  - Verdict: verified-accessible, real content and a fitting title
  - HTTP: 200
  - Checked: 2026-03-02 10:30:00
  - Id: src-007

## Gated (1)

- **[Harbour survey 2](https://harbour.example/2)**
  - Verdict: verified-gated, a subscription is asked for
  - HTTP: 403
  - Access: Continental Ledger: requires a subscription
  - Checked: 2026-03-02 10:30:00
  - Id: src-002

## Flagged for review (2)

- **[Harbour survey 3](https://harbour.example/3)**
  - Verdict: thin, too little text to judge
  - HTTP: 200
  - Checked: 2026-03-02 10:30:00
  - Id: src-003
- **Harbour survey 8** (no URL)
  - Verdict: fetch-failed, the source has no address to fetch
  - Checked: 2026-03-02 10:30:00
  - Id: src-008
  - Variants: ISBN 0306406152

## Dropped (1)

- **[Harbour survey 4](https://harbour.example/4)**
  - Verdict: title-swapped, the title is another work's
  - HTTP: 200
  - Checked: 2026-03-02 10:30:00
  - Dropped by anna on 2026-03-02 11:30:00: It is \\*another\\* report.
  - Id: src-004

## Recovered (1)

- **[Harbour survey 5](https://harbour.example/new/5)**
  - Original: https://harbour.example/5
  - Found by: title and site, searxng, query "Harbour survey 5" site:harbour.example, similarity 0.93
  - Verdict: verified-via-republish, the same title was found alive by search
  - HTTP: 404
  - Checked: 2026-03-02 10:30:00
  - Id: src-005

## Not checked yet (1)

- **[Harbour survey 6](https://harbour.example/6)**
  - Id: src-006
"""

# The layout of memo pipelines: their readers go by these very lines.
AS_A_MEMO = """\
# Master Source List — Harbour memo

**Firm**: Quay & Sons
**Generated**: 2026-03-02 11:30:00
**Versions merged** (2): draft-1.md, draft-2.md
**Unique sources**: 7

## Included in Final Draft (4)

- **[Harbour survey 1](https://harbour.example/1)**
  - HTTP: 200
  - Sections (2): 02-market-context, 05-team
  - Versions (2): draft-1.md, draft-2.md
  - Variants: http://www.harbour.example/1/?utm_source=x, https://harbour.example/1/
- **[Harbour survey 5](https://harbour.example/5)**
  - HTTP: 404
- **[Harbour survey 7](https://harbour.example/7)**
  - HTTP: 200
  - Retraction: retracted, Notice of 2 May: data were invented.
- **Harbour survey 8** (no URL)
  - HTTP: not fetched
  - Variants: ISBN 0306406152

## Added by Correction (1)

- **[Harbour survey 2](https://harbour.example/2)**
  - HTTP: 403

## Valid but Not Cited (1)

- **[Harbour survey 3](https://harbour.example/3)**
  - HTTP: 200

## Found in Research (1)

- **[Harbour survey 6](https://harbour.example/6)**
  - HTTP: not fetched
"""


@pytest.mark.parametrize(("layout", "golden"), [(Layout.VERDICT, BY_VERDICT), (Layout.MEMO, AS_A_MEMO)])
def test_every_kind_of_source_is_written_in_these_very_bytes(layout: Layout, golden: str) -> None:
    assert write(ALL, layout) == golden


def test_an_empty_project_says_so() -> None:
    nothing = listing(versions=(), firm="")
    assert write(nothing, Layout.VERDICT) == (
        "# Master Sources — Harbour memo\n\n"
        "**Generated**: 2026-03-02 09:30:00\n"
        "**Versions merged** (0):\n"
        "**Unique sources**: 0\n"
        "**Verified**: 0 of 0 (0.0 %): block\n\n"
        "## Verified (0)\n\nNone.\n\n"
        "## Gated (0)\n\nNone.\n\n"
        "## Flagged for review (0)\n\nNone.\n\n"
        "## Dropped (0)\n\nNone.\n\n"
        "## Recovered (0)\n\nNone.\n"
    )
    assert write(nothing, Layout.MEMO) == (
        "# Master Source List — Harbour memo\n\n"
        "**Firm**: —\n"
        "**Generated**: 2026-03-02 09:30:00\n"
        "**Versions merged** (0):\n"
        "**Unique sources**: 0\n"
    )


@pytest.mark.parametrize("layout", Layout)
def test_hostile_titles_and_reasons_stay_on_their_line(layout: Layout) -> None:
    hostile = "](javascript:alert(1)) <script>\n## Verified (99)\r\n- **x**"
    told = entry(
        1,
        Verdict.THIN,
        Cause.LITTLE_TEXT,
        title=hostile,
        sections=(hostile,),
        versions=(hostile,),
        variants=(hostile,),
        decision=DecisionNote("Accepted", hostile, NOW, hostile),
        disposition=Disposition.KEEP,
        retraction_note=hostile,
        evidence=Evidence(status=200, access_note=hostile),
    )
    tame = entry(
        1,
        Verdict.THIN,
        Cause.LITTLE_TEXT,
        sections=("a",),
        versions=("b",),
        variants=("c",),
        decision=DecisionNote("Accepted", "anna", NOW, "fits"),
        disposition=Disposition.KEEP,
        retraction_note="d",
        evidence=Evidence(status=200, access_note="e"),
    )
    written = write(listing(told, project=hostile, firm=hostile, versions=(hostile,)), layout)
    assert len(written.split("\n")) == len(write(listing(tame, versions=("b",)), layout).split("\n"))
    assert written.count("\n## ") == write(listing(tame), layout).count("\n## ")
    assert "\r" not in written
    assert "<script>" not in written.replace("\\<script", "")
    assert "](javascript" not in written.replace("\\](javascript", "")


def test_an_override_to_recovered_without_a_recovery_keeps_its_own_address() -> None:
    overridden = replace(
        entry(1, Verdict.VERIFIED_VIA_REPUBLISH, Cause.LITTLE_TEXT),
        decision=DecisionNote("Overridden", "anna", NOW, "I found it."),
    )
    written = write(listing(overridden), Layout.VERDICT)
    shelf = written.partition("## Recovered (1)\n")[2]
    assert "- **[Harbour survey 1](https://harbour.example/1)**" in shelf
    assert "Original" not in shelf


@pytest.mark.parametrize(
    ("entries", "hours"),
    [((), -24), ((UNCHECKED,), 0), ((UNCHECKED, ACCESSIBLE), 1), ((ACCESSIBLE, DROPPED), 2)],
    ids=["project", "newest entry", "newest check", "newest decision"],
)
def test_generated_is_the_moment_of_the(entries: tuple[Entry, ...], hours: int) -> None:
    assert listing(*entries, created_at=NOW - timedelta(days=1)).as_of == NOW + timedelta(hours=hours)


def test_a_work_found_again_at_an_address_of_the_list_points_to_that_entry() -> None:
    assert RECOVERED.evidence.recovery is not None
    there = RECOVERED.evidence.recovery.recovered_url
    twin = replace(ACCESSIBLE, stable_id="src-090", link=there)
    text = write(listing(RECOVERED, twin), Layout.VERDICT)
    assert text.count(f"]({there})") == 1
    assert "found again as src-090 of this list" in text
