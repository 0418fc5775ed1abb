"""Observations and the turns they belong to, and what a turn retrieved as sources of the registry."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.entries import Relationship
from sources.core.kinds import IdentifierType
from sources.models import Observation, Project, Source, Turn
from sources.queries.turns import waiting
from sources.services import turns
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    ChunkFactory,
    ObservationFactory,
    ProjectFactory,
    SessionFactory,
    SourceFactory,
    TurnFactory,
    TurnSourceFactory,
)
from tests.unit.sources.disturbance import everything, faults_until_done

pytestmark = pytest.mark.django_db


def turn_of(project: Project, *documents: dict[str, str], number: int = 1, store: str = "harbour") -> Turn:
    turn: Turn = TurnFactory(
        session=SessionFactory(project=project), number=number, started_at=NOW + timedelta(minutes=number)
    )
    for position, document in enumerate(documents, start=1):
        TurnSourceFactory(turn=turn, position=position, store=store, **{"path": "", **document})
    return turn


def observed(project: Project, turn: Turn | None) -> Observation:
    row: Observation = ObservationFactory(project=project, turn=turn)
    return row


def link_project(desk: Desk, project: Project) -> turns.Linked:
    return turns.link_project(project=project, by=desk.person(), channel=Channel.PAGE, at=NOW)


def test_every_observation_is_put_into_the_last_turn_before_it(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    first, second = turn_of(project, number=1), turn_of(project, number=2)
    rows = [
        ObservationFactory(project=project, created_at=NOW + timedelta(minutes=minute)) for minute in (0, 1, 1.5, 9)
    ]
    assert turns.place(project=project) == 3
    assert [Observation.objects.get(pk=row.pk).turn for row in rows] == [None, first, first, second]
    assert turns.place(project=project) == 0


def test_a_turn_s_documents_become_sources_and_are_linked_as_retrieved(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    turn = turn_of(
        project,
        {"path": "tides.md", "lines": "4–9", "title": "Tide tables", "locator": "10.5555/TIDES.1"},
        {"path": "https://harbour.example/survey"},
        {"path": "notes.md"},
        {},
    )
    row = observed(project, turn)
    done = turns.link_retrieved(observation=row, by=desk.person(), channel=Channel.PAGE, at=NOW)
    assert done == turns.Linked(links=3, observations=1)
    told = row.source_links.order_by("source").values_list(
        "relationship", "source__title", "source__identifier_type", "source__identifier_value"
    )
    assert sorted(told) == [
        ("retrieved", "Tide tables", "doi", "10.5555/tides.1"),
        ("retrieved", "https://harbour.example/survey", "url", "https://harbour.example/survey"),
        ("retrieved", "notes.md", "none", ""),
    ]
    assert not Source.objects.filter(entity__isnull=True).exists()
    assert not waiting(project=project).exists()


def test_linking_again_changes_nothing(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    row = observed(project, turn_of(project, {"path": "notes.md"}))
    link_project(desk, project)
    before = everything()
    assert link_project(desk, project).links == 0
    assert turns.link_turn(turn=row.turn, by=desk.person(), channel=Channel.PAGE, at=NOW).links == 0  # type: ignore[arg-type]
    assert everything() == before


def test_in_bulk_all_that_wait_are_linked_in_one_deed_and_taken_back_at_once(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    turn, other = turn_of(project, {"path": "a.md"}, {"path": "b.md"}), turn_of(project, {"path": "a.md"}, number=2)
    rows = [observed(project, turn), observed(project, turn), observed(project, other), observed(project, None)]
    stranger = observed(ProjectFactory(workspace=desk.workspace), None)
    assert link_project(desk, project) == turns.Linked(links=5, observations=3)
    deed = ChangeSet.objects.get()
    assert (deed.kind, deed.changes.count()) == ("observation.link", 5)
    assert Source.objects.count() == 2
    assert [row.source_links.count() for row in (*rows, stranger)] == [2, 2, 1, 0, 0]
    assert changes.undo(change_set=deed, by=desk.person(), at=NOW).undone == 5
    assert waiting(project=project).count() == 3


def test_one_path_of_one_store_is_one_source_and_of_another_store_another(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    for number, store in enumerate(("harbour", "harbour.db", "quay"), start=1):
        observed(project, turn_of(project, {"path": "README.md"}, number=number, store=store))
    link_project(desk, project)
    assert Source.objects.filter(title="README.md", identifier_type=IdentifierType.NONE).count() == 2


def test_what_a_store_knows_of_the_document_counts_first(desk: Desk) -> None:
    project, source = ProjectFactory(workspace=desk.workspace), SourceFactory(workspace=desk.workspace)
    ChunkFactory(store__workspace=desk.workspace, store__name="harbour", path="tides.md", source=source)
    row = observed(project, turn_of(project, {"path": "tides.md"}, store="harbour.db"))
    link_project(desk, project)
    assert row.source_links.get().source == source


def test_a_store_of_another_workspace_knows_nothing_here(desk: Desk, other_desk: Desk) -> None:
    foreign = SourceFactory(workspace=other_desk.workspace)
    ChunkFactory(store__workspace=other_desk.workspace, store__name="harbour", path="tides.md", source=foreign)
    project = ProjectFactory(workspace=desk.workspace)
    row = observed(project, turn_of(project, {"path": "tides.md"}))
    link_project(desk, project)
    assert row.source_links.get().source.workspace == desk.workspace


def test_a_document_whose_source_was_merged_is_linked_to_the_other_one(desk: Desk) -> None:
    project, winner = ProjectFactory(workspace=desk.workspace), SourceFactory(workspace=desk.workspace)
    turn = turn_of(project)
    between = SourceFactory(workspace=desk.workspace, merged_into=winner)
    loser = SourceFactory(workspace=desk.workspace, merged_into=between)
    TurnSourceFactory(turn=turn, position=1, source=loser)
    chunk = ChunkFactory(store__workspace=desk.workspace, store__name="harbour", path="ebb.md", source=loser)
    TurnSourceFactory(turn=turn, position=2, path=chunk.path)
    row = observed(project, turn)
    link_project(desk, project)
    assert row.source_links.get().source == winner
    assert not waiting(project=project).exists()


def test_a_citation_of_the_same_source_does_not_stand_for_the_retrieval(desk: Desk) -> None:
    project, source = ProjectFactory(workspace=desk.workspace), SourceFactory(workspace=desk.workspace)
    turn = turn_of(project)
    TurnSourceFactory(turn=turn, position=1, source=source)
    row = observed(project, turn)
    row.source_links.create(source=source, relationship=Relationship.CITED, created_at=NOW)
    assert list(waiting(project=project)) == [row]


def test_a_hundred_observations_cost_the_queries_of_ten(desk: Desk) -> None:
    costs = []
    for number in (10, 100):
        project = ProjectFactory(workspace=desk.workspace)
        for place in range(1, number + 1):
            observed(project, turn_of(project, {"path": f"{number}/{place}.md"}, number=place))
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert link_project(desk, project).links == number
        costs.append(len(asked))
    assert costs[1] <= costs[0] + 2


def test_a_fault_at_any_statement_registers_and_links_nothing(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    observed(project, turn_of(project, {"path": "a.md"}, {"path": "b.md", "locator": "10.5555/b"}))
    assert faults_until_done(lambda: link_project(desk, project)) > 10
