"""States follow from their moments; holds, erasing, policies and retention do what they say and no more."""

from collections.abc import Callable, Iterable
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from lineage.core.relations import EntityState, EntityType
from lineage.models import Claim, Entity, Event, HeldEdge, Tombstone, TypePolicy
from lineage.services import deletion, impact, mentions, policies, states
from lineage.services.policies import Policy, PolicyRefused
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from tests import factories as make
from tests.clock import NOW
from tests.desk import Desk

pytestmark = pytest.mark.django_db


def rows(entity_ids: Iterable[int]) -> QuerySet[Entity]:
    return Entity.objects.filter(pk__in=entity_ids)


_MARKS: dict[str, Callable[..., int]] = {
    "superseded_at": states.supersede,
    "stale_at": lambda *, entity_ids, at: states.mark_stale_by(waiting=rows(entity_ids).values("pk"), at=at),
    "retracted_at": states.retract,
    "tombstoned_at": states.tombstone,
}
_CLEARS: dict[str, Callable[..., int]] = {
    "superseded_at": states.clear_superseding,
    "stale_at": lambda *, entity_ids: impact.refresh(entities=rows(entity_ids)),
    "retracted_at": states.clear_retraction,
}


def test_the_last_of_the_moments_is_shown_in_whatever_order_they_come_and_go() -> None:
    shown = list(zip(_MARKS, ("superseded", "stale", "retracted", "tombstoned"), strict=True))
    for order in (list(_MARKS), list(reversed(_MARKS)), ["stale_at", "tombstoned_at", "superseded_at", "retracted_at"]):
        entity = make.EntityFactory()
        told: set[str] = set()
        for moment in order:
            assert [_MARKS[moment](entity_ids=[entity.pk], at=NOW) for _ in range(2)] == [1, 0]
            told.add(moment)
            entity.refresh_from_db()
            assert entity.state == [state for name, state in shown if name in told][-1]
        assert states.stand_again(entity_ids=[entity.pk]) == 1
        told -= {"tombstoned_at", "superseded_at"}
        for moment in ("retracted_at", "stale_at"):
            entity.refresh_from_db()
            assert entity.state == [state for name, state in shown if name in told][-1]
            assert [_CLEARS[moment](entity_ids=[entity.pk]) for _ in range(2)] == [1, 0]
            told.discard(moment)
        entity.refresh_from_db()
        assert entity.as_state is EntityState.CURRENT


def test_a_hold_stands_until_it_is_released_and_then_erasing_takes_every_mention(desk: Desk) -> None:
    entity = make.EntityFactory(workspace=desk.workspace, type="claim", ref="claim://Müller/v1", owner=desk.person())
    make.ClaimFactory(entity=entity)
    named = make.EventFactory(workspace=desk.workspace, payload={"edges": [{"from": entity.ref}]})
    other = make.EventFactory(workspace=desk.workspace, payload={"from": "claim://Other/v1"})
    make.HeldEdgeFactory(workspace=desk.workspace, from_ref=entity.ref)
    about = {"workspace_id": desk.workspace.pk, "ref": "claim://Müller/v1", "by": desk.person(Role.ADMIN)}
    Entity.objects.filter(pk=entity.pk).update(ref_key=make.EntityFactory.build(ref=entity.ref).ref_key)
    with pytest.raises(deletion.NoHold, match="Say what"):
        deletion.hold(**about, reason=" ", channel=Channel.PAGE, at=NOW)
    with pytest.raises(deletion.NoHold, match="No hold stands"):
        deletion.release(**about, reason="Closed.", channel=Channel.PAGE, at=NOW)
    deletion.hold(**about, reason="Case 7.", channel=Channel.PAGE, at=NOW)
    with pytest.raises(deletion.NoHold, match="stands on it already"):
        deletion.hold(**about, reason="Case 8.", channel=Channel.PAGE, at=NOW)
    removing = {"entity_ids": [entity.pk], "why": "Asked for.", "by": None, "at": NOW}
    for deed in (deletion.bury, deletion.erase):
        with pytest.raises(deletion.OnHold, match=r"Case 7\."):
            deed(**removing)
    with pytest.raises(deletion.OnHold):
        deletion.deidentify(**about, reason="Asked for.", channel=Channel.PAGE, at=NOW)
    deletion.release(**about, reason="Closed.", channel=Channel.PAGE, at=NOW)
    assert [deletion.erase(**removing) for _ in range(2)] == [1, 0]
    left = Entity.objects.get(pk=entity.pk)
    assert (left.ref, left.metadata, left.owner, left.state) == ("", {}, None, "tombstoned")
    assert Claim.objects.get().text == ""
    assert Event.objects.get(pk=named.pk).payload == {}
    assert Event.objects.get(pk=other.pk).payload == {"from": "claim://Other/v1"}
    assert deletion.bring_back(entity_ids=[entity.pk]) == 0
    assert Tombstone.objects.get().is_erased


def test_erasing_finds_a_ref_however_its_sender_wrote_it(desk: Desk) -> None:
    digest = "ab" * 32
    ref = f"artifact://s3/raw/tides/{digest}"
    entity = make.EntityFactory(workspace=desk.workspace, type="artifact", ref=ref)
    dataset = {"namespace": "s3://raw", "name": "tides", "facets": {"version": {"datasetVersion": digest}}}
    run = {"run": {"runId": "R"}, "job": {}, "eventType": "COMPLETE", "outputs": [dataset]}
    beside = {"output": "block://b/v1", "relation": "PARSED_FROM"}
    payloads = [
        {**beside, "inputs": [{"ref": "artifact://s3/raw/tides", "sha256": f"sha256:{digest}"}]},
        {"entities": [{"ref": "artifact://s3/raw/tides", "version": digest}]},
        run,
        {"unread": [ref]},
        {**beside, "inputs": ["artifact://s3/raw/tides/v2"]},
        {**beside, "inputs": [{"ref": "artifact://s3/raw/tides2", "sha256": digest}]},
    ]
    for payload in payloads:
        make.EventFactory(workspace=desk.workspace, payload=payload)
    deletion.erase(entity_ids=[entity.pk], why="Asked for.", by=None, at=NOW)
    assert list(Event.objects.order_by("pk").values_list("payload", flat=True)) == [{}] * 4 + payloads[4:]


def test_erasing_many_looks_through_the_events_once(desk: Desk) -> None:
    refs = [f"claim://c{number}/v1" for number in range(20)]
    make.EventFactory(workspace=desk.workspace, payload={"entities": [{"ref": refs[7]}]})
    make.HeldEdgeFactory(workspace=desk.workspace, to_ref=refs[9])
    edge = make.EdgeFactory(workspace=desk.workspace, metadata={"source_ref": refs[11], "hook": "TOOL"})
    costs = []
    for erased in (refs[:1], refs[1:]):
        with CaptureQueriesContext(connection) as queries:
            mentions.erase(workspace_id=desk.workspace.pk, refs=erased)
        costs.append(len(queries))
    assert costs[1] <= costs[0] + 2
    assert (Event.objects.get().payload, HeldEdge.objects.count()) == ({}, 0)
    edge.refresh_from_db()
    assert edge.metadata == {"hook": "TOOL"}


def test_what_may_name_a_person_is_taken_and_the_node_stays(desk: Desk) -> None:
    entity = make.EntityFactory(workspace=desk.workspace, owner=desk.person(), metadata={"by": "A. Person"})
    told = make.EventFactory(
        workspace=desk.workspace, payload={"entities": [{"ref": entity.ref, "metadata": {"by": "A. Person"}}]}
    )
    waits = make.HeldEdgeFactory(workspace=desk.workspace, to_ref=entity.ref)
    deletion.deidentify(
        workspace_id=desk.workspace.pk, ref=entity.ref, reason="Asked for.", by=desk.person(Role.ADMIN),
        channel=Channel.PAGE, at=NOW,
    )  # fmt: skip
    left = Entity.objects.get()
    assert (left.owner, left.metadata, left.ref, left.state) == (None, {}, entity.ref, "current")
    assert Event.objects.get(pk=told.pk).payload == {}
    assert HeldEdge.objects.filter(pk=waits.pk).exists()


def test_a_policy_is_set_once_and_can_be_undone(desk: Desk) -> None:
    about = {"workspace_id": desk.workspace.pk, "entity_type": EntityType.CLAIM, "by": desk.person(Role.ADMIN)}
    wanted = Policy(retention_days=30, least_authority="official")
    deed = policies.set_policy(**about, policy=wanted, channel=Channel.PAGE, at=NOW)
    assert policies.set_policy(**about, policy=wanted, channel=Channel.PAGE, at=NOW) is None
    assert policies.policies_of(workspace_id=desk.workspace.pk)[EntityType.CLAIM] == wanted
    with pytest.raises(PolicyRefused, match="retention_days"):
        policies.set_policy(**about, policy=Policy(retention_days=0), channel=Channel.PAGE, at=NOW)
    assert deed is not None
    changes.undo(change_set=deed, by=desk.person(Role.ADMIN), at=NOW)
    assert policies.policies_of(workspace_id=desk.workspace.pk)[EntityType.CLAIM] == Policy()


def test_what_is_past_its_days_goes_unless_its_object_or_a_hold_keeps_it(desk: Desk) -> None:
    make.TypePolicyFactory(workspace=desk.workspace, type="claim", retention_days=30)
    old = {"workspace": desk.workspace, "type": "claim", "created_at": NOW - timedelta(days=31)}
    going, kept, held = (make.EntityFactory(**old) for _ in range(3))
    young = make.EntityFactory(workspace=desk.workspace, type="claim")
    other = make.EntityFactory(**{**old, "type": "answer"})
    for entity in (going, kept, held):
        make.ClaimFactory(entity=entity)
    make.LegalHoldFactory(entity=held)
    texts = {"claim_id": "C1", "claim_text": "Somebody said it."}
    for days in (31, 1):
        make.EventFactory(workspace=desk.workspace, payload=texts, received_at=NOW - timedelta(days=days))
    run = {"workspace_id": desk.workspace.pk, "kept": {kept.pk}, "at": NOW}
    assert [policies.expire(**run) for _ in range(2)] == [1, 0]
    gone = Entity.objects.filter(state="tombstoned").values_list("pk", flat=True)
    assert list(gone) == [going.pk]
    assert set(Claim.objects.filter(text="").values_list("entity", flat=True)) == {going.pk, kept.pk}
    assert Entity.objects.filter(pk__in=[young.pk, other.pk], state="current").count() == 2
    assert "30 days" in Tombstone.objects.get().why
    assert ["claim_text" in event.payload for event in Event.objects.order_by("pk")] == [False, True]
    TypePolicy.objects.update(keeps_text=False)
    policies.expire(**run)
    assert not Event.objects.filter(payload__has_key="claim_text").exists()
