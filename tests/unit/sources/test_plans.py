"""How SQLite, which has no statistics here, looks for few rows among many: by their own keys, not by the workspace."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage import access
from lineage.core.asking import Asker
from lineage.core.relations import Label
from lineage.services import worklist
from provenance_site.accounts.roles import Role
from sources.queries import naming
from sources.queries.review import QueueFilter, open_items
from tests.desk import Desk
from tests.factories import EntityFactory

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def plan_of(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + sql)
        return [str(row[3]) for row in cursor.fetchall()]


def test_the_next_question_is_found_by_its_moment(desk: Desk) -> None:
    wanted = QueueFilter()
    items = open_items(user=desk.person(Role.EDITOR), workspace_id=desk.workspace.pk, wanted=wanted)
    plan = items.select_related("source")[:1].explain()
    assert "open_items_oldest_first" in plan
    assert "TEMP B-TREE" not in plan


def test_nodes_are_named_by_their_own_keys(desk: Desk) -> None:
    nodes = [EntityFactory(workspace=desk.workspace).pk for _ in range(2)]
    with CaptureQueriesContext(connection) as asked:
        naming.names(desk.workspace.pk, nodes)
    plans = [plan_of(query["sql"]) for query in asked.captured_queries]
    assert len(plans) >= 7
    assert [line for plan in plans for line in plan if "workspace_id=?" in line] == []
    assert all(any("entity_id=?" in line for line in plan) for plan in plans)


def test_what_a_person_may_see_of_what_fell_is_asked_for_each_node_that_fell(desk: Desk) -> None:
    asker = Asker(desk.workspace.pk, Label.INTERNAL.level, desk.person(Role.EDITOR).pk)
    for rows in (worklist.waiting(asker), worklist.waiting(asker).filter(access.visible_at(asker, "cause__entity_id"))):
        plan = rows.explain()
        assert "workspace_id=?" not in plan
