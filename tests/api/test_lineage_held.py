"""Edges that wait, over JSON: for those who may read both their ends, and for nobody else."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.ingest import held
from lineage.models import Edge, Entity, HeldEdge
from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from tests.api.test_lineage_questions import client_of, get, post
from tests.desk import Desk
from tests.factories import HeldEdgeFactory
from tests.graphs import graph

pytestmark = pytest.mark.django_db
DERIVED = {"relation": "DERIVED_FROM"}


@pytest.fixture
def nodes(desk: Desk) -> dict[str, Entity]:
    return graph(
        desk.workspace, "report:r CONTAINS claim:k", "claim:k SUPPORTED_BY chunk:c", "file:f DERIVED_FROM chunk:d"
    )


def wait(desk: Desk, *ends: tuple[str, str]) -> list[int]:
    about = {"workspace": desk.workspace, "facts": DERIVED}
    return [HeldEdgeFactory(**about, from_ref=f"{one}/v1", to_ref=f"{other}/v1").pk for one, other in ends]


def test_edges_that_wait_come_page_by_page_with_both_ends(desk: Desk, nodes: dict[str, Entity]) -> None:
    first, second = wait(desk, ("report://r", "chunk://d"), ("file://f", "chunk://c"))
    client = client_of(desk, Role.READER)
    told = get(client, "held?per_page=1").json()
    assert (told["total"], told["page"], told["pages"]) == (2, 1, 2)
    (edge,) = told["edges"]
    assert (edge["edge"], edge["dependent"]["ref"], edge["relation"], edge["rests_on"]["ref"], edge["why"]) == (
        first,
        "report://r/v1",
        "DERIVED_FROM",
        "chunk://d/v1",
        "unreadable",
    )
    assert [one["edge"] for one in get(client, "held?per_page=1&page=9").json()["edges"]] == [second]


def test_an_editor_joins_one_or_lets_it_go(desk: Desk, nodes: dict[str, Entity]) -> None:
    joined, dropped, ring = wait(
        desk, ("report://r", "chunk://d"), ("file://f", "chunk://c"), ("chunk://c", "claim://k")
    )
    client = client_of(desk)
    assert post(client_of(desk, Role.CURATOR), "held", {"edge": joined, "deed": "join"}).status_code == 403
    for edge, deed in ((joined, "join"), (dropped, "drop")):
        assert post(client, "held", {"edge": edge, "deed": deed}).json() == {"edge": edge, "deed": deed}
        assert post(client, "held", {"edge": edge, "deed": deed}).status_code == 404
    refused = post(client, "held", {"edge": ring, "deed": "join"})
    assert (refused.status_code, "ring" in refused.json()["detail"]) == (422, True)
    assert post(client, "held", {"edge": ring, "deed": "burn"}).status_code == 422
    assert Edge.objects.filter(from_entity=nodes["r"], to_entity=nodes["d"], relation="DERIVED_FROM").exists()
    assert not Edge.objects.filter(from_entity=nodes["f"], to_entity=nodes["c"]).exists()
    assert [one["edge"] for one in get(client, "held").json()["edges"]] == [ring]


def test_an_edge_to_what_may_not_be_read_is_not_there(desk: Desk, other_desk: Desk, nodes: dict[str, Entity]) -> None:
    """Not in the list, its numbers or what it costs, nor for whoever names it; and History tells nothing of it."""
    Membership.objects.filter(user=desk.person(Role.EDITOR)).update(clearance="internal")
    client = client_of(desk)
    get(client, "held")

    def told() -> tuple[Any, int]:
        with CaptureQueriesContext(connection) as queries:
            return get(client, "held").json(), len(queries)

    before = told()
    hidden = graph(desk.workspace, "report:hr CONTAINS claim:k", labels={"hr": "confidential"})["hr"]
    assert hidden.level == 2
    edges = wait(desk, ("report://hr", "chunk://c"), ("file://f", "report://hr"), ("file://f", "chunk://none"))
    assert told() == before
    assert before[0]["total"] == 0
    graph(other_desk.workspace, "report:r CONTAINS claim:k")
    foreign = HeldEdgeFactory(
        workspace=other_desk.workspace, from_ref="report://r/v1", to_ref="claim://k/v1", facts=DERIVED
    )
    answers = [post(client, "held", {"edge": edge, "deed": "join"}) for edge in (*edges, foreign.pk, 10**9)]
    assert {(one.status_code, one.content) for one in answers} == {(404, b'{"detail": "Not Found"}')}
    assert HeldEdge.objects.filter(released_at=None).count() == 4
    post(client_of(desk, Role.ADMIN), "held", {"edge": edges[0], "deed": "drop"})
    assert ChangeSet.objects.get(kind=held.DROP_KIND).channel == "api"
    assert "Waiting edge let go" in desk.client(Role.ADMIN).get("/history/").content.decode()
    assert "Waiting edge" not in desk.client(Role.EDITOR).get("/history/").content.decode()
