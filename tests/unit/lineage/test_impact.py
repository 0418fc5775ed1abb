"""What falls when something others rest on turns out wrong, and stands again."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.core.asking import Asker, system
from lineage.core.causes import CauseKind, Outcome
from lineage.models import Cause, Entity, Impact
from lineage.queries import questions
from lineage.services import impact, worklist
from lineage.services.impact import What
from provenance_site.accounts.models import Workspace
from tests import factories as make
from tests.clock import NOW
from tests.graphs import graph

pytestmark = pytest.mark.django_db

# T21 of the notes: one source, four blocks, chunks that share them, embeddings, a hit, a claim, a report.
PIPELINE = (
    "artifact:art FETCHED_FROM source:src",
    *(f"block:blk{n} PARSED_FROM art" for n in range(1, 5)),
    *(f"chunk:c{n} CHUNKED_FROM blk{n}" for n in range(1, 4)),
    *(f"c{n} CHUNKED_FROM blk{n + 1}" for n in range(1, 4)),
    *(f"embedding:e{n} EMBEDDED_FROM c{n}" for n in range(1, 4)),
    "retrieval-hit:h RETRIEVED_FROM e2",
    "h RETRIEVED_FROM c2",
    "claim:k SUPPORTED_BY h",
    "report:r CONTAINS k",
)


@pytest.fixture
def workspace() -> Workspace:
    return make.WorkspaceFactory()


def retracted(entity: Entity, reason: str = "Retracted by the journal.") -> Cause:
    what = What(CauseKind.RETRACTION, reason, entity=entity)
    return impact.propagate(workspace_id=entity.workspace_id, what=what, by=None, at=NOW)


def stale(workspace: Workspace) -> set[str]:
    return set(Entity.objects.filter(workspace=workspace, state="stale").values_list("logical_id", flat=True))


def test_all_that_rests_on_a_retracted_source_falls_once(workspace: Workspace) -> None:
    nodes = graph(workspace, *PIPELINE)
    cause = retracted(nodes["src"])
    assert stale(workspace) == nodes.keys() - {"src"}
    assert Impact.objects.filter(cause=cause).count() == 14
    assert Entity.objects.get(pk=nodes["src"].pk).state == "retracted"
    assert retracted(nodes["src"]).pk == cause.pk
    assert Impact.objects.count() == 14


def test_a_part_takes_only_its_own_dependents_along(workspace: Workspace) -> None:
    nodes = graph(workspace, *PIPELINE)
    retracted(nodes["blk1"])
    assert stale(workspace) == {"c1", "e1"}


def test_structure_and_succession_carry_nothing(workspace: Workspace) -> None:
    nodes = graph(workspace, "block:blk PARSED_FROM artifact:art", "art CONTAINS blk", "block:new SUPERSEDES blk")
    retracted(nodes["blk"])
    assert stale(workspace) == set()


def test_a_cause_taken_back_leaves_what_another_one_reaches(workspace: Workspace) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY source:a", "k SUPPORTED_BY source:b", "claim:l SUPPORTED_BY a")
    first, second = retracted(nodes["a"]), retracted(nodes["b"])
    assert impact.clear(cause=first, by=None, at=NOW) == 1
    assert stale(workspace) == {"k"}
    assert Entity.objects.get(pk=nodes["a"].pk).state == "current"
    assert impact.clear(cause=first, by=None, at=NOW) == 0
    impact.clear(cause=second, by=None, at=NOW)
    assert stale(workspace) == set()


def test_a_superseded_node_is_superseded_again_when_its_cause_goes(workspace: Workspace) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY source:a")
    Entity.objects.filter(pk=nodes["k"].pk).update(superseded_at=NOW, state="superseded")
    cause = retracted(nodes["a"])
    assert stale(workspace) == {"k"}
    impact.clear(cause=cause, by=None, at=NOW)
    assert Entity.objects.get(pk=nodes["k"].pk).state == "superseded"


def test_the_recall_of_a_configuration_takes_its_runs_and_no_other(workspace: Workspace) -> None:
    # T31: runs r5 and r6 used the faulty version, r7 another.
    for run, version in (("r5", "3"), ("r6", "3"), ("r7", "4")):
        graph(
            workspace,
            f"block:b{run} PARSED_FROM artifact:a{run}",
            f"chunk:c{run} CHUNKED_FROM b{run}",
            run=run,
            transform=f"parse@{version}",
        )
    what = What(CauseKind.TRANSFORM_RECALL, "Drops tables.", transform_type="parse", transform_version="3")
    shown = impact.preview(what=what, asker=system(workspace.pk))
    assert (shown.total, shown.by_type) == (4, {"block": 2, "chunk": 2})
    assert stale(workspace) == set()
    impact.propagate(workspace_id=workspace.pk, what=what, by=None, at=NOW)
    assert stale(workspace) == {"br5", "cr5", "br6", "cr6"}


def test_a_cause_names_something() -> None:
    with pytest.raises(impact.NothingNamed):
        impact.propagate(workspace_id=1, what=What(CauseKind.CONFIG_RECALL, "Which?"), by=None, at=NOW)


def test_late_dependents_are_born_stale(workspace: Workspace) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY source:a")
    retracted(nodes["a"])
    graph(workspace, "report:r CONTAINS claim:k", "claim:m SUPPORTED_BY source:a", "report:s CONTAINS m")
    assert stale(workspace) == {"k", "r", "m", "s"}


def test_what_a_person_let_stand_hands_nothing_on(workspace: Workspace) -> None:
    editor = make.MembershipFactory(workspace=workspace, role="editor").user
    nodes = graph(workspace, "claim:k SUPPORTED_BY source:a")
    retracted(nodes["a"])
    worklist.settle(
        impact_ids=list(Impact.objects.values_list("pk", flat=True)),
        outcome=Outcome.DISMISSED,
        reason="The retracted table is not used.",
        asker=system(workspace.pk),
        by=editor,
        at=NOW,
    )
    assert stale(workspace) == set()
    graph(workspace, "report:r CONTAINS claim:k")
    assert stale(workspace) == set()


def test_a_preview_tells_an_asker_of_what_they_may_see_alone(workspace: Workspace) -> None:
    hidden = {"secret": "confidential"}
    nodes = graph(workspace, "claim:open SUPPORTED_BY source:a", "claim:secret SUPPORTED_BY a", labels=hidden)
    Entity.objects.filter(pk=nodes["secret"].pk).update(level=2, released_at=NOW)
    what = What(CauseKind.RETRACTION, "Retracted.", entity=nodes["a"])
    shown = impact.preview(what=what, asker=Asker(workspace.pk, level=1))
    assert (shown.total, shown.by_type, shown.released) == (1, {"claim": 1}, ())
    assert impact.preview(what=what, asker=system(workspace.pk)).released == (nodes["secret"],)


def test_a_preview_of_a_recall_goes_by_edges_that_its_asker_may_read(workspace: Workspace) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY chunk:h", labels={"h": "restricted"}, transform="cite@1")
    Entity.objects.filter(pk=nodes["k"].pk).update(level=1)  # as declassified
    what = What.named(reason="", transform="cite")
    found = [impact.preview(what=what, asker=Asker(workspace.pk, level)).total for level in (1, 3)]
    assert found == [0, 1]
    assert questions.recall(transform="cite", asker=Asker(workspace.pk, 1)).total == 0


def test_released_outputs_come_first_on_the_worklist(workspace: Workspace) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY source:a", "report:draft CONTAINS k", "report:out CONTAINS k")
    Entity.objects.filter(pk=nodes["out"].pk).update(released_at=NOW - timedelta(days=1))
    retracted(nodes["a"])
    assert [row.entity.logical_id for row in worklist.waiting(system(workspace.pk))] == ["out", "draft", "k"]


def test_the_worklist_empties_by_work(workspace: Workspace) -> None:
    nodes = graph(workspace, "chunk:old CHUNKED_FROM artifact:a")
    retracted(nodes["a"])
    assert worklist.rebuilt(entity_ids=[nodes["old"].pk], at=NOW) == 0
    graph(workspace, "chunk:new CHUNKED_FROM artifact:better", "new SUPERSEDES chunk:old")
    assert stale(workspace) == set()
    assert not worklist.waiting(system(workspace.pk)).exists()


def test_a_successor_that_fell_too_rebuilds_nothing(workspace: Workspace) -> None:
    nodes = graph(workspace, "chunk:old CHUNKED_FROM artifact:a", "chunk:new CHUNKED_FROM a", "new SUPERSEDES old")
    retracted(nodes["a"])
    assert worklist.rebuilt(entity_ids=[nodes["old"].pk], at=NOW) == 0


def test_settling_asks_for_a_reason_an_editor_and_an_outcome_of_hands(workspace: Workspace) -> None:
    editor = make.MembershipFactory(workspace=workspace, role="editor").user
    told = {"impact_ids": [], "asker": system(workspace.pk), "by": editor, "at": NOW}
    with pytest.raises(worklist.ReasonMissing):
        worklist.settle(outcome=Outcome.ACCEPTED, reason=" ", **told)
    with pytest.raises(worklist.NotByHand):
        worklist.settle(outcome=Outcome.REBUILT, reason="Done.", **told)
    reader = make.MembershipFactory(workspace=workspace, role="reader").user
    with pytest.raises(PermissionDenied):
        worklist.settle(outcome=Outcome.ACCEPTED, reason="Kept.", **{**told, "by": reader})


def test_ids_that_an_asker_may_not_see_are_not_counted(workspace: Workspace) -> None:
    editor = make.MembershipFactory(workspace=workspace, role="editor").user
    nodes = graph(workspace, "claim:k SUPPORTED_BY source:a")
    retracted(nodes["a"])
    Entity.objects.filter(pk=nodes["k"].pk).update(level=3)
    done = worklist.settle(
        impact_ids=list(Impact.objects.values_list("pk", flat=True)),
        outcome=Outcome.ACCEPTED,
        reason="Kept.",
        asker=Asker(workspace.pk, level=1),
        by=editor,
        at=NOW,
    )
    assert (done.settled, done.already) == (0, 0)
    assert stale(workspace) == {"k"}


def test_the_price_is_the_same_for_ten_nodes_and_for_a_hundred(workspace: Workspace) -> None:
    few = graph(workspace, *(f"claim:a{n} SUPPORTED_BY source:few" for n in range(10)))
    many = graph(workspace, *(f"claim:b{n} SUPPORTED_BY source:many" for n in range(100)))
    counts = []
    for node in (few["few"], many["many"]):
        with CaptureQueriesContext(connection) as queries:
            retracted(node)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_an_edge_costs_the_same_however_many_causes_stand(workspace: Workspace) -> None:
    counts = []
    for number in (1, 12):
        nodes = graph(workspace, *(f"chunk:c{number}-{n} CHUNKED_FROM source:s{number}-{n}" for n in range(number)))
        for n in range(number):
            retracted(nodes[f"s{number}-{n}"])
        with CaptureQueriesContext(connection) as queries:
            graph(workspace, f"claim:k{number} SUPPORTED_BY source:s{number}-0")
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert {"k1", "k12"} <= stale(workspace)
