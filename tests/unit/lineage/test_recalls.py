"""What was made with something faulty falls with it: a configuration, a model, a prompt; now and later, all of it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage import capture, reconcile
from lineage.core import refs
from lineage.core.asking import Asker, system
from lineage.core.causes import CauseKind, kind_for
from lineage.core.relations import EntityType, Relation
from lineage.models import Cause, Entity, Impact
from lineage.queries import questions, walks
from lineage.queries.stories import MOST_TO_DRAW
from lineage.services import impact
from lineage.services.impact import What
from provenance_site.accounts.models import Workspace
from tests import factories as make
from tests.clock import NOW
from tests.graphs import graph
from tests.unit.lineage.graphs import draw, many

pytestmark = pytest.mark.django_db
BAD, GOOD = "d" * 64, "e" * 64


@pytest.fixture
def workspace() -> Workspace:
    return make.WorkspaceFactory()


def parsed(workspace: Workspace, name: str, config: str, kind: str = "parse") -> None:
    block, artifact = refs.make(EntityType.BLOCK, name, "v1"), refs.make(EntityType.ARTIFACT, name, "v1")
    facts = [capture.EntityFacts(one) for one in (block, artifact)]
    ids = capture.record_ids(workspace_id=workspace.pk, entities=facts, at=NOW)
    edge = capture.EdgeFacts(block, Relation.PARSED_FROM, artifact, transform_type=kind, config_hash=config)
    capture.record_edges(workspace_id=workspace.pk, edges=[edge], entities=ids, at=NOW)


def stale(workspace: Workspace) -> set[str]:
    return set(Entity.objects.filter(workspace=workspace, state="stale").values_list("logical_id", flat=True))


def fell(workspace: Workspace, **what: Any) -> Cause:
    return impact.propagate(
        workspace_id=workspace.pk, what=What.named(reason="It drops tables.", **what), by=None, at=NOW
    )


def test_a_recalled_configuration_takes_what_it_made_whatever_transform_used_it_and_what_comes_later(
    workspace: Workspace,
) -> None:
    parsed(workspace, "one", BAD)
    parsed(workspace, "two", BAD, kind="table.extract")
    parsed(workspace, "other", GOOD)
    cause = fell(workspace, config_hash=BAD)
    assert (cause.kind, stale(workspace)) == (CauseKind.CONFIG_RECALL, {"one", "two"})
    parsed(workspace, "late", BAD)
    graph(workspace, "chunk:c CHUNKED_FROM block:late")
    assert stale(workspace) == {"one", "two", "late", "c"}
    impact.clear(cause=cause, by=None, at=NOW)
    assert stale(workspace) == set()


def test_what_a_recall_missed_is_found_by_reconciling(workspace: Workspace) -> None:
    parsed(workspace, "one", BAD)
    fell(workspace, config_hash=BAD)
    assert reconcile.missed_causes(workspace_id=workspace.pk) == []
    told = {"transform_type": "parse", "config_hash": BAD}
    # Past `capture`, as what was written while the recall ran.
    draw(told=[("b1", Relation.PARSED_FROM, "a1", told), ("c1", Relation.CHUNKED_FROM, "b1")], workspace=workspace)
    (missed,) = reconcile.missed_causes(workspace_id=workspace.pk)
    assert missed.logical_id == "pier/b1"
    impact.reach(workspace_id=workspace.pk, entity_ids=[missed.pk], at=NOW)
    assert stale(workspace) == {"one", "pier/b1", "pier/c1"}


@pytest.mark.parametrize(
    ("means", "relation"), [("model", "GENERATED_FROM"), ("prompt", "TRANSFORMED_BY"), ("config", "TRANSFORMED_BY")]
)
def test_what_was_made_with_a_recalled_model_prompt_or_config_is_stale_and_the_means_is_not(
    workspace: Workspace, means: str, relation: str
) -> None:
    nodes = graph(
        workspace, f"answer:a {relation} {means}:m", "report:r CONTAINS answer:a", "answer:b CONTAINS claim:k"
    )
    cause = fell(workspace, entity=nodes["m"])
    assert cause.kind == kind_for(EntityType(means)) != CauseKind.RETRACTION
    assert stale(workspace) == {"a", "r"}
    assert Entity.objects.get(pk=nodes["m"].pk).state == "current"


def test_a_retraction_reaches_more_than_any_picture_shows() -> None:
    workspace_id, first = many(MOST_TO_DRAW + 501, rests_on=lambda n: f"({n} - 1) / 8")
    what = What(CauseKind.RETRACTION, "Retracted.", entity=Entity.objects.get(pk=first))
    impact.propagate(workspace_id=workspace_id, what=what, by=None, at=NOW)
    assert Impact.objects.count() == Entity.objects.filter(state="stale").count() == MOST_TO_DRAW + 500


@pytest.mark.parametrize(
    ("ask", "index"),
    [
        (lambda asker: questions.recall(asker=asker, config_hash=BAD), "edges_by_config"),
        (lambda asker: questions.recall(asker=asker, transform="parse", version="3"), "edges_by_transform"),
        (lambda asker: questions.outputs_for_run(asker=asker, run_id="RUN-1"), "edges_by_run"),
        (lambda asker: questions.diff(asker=asker, first="RUN-1", second="RUN-2"), "edges_by_run"),
    ],
)
def test_what_made_something_is_asked_of_an_index(ask: Callable[[Asker], object], index: str) -> None:
    workspace_id, _ = many(1_000, rests_on=lambda n: f"{n} - 1")
    is_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if is_sqlite else "ANALYZE lineage_edge")
    with CaptureQueriesContext(connection) as queries:
        ask(system(workspace_id))
    assert queries.captured_queries
    for query in queries.captured_queries:
        told = f"EXPLAIN {'QUERY PLAN ' if is_sqlite else ''}{query['sql']}"
        assert index in "\n".join(str(row[-1]) for row in walks.rows(told, []))
