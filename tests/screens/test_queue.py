"""The review queue: evidence beside the claim, decisions with reasons, two editors at once."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from sources.core.findings import Disposition, Verdict
from sources.core.kinds import DecisionKind
from sources.models import Decision, ReviewItem, Source
from sources.queries import review
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, CitationFactory, ProjectFactory, SourceFactory
from tests.unit.sources.findings import apply, seen

pytestmark = pytest.mark.django_db


def waiting(desk: Desk, title: str = "Harbour survey", verdict: Verdict = Verdict.THIN, minutes: int = 0) -> Source:
    source: Source = SourceFactory(workspace=desk.workspace, title=title)
    return apply(
        source, verdict, at=NOW + timedelta(minutes=minutes), title_found="Harbour census", snippet="Few words."
    )


def decision(source: Source, kind: DecisionKind, **given: object) -> dict[str, object]:
    return {"kind": kind.value, **seen(source), "from": "queue", **given}


def test_an_empty_queue_says_so(desk: Desk) -> None:
    assert "Nothing waits for a decision" in desk.client(Role.EDITOR).get("/queue/").content.decode()


def test_the_oldest_question_comes_first_with_claim_and_evidence(desk: Desk) -> None:
    waiting(desk, "Second", minutes=5)
    first = waiting(desk, "First", minutes=1)
    entry = CatalogEntryFactory(source=first, project=ProjectFactory(workspace=desk.workspace, name="Memo"))
    CitationFactory(entry=entry, context="Boats rose, says the survey.")
    page = desk.client(Role.EDITOR).get("/queue/").content.decode()
    assert "1 of 2 open questions" in page
    for told in ("First", "Harbour", "census", "Few words.", "Boats rose, says the survey.", "Too thin to judge"):
        assert told in page


def test_accepting_moves_to_the_next_question_and_keeps_who_and_when(desk: Desk) -> None:
    first, second = waiting(desk, "First"), waiting(desk, "Second", minutes=1)
    client = desk.client(Role.EDITOR, htmx=True)
    answer = client.post(f"/s/{first.uuid}/decide/", decision(first, DecisionKind.ACCEPT))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in page
    assert "Second" in page
    assert "#card-heading" in answer.headers["HX-Trigger-After-Settle"]
    first.refresh_from_db()
    assert (first.disposition, first.decided) == (Disposition.KEEP, DecisionKind.ACCEPT)
    made = Decision.objects.get()
    assert made.by == desk.person(Role.EDITOR)
    assert ReviewItem.objects.get(source=first).closed_by_decision == made
    assert ReviewItem.objects.get(source=second).closed_at is None


def test_without_javascript_a_decision_leads_back_to_the_queue(desk: Desk) -> None:
    source = waiting(desk)
    answer = desk.client(Role.EDITOR).post(f"/s/{source.uuid}/decide/", decision(source, DecisionKind.ACCEPT))
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/queue/")


@pytest.mark.parametrize("kind", [DecisionKind.DROP, DecisionKind.OVERRIDE])
def test_drop_and_override_without_a_reason_are_refused_with_the_card(desk: Desk, kind: DecisionKind) -> None:
    source = waiting(desk)
    answer = desk.client(Role.EDITOR, htmx=True).post(f"/s/{source.uuid}/decide/", decision(source, kind))
    assert answer.status_code == 422
    assert "Say why" in answer.content.decode()
    assert not Decision.objects.exists()


def test_an_override_puts_the_persons_verdict_in_the_machines_place(desk: Desk) -> None:
    source = waiting(desk)
    given = decision(
        source, DecisionKind.OVERRIDE, override_verdict="verified-accessible", reason="Read it in the archive."
    )
    desk.client(Role.EDITOR).post(f"/s/{source.uuid}/decide/", given)
    source.refresh_from_db()
    assert source.disposition == Disposition.KEEP
    assert source.verdict == Verdict.THIN
    page = desk.client().get(f"/s/{source.uuid}/").content.decode()
    assert "Read it in the archive." in page
    assert str(desk.person(Role.EDITOR)) in page


def test_the_second_of_two_editors_is_told_and_overwrites_nothing(desk: Desk) -> None:
    source = waiting(desk)
    seen = decision(source, DecisionKind.ACCEPT)
    drop = decision(source, DecisionKind.DROP, reason="Not reliable.")
    desk.client(Role.ADMIN).post(f"/s/{source.uuid}/decide/", drop)
    answer = desk.client(Role.EDITOR, htmx=True).post(f"/s/{source.uuid}/decide/", seen)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Nothing was overwritten" in page
    assert "Not reliable." in page
    source.refresh_from_db()
    assert source.disposition == Disposition.DROP


def test_a_double_submit_decides_once(desk: Desk) -> None:
    source = waiting(desk)
    given = decision(source, DecisionKind.ACCEPT)
    client = desk.client(Role.EDITOR)
    client.post(f"/s/{source.uuid}/decide/", given)
    assert client.post(f"/s/{source.uuid}/decide/", given).status_code == 409
    assert Decision.objects.count() == 1


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR])
def test_deciding_needs_the_role_editor_on_screen_and_behind_it(desk: Desk, role: Role) -> None:
    source = waiting(desk)
    assert "Deciding needs the role editor" in desk.client(role).get("/queue/").content.decode()
    answer = desk.client(role).post(f"/s/{source.uuid}/decide/", decision(source, DecisionKind.ACCEPT))
    assert answer.status_code == 403
    assert not Decision.objects.exists()


def test_a_foreign_source_is_not_found_and_its_question_not_shown(desk: Desk, other_desk: Desk) -> None:
    foreign = waiting(other_desk, "Secret survey")
    client = desk.client(Role.ADMIN)
    assert "Secret survey" not in client.get("/queue/").content.decode()
    assert "Secret survey" not in client.get(f"/queue/?at={foreign.uuid}").content.decode()
    assert client.post(f"/s/{foreign.uuid}/decide/", decision(foreign, DecisionKind.ACCEPT)).status_code == 404
    assert client.get(f"/s/{foreign.uuid}/").status_code == 404


def test_the_last_decision_can_be_undone_and_the_question_is_open_again(desk: Desk) -> None:
    source = waiting(desk)
    client = desk.client(Role.EDITOR)
    client.post(f"/s/{source.uuid}/decide/", decision(source, DecisionKind.ACCEPT))
    page = client.get("/queue/").content.decode()
    made = Decision.objects.get()
    assert made.change_set is not None
    assert f"/changes/{made.change_set.uuid}/undo/" in page
    client.post(f"/changes/{made.change_set.uuid}/undo/", {"next": "/queue/"})
    source.refresh_from_db()
    assert (source.decided, source.disposition) == ("", Disposition.REVIEW)
    assert "1 of 1 open question" in client.get("/queue/").content.decode()


def test_the_queue_narrows_by_project_and_question(desk: Desk) -> None:
    inside, outside = waiting(desk, "Inside"), waiting(desk, "Outside", Verdict.TITLE_SWAPPED, minutes=1)
    project = ProjectFactory(workspace=desk.workspace)
    CatalogEntryFactory(source=inside, project=project)
    client = desk.client(Role.EDITOR)
    assert "1 of 1 open question" in client.get(f"/queue/?project={project.uuid}").content.decode()
    narrowed = client.get("/queue/?question=title-swapped").content.decode()
    assert str(outside) in narrowed
    assert "not known here" in client.get("/queue/?question=everything").content.decode()
    assert "not known here" in client.get("/queue/?project=' OR 1=1").content.decode()


def test_walking_on_and_back_comes_by_each_question_once(desk: Desk) -> None:
    # Two came at one moment: then the one that was written first stands first.
    sources = [waiting(desk, name, minutes=minute) for name, minute in (("A", 0), ("B", 3), ("C", 3), ("D", 9))]
    everything = review.QueueFilter()
    items = review.open_items(user=desk.person(Role.EDITOR), workspace_id=desk.workspace.pk, wanted=everything)
    there = [review.place_at(items, source=source.uuid) for source in sources]
    assert [(place.position, place.total) for place in there] == [(number, 4) for number in (1, 2, 3, 4)]
    assert [place.item and place.item.source for place in there] == sources
    assert [place.previous and place.previous.source for place in there] == [None, *sources[:-1]]
    assert [place.next and place.next.source for place in there] == [*sources[1:], None]


@pytest.mark.parametrize("number", [10, 20])
def test_the_queue_costs_the_same_queries_whatever_its_length(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for minute in range(number):
        waiting(desk, f"Source {minute}", minutes=minute)
    client = desk.client(Role.EDITOR)
    client.get("/")
    with django_assert_num_queries(16):
        client.get("/queue/")
