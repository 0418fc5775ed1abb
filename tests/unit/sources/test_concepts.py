"""Concepts: described anew, deleted and brought back."""

import pytest

from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.models import Concept
from sources.services import concepts
from sources.services.concepts import ConceptRefused, Described
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ConceptFactory, ObservationFactory, ProjectFactory
from tests.unit.sources.disturbance import everything

pytestmark = pytest.mark.django_db


def edited(desk: Desk, concept: Concept, **given: str) -> Concept:
    return concepts.edit(concept=concept, given=Described(**given), by=desk.person(), channel=Channel.PAGE, at=NOW)


def taken_back(desk: Desk, at: int = -1) -> changes.UndoResult:
    return changes.undo(change_set=list(ChangeSet.objects.order_by("pk"))[at], by=desk.person(), at=NOW)


def test_names_are_parted_by_commas_and_lines() -> None:
    assert concepts.names_in("tides,  harbour pilots\n, tides\r\nquay") == ["tides", "harbour pilots", "quay"]


def test_a_concept_is_described_and_the_description_taken_back(desk: Desk) -> None:
    concept = ConceptFactory(workspace=desk.workspace, name="Quay office")
    edited(
        desk,
        concept,
        name=" The quay\noffice ",
        description="Keeps the tables.",
        identifier_type="ROR",
        identifier_value="https://ror.org/0abc",
    )
    row = Concept.objects.get()
    assert (row.name, row.identifier_type, row.identifier_value) == ("The quay office", "ror", "https://ror.org/0abc")
    taken_back(desk)
    assert Concept.objects.get().name == "Quay office"


def test_describing_it_the_same_writes_nothing(desk: Desk) -> None:
    concept = ConceptFactory(workspace=desk.workspace)
    before = everything()
    edited(desk, concept, name=concept.name)
    assert everything() == before


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 501}, "name"),
        ({"name": "Taken"}, "name"),
        ({"name": "ok", "identifier_type": "orcid"}, "identifier_value"),
        ({"name": "ok", "identifier_value": "0000-0002-1825-0097"}, "identifier_type"),
    ],
)
def test_a_fault_names_its_field_and_writes_nothing(desk: Desk, given: dict[str, str], field: str) -> None:
    ConceptFactory(workspace=desk.workspace, name="Taken")
    concept = ConceptFactory(workspace=desk.workspace)
    before = everything()
    with pytest.raises(ConceptRefused) as refused:
        edited(desk, concept, **given)
    assert refused.value.field == field
    assert everything() == before


def test_a_deleted_concept_comes_back_with_what_is_about_it(desk: Desk) -> None:
    concept = ConceptFactory(workspace=desk.workspace)
    observation = ObservationFactory(project__workspace=desk.workspace)
    project = ProjectFactory(workspace=desk.workspace)
    observation.concepts.add(concept)
    project.concepts.add(concept)
    columns = Concept.objects.values().get()
    concepts.delete(concept=concept, by=desk.person(), channel=Channel.PAGE, at=NOW)
    assert not Concept.objects.exists()
    taken_back(desk)
    back = Concept.objects.get()
    assert Concept.objects.values().get() == columns
    assert (list(back.observations.all()), list(back.projects.all())) == ([observation], [project])


def test_one_whose_name_was_given_again_is_left_alone(desk: Desk) -> None:
    concept = ConceptFactory(workspace=desk.workspace, name="Tides")
    concepts.delete(concept=concept, by=desk.person(), channel=Channel.PAGE, at=NOW)
    ConceptFactory(workspace=desk.workspace, name="Tides")
    assert taken_back(desk).skipped == ("Another concept is called “Tides” now",)


def test_an_edit_that_was_edited_since_is_left_alone(desk: Desk) -> None:
    concept = ConceptFactory(workspace=desk.workspace, name="Tides")
    edited(desk, concept, name="Ebb")
    edited(desk, concept, name="Flood")
    assert taken_back(desk, at=0).skipped == ("The concept “Tides” was changed since",)
