"""Reports as files, byte by byte, and what is read for them."""

import csv
import io
import json
from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from lineage.core.spreadsheet import restored
from provenance_site.jobs.states import ItemState
from sources.core.findings import Cause, Disposition, Recovery, Verdict
from sources.core.kinds import DecisionKind
from sources.core.listing import DecisionNote
from sources.core.review_policy import Decided
from sources.models import Source
from sources.queries.projects import state_of
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import DecisionFactory, JobItemFactory
from tests.unit.sources.findings import apply
from tests.unit.validation.reports import LATER, keep_inside, project_of, run_of, sources_of
from validation.core.report import Head, Report, ReportEntry, Standing, counts_of, sizes_of
from validation.queries.report import outline_of_project, outline_of_run
from validation.reports import run_csv, run_json, run_markdown

CHECKED = NOW + timedelta(hours=1)
PAIR = Recovery(
    recovered_url="https://harbour.example/new",
    recovered_title="Harbour survey",
    matched_via="title on the publisher's site",
    query='"Harbour survey" site:harbour.example',
    provider="searxng",
    similarity=0.934,
)


def entry(
    number: int, verdict: Verdict, cause: Cause, /, found: Verdict | None = None, **fields: object
) -> ReportEntry:
    """The source `src-<number>`."""
    return ReportEntry(
        standing=Standing(number, number, number, verdict, found or verdict, verdict.disposition),
        stable_id=f"src-{number:03d}",
        uuid=f"00000000-0000-4000-8000-{number:012d}",
        title=fields.pop("title", f"Harbour survey {number}"),  # type: ignore[arg-type]
        link=f"https://harbour.example/{number}",
        identifier=f"url:https://harbour.example/{number}",
        cause=cause,
        reason=fields.pop("reason", cause.explanation),  # type: ignore[arg-type]
        checked_at=CHECKED,
        **fields,  # type: ignore[arg-type]
    )


def report(*entries: ReportEntry) -> Report:
    """A run's report on these sources."""
    standings = [one.standing for one in entries]
    head = Head(
        project="Harbour memo",
        firm="Quay & Sons",
        as_of=CHECKED,
        counts=counts_of(standings),
        sizes=sizes_of(standings),
        run="0b9fd2a6-7b3d-4a55-9d7e-4d1f0c2e8a11",
        state="Finished",
        started_at=NOW,
        finished_at=CHECKED,
        rules_version="7",
        decided=1,
    )
    return Report(head=head, entries=entries)


FULL = report(
    entry(1, Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT, status=200),
    entry(
        2,
        Verdict.VERIFIED_VIA_REPUBLISH,
        Cause.RECOVERED_BY_SEARCH,
        status=200,
        recovery=PAIR,
        original_was="hard-404, not-found",
    ),
    entry(
        3,
        Verdict.VERIFIED_GATED,
        Cause.PAY_WALL,
        status=403,
        publisher="Continental Ledger",
        access_note="Continental Ledger: requires a subscription",
    ),
    entry(4, Verdict.THIN, Cause.LITTLE_TEXT, status=200),
    entry(
        5,
        Verdict.TITLE_SWAPPED,
        Cause.OTHER_TITLE,
        status=200,
        title_found="A roof for the fish market",
        similarity=0.1,
    ),
    entry(6, Verdict.FETCH_FAILED, Cause.RATE_LIMITED, status=429, next_try_at=CHECKED + timedelta(hours=1)),
    entry(
        7, Verdict.HARD_404, Cause.NOT_FOUND, status=404, is_provisional=True, archived_url="https://archive.example/7"
    ),
    entry(
        8,
        Verdict.HARD_404,
        Cause.CONTENT,
        found=Verdict.VERIFIED_ACCESSIBLE,
        status=200,
        decision=DecisionNote("Overridden", "anna", CHECKED, "It is *withdrawn*."),
    ),
    entry(9, Verdict.HALLUCINATED_PATTERN, Cause.PATTERN, title='=HYPERLINK("https://evil.example")'),
)

MARKDOWN = """\
# Run report — Harbour memo

**Gate**: Block. 3 of 9 verified; 1 fabricated pattern blocks.
**Generated**: 2026-03-02 10:30:00
**Run**: 0b9fd2a6-7b3d-4a55-9d7e-4d1f0c2e8a11, finished, started 2026-03-02 09:30:00, ended 2026-03-02 10:30:00
**Rules**: 7
**Firm**: Quay & Sons
**Unique sources**: 9

- The share is 33.3 %, cut after one decimal and never rounded up.
- A fabricated pattern blocks whatever the share is: take the address out of the text.
- 6 more verified sources would reach 90 %.
- 6 more verified sources would reach 95 %.
- Counted as not verified: 1 that could not be fetched.

| verdict | sources | share |
|---|---:|---:|
| verified-accessible | 1 | 11.1 % |
| verified-gated | 1 | 11.1 % |
| verified-via-republish | 1 | 11.1 % |
| thin | 1 | 11.1 % |
| title-swapped | 1 | 11.1 % |
| fetch-failed | 1 | 11.1 % |
| paywall-stub | 0 | 0.0 % |
| soft-404-graceful | 0 | 0.0 % |
| hard-404 | 2 | 22.2 % |
| hallucinated-pattern | 1 | 11.1 % |

## Verified (2)

- **[Harbour survey 1](https://harbour.example/1)**
  - Verdict: verified-accessible, real content and a fitting title
  - HTTP: 200
  - Checked: 2026-03-02 10:30:00
  - Id: src-001
- **[Harbour survey 2](https://harbour.example/new)**
  - Changed: stands in for https://harbour.example/2, which was hard-404, not-found
  - Verdict: verified-via-republish, the same title was found alive by search
  - HTTP: 200
  - Checked: 2026-03-02 10:30:00
  - Id: src-002

## Gated (1)

- **[Harbour survey 3](https://harbour.example/3)**
  - Verdict: verified-gated, a subscription is asked for
  - Publisher: Continental Ledger
  - Access: Continental Ledger: requires a subscription
  - HTTP: 403
  - Checked: 2026-03-02 10:30:00
  - Id: src-003

## Flagged for review (3)

- **[Harbour survey 4](https://harbour.example/4)**
  - Verdict: thin, too little text to judge
  - HTTP: 200
  - Checked: 2026-03-02 10:30:00
  - Id: src-004
- **[Harbour survey 5](https://harbour.example/5)**
  - Verdict: title-swapped, the title is another work's
  - Title found: A roof for the fish market (alike by 0.10)
  - HTTP: 200
  - Checked: 2026-03-02 10:30:00
  - Id: src-005
- **[Harbour survey 6](https://harbour.example/6)**
  - Verdict: fetch-failed, the server asks to come back later
  - Next try: 2026-03-02 11:30:00
  - HTTP: 429
  - Checked: 2026-03-02 10:30:00
  - Id: src-006

## Dropped (3)

- **[Harbour survey 7](https://harbour.example/7)**
  - Verdict: hard-404, the server answers 404; provisional, more checks have to agree
  - Archived copy: https://archive.example/7
  - HTTP: 404
  - Checked: 2026-03-02 10:30:00
  - Id: src-007
- **[Harbour survey 8](https://harbour.example/8)**
  - Machine: verified-accessible, real content and a fitting title
  - Overridden to hard-404 by anna on 2026-03-02 10:30:00: It is \\*withdrawn\\*.
  - HTTP: 200
  - Checked: 2026-03-02 10:30:00
  - Id: src-008
- **[=HYPERLINK("https://evil.example")](https://harbour.example/9)**
  - Verdict: hallucinated-pattern, the address matches the shape of invented ones
  - Checked: 2026-03-02 10:30:00
  - Id: src-009

## Recovered (1)

- **[Harbour survey](https://harbour.example/new)**
  - Original: https://harbour.example/2
  - Query: "Harbour survey" site:harbour.example
  - Found by: title on the publisher's site, searxng, similarity 0.93
  - Id: src-002
"""


def test_the_markdown_is_this_to_the_byte() -> None:
    assert run_markdown.write(FULL) == MARKDOWN


def test_a_row_of_the_csv_is_this_to_the_byte() -> None:
    lines = run_csv.write(FULL).split("\r\n")
    assert lines[0] == ",".join(f'"{name}"' for name in run_csv.COLUMNS)
    assert lines[2] == (
        '"verified","src-002","Harbour survey 2","https://harbour.example/new","url:https://harbour.example/2",'
        '"verified-via-republish","verified-via-republish","recovered-by-search",'
        '"the same title was found alive by search","keep","yes","no","200","","","","2026-03-02T10:30:00+00:00","",'
        '"","","","","","","https://harbour.example/2","hard-404, not-found","https://harbour.example/new",'
        '"Harbour survey","title on the publisher\'s site","""Harbour survey"" site:harbour.example","searxng",'
        '"0.9340","","","00000000-0000-4000-8000-000000000002","block","3","9","33.3","0"'
    )
    assert lines[-1] == ""
    assert run_csv.write(FULL, bom=True) == "\ufeff" + run_csv.write(FULL)


def test_the_csv_has_each_source_once_and_gives_every_title_back() -> None:
    rows = list(csv.DictReader(io.StringIO(run_csv.write(FULL), newline="")))
    assert [row["id"] for row in rows] == [f"src-{number:03d}" for number in range(1, 10)]
    assert rows[-1]["title"] == "'" + FULL.entries[-1].title
    assert [restored(row["title"]) for row in rows] == [one.title for one in FULL.entries]


def test_the_json_says_the_same_lists_and_ends_in_one_newline() -> None:
    text = run_json.write(FULL)
    told = json.loads(text)
    assert text.startswith('{\n  "project": "Harbour memo",\n  "firm": "Quay & Sons",\n  "run": "0b9fd2a6')
    assert text.endswith("]\n}\n")
    ids = {name: [one["id"][-1] for one in told[name]] for name in told if isinstance(told[name], list)}
    assert ids == {
        "verified": ["1", "2"],
        "gated": ["3"],
        "flagged": ["4", "5", "6"],
        "dropped": ["7", "8", "9"],
        "recovered": ["2"],
        "kept": [],
        "unchecked": [],
    }
    assert told["gate"]["decision"] == "block"
    assert told["recovered"] == [
        {
            "original_url": "https://harbour.example/2",
            "recovered_url": "https://harbour.example/new",
            "recovered_title": "Harbour survey",
            "matched_via": "title on the publisher's site",
            "query": '"Harbour survey" site:harbour.example',
            "provider": "searxng",
            "similarity": 0.934,
            "at": "2026-03-02T10:30:00+00:00",
            "id": "src-002",
            "source": "00000000-0000-4000-8000-000000000002",
        }
    ]


HOSTILE = [
    "](https://evil.example) <script>alert(1)</script>",
    "line\r\n## Verified (99)\r\n| a | b |",
    "\u202egpj.exe \x1b[31m red",
    "half \ud800 a pair \x00 and NUL",
    "`code` **bold** &lt;b&gt;",
]


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_title_stays_text_in_every_form(title: str) -> None:
    made = report(entry(1, Verdict.HARD_404, Cause.NOT_FOUND, title=title, reason=f"the page says «{title}»"))
    markdown = run_markdown.write(made)
    assert markdown.count("\n## ") == 5
    assert "<script>" not in markdown.replace("\\<", "")
    assert "](https://evil" not in markdown.replace("\\](", "")
    markdown.encode()
    (row,) = csv.DictReader(io.StringIO(run_csv.write(made), newline=""))
    assert row["id"] == "src-001"
    run_csv.write(made).encode()
    assert json.loads(run_json.write(made).encode())["dropped"][0]["id"] == "src-001"


def test_no_password_of_an_address_is_handed_on() -> None:
    made = report(
        entry(1, Verdict.HARD_404, Cause.NOT_FOUND, reason="sent on to https://anna:secret@harbour.example/"),
    )
    for text in (run_markdown.write(made), run_csv.write(made), run_json.write(made)):
        assert "secret" not in text


# -- what is read ------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_run_tells_its_own_checks_and_the_project_the_newest(desk: Desk) -> None:
    project = project_of(desk, 2)
    run = run_of(project, Verdict.FETCH_FAILED, Verdict.VERIFIED_ACCESSIBLE)
    apply(sources_of(project)[0], Verdict.VERIFIED_ACCESSIBLE, at=LATER + timedelta(days=1))
    of_run, of_project = outline_of_run(run).report(), outline_of_project(project).report()
    assert [one.standing.verdict for one in of_run.entries] == [Verdict.FETCH_FAILED, Verdict.VERIFIED_ACCESSIBLE]
    assert of_run.entries[0].next_try_at is None, "checked again since: nothing is planned for the old failure"
    assert of_project.head.gate.verified == 2
    assert (of_run.head.as_of, of_project.head.as_of) == (LATER, LATER + timedelta(days=1))


@pytest.mark.django_db
def test_a_failure_says_when_it_is_tried_again(desk: Desk) -> None:
    project = project_of(desk, 1)
    run_of(project, Verdict.FETCH_FAILED)
    (told,) = outline_of_project(project).entries()
    assert told.next_try_at == sources_of(project)[0].retry_at
    assert told.next_try_at is not None


@pytest.mark.django_db
def test_what_an_earlier_verdict_answered_stands_by_that_one(desk: Desk) -> None:
    project = project_of(desk, 2)
    known, new = sources_of(project)
    apply(known, Verdict.VERIFIED_ACCESSIBLE, at=NOW - timedelta(days=2))
    run = run_of(project)
    JobItemFactory(job=run.job, subject_id=known.pk, position=0, state=ItemState.DONE, outcome="verified-accessible")
    JobItemFactory(job=run.job, subject_id=new.pk, position=1, state=ItemState.SKIPPED)
    apply(known, Verdict.HARD_404, at=LATER + timedelta(days=9))
    outline = outline_of_run(run)
    assert [one.verdict for one in outline.standings] == [Verdict.VERIFIED_ACCESSIBLE, None]
    assert outline.head.as_of == NOW - timedelta(days=2)


@pytest.mark.django_db
def test_a_source_that_left_the_registry_is_told_and_not_counted(desk: Desk) -> None:
    project = project_of(desk, 1)
    run = run_of(project, Verdict.VERIFIED_ACCESSIBLE)
    JobItemFactory(job=run.job, subject_id=9_999_999, position=1, state=ItemState.DONE, outcome="vanished")
    head = outline_of_run(run).head
    assert (head.gate.total, head.removed) == (1, 1)


@pytest.mark.django_db
def test_a_report_counts_as_the_project_page_does(desk: Desk) -> None:
    project = project_of(desk, 14)
    sources = sources_of(project)
    for source, verdict in zip(sources, Verdict, strict=False):
        apply(source, verdict)
    decided: list[tuple[int, DecisionKind, Verdict | None]] = [
        (3, DecisionKind.ACCEPT, None),
        (4, DecisionKind.DROP, None),
        (5, DecisionKind.OVERRIDE, Verdict.VERIFIED_GATED),
        (0, DecisionKind.DROP, None),
        (9, DecisionKind.OVERRIDE, Verdict.THIN),
        (12, DecisionKind.OVERRIDE, Verdict.VERIFIED_ACCESSIBLE),
    ]
    for place, kind, verdict in decided:
        decide(desk, sources[place], kind, verdict)
    head, state = outline_of_project(project).head, state_of(project)
    assert head.gate == state.gate
    assert dict(head.counts) == state.by_verdict
    assert (head.decided, head.dropped_though_verified, head.as_of) == (6, 1, LATER)


@pytest.mark.django_db
def test_a_decision_that_was_taken_back_no_longer_counts(desk: Desk) -> None:
    project = project_of(desk, 1)
    run = run_of(project, Verdict.THIN)
    decide(desk, sources_of(project)[0], DecisionKind.DROP, undone=True)
    assert outline_of_run(run).standings[0].disposition is Disposition.REVIEW


def decide(
    desk: Desk, source: Source, kind: DecisionKind, verdict: Verdict | None = None, *, undone: bool = False
) -> None:
    """A decision as the review service leaves it."""
    DecisionFactory(
        source=source,
        kind=kind,
        override_verdict=verdict or "",
        reason="because",
        by=desk.person(),
        at=LATER,
        undone_at=LATER if undone else None,
    )
    if not undone:
        source.decided, source.disposition = kind, Decided(kind, verdict, "").disposition
        source.save(update_fields=["decided", "disposition"])


@pytest.mark.django_db
def test_a_retracted_source_says_so(desk: Desk) -> None:
    project = project_of(desk, 1)
    source = sources_of(project)[0]
    source.retracted, source.retraction_note = True, "Notice of 2 May: data were invented."
    source.save(update_fields=["retracted", "retraction_note"])
    assert "RETRACTED: Notice of 2 May" in run_markdown.write(outline_of_project(project).report())


@pytest.mark.django_db
def test_many_sources_cost_a_fixed_number_of_queries_per_500(
    desk: Desk, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = project_of(desk, 20)
    run = run_of(project, *[Verdict.HARD_404] * 20)
    outline_of_run(run).report()
    with django_assert_num_queries(6 + 4 + 5):
        outline_of_run(run).report()
    with django_assert_num_queries(3 + 4 + 5):
        outline_of_project(project).report()


@pytest.mark.django_db
def test_a_proposed_address_that_a_person_took_is_a_recovered_pair(desk: Desk) -> None:
    project = project_of(desk, 2)
    run = run_of(project, Verdict.HARD_404, Verdict.HARD_404, proposals=(PAIR,))
    before = outline_of_run(run).entries()[0]
    assert [one.recovered_url for one in before.proposals] == [PAIR.recovered_url]
    taken, only_said = sources_of(project)
    for source, reason in ((taken, f"The same work: {PAIR.recovered_url}"), (only_said, "It moved somewhere.")):
        DecisionFactory(
            source=source,
            check_seen=source.latest_check,
            kind=DecisionKind.OVERRIDE,
            override_verdict=Verdict.VERIFIED_VIA_REPUBLISH,
            reason=reason,
            by=desk.person(),
            at=LATER,
        )
    told = json.loads(run_json.write(outline_of_run(run).report()))
    assert [pair["id"] for pair in told["recovered"]] == ["src-001"]
    assert told["recovered"][0]["matched_via"] == "title on the publisher's site, taken by a person"
    assert [one["url"] for one in told["verified"]] == [PAIR.recovered_url, only_said.request_url]
    assert told["verified"][0]["original_was"] == "hard-404, not-found"
    assert told["verified"][0]["proposals"] == []


def test_what_was_merged_into_an_internal_work_is_internal_in_an_old_run_too(desk: Desk) -> None:
    project = project_of(desk, 4)
    run = run_of(project, *[Verdict.VERIFIED_ACCESSIBLE] * 4)
    first, second, third, fourth = sources_of(project)
    for going, kept in ((first, second), (second, third)):
        Source.objects.filter(pk=going.pk).update(merged_into=kept)
    assert outline_of_run(run, external=True).head.left_out == 0
    keep_inside(project, 3)
    outline = outline_of_run(run, external=True)
    assert ([one.source_id for one in outline.standings], outline.head.left_out) == ([fourth.pk], 3)
    assert outline_of_run(run).head.internal == 3
