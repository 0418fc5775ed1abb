"""Reports on runs and projects, on screen and as files."""

import csv
import io
import json
import re

import pytest
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind
from sources.models import Source
from tests.clock import NOW
from tests.desk import Desk, without_token
from tests.factories import DecisionFactory
from tests.unit.validation.reports import keep_inside, project_of, run_of, sources_of
from validation.models import CheckRun
from validation.queries.report import gate_of_run

pytestmark = pytest.mark.django_db
TAILS = ("report/", "report.md", "report.csv", "report.json")
MIXED = (
    Verdict.VERIFIED_ACCESSIBLE,
    Verdict.VERIFIED_GATED,
    Verdict.VERIFIED_VIA_REPUBLISH,
    Verdict.THIN,
    Verdict.FETCH_FAILED,
    Verdict.HARD_404,
    Verdict.HALLUCINATED_PATTERN,
    None,
)


def mixed(desk: Desk) -> CheckRun:
    return run_of(project_of(desk, len(MIXED)), *MIXED)


def test_the_gate_is_said_in_words_with_its_reasons(desk: Desk) -> None:
    run = mixed(desk)
    page = desk.client(Role.READER).get(f"/runs/{run.job.uuid}/report/").content.decode()
    assert "3 of 8 verified; 1 fabricated pattern blocks." in page
    assert "Counted as not verified: 1 that could not be fetched and 1 without a verdict." in page
    assert "5 more verified sources would reach 90 %." in page


def test_every_list_is_there_with_its_number(desk: Desk) -> None:
    run = mixed(desk)
    page = desk.client().get(f"/runs/{run.job.uuid}/report/").content.decode()
    told = dict(re.findall(r'<h2 id="(\w+)-h">[^<]+<span class="muted nums">\((\d+)\)', page))
    assert told == {"verified": "2", "gated": "1", "flagged": "2", "dropped": "2", "recovered": "1", "unchecked": "1"}


def test_the_chart_is_drawn_by_the_server_and_told_in_words(desk: Desk) -> None:
    run = mixed(desk)
    page = desk.client().get(f"/runs/{run.job.uuid}/report/").content.decode()
    assert '<svg class="report-chart" role="img"' in page
    assert "8 sources. Verified: 1; Verified, gated: 1;" in page
    assert 'width="12.50%"' in page
    assert "style=" not in page


def test_each_entry_leads_to_its_source(desk: Desk) -> None:
    run = mixed(desk)
    page = desk.client().get(f"/runs/{run.job.uuid}/report/").content.decode()
    for source in sources_of(run.project):
        assert f'href="/s/{source.uuid}/"' in page


def test_one_list_can_be_looked_at_alone(desk: Desk) -> None:
    run = mixed(desk)
    page = desk.client().get(f"/runs/{run.job.uuid}/report/?section=dropped").content.decode()
    assert re.findall(r'<section class="panel panel-flush" id="(\w+)"', page) == ["dropped"]
    assert "Harbour survey 6" in page
    assert "Harbour survey 1<" not in page


def test_a_list_that_no_report_has_shows_all_and_says_so(desk: Desk) -> None:
    run = mixed(desk)
    answer = desk.client().get(f"/runs/{run.job.uuid}/report/?section=%3Cscript%3E")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "a list that no report has" in page
    assert 'id="verified"' in page
    assert "<script>" not in page


def test_a_long_list_shows_its_beginning_and_the_way_to_the_rest(desk: Desk) -> None:
    project = project_of(desk, 130)
    run_of(project, *[Verdict.HARD_404] * 130)
    client = desk.client()
    whole = client.get(f"/p/{project.uuid}/report/").content.decode()
    assert "The first 25 of 130." in whole
    second = client.get(f"/p/{project.uuid}/report/?section=dropped&page=2").content.decode()
    assert len(re.findall(r'<p class="report-name">', second)) == 30
    assert "(130)" in second


def test_an_empty_project_says_that_an_empty_list_blocks(desk: Desk) -> None:
    project = project_of(desk, 0)
    page = desk.client().get(f"/p/{project.uuid}/report/").content.decode()
    assert "No source is cited; an empty list blocks." in page
    assert "No source waits for a person." in page
    assert "Import a list of sources" in page


def test_a_title_from_outside_is_never_markup(desk: Desk) -> None:
    project = project_of(desk, 1)
    source = sources_of(project)[0]
    source.title = '<img src=x onerror=alert(1)> "quoted" {{ 7|add:7 }}'
    source.save(update_fields=["title"])
    run_of(project, Verdict.HARD_404, detail="<b>bold</b>")
    page = desk.client().get(f"/p/{project.uuid}/report/").content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "{{ 7|add:7 }}" in page
    assert "<b>bold" not in page


def test_an_address_that_no_browser_should_follow_is_no_link(desk: Desk) -> None:
    project = project_of(desk, 1)
    pair = {
        "recovered_url": "javascript:alert(1)", "recovered_title": "x", "matched_via": "title", "query": "q",
        "provider": "search", "similarity": 0.9,
    }  # fmt: skip
    run = run_of(project, Verdict.VERIFIED_VIA_REPUBLISH)
    check = sources_of(project)[0].checks.get()
    check.evidence = {**check.evidence, "recovery": pair}
    check.save(update_fields=["evidence"])
    page = desk.client().get(f"/runs/{run.job.uuid}/report/").content.decode()
    assert "javascript:alert(1)" in page
    assert 'href="javascript' not in page


def test_files_are_downloads_in_three_forms(desk: Desk) -> None:
    run = mixed(desk)
    client = desk.client(Role.READER)
    for where in (f"/runs/{run.job.uuid}/", f"/p/{run.project.uuid}/"):
        kinds = [client.get(where + tail).headers["Content-Type"] for tail in TAILS[1:]]
        assert kinds == ["text/markdown; charset=utf-8", "text/csv; charset=utf-8", "application/json"]
        answer = client.get(where + "report.csv")
        assert re.fullmatch(
            r'attachment; filename="\w+-report-[0-9a-f]{8}\.csv"', answer.headers["Content-Disposition"]
        )
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_same_state_gives_the_same_bytes_and_a_byte_order_mark_on_request(desk: Desk) -> None:
    run = mixed(desk)
    client = desk.client()
    for tail in TAILS[1:]:
        assert client.get(f"/runs/{run.job.uuid}/{tail}").content == client.get(f"/runs/{run.job.uuid}/{tail}").content
    plain, marked = (client.get(f"/runs/{run.job.uuid}/report.csv{query}").content for query in ("", "?bom=1"))
    assert marked == b"\xef\xbb\xbf" + plain


def test_a_decision_made_after_the_run_counts_in_its_report(desk: Desk) -> None:
    run = run_of(project_of(desk, 2), Verdict.VERIFIED_ACCESSIBLE, Verdict.THIN)
    address = f"/runs/{run.job.uuid}/report.json"
    before = json.loads(desk.client().get(address).content)
    assert (before["gate"]["verified"], len(before["flagged"])) == (1, 1)
    DecisionFactory(
        source=sources_of(run.project)[1],
        kind=DecisionKind.OVERRIDE,
        override_verdict=Verdict.VERIFIED_ACCESSIBLE,
        reason="I read it in print.",
        by=desk.person(Role.EDITOR),
        at=NOW,
    )
    after = json.loads(desk.client().get(address).content)
    assert (after["gate"]["verified"], after["gate"]["decision"], len(after["flagged"])) == (2, "accept", 0)
    assert after["verified"][1]["machine_verdict"] == "thin"
    page = desk.client().get(f"/runs/{run.job.uuid}/report/").content.decode()
    assert "1 decision of people counts." in page
    assert "I read it in print." in page


def test_run_and_project_pages_lead_to_their_reports(desk: Desk) -> None:
    run = mixed(desk)
    client = desk.client(Role.READER)
    assert f'href="/runs/{run.job.uuid}/report/"' in client.get(f"/runs/{run.job.uuid}/").content.decode()
    assert f'href="/p/{run.project.uuid}/report/"' in client.get(f"/p/{run.project.uuid}/").content.decode()


def test_a_foreign_report_and_a_missing_one_answer_alike(desk: Desk, other_desk: Desk) -> None:
    run = mixed(desk)
    stranger = other_desk.client(Role.ADMIN)
    missing = "00000000-0000-4000-8000-000000000000"
    for tail in TAILS:
        answers = [
            stranger.get(address)
            for address in (
                f"/runs/{run.job.uuid}/{tail}", f"/runs/{missing}/{tail}",
                f"/p/{run.project.uuid}/{tail}", f"/p/{missing}/{tail}",
            )
        ]  # fmt: skip
        assert {answer.status_code for answer in answers} == {404}
        assert len({without_token(answer.content) for answer in answers}) == 1


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("of", ["run", "project"])
def test_a_report_costs_the_same_queries_whatever_its_size(
    desk: Desk, of: str, tail: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = desk.client()
    costs = []
    for number in (10, 20):
        project = project_of(desk, number, name=f"Memo {number}")
        run = run_of(project, *[list(Verdict)[place % 10] for place in range(number)])
        address = f"/runs/{run.job.uuid}/{tail}" if of == "run" else f"/p/{project.uuid}/{tail}"
        client.get(address)
        with django_assert_max_num_queries(19) as counted:
            client.get(address)
        costs.append(len(counted))
    assert costs[0] == costs[1]


@pytest.mark.parametrize("override", [Verdict.VERIFIED_GATED, Verdict.HALLUCINATED_PATTERN, Verdict.THIN])
def test_a_runs_page_its_report_and_its_interface_name_one_gate(desk: Desk, override: Verdict) -> None:
    verdicts = (*[Verdict.VERIFIED_ACCESSIBLE] * 17, Verdict.THIN, Verdict.FETCH_FAILED, Verdict.VERIFIED_ACCESSIBLE)
    project = project_of(desk, len(verdicts))
    run = run_of(project, *verdicts)
    sources = sources_of(project)
    DecisionFactory(
        source=sources[17],
        kind=DecisionKind.OVERRIDE,
        override_verdict=override,
        reason="Read it",
        by=desk.person(),
        at=NOW,
    )
    gate = gate_of_run(run)
    assert gate.total == 20
    shown = f"{gate.verified} of {gate.total} verified"
    page = desk.client().get(f"/runs/{run.job.uuid}/").content.decode()
    assert f"{shown} ({gate.percent} %): <strong>{gate.decision}</strong>" in page
    assert shown in desk.client().get(f"/runs/{run.job.uuid}/report/").content.decode()
    assert (
        json.loads(desk.client().get(f"/runs/{run.job.uuid}/report.json").content)["gate"]["verified"] == gate.verified
    )


def with_an_internal_source(desk: Desk) -> tuple[str, str]:
    """The addresses of a run and of its project, of which the second source must not leave the house."""
    project = project_of(desk, 3)
    run = run_of(project, Verdict.VERIFIED_ACCESSIBLE, Verdict.HARD_404, Verdict.THIN)
    keep_inside(project, 2)
    return f"/runs/{run.job.uuid}", f"/p/{project.uuid}"


@pytest.mark.parametrize("tail", TAILS[1:])
def test_no_file_holds_an_internal_source_and_each_says_how_many_were_left_out(desk: Desk, tail: str) -> None:
    for place in with_an_internal_source(desk):
        text = desk.client().get(f"{place}/{tail}").content.decode()
        assert ("Harbour survey 1" in text, "Harbour survey 2" in text) == (True, False)
        addresses = Source.objects.filter(sensitivity="internal_only").values_list("identifier_value", flat=True)
        # An address may be the beginning of another's.
        assert not [address for address in addresses if re.search(rf"{re.escape(address)}(?!\d)", text)]
        if tail.endswith("md"):
            assert "**Unique sources**: 2\n**Left out (internal)**: 1" in text
            assert "- Left out and not counted: 1 internal source, not for others to see." in text
        if tail.endswith("csv"):
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            assert [(row["left_out"], row["gate_verified"], row["gate_total"]) for row in rows] == [("1", "1", "2")] * 2
        if tail.endswith("json"):
            told = json.loads(text)
            assert (told["left_out"], told["gate"]["total"], told["counts"]["hard-404"]) == (1, 2, 0)


def test_files_with_internal_sources_are_for_curators(desk: Desk) -> None:
    for place in with_an_internal_source(desk):
        for tail in TAILS[1:]:
            assert desk.client(Role.READER).get(f"{place}/{tail}?internal=1").status_code == 403
            text = desk.client(Role.CURATOR).get(f"{place}/{tail}?internal=1").content.decode()
            assert "Harbour survey 2" in text
            assert "Left out" not in text
            if tail.endswith("md"):
                assert "**Not to be handed on**: internal sources stand in it (1)" in text


def test_the_page_shows_internal_sources_and_says_that_its_files_do_not(desk: Desk) -> None:
    for place in with_an_internal_source(desk):
        page = desk.client(Role.READER).get(f"{place}/report/").content.decode()
        assert "Harbour survey 2" in page
        assert "1 internal source stands on this page and in none of its files" in page
        assert "internal=1" not in page
        assert (
            f'href="{place}/report.json?internal=1"'
            in desk.client(Role.CURATOR).get(f"{place}/report/").content.decode()
        )


def test_a_report_without_internal_sources_says_nothing_of_them(desk: Desk) -> None:
    run = mixed(desk)
    for tail in ("report/", "report.md"):
        assert "nternal" not in desk.client().get(f"/runs/{run.job.uuid}/{tail}").content.decode()
