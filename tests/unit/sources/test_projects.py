"""Projects and their catalog: names, stable ids, sections, and a project in numbers."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from sources.core.findings import Disposition, Verdict
from sources.core.gate import GateDecision
from sources.core.kinds import DecisionKind, ReviewReason
from sources.models import CatalogEntry, Project, Section, Source
from sources.queries.projects import projects_of, sources_in, state_of, tell_of
from sources.services import projects
from sources.services.projects import NameTaken, section_slug
from tests.clock import NOW
from tests.desk import Desk, furnish
from tests.factories import CatalogEntryFactory, DecisionFactory, ProjectFactory, ReviewItemFactory, SourceFactory
from tests.unit.sources.disturbance import together
from tests.unit.sources.findings import apply
from tests.unit.sources.lists import project_at

pytestmark = pytest.mark.django_db


def create(desk: Desk, name: str, *, role: Role = Role.CURATOR) -> Project:
    return projects.create(
        workspace_id=desk.workspace.pk, name=name, firm=" Quay & Sons ", by=desk.person(role), at=NOW
    )


def test_a_project_is_made_with_its_maker(desk: Desk) -> None:
    project = create(desk, " Harbour memo ")
    assert (project.name, project.firm, project.created_at, project.created_by) == (
        "Harbour memo",
        "Quay & Sons",
        NOW,
        desk.person(Role.CURATOR),
    )


def test_a_name_is_taken_once_per_workspace(desk: Desk, other_desk: Desk) -> None:
    create(desk, "Harbour memo")
    with pytest.raises(NameTaken, match="“Harbour memo” already"):
        create(desk, "Harbour memo ")
    create(other_desk, "Harbour memo")
    assert Project.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_take_a_name_at_once_one_gets_it() -> None:
    desk = furnish("Harbour desk")
    results = together(*[lambda: create(desk, "Harbour memo")] * 2)
    assert sorted(type(result).__name__ for result in results) == ["NameTaken", "Project"]


def test_a_reader_may_not_make_one_and_a_stranger_sees_no_workspace(desk: Desk, other_desk: Desk) -> None:
    with pytest.raises(PermissionDenied):
        create(desk, "Harbour memo", role=Role.READER)
    with pytest.raises(Http404):
        projects.create(workspace_id=desk.workspace.pk, name="Harbour memo", by=other_desk.person(Role.ADMIN), at=NOW)
    assert not Project.objects.exists()


def enter(project: Project, *sources: Source) -> list[str]:
    with transaction.atomic():
        entries = projects.enter(project=project, source_ids=[source.pk for source in sources], at=NOW)
    return [entries.by_source[source.pk].stable_id for source in sources]


def test_ids_follow_the_order_given_and_stay(desk: Desk) -> None:
    project = project_at(desk)
    first, second, third = (SourceFactory(workspace=desk.workspace) for _ in range(3))
    assert enter(project, second, first, second) == ["src-001", "src-002", "src-001"]
    assert enter(project, first, third) == ["src-002", "src-003"]
    assert CatalogEntry.objects.count() == 3
    assert list(sources_in(project)) == [second, first, third]


def test_an_id_is_not_given_again_after_its_entry_went(desk: Desk) -> None:
    project, (first, second) = project_at(desk), [SourceFactory(workspace=desk.workspace) for _ in range(2)]
    enter(project, first)
    CatalogEntry.objects.all().delete()
    assert enter(project, second, first) == ["src-002", "src-003"]


def test_each_project_counts_for_itself(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace)
    assert enter(project_at(desk, "One"), source) == enter(project_at(desk, "Two"), source) == ["src-001"]


@pytest.mark.django_db(transaction=True)
def test_eight_at_once_never_share_an_id() -> None:
    desk = furnish("Harbour desk")
    project = project_at(desk)
    sources = [SourceFactory(workspace=desk.workspace) for _ in range(8)]
    deeds = [lambda part=part: enter(project, *sources[part:], *sources[:part]) for part in range(8)]
    results = together(*deeds, meet_before='INSERT INTO "sources_catalogentry"')
    ids = {f"src-{number:03d}" for number in range(1, 9)}
    assert [set(result) if isinstance(result, list) else result for result in results] == [ids] * 8
    assert CatalogEntry.objects.count() == 8


def test_sections_are_made_once_and_found_by_title(desk: Desk) -> None:
    project = project_at(desk)
    made = projects.sections_named(project=project, titles=["Market context", "", "Market Context!", "Рынок"])
    assert [made[title].slug for title in ("Market context", "Market Context!", "Рынок")] == [
        "market-context",
        "market-context",
        "рынок",
    ]
    again = projects.sections_named(project=project, titles=["Market context", "Team"])
    assert again["Market context"] == made["Market context"]
    assert Section.objects.count() == 3


def test_a_version_is_made_once(desk: Desk) -> None:
    project = project_at(desk)
    assert projects.version_named(project=project, label="v1", at=NOW) == projects.version_named(
        project=project, label="v1", at=NOW
    )


@given(title=st.text(max_size=150))
@settings(max_examples=60, deadline=None)
def test_a_slug_is_short_and_made_of_letters_digits_and_hyphens(title: str) -> None:
    slug = section_slug(title)
    assert 0 < len(slug) <= 100
    assert all(sign.isalnum() or sign == "-" for sign in slug)
    assert not slug.startswith("-")
    assert not slug.endswith("-")


def test_a_project_in_numbers_counts_an_override_in_the_machines_place(desk: Desk) -> None:
    project = project_at(desk)
    thin, gone, fine, new = (SourceFactory(workspace=desk.workspace) for _ in range(4))
    for source in (thin, gone, fine, new):
        CatalogEntryFactory(project=project, source=source)
    apply(thin, Verdict.THIN)
    apply(gone, Verdict.HARD_404)
    apply(fine, Verdict.VERIFIED_ACCESSIBLE)
    before = state_of(project)
    assert (before.total, before.open_reviews, before.gate.verified) == (4, 1, 1)
    assert {verdict: number for verdict, number in before.by_verdict.items() if number} == {
        Verdict.THIN: 1,
        Verdict.HARD_404: 1,
        Verdict.VERIFIED_ACCESSIBLE: 1,
        None: 1,
    }
    assert before.by_disposition == {
        Disposition.KEEP: 1,
        Disposition.REVIEW: 1,
        Disposition.DROP: 1,
        Disposition.UNCHECKED: 1,
    }
    DecisionFactory(
        source=gone, kind=DecisionKind.OVERRIDE, override_verdict=Verdict.VERIFIED_GATED, reason="I read it on paper."
    )
    Source.objects.filter(pk=gone.pk).update(decided=DecisionKind.OVERRIDE, disposition=Disposition.KEEP)
    after = state_of(project)
    assert (after.total, after.gate.verified, after.gate.decision) == (4, 2, GateDecision.BLOCK)
    assert (after.by_verdict[Verdict.HARD_404], after.by_verdict[Verdict.VERIFIED_GATED]) == (0, 1)
    assert (after.by_disposition[Disposition.DROP], after.by_disposition[Disposition.KEEP]) == (0, 2)


def test_of_two_overrides_the_newest_counts_once(desk: Desk) -> None:
    project = project_at(desk)
    source = CatalogEntryFactory(project=project).source
    for verdict in (Verdict.VERIFIED_GATED, Verdict.HARD_404):
        DecisionFactory(source=source, kind=DecisionKind.OVERRIDE, override_verdict=verdict, reason="why")
    Source.objects.filter(pk=source.pk).update(decided=DecisionKind.OVERRIDE, disposition=Disposition.DROP)
    state = state_of(project)
    assert (state.total, state.by_verdict[Verdict.HARD_404], state.by_verdict[Verdict.VERIFIED_GATED]) == (1, 1, 0)


def test_the_list_of_projects_counts_and_shows_ones_own_alone(desk: Desk, other_desk: Desk) -> None:
    project = project_at(desk)
    project_at(other_desk)
    for _ in range(2):
        source = CatalogEntryFactory(project=project).source
        ReviewItemFactory(source=source)
        ReviewItemFactory(source=source, closed_at=NOW)
        ReviewItemFactory(source=source, reason=ReviewReason.RETRACTION)
    Source.objects.filter(pk=source.pk).update(last_checked_at=NOW)
    found = list(projects_of(user=desk.person(Role.READER), workspace_id=desk.workspace.pk))
    tell_of(found)
    told = [(one.pk, one.source_count, one.waiting_count, one.last_checked_at) for one in found]
    assert told == [(project.pk, 2, 2, NOW)]
    assert state_of(project).open_reviews == 2
    assert not projects_of(user=desk.person(Role.READER), workspace_id=other_desk.workspace.pk)


@pytest.mark.parametrize("number", [10, 20])
def test_numbers_of_a_project_cost_the_same_queries(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    CatalogEntryFactory.create_batch(number, project=project)
    with django_assert_num_queries(3):
        state_of(project)
