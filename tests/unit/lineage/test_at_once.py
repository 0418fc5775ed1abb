"""Several writers of the graph at one moment: nothing is written twice, nothing that falls is missed."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction

from lineage import capture
from lineage.core import refs
from lineage.core.asking import Asker
from lineage.core.causes import CauseKind
from lineage.core.relations import EntityType, Label, Relation
from lineage.ingest import taking_in
from lineage.ingest.tenancy import NotHere
from lineage.models import Edge, Entity, Event, HeldEdge
from lineage.services import deletion, impact, labels
from lineage.services.impact import What
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from tests import factories as make
from tests.clock import NOW
from tests.core.test_lineage_events import PARSED
from tests.desk import Desk
from tests.graphs import graph, join
from tests.unit.sources.disturbance import together

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_event_sent_twenty_times_at_once_is_one_row() -> None:
    sender = make.MembershipFactory(role="curator")
    asker = Asker(sender.workspace_id, level=3, user_id=sender.user_id)
    send = partial(taking_in.take_in, payload=PARSED, asker=asker, by=sender.user, channel=Channel.API, at=NOW)
    outcomes = together(*[send] * 20)
    assert not [one for one in outcomes if isinstance(one, Exception)]
    told = [one.status for one in outcomes if isinstance(one, taking_in.Outcome)]
    assert sorted(told) == ["accepted", *["duplicate"] * 19]
    assert (Event.objects.count(), Edge.objects.count(), Entity.objects.count()) == (1, 1, 2)


def test_one_event_that_names_another_workspace_sent_ten_times_at_once_leaves_one_line() -> None:
    sender = make.MembershipFactory(role="curator")
    asker = Asker(sender.workspace_id, level=3, user_id=sender.user_id)
    payload = {**PARSED, "tenant_id": "theirs"}
    send = partial(taking_in.take_in, payload=payload, asker=asker, by=sender.user, channel=Channel.API, at=NOW)
    assert {type(one) for one in together(*[send] * 10)} == {NotHere}
    assert (ChangeSet.objects.count(), Event.objects.count()) == (1, 0)


def test_a_node_that_is_hidden_while_an_event_names_it_is_kept_apart() -> None:
    sender = make.MembershipFactory(role="curator")
    written, sending = threading.Event(), threading.Event()

    def hide() -> None:
        with transaction.atomic():
            graph(sender.workspace, "block:x PARSED_FROM artifact:a", labels={"x": "restricted"})
            written.set()
            # The sender is under way now: on PostgreSQL it has found no such node, and waits to write one.
            sending.wait(5)
            if connection.vendor == "postgresql":
                threading.Event().wait(0.15)

    def send() -> None:
        written.wait(5)
        sending.set()
        event = {"edges": [{"relation": "CHUNKED_FROM", "from": "chunk://c/v1", "to": "block://x/v1"}]}
        asker = Asker(sender.workspace_id, level=1, user_id=sender.user_id)
        taking_in.take_in(payload=event, asker=asker, by=sender.user, channel=Channel.API, at=NOW)

    assert together(hide, send) == [None, None]
    assert (Entity.objects.get(logical_id="c").label, HeldEdge.objects.count()) == (Label.INTERNAL, 1)


@pytest.mark.parametrize("is_deep", [False, True])
def test_an_edge_that_is_written_during_a_retraction_falls_too(is_deep: bool) -> None:
    workspace = make.WorkspaceFactory()
    nodes = graph(workspace, "chunk:c CHUNKED_FROM source:s")
    written, retracting = threading.Event(), threading.Event()

    def write() -> None:
        with transaction.atomic():
            graph(workspace, "claim:k SUPPORTED_BY chunk:c" if is_deep else "claim:k SUPPORTED_BY source:s")
            written.set()
            # The retraction is under way now: on PostgreSQL it has walked, and waits for the row that we rest on.
            retracting.wait(5)
            if connection.vendor == "postgresql":
                threading.Event().wait(0.15)

    def retract() -> None:
        written.wait(5)
        retracting.set()
        what = What(CauseKind.RETRACTION, "Retracted.", entity=nodes["s"])
        impact.propagate(workspace_id=workspace.pk, what=what, by=None, at=NOW)

    assert together(write, retract) == [None, None]
    assert Entity.objects.get(logical_id="k").state == "stale"


def raise_label(source: Entity) -> None:
    labels.declare(workspace_id=source.workspace_id, declared={source.pk: labels.Declared(Label.RESTRICTED)})


def retract(source: Entity) -> None:
    what = What(CauseKind.RETRACTION, "Retracted.", entity=source)
    impact.propagate(workspace_id=source.workspace_id, what=what, by=None, at=NOW)


@pytest.mark.parametrize("deed", [retract, raise_label])
def test_whoever_changes_nodes_and_a_writer_who_met_them_in_another_order_do_not_wait_for_each_other(
    deed: Callable[[Entity], None],
) -> None:
    workspace = make.WorkspaceFactory()
    # The chunk stands before the source that it rests on, as where an edge came first.
    chunk = graph(workspace, "chunk:c CHUNKED_FROM artifact:a")["c"]
    source = graph(workspace, "chunk:c DERIVED_FROM source:s")["s"]
    assert chunk.pk < source.pk
    half_way, under_way = threading.Event(), threading.Event()

    def write() -> None:
        with transaction.atomic():
            graph(workspace, "claim:k SUPPORTED_BY chunk:c")
            half_way.set()
            under_way.wait(5)
            if connection.vendor == "postgresql":
                threading.Event().wait(0.15)
            graph(workspace, "claim:l SUPPORTED_BY source:s")

    def change() -> None:
        half_way.wait(5)
        under_way.set()
        deed(source)

    assert together(write, change) == [None, None]
    rows = Entity.objects.filter(logical_id__in=["c", "k", "l"])
    changed = {"stale"} if deed is retract else {Label.RESTRICTED.level}
    assert set(rows.values_list("state" if deed is retract else "level", flat=True)) == changed


def test_a_node_whose_label_is_lowered_while_an_edge_waits_takes_the_level_of_what_it_comes_to_rest_on(
    desk: Desk,
) -> None:
    labelled = {"s": "restricted", "t": "confidential"}
    nodes = graph(desk.workspace, "claim:k SUPPORTED_BY source:s", "file:f DERIVED_FROM source:t", labels=labelled)
    lowered, writing = threading.Event(), threading.Event()

    def lower() -> None:
        with transaction.atomic():
            labels.declassify(
                workspace_id=desk.workspace.pk,
                ref=nodes["s"].ref,
                to=Label.INTERNAL,
                reason="Published.",
                by=desk.person(Role.ADMIN),
                channel=Channel.PAGE,
                at=NOW,
            )
            lowered.set()
            # The writer is under way now: on PostgreSQL it has looked at its nodes, and waits for its turn.
            writing.wait(5)
            if connection.vendor == "postgresql":
                threading.Event().wait(0.15)

    def write() -> None:
        lowered.wait(5)
        writing.set()
        names = {name: refs.read(nodes[name].ref) for name in ("k", "t")}
        join(desk.workspace, names, [("k", Relation.SUPPORTED_BY, "t")])

    Entity.objects.filter(pk=nodes["s"].pk).update(classification="internal")
    Entity.objects.update(created_at=NOW - timedelta(days=1))
    assert together(lower, write) == [None, None]
    assert Entity.objects.get(pk=nodes["k"].pk).label is Label.CONFIDENTIAL


def test_nothing_is_removed_on_which_a_hold_is_put_at_that_moment(desk: Desk) -> None:
    node = graph(desk.workspace, "claim:k SUPPORTED_BY source:s")["k"]
    put, removing = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            about = {"workspace_id": desk.workspace.pk, "ref": node.ref, "by": desk.person(Role.ADMIN)}
            deletion.hold(**about, reason="Case 7.", channel=Channel.PAGE, at=NOW)
            put.set()
            removing.wait(5)
            if connection.vendor == "postgresql":
                threading.Event().wait(0.15)

    def remove() -> None:
        put.wait(5)
        removing.set()
        with transaction.atomic():
            deletion.bury(entity_ids=[node.pk], why="Asked for.", by=None, at=NOW)

    held, refused = together(hold, remove)
    assert (held, type(refused)) == (None, deletion.OnHold)
    assert Entity.objects.get(pk=node.pk).tombstoned_at is None


def test_placeholders_that_two_writers_tell_of_in_two_orders_are_told_of_once() -> None:
    workspace = make.WorkspaceFactory()
    told = [capture.EntityFacts(refs.make(EntityType.CHUNK, str(number), "v1")) for number in range(30)]
    named = [replace(fact, is_placeholder=True) for fact in told]
    ids = capture.record_ids(workspace_id=workspace.pk, entities=named, at=NOW)
    tell = partial(capture.record_ids, workspace_id=workspace.pk, at=NOW)
    deeds = [partial(tell, entities=order) for order in (told, told[::-1], told[::2] + told[1::2])]
    assert together(*deeds, meet_before="UPDATE") == [ids] * 3
    assert not Entity.objects.filter(is_placeholder=True).exists()
