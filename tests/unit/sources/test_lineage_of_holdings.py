"""Every object of the registry writes its lineage as it comes to be, inherits labels, and is mended where it broke."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from lineage import capture
from lineage.core.asking import Asker, system
from lineage.core.causes import CauseKind
from lineage.core.deletion import Fate
from lineage.core.reconciling import Kind
from lineage.core.relations import EntityState, EntityType, Label, Relation
from lineage.ingest import taking_in
from lineage.models import Cause, Edge, Entity, Impact, Tombstone
from lineage.queries import walks
from lineage.reports import deletion_report
from lineage.services import deletion, impact
from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from sources import tasks
from sources.core.entries import ObservationKind, Relationship
from sources.models import Chunk, Observation, Source, SourceVersion
from sources.services import observation_links, observations, removal
from sources.services.observations import Said
from sources.services.reconciling import reconcile_workspace
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import TypePolicyFactory
from tests.graphs import graph
from tests.unit.sources.disturbance import Injected, everything
from tests.unit.sources.holdings_world import LATER, World, holdings

pytestmark = pytest.mark.django_db
RESTS_ON_A_SOURCE = {"source", "source-version", "chunk", "claim", "report", "file"}


@pytest.fixture
def world(desk: Desk, settings: Any, tmp_path: Path) -> World:
    settings.EXPORT_DIR = tmp_path / "exports"
    return holdings(desk)


def below(world: World, entity: Entity | None) -> set[str]:
    assert entity is not None
    ids = walks.descendant_ids(starts=[entity.pk], asker=system(world.desk.workspace.pk))
    return set(Entity.objects.filter(pk__in=ids).values_list("type", flat=True))


def test_everything_that_was_made_of_a_source_rests_on_it(world: World) -> None:
    assert below(world, world.source.entity) == RESTS_ON_A_SOURCE - {"source"}
    assert not Edge.objects.filter(is_dependence=False).exclude(relation=Relation.SUPERSEDES).exists()
    owners = dict(Entity.objects.exclude(owner=None).values_list("type", "owner"))
    assert owners == dict.fromkeys(["artifact", "claim", "report", "file"], world.desk.person().pk)
    assert set(Entity.objects.exclude(released_at=None).values_list("type", flat=True)) == {"file"}


def test_an_edit_of_a_classification_reaches_all_that_rests_on_the_source_and_so_does_its_undo(world: World) -> None:
    assert {world.labels[kind] for kind in RESTS_ON_A_SOURCE} == {Label.INTERNAL}
    world.classify(Label.RESTRICTED)
    assert {world.labels[kind] for kind in RESTS_ON_A_SOURCE} == {Label.RESTRICTED}
    world.classify(Label.PUBLIC)
    inherited = {kind: world.labels[kind] for kind in ("source", "source-version", "file")}
    assert set(inherited.values()) == {Label.PUBLIC}
    assert world.labels["claim"] is Label.INTERNAL, "what somebody wrote is not public because its source is"
    changes.undo(change_set=ChangeSet.objects.latest("pk"), by=world.desk.person(), at=LATER)
    assert world.labels["file"] is Label.RESTRICTED


def test_nothing_is_wrong_with_what_the_registry_wrote(world: World) -> None:
    assert reconcile_workspace(workspace_id=world.desk.workspace.pk, at=LATER).findings == []


def test_objects_that_lost_their_nodes_and_edges_get_them_back_as_they_were(world: World) -> None:
    def graph() -> tuple[list[Any], list[Any]]:
        nodes = Entity.objects.exclude(type=EntityType.FILE).order_by("ref").values_list("ref", "level", "content_hash")
        edges = Edge.objects.exclude(from_entity__type=EntityType.FILE).order_by("from_entity__ref", "to_entity__ref")
        return list(nodes), list(edges.values_list("from_entity__ref", "relation", "to_entity__ref"))

    before = graph()
    edges = Edge.objects.filter(from_entity__type__in=["source-version", "chunk", "claim", "report"])
    edges.delete()
    Entity.objects.filter(type__in=["source-version", "chunk", "claim"]).delete()
    Entity.objects.filter(pk=world.source.entity_id).update(authority="official", state="tombstoned", tombstoned_at=NOW)
    dry = reconcile_workspace(workspace_id=world.desk.workspace.pk, at=LATER, dry_run=True)
    assert set(dry.counts) == {Kind.MISSING, Kind.UNJOINED, Kind.BURIED, Kind.UNDECLARED}
    assert not any(one.is_mended for one in dry.findings)
    done = reconcile_workspace(workspace_id=world.desk.workspace.pk, at=LATER)
    assert [one.ref for one in done.findings] == [one.ref for one in dry.findings]
    assert done.left == []
    assert graph() == before
    assert reconcile_workspace(workspace_id=world.desk.workspace.pk, at=LATER).findings == []
    assert None not in {Chunk.objects.get().entity_id, Observation.objects.get().entity_id}


def test_what_no_row_tells_is_never_guessed_and_the_command_says_so(world: World, capsys: Any) -> None:
    Chunk.objects.update(entity=None, version=None)
    Entity.objects.filter(type=EntityType.CHUNK).update(ref_key="f" * 64)
    SourceVersion.objects.filter(pk=world.version.pk).update(sha256="b" * 64)
    Entity.objects.filter(type=EntityType.CLAIM).update(level=0)
    with pytest.raises(CommandError) as refused:
        call_command("reconcile", "--json")
    assert refused.value.returncode == 2
    told = json.loads(capsys.readouterr().out)[str(world.desk.workspace.uuid)]
    assert told["counts"] == {
        "missing": {"found": 1, "left": 1},
        "wrong-label": {"found": 1, "left": 0},
        "wrong-hash": {"found": 1, "left": 1},
    }


def test_a_stricter_label_that_was_told_from_outside_is_named_and_never_lowered_by_night(world: World) -> None:
    workspace, entity = world.desk.workspace, world.source.entity
    assert entity is not None
    event = {"entities": [{"ref": entity.ref, "classification": "confidential"}]}
    asker = Asker(workspace.pk, level=3, user_id=world.desk.person().pk)
    taking_in.take_in(payload=event, asker=asker, by=world.desk.person(), channel=Channel.API, at=LATER)
    assert world.labels["report"] is Label.CONFIDENTIAL
    found = reconcile_workspace(workspace_id=workspace.pk, at=LATER)
    assert [(one.kind, one.is_mended) for one in found.findings] == [(Kind.UNDECLARED, False)]
    assert world.labels["report"] is Label.CONFIDENTIAL
    world.classify(Label.CONFIDENTIAL)
    assert reconcile_workspace(workspace_id=workspace.pk, at=LATER).findings == []
    world.classify(Label.INTERNAL)
    assert world.labels["report"] is Label.INTERNAL


def test_a_name_that_nobody_told_of_for_a_day_is_told_and_left_alone(world: World) -> None:
    workspace = world.desk.workspace
    nodes = graph(workspace, "claim:k SUPPORTED_BY chunk:named", "claim:k SUPPORTED_BY chunk:young")
    Entity.objects.filter(pk__in=[nodes["named"].pk, nodes["young"].pk]).update(is_placeholder=True)
    Entity.objects.filter(pk=nodes["young"].pk).update(created_at=LATER)
    found = reconcile_workspace(workspace_id=workspace.pk, at=NOW + timedelta(days=1, minutes=1))
    assert [(one.kind, one.ref, one.is_mended) for one in found.findings] == [
        (Kind.DANGLING, nodes["named"].ref, False)
    ]


def test_policies_take_what_is_past_its_days_and_leave_what_the_registry_holds(world: World) -> None:
    workspace = world.desk.workspace
    for kind in EntityType:
        TypePolicyFactory(workspace=workspace, type=kind, retention_days=1)
    ours = set(Entity.objects.filter(state="current").values_list("pk", flat=True))
    nodes = graph(workspace, "claim:k SUPPORTED_BY chunk:c", run="RUN-1")
    tasks.keep_lineage_policies()
    gone = Entity.objects.filter(state="tombstoned").values_list("pk", flat=True)
    assert set(gone) == {nodes["k"].pk, nodes["c"].pk}
    assert Entity.objects.filter(pk__in=ours, state="current").count() == len(ours)
    assert Edge.objects.get(from_entity=nodes["k"]).run_id == "RUN-1"


def test_an_object_whose_lineage_cannot_be_written_is_not_written_either(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(**_: Any) -> None:
        raise Injected

    about = {"by": world.desk.person(), "channel": Channel.PAGE, "at": LATER}
    before = everything()
    monkeypatch.setattr(capture, "record_edges", fails)
    noted = Said("It is deep.", ObservationKind.NOTE)
    with pytest.raises(Injected):
        observations.add(project=world.project, said=noted, **about)
    assert everything() == before


def test_a_deletion_report_says_what_went_and_what_stays_and_why(world: World) -> None:
    desk, why = world.desk, "The publisher asked for it."
    Source.objects.filter(pk=world.source.pk).update(retracted=False)
    observations.delete(observation=world.observation, by=desk.person(), channel=Channel.PAGE, at=LATER)
    world.source.entries.all().delete()
    held = Entity.objects.get(type=EntityType.FILE)
    deletion.hold(
        workspace_id=desk.workspace.pk, ref=held.ref, reason="A court asked.", by=desk.person(Role.ADMIN),
        channel=Channel.PAGE, at=LATER,
    )  # fmt: skip
    deed = removal.remove(source=world.source, by=desk.person(), channel=Channel.PAGE, at=LATER, why=why)
    report = removal.report_of(deed, asker=system(desk.workspace.pk))
    assert [(gone.type, gone.why, gone.by) for gone in report.gone] == [
        ("source", why, desk.person().username),
        *[("source-version", why, desk.person().username)] * 2,
    ]
    fates = {one.type: one.fate for one in report.descendants}
    assert fates == {
        "chunk": Fate.UNSUPPORTED, "claim": Fate.REMOVED, "file": Fate.HELD, "report": Fate.UNSUPPORTED,
    }  # fmt: skip
    text = "".join(deletion_report.markdown(report))
    assert all(told in text for told in ("## Held: 1", "A court asked.", why))
    told = json.loads(deletion_report.as_json(report))
    assert told["counts"] == {"removed": 1, "held": 1, "supported": 0, "unsupported": 2}
    assert removal.report_of(deed, asker=Asker(desk.workspace.pk, Label.PUBLIC.level)).gone == ()


def test_a_source_under_a_legal_hold_is_not_removed_and_the_hold_is_named(world: World) -> None:
    entity = world.version.entity
    assert entity is not None
    deletion.hold(
        workspace_id=world.desk.workspace.pk, ref=entity.ref, reason="Case 7 of the harbour court.",
        by=world.desk.person(Role.ADMIN), channel=Channel.PAGE, at=NOW,
    )  # fmt: skip
    world.source.entries.all().delete()
    observations.delete(observation=world.observation, by=world.desk.person(), channel=Channel.PAGE, at=LATER)
    with pytest.raises(removal.Held, match="Case 7 of the harbour court"):
        removal.remove(source=world.source, by=world.desk.person(), channel=Channel.PAGE, at=LATER)


def test_an_erased_source_leaves_only_the_key_of_its_ref(world: World) -> None:
    desk = world.desk
    entity = world.source.entity
    assert entity is not None
    world.classify(Label.CONFIDENTIAL)
    observations.delete(observation=world.observation, by=desk.person(), channel=Channel.PAGE, at=LATER)
    world.source.entries.all().delete()
    about = {"source": world.source, "channel": Channel.PAGE, "at": LATER, "why": "Asked for by the author."}
    removal.remove(**about, by=desk.person(Role.ADMIN), erasing=True)
    left = Entity.objects.get(pk=entity.pk)
    assert (left.ref, left.logical_id, left.metadata, left.ref_key) == ("", "", {}, entity.ref_key)
    stone = Tombstone.objects.get(entity=entity)
    assert (stone.ref, stone.content_hash, stone.is_erased, stone.why) == ("", "", True, "Asked for by the author.")
    assert not Change.objects.filter(model="sources.source", object_id=world.source.pk, after__has_key="classification")
    assert "chunk" in below(world, left)


def test_what_comes_to_rest_on_something_that_fell_is_born_stale(world: World) -> None:
    workspace_id = world.desk.workspace.pk
    assert world.source.entity is not None
    what = impact.What(kind=CauseKind.RETRACTION, reason="Retracted.", entity=world.source.entity)
    cause = impact.propagate(workspace_id=workspace_id, what=what, by=None, at=LATER)
    about = {"by": world.desk.person(), "channel": Channel.PAGE, "at": LATER}
    noted = observations.add(project=world.project, said=Said("It is deep, still.", ObservationKind.NOTE), **about)
    observation_links.link(observation=noted, source=world.source, relationship=Relationship.CITED, **about)
    noted.refresh_from_db()
    assert noted.entity is not None
    assert noted.entity.state == EntityState.STALE
    # An edge of another transaction that neither saw.
    Impact.objects.filter(entity=noted.entity).delete()
    found = reconcile_workspace(workspace_id=workspace_id, at=LATER)
    assert [(one.kind, one.ref, one.is_mended) for one in found.findings] == [
        (Kind.MISSED_CAUSE, noted.entity.ref, True)
    ]
    assert Impact.objects.filter(entity=noted.entity, cause=cause).exists()


def test_whoever_rested_on_a_removed_source_is_asked_to_make_it_anew(world: World) -> None:
    observations.delete(observation=world.observation, by=world.desk.person(), channel=Channel.PAGE, at=LATER)
    world.source.entries.all().delete()
    about = {"source": world.source, "by": world.desk.person(), "channel": Channel.PAGE, "at": LATER}
    removal.remove(**about, why="Out of licence.", reprocessing=True)
    assert Cause.objects.get().reason == "Out of licence."
    stale = Entity.objects.exclude(stale_at=None).exclude(tombstoned_at__isnull=False)
    assert set(stale.values_list("type", flat=True)) == {"chunk", "file", "report"}


def test_the_page_of_a_removal_tells_its_report_and_hides_what_one_may_not_read(world: World) -> None:
    desk = world.desk
    world.classify(Label.CONFIDENTIAL)
    observations.delete(observation=world.observation, by=desk.person(), channel=Channel.PAGE, at=LATER)
    world.source.entries.all().delete()
    client = desk.client(Role.CURATOR)
    gone = client.post(f"/s/{world.source.uuid}/remove/", {"why": "Out of <licence>.", "reprocess": "on"}, follow=True)
    address = gone.redirect_chain[-1][0]
    page = gone.content.decode()
    assert all(told in page for told in ("Out of &lt;licence&gt;.", "Unsupported: 3", "store/"))
    assert "Out of &lt;licence>." in client.get(f"{address}?as=md").content.decode()
    assert client.get(f"{address}?as=json").json()["counts"]["unsupported"] == 3
    Membership.objects.filter(user=desk.person(Role.CURATOR)).update(clearance="internal")
    hidden = desk.client(Role.CURATOR).get(address).content.decode()
    assert "store/" not in hidden
    assert "Nothing that you may read" in hidden
    assert desk.client(Role.CURATOR).get(f"{address[:-3]}00/").status_code == 404
