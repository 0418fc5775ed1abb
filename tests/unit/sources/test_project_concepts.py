"""What projects are about: said, taken away, and both taken back."""

import pytest

from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.models import Concept, Project
from sources.services import concepts, project_concepts
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ConceptFactory, ProjectFactory
from tests.unit.sources.disturbance import everything

pytestmark = pytest.mark.django_db


def say(desk: Desk, project: Project, *, add: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> tuple[int, int]:
    done = project_concepts.change(
        project=project, add=add, remove=remove, by=desk.person(), channel=Channel.PAGE, at=NOW
    )
    return done.added, done.removed


def taken_back(desk: Desk, at: int = -1) -> changes.UndoResult:
    return changes.undo(change_set=list(ChangeSet.objects.order_by("pk"))[at], by=desk.person(), at=NOW)


def about(project: Project) -> list[str]:
    return sorted(project.concepts.values_list("name", flat=True))


def test_a_change_is_taken_back_both_ways_and_leaves_no_concept_that_nothing_uses(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    project.concepts.add(ConceptFactory(workspace=desk.workspace, name="Ebb"))
    assert say(desk, project, add=("Flood ",), remove=(" Ebb", "Unknown")) == (1, 1)
    assert about(project) == ["Flood"]
    assert not taken_back(desk).skipped
    assert about(project) == ["Ebb"]
    assert not Concept.objects.filter(name="Flood").exists()


def test_saying_what_is_so_writes_nothing(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    project.concepts.add(ConceptFactory(workspace=desk.workspace, name="Ebb"))
    before = everything()
    assert say(desk, project, add=("Ebb",), remove=("Flood",)) == (0, 0)
    assert everything() == before


def test_a_name_that_is_both_added_and_taken_away_stays(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    project.concepts.add(ConceptFactory(workspace=desk.workspace, name="Ebb"))
    assert say(desk, project, add=("Ebb",), remove=("Ebb",)) == (0, 0)
    assert about(project) == ["Ebb"]


def test_what_others_did_since_is_left_alone_and_named(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    say(desk, project, add=("Ebb",))
    say(desk, project, remove=("Ebb",))
    assert taken_back(desk, at=0).skipped == ("“Ebb” was taken away from the project since",)
    say(desk, project, add=("Ebb",))
    assert taken_back(desk, at=1).skipped == ("“Ebb” was said of the project again since",)
    say(desk, project, remove=("Ebb",))
    concepts.delete(concept=Concept.objects.get(), by=desk.person(), channel=Channel.PAGE, at=NOW)
    gone = ChangeSet.objects.filter(kind=project_concepts.KIND).order_by("-pk")[0]
    told = changes.undo(change_set=gone, by=desk.person(), at=NOW)
    assert told.skipped == ("The concept “Ebb” or its project is not there any more",)
