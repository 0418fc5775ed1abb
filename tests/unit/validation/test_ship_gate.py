"""The ship gate over a finished document: fetched anew, held against the corpus, spot-checked by a person."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied

from provenance_site.accounts.roles import Role
from provenance_site.jobs.models import JobItem
from provenance_site.jobs.states import JobState
from sources.core.citations import Mode
from sources.core.findings import Verdict
from sources.core.gate import GateDecision
from sources.core.kinds import DecisionKind, UseKind
from sources.models import CatalogEntry, Check, Draft, Source
from sources.services import drafts
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    DecisionFactory,
    EntryAliasFactory,
    RetractionAcknowledgementFactory,
)
from tests.fakes.world import World, gone
from tests.unit.validation.shipping import TITLE, address, begun, checked, corpus_project, draft_of, world_of
from validation.core.shipping import Level, Rule, ShipReport, SpotResult
from validation.models import ShipCheck, SpotCheck
from validation.queries.ship import report_of
from validation.services import ship_gate, ship_work
from validation.services.validate import utc_now

pytestmark = pytest.mark.django_db


def cites(*numbers: int) -> str:
    """A text that cites src-00N for each number, one a line."""
    return "\n\n".join(f"Boats of kind {number} came in the year. [src-{number:03d}]" for number in numbers)


def blocking(report: ShipReport) -> list[tuple[Rule, int]]:
    return [(one.rule, one.line) for one in report.remarks if one.level is Level.BLOCKS]


def test_a_text_that_cites_the_corpus_alone_is_accepted(desk: Desk) -> None:
    project = corpus_project(desk, range(1, 4))
    check = checked(desk, project, cites(1, 2, 3), world_of(range(1, 4)))
    report = report_of(check)
    assert (check.decision, check.verified, check.total) == ("accept", 3, 3)
    assert report.remarks == ()
    assert [(link.stable_id, link.line, link.column) for link in report.links] == [
        ("src-001", 1, 35),
        ("src-002", 3, 35),
        ("src-003", 5, 35),
    ]
    assert "[^1]" in check.text
    assert "src-001" not in check.text


def test_a_kept_verdict_counts_for_nothing_and_the_registry_learns_what_the_gate_saw(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    assert Source.objects.get().verdict == Verdict.VERIFIED_ACCESSIBLE
    check = checked(desk, project, cites(1), World(pages={address(1): gone(address(1))}))
    assert check.decision == GateDecision.BLOCK
    assert (Rule.NOT_VERIFIED, 1) in blocking(report_of(check))
    newest = Check.objects.order_by("-pk")[0]
    assert newest.verdict == Verdict.HARD_404
    assert newest.item is not None
    assert newest.item.job_id == check.pk


def test_every_link_is_fetched_once_however_often_and_in_whatever_form_it_is_cited(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    world = world_of([1])
    text = f"One. [src-001] Two. [src-001] [Three](http://www.gazette.org/1/?utm_source=x) and {address(1)}"
    check = checked(desk, project, text, world)
    assert check.total == 1
    assert len(world.fetched) == 1


def test_a_link_outside_the_corpus_blocks_and_is_fetched_all_the_same(desk: Desk) -> None:
    project = corpus_project(desk, range(1, 41))
    text = f"{cites(*range(1, 41))}\n\nAnd [one more](https://else.org/page) of another house."
    world = world_of(range(1, 41))
    check = checked(desk, project, text, world)
    report = report_of(check)
    assert check.decision == GateDecision.BLOCK
    (outside,) = [one for one in report.remarks if one.rule is Rule.OUTSIDE]
    assert (outside.line, outside.column, outside.address) == (81, 5, "https://else.org/page")
    assert "harvested" in outside.message
    assert "https://else.org/page" in world.fetched
    assert (check.total, check.verified) == (41, 40)


@pytest.mark.parametrize(("in_corpus", "decision"), [([], GateDecision.ACCEPT), ([1], GateDecision.BLOCK)])
def test_the_catalog_stands_in_for_a_corpus_only_where_nobody_keeps_one(
    desk: Desk, in_corpus: list[int], decision: GateDecision
) -> None:
    project = corpus_project(desk, in_corpus)
    entry = CatalogEntryFactory(
        project=project,
        source__request_url=address(9),
        source__identifier_value=address(9),
        source__title=f"{TITLE} 9",
        number=9,
    )
    by_id, by_link = f"Boats. [{entry.stable_id}]", f"Boats, [says the gazette]({address(9)})."
    for text in (by_id, by_link):
        assert checked(desk, project, text, world_of([9])).decision == decision


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("A claim. [src-047]", Rule.UNRESOLVED),
        ("A claim. [^9]", Rule.UNRESOLVED),
        ('A claim. <needs-source claim="A claim.">', Rule.MARKER),
        ('A claim. <needs-deeper-grounding id="src-001">', Rule.MARKER),
        ("https://else.org/bare is bare.", Rule.OUTSIDE),
        ("A claim. [^deck]\n\n[^deck]: The deck, https://else.org/deck", Rule.OUTSIDE),
    ],
)
def test_what_is_left_open_blocks_at_its_line(desk: Desk, text: str, rule: Rule) -> None:
    project = corpus_project(desk, [1])
    report = report_of(checked(desk, project, f"{cites(1)}\n\n{text}", world_of([1])))
    assert report.decision is GateDecision.BLOCK
    assert rule in {one for one, line in blocking(report) if line >= 3}


def test_a_fabricated_address_blocks_without_a_request(desk: Desk) -> None:
    project = corpus_project(desk, range(1, 31))
    fake = "https://www.gartner.com/en/documents/4021234"
    world = world_of(range(1, 31))
    report = report_of(checked(desk, project, f"{cites(*range(1, 31))}\n\n[Study]({fake})", world))
    assert (Rule.FABRICATED, 61) in blocking(report)
    assert fake not in world.fetched


@pytest.mark.parametrize("text", ["No word of it is cited.", "# Only a heading\n\n`https://gazette.org/1` in code"])
def test_a_text_without_a_source_is_blocked_at_once(desk: Desk, text: str) -> None:
    check = begun(desk, corpus_project(desk, [1]), text)
    assert (check.decision, check.job.state, check.total) == ("block", JobState.DONE, 0)
    assert [one.rule for one in report_of(check).remarks] == [Rule.SHARE]


@pytest.mark.parametrize("text", ["", " \n ", "half \ud800 a character", "nul \x00"])
def test_what_is_no_text_is_refused_and_leaves_no_check(desk: Desk, text: str) -> None:
    with pytest.raises(ship_gate.ShipRefused):
        begun(desk, corpus_project(desk, [1]), text)
    assert not ShipCheck.objects.exists()


def test_a_retracted_source_blocks_until_its_use_is_acknowledged_and_is_then_told(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    Source.objects.update(retracted=True)
    before = report_of(checked(desk, project, cites(1), world_of([1])))
    assert (Rule.RETRACTED, 1) in blocking(before)
    RetractionAcknowledgementFactory(
        source=Source.objects.get(), use_kind=UseKind.PROJECT, use_id=project.pk, reason="Cited as a bad example."
    )
    after = report_of(checked(desk, project, cites(1), world_of([1])))
    assert after.decision is GateDecision.ACCEPT
    (told,) = after.remarks
    assert (told.rule, told.level, told.line) == (Rule.ACKNOWLEDGED, Level.TELLS, 1)
    assert "Cited as a bad example." in told.message


def test_an_id_that_a_merge_left_over_is_the_source_that_it_leads_to(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    EntryAliasFactory(project=project, entry=CatalogEntry.objects.get(), number=7)
    Source.objects.update(retracted=True)
    RetractionAcknowledgementFactory(source=Source.objects.get(), use_kind=UseKind.PROJECT, use_id=project.pk)
    report = report_of(checked(desk, project, "Boats came. [src-007] And more. [src-001]", world_of([1])))
    assert (report.decision, report.gate.total) == (GateDecision.ACCEPT, 1)
    assert {one.rule for one in report.remarks} == {Rule.ACKNOWLEDGED}


def test_an_acknowledgement_for_another_project_allows_nothing_here(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    Source.objects.update(retracted=True)
    RetractionAcknowledgementFactory(source=Source.objects.get(), use_kind=UseKind.PROJECT, use_id=project.pk + 1)
    assert checked(desk, project, cites(1), world_of([1])).decision == GateDecision.BLOCK


@pytest.mark.parametrize(
    ("columns", "rule"),
    [
        ({"sensitivity": "internal_only"}, Rule.INTERNAL_ONLY),
        ({"disposition": "drop", "decided": DecisionKind.DROP}, Rule.DROPPED),
    ],
)
def test_what_the_policy_refuses_blocks(desk: Desk, columns: dict[str, str], rule: Rule) -> None:
    project = corpus_project(desk, [1])
    Source.objects.update(**columns)
    assert (rule, 1) in blocking(report_of(checked(desk, project, cites(1), world_of([1]))))


def test_a_source_that_only_a_check_dropped_is_fetched_anew_and_may_be_cited(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    Source.objects.update(disposition="drop", verdict=Verdict.HARD_404, fresh_until=NOW - timedelta(days=90))
    assert checked(desk, project, cites(1), world_of([1])).decision == GateDecision.ACCEPT


def test_a_person_s_override_counts_in_the_machine_s_place(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    source = Source.objects.get()
    DecisionFactory(
        source=source, kind=DecisionKind.OVERRIDE, override_verdict=Verdict.VERIFIED_GATED, reason="Read it."
    )
    Source.objects.update(decided=DecisionKind.OVERRIDE)
    report = report_of(checked(desk, project, cites(1), world_of([])))
    (link,) = report.links
    assert (link.verdict, link.override) == (Verdict.FETCH_FAILED, Verdict.VERIFIED_GATED)
    assert report.decision is GateDecision.ACCEPT


def test_ten_links_are_drawn_by_the_stored_seed(desk: Desk) -> None:
    project = corpus_project(desk, range(1, 31))
    checks = [begun(desk, project, cites(*range(1, 31))) for _ in range(2)]
    drawn = [
        list(SpotCheck.objects.filter(check_made=check).order_by("position").values_list("link__key", flat=True))
        for check in checks
    ]
    assert [len(keys) for keys in drawn] == [10, 10]
    assert drawn[0] != drawn[1]
    assert checks[0].seed != checks[1].seed


def test_a_spot_check_is_kept_with_its_person_and_a_wrong_one_changes_what_follows(desk: Desk) -> None:
    project = corpus_project(desk, range(1, 4))
    check = checked(desk, project, cites(1, 2, 3), world_of(range(1, 4)))
    editor = desk.person(Role.EDITOR)
    spot = SpotCheck.objects.select_related("check_made__project").filter(check_made=check)[0]
    ship_gate.look(spot=spot, result=SpotResult.GOOD, note="", by=editor, at=NOW)
    check.refresh_from_db()
    assert check.decision == GateDecision.ACCEPT
    ship_gate.look(spot=spot, result=SpotResult.WRONG, note="Says nothing of boats.", by=editor, at=NOW)
    check.refresh_from_db()
    spot.refresh_from_db()
    assert (spot.result, spot.by, spot.at) == ("wrong", editor, NOW)
    assert (check.decision, check.verified) == ("block", 2)
    told = [one.message for one in report_of(check).remarks if one.rule is Rule.SPOT_CHECK]
    assert told == [
        f"A person looked at {spot.link.address} and found it wrong: Says nothing of boats. It counts as not verified."
    ]


def test_a_wrong_link_needs_a_reason_and_an_editor(desk: Desk) -> None:
    check = begun(desk, corpus_project(desk, [1]), cites(1))
    spot = SpotCheck.objects.select_related("check_made__project").get(check_made=check)
    with pytest.raises(ship_gate.ShipRefused, match="Say what is wrong"):
        ship_gate.look(spot=spot, result=SpotResult.WRONG, note=" ", by=desk.person(Role.EDITOR), at=NOW)
    with pytest.raises(PermissionDenied):
        ship_gate.look(spot=spot, result=SpotResult.GOOD, note="", by=desk.person(Role.CURATOR), at=NOW)


def test_a_version_of_a_draft_is_checked_as_the_gate_left_it(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    version = draft_of(desk, project, f"{cites(1)}\n\nAnd [more](https://else.org/).")
    check = ship_gate.start(project=project, document=ship_gate.document_of(version), by=desk.person(), at=utc_now())
    assert (check.version, check.document, check.path) == (version, "Memo v1", "memo-v1.md")
    assert [one["rule"] for one in check.standing] == ["open-marker"]
    assert check.text == version.gated_text


def test_a_worker_that_died_leaves_its_links_to_the_next_and_none_is_counted_twice(desk: Desk) -> None:
    project = corpus_project(desk, range(1, 4))
    check = begun(desk, project, cites(1, 2, 3))
    long_ago = utc_now() - timedelta(minutes=5)
    JobItem.objects.filter(job=check.job).update(
        state="leased", lease="0b9fd2a6-7b3d-4a55-9d7e-4d1f0c2e8a11", lease_until=long_ago, attempts=1
    )
    assert ship_work.is_waiting(at=utc_now())
    world = world_of(range(1, 4))
    ship_work.work(clock=utc_now, budget_s=30, open_world=world.open)
    check.refresh_from_db()
    assert (check.decision, len(world.fetched)) == ("accept", 3)
    assert not ship_work.is_waiting(at=utc_now())


def test_a_check_whose_worker_died_before_its_end_is_settled_by_the_sweeper(desk: Desk) -> None:
    check = checked(desk, corpus_project(desk, [1]), cites(1), world_of([1]))
    ShipCheck.objects.update(decision="", total=0, verified=0)
    assert not ship_work.is_waiting(at=utc_now())
    check.refresh_from_db()
    assert (check.decision, check.verified) == ("accept", 1)


def test_a_failed_fetch_counts_here_and_leaves_the_registry_s_verdict_alone(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    assert checked(desk, project, cites(1), world_of([])).decision == GateDecision.BLOCK
    assert Source.objects.get().verdict == Verdict.VERIFIED_ACCESSIBLE


def test_a_project_that_was_deleted_meanwhile_stops_no_worker(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    check = begun(desk, project, cites(1))
    job = check.job
    check.delete()
    ship_work.work(clock=utc_now, budget_s=30, open_world=world_of([1]).open)
    job.refresh_from_db()
    assert job.state == JobState.DONE


def test_a_link_that_a_hybrid_draft_kept_blocks(desk: Desk) -> None:
    project = corpus_project(desk, [1])
    version = draft_of(desk, project, "Boats came. [src-001]")
    Draft.objects.update(mode=Mode.HYBRID)
    kept = drafts.add_version(
        draft=Draft.objects.select_related("project").get(pk=version.draft_id),
        text=f"{cites(1)}\n\nAnd [more](https://else.org/).",
        by=desk.person(),
        at=NOW,
    )
    assert "(https://else.org/)" in kept.gated_text
    check = ship_gate.start(project=project, document=ship_gate.document_of(kept), by=desk.person(), at=utc_now())
    assert (Rule.OUTSIDE, 3) in blocking(report_of(check))


def test_a_check_that_was_stopped_fetches_nothing_more_and_decides_nothing(desk: Desk) -> None:
    check = begun(desk, corpus_project(desk, [1]), cites(1))
    with pytest.raises(PermissionDenied):
        ship_gate.cancel(check=check, by=desk.person(Role.READER), at=NOW)
    assert desk.client().post(f"/ship/{check.job.uuid}/cancel/").status_code == 302
    assert not ship_gate.cancel(check=check, by=desk.person(), at=NOW)
    world = world_of([1])
    ship_work.work(clock=utc_now, budget_s=30, open_world=world.open)
    check.refresh_from_db()
    assert (check.decision, world.fetched) == ("", [])
    page = desk.client().get(f"/ship/{check.job.uuid}/").content.decode()
    assert "decides nothing" in page
