"""A dependence that was taken back stays as history, and nothing is reached through it any more."""

import pytest

from lineage import capture
from lineage.core.asking import system
from lineage.core.causes import CauseKind, Outcome
from lineage.core.relations import Label
from lineage.models import Edge, Entity, Impact
from lineage.services import impact, labels, worklist
from lineage.services.impact import What
from lineage.services.labels import Declared
from provenance_site.accounts.models import Workspace
from provenance_site.accounts.roles import Role
from tests import factories as make
from tests.clock import NOW
from tests.graphs import graph
from tests.unit.lineage.test_impact import retracted, stale

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace() -> Workspace:
    return make.WorkspaceFactory()


@pytest.fixture
def nodes(workspace: Workspace) -> dict[str, Entity]:
    """A chapter that is said to be of a book; one claim rests on it alone, another on the book too."""
    made = graph(
        workspace,
        "source:chapter DERIVED_FROM source:book",
        "claim:k SUPPORTED_BY chapter",
        "claim:both SUPPORTED_BY chapter",
        "both SUPPORTED_BY book",
    )
    Edge.objects.filter(from_entity=made["chapter"]).update(run_id="deed", transform_type="part-of")
    return made


def withdraw(workspace: Workspace, *ends: Entity, run_id: str = "deed", transform: str = "part-of") -> int:
    return capture.withdraw(
        workspace_id=workspace.pk, run_id=run_id, transform_type=transform, ends=[one.pk for one in ends], at=NOW
    )


def test_what_is_reached_by_no_other_way_is_free_again(workspace: Workspace, nodes: dict[str, Entity]) -> None:
    retracted(nodes["book"])
    recall = What(CauseKind.TRANSFORM_RECALL, "Faulty.", transform_type="part-of")
    impact.clear(cause=impact.propagate(workspace_id=workspace.pk, what=recall, by=None, at=NOW), by=None, at=NOW)
    assert stale(workspace) == {"chapter", "k", "both"}
    assert withdraw(workspace, nodes["chapter"]) == 1
    assert stale(workspace) == {"both"}
    assert withdraw(workspace, nodes["chapter"]) == 0
    edge = Edge.objects.get(run_id="deed")
    assert (edge.is_dependence, edge.metadata["withdrawn_at"]) == (False, NOW.isoformat())
    late = graph(workspace, "claim:late SUPPORTED_BY source:chapter")
    assert Entity.objects.get(pk=late["late"].pk).state == "current"


def test_nothing_else_is_withdrawn(workspace: Workspace, nodes: dict[str, Entity]) -> None:
    assert withdraw(workspace, nodes["chapter"], run_id="another") == 0
    assert withdraw(workspace, nodes["chapter"], run_id="") == 0
    assert withdraw(workspace, nodes["chapter"], transform="merge") == 0
    assert withdraw(workspace, nodes["both"]) == 0
    assert withdraw(make.WorkspaceFactory(), nodes["chapter"]) == 0
    assert withdraw(workspace, nodes["book"]) == 1


def test_what_somebody_dealt_with_stays_told(workspace: Workspace, nodes: dict[str, Entity]) -> None:
    retracted(nodes["book"])
    editor = make.MembershipFactory(workspace=workspace, role=Role.EDITOR).user
    row = Impact.objects.get(entity=nodes["k"])
    worklist.settle(
        impact_ids=[row.pk], outcome=Outcome.ACCEPTED, reason="Kept.", asker=system(workspace.pk), by=editor, at=NOW
    )
    withdraw(workspace, nodes["chapter"])
    assert set(Impact.objects.values_list("entity__logical_id", "outcome")) == {("k", "accepted"), ("both", "")}


def test_levels_fall_back_to_what_is_still_rested_on(workspace: Workspace, nodes: dict[str, Entity]) -> None:
    declared = {nodes["book"].pk: Declared(Label.RESTRICTED, "")}
    labels.declare(workspace_id=workspace.pk, declared=declared)

    def levels() -> dict[str, int]:
        return dict(Entity.objects.filter(workspace=workspace).values_list("logical_id", "level"))

    own = Label.INTERNAL.level
    assert levels()["k"] == Label.RESTRICTED.level
    withdraw(workspace, nodes["chapter"])
    assert {name: level for name, level in levels().items() if name in {"chapter", "k"}} == {"chapter": own, "k": own}
    assert levels()["both"] == Label.RESTRICTED.level
