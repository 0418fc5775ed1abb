"""Whoever changes nodes that stand takes the workspace's turn first, then their rows: none waits in a circle."""

from contextlib import suppress
from functools import partial

import pytest
from django.db import transaction

from lineage import capture
from lineage.access import NoSuchEntity
from lineage.core.asking import Asker
from lineage.core.relations import Label
from lineage.ingest import held, taking_in
from lineage.models import Edge, Entity
from lineage.services import deletion
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from tests import factories as make
from tests.clock import NOW
from tests.desk import Desk
from tests.graphs import graph
from tests.unit.lineage.test_at_once import raise_label
from tests.unit.lineage.test_planned import LATER, facts_of, planned, source_of
from tests.unit.sources.disturbance import one_in_the_other, together

pytestmark = pytest.mark.django_db(transaction=True)
_TURN = "SELECT pg_advisory_xact_lock"
_DROPPED = 'DELETE FROM "lineage_heldedge"'


def test_two_services_tell_at_once_what_was_made_of_a_node_and_takes_its_place() -> None:
    sender = make.MembershipFactory(role="curator")
    graph(sender.workspace, "claim:k SUPPORTED_BY source:s")
    asker = Asker(sender.workspace_id, level=3, user_id=sender.user_id)

    def send(name: str) -> None:
        ends = {"from": f"claim://{name}/v1", "to": "claim://k/v1"}
        event = {"edges": [{"relation": relation, **ends} for relation in ("DERIVED_FROM", "SUPERSEDES")]}
        taking_in.take_in(payload=event, asker=asker, by=sender.user, channel=Channel.API, at=LATER)

    assert together(partial(send, "l"), partial(send, "m"), meet_before="UPDATE") == [None, None]
    assert Entity.objects.get(logical_id="k").state == "superseded"
    assert Edge.objects.count() == 5


@pytest.mark.parametrize("attempt", range(4))
def test_a_check_writes_a_version_that_another_service_named_while_its_source_is_classified(attempt: int) -> None:
    workspace = make.WorkspaceFactory()
    source = source_of("tides", workspace)
    told, _ = facts_of("tides", source[0])
    named = capture.EntityFacts(ref=told.ref, classification=Label.PUBLIC, is_placeholder=True)
    capture.record_ids(workspace_id=workspace.pk, entities=[named], at=NOW)

    def write() -> None:
        with transaction.atomic():
            capture.record_planned(planned=[planned("tides", workspace, source)], at=LATER)

    done = together(write, partial(raise_label, Entity.objects.get(pk=source[1])), meet_before=_TURN)
    assert done == [None, None]
    assert set(Entity.objects.values_list("level", flat=True)) == {Label.RESTRICTED.level}


def test_what_is_erased_at_the_moment_when_it_would_stand_again_stays_erased() -> None:
    node = graph(make.WorkspaceFactory(), "claim:k SUPPORTED_BY source:s")["k"]
    deletion.bury(entity_ids=[node.pk], why="Deleted.", by=None, at=NOW)
    erase = partial(deletion.erase, entity_ids=[node.pk], why="Asked for.", by=None, at=LATER)
    back = partial(capture.stand_again, entity_ids=[node.pk])

    def return_() -> int:
        with transaction.atomic():
            return back()

    assert one_in_the_other(erase, return_) == [1, 0]
    node.refresh_from_db()
    assert (node.state, node.ref) == ("tombstoned", "")


def test_an_edge_that_was_kept_apart_is_joined_while_one_of_its_ends_is_erased(desk: Desk) -> None:
    nodes = graph(desk.workspace, "claim:k SUPPORTED_BY source:s", "claim:l SUPPORTED_BY source:t")
    waits = make.HeldEdgeFactory(
        workspace=desk.workspace, from_ref=nodes["k"].ref, to_ref=nodes["t"].ref, facts={"relation": "SUPPORTED_BY"}
    )
    editor = desk.person(Role.EDITOR)
    asker = Asker(desk.workspace.pk, level=3, user_id=editor.pk)

    def join() -> None:
        with suppress(NoSuchEntity):
            held.join(pk=waits.pk, asker=asker, by=editor, channel=Channel.PAGE, at=LATER)

    def erase() -> None:
        with transaction.atomic():
            deletion.erase(entity_ids=[nodes["t"].pk], why="Asked for.", by=None, at=LATER)

    assert together(join, erase, meet_before=(_TURN, _DROPPED)) == [None, None]
    assert Entity.objects.get(pk=nodes["t"].pk).ref == ""
