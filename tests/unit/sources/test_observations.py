"""Observations: written, edited, deleted, linked; each deed undone by one act, and told in lineage."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from lineage.core.relations import EntityState, Relation
from lineage.models import Edge, Entity
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.entries import ObservationKind, Relationship
from sources.core.identifiers import identify
from sources.models import Concept, Observation, ObservationSource, Source
from sources.services import observation_links, observations, registry
from sources.services.observations import ObservationRefused, Said
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ObservationFactory, ProjectFactory, SourceFactory, TurnFactory
from tests.unit.sources.disturbance import everything, faults_until_done

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def written(desk: Desk, body: str = "The pier sank.", **said: object) -> Observation:
    return observations.add(
        project=ProjectFactory(workspace=desk.workspace),
        said=Said(body, **said),  # type: ignore[arg-type]
        by=desk.person(),
        channel=Channel.PAGE,
        at=NOW,
    )


def known(desk: Desk, url: str = "https://harbour.example/survey") -> Source:
    new = registry.NewSource(identity=identify(url), title="Harbour survey")
    return next(iter(registry.register_many(workspace_id=desk.workspace.pk, sources=[new], at=NOW).by_key.values()))


def linked(
    desk: Desk, observation: Observation, source: Source, relationship: Relationship = Relationship.CITED
) -> bool:
    return observation_links.link(
        observation=observation,
        source=source,
        relationship=relationship,
        by=desk.person(),
        channel=Channel.PAGE,
        at=NOW,
    )


def edited(desk: Desk, observation: Observation, body: str, **more: object) -> Observation:
    return observations.edit(
        observation=observation,
        said=Said(body, ObservationKind(observation.kind)),
        by=desk.person(),
        channel=Channel.PAGE,
        at=LATER,
        **more,  # type: ignore[arg-type]
    )


def deleted(desk: Desk, observation: Observation) -> None:
    observations.delete(observation=observation, by=desk.person(), channel=Channel.PAGE, at=LATER)


def taken_back(desk: Desk) -> changes.UndoResult:
    deed = ChangeSet.objects.latest("pk")
    return changes.undo(change_set=deed, by=desk.person(), at=LATER)


def edges() -> set[tuple[str, str]]:
    """Relation and version of what each current claim rests on."""
    current = Edge.objects.filter(from_entity__state=EntityState.CURRENT, from_entity__type="claim")
    return set(current.exclude(relation=Relation.SUPERSEDES).values_list("relation", "from_entity__version"))


def test_an_observation_is_a_claim_with_its_text_s_hash(desk: Desk) -> None:
    row = written(
        desk, "  The pier sank.\r\nTwice.  ", kind=ObservationKind.FINDING, concepts=["Pier", "pier ", "Pier"]
    )
    assert (row.body, row.kind) == ("The pier sank.\nTwice.", ObservationKind.FINDING)
    assert sorted(row.concepts.values_list("name", flat=True)) == ["Pier", "pier"]
    entity = Entity.objects.get()
    assert (entity.type, entity.version, entity.content_hash) == ("claim", "v1", observations.hash_of(row.body))
    assert row.entity == entity
    assert (ChangeSet.objects.get().kind, ChangeSet.objects.get().note) == ("observation.add", row.body)


@pytest.mark.parametrize("body", ["", " \n\t", "a\x00b", "\ud800", "x" * 100_001])
def test_what_says_nothing_or_cannot_be_kept_is_refused(desk: Desk, body: str) -> None:
    before = everything()
    with pytest.raises(ObservationRefused):
        observations.add(
            project=ProjectFactory.build(workspace=desk.workspace),
            said=Said(body),
            by=desk.person(),
            channel=Channel.PAGE,
            at=NOW,
        )
    assert everything() == before


def test_a_password_in_the_text_is_masked(desk: Desk) -> None:
    assert "hunter2" not in written(desk, "See https://anna:hunter2@harbour.example/notes").body


def test_it_belongs_to_the_last_turn_that_had_begun(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    earlier = TurnFactory(session__project=project, started_at=NOW - timedelta(hours=2))
    last = TurnFactory(session__project=project, started_at=NOW)
    TurnFactory(session__project=project, started_at=NOW + timedelta(seconds=1))
    TurnFactory(started_at=NOW)
    assert observations.turn_at(project, NOW) == last
    assert observations.turn_at(project, NOW - timedelta(seconds=1)) == earlier
    assert observations.turn_at(project, NOW - timedelta(hours=3)) is None


@pytest.mark.parametrize(
    ("relationship", "relation"),
    [
        (Relationship.CITED, Relation.SUPPORTED_BY),
        (Relationship.RETRIEVED, Relation.SUPPORTED_BY),
        (Relationship.INFERRED, Relation.DERIVED_FROM),
    ],
)
def test_a_link_is_an_edge_to_the_source(desk: Desk, relationship: Relationship, relation: Relation) -> None:
    row, source = written(desk), known(desk)
    assert linked(desk, row, source, relationship)
    edge = Edge.objects.get()
    assert (edge.relation, edge.from_entity, edge.to_entity) == (relation, row.entity, source.entity)
    assert edge.transform_type == relationship


def test_the_same_link_again_writes_nothing(desk: Desk) -> None:
    row, source = written(desk), known(desk)
    linked(desk, row, source)
    before = everything()
    assert not linked(desk, row, source)
    assert everything() == before


def test_a_source_that_was_merged_stands_for_the_other(desk: Desk) -> None:
    row, winner = written(desk), known(desk)
    between = SourceFactory(workspace=desk.workspace, merged_into=winner)
    linked(desk, row, SourceFactory(workspace=desk.workspace, merged_into=between))
    assert row.source_links.get().source == winner


def test_a_source_of_another_workspace_cannot_be_linked(desk: Desk, other_desk: Desk) -> None:
    row = written(desk)
    before = everything()
    for source in (SourceFactory(workspace=other_desk.workspace), SourceFactory.build(pk=999_999)):
        with pytest.raises(observation_links.ForeignSource, match="not in this workspace"):
            linked(desk, row, source)
        Source.objects.filter(workspace=other_desk.workspace).delete()
    assert everything() == before


def test_a_new_text_is_a_new_version_that_rests_on_the_same_sources(desk: Desk) -> None:
    row = written(desk)
    linked(desk, row, known(desk))
    edited(desk, row, "The pier stands.")
    assert edges() == {("SUPPORTED_BY", "v2")}
    states = dict(Entity.objects.filter(type="claim").values_list("version", "state"))
    assert states == {"v1": "superseded", "v2": "current"}
    assert Edge.objects.filter(relation=Relation.SUPERSEDES, from_entity__version="v2").exists()


def test_an_edit_that_changes_nothing_writes_nothing(desk: Desk) -> None:
    row = written(desk)
    before = everything()
    edited(desk, row, " The pier sank. ")
    assert everything() == before


def test_an_edit_of_a_state_that_is_gone_is_refused(desk: Desk) -> None:
    row = written(desk)
    seen = observations.state_of(row)
    edited(desk, row, "The pier stands.", seen=seen)
    with pytest.raises(observations.EditedMeanwhile, match="meanwhile"):
        edited(desk, row, "The pier floats.", seen=seen)
    assert Observation.objects.get().body == "The pier stands."


def test_a_link_taken_away_is_gone_from_the_newest_version_alone(desk: Desk) -> None:
    row, kept, gone = written(desk), known(desk), known(desk, "https://harbour.example/other")
    linked(desk, row, kept)
    linked(desk, row, gone)
    link = row.source_links.select_related("observation__project", "source").get(source=gone)
    observation_links.unlink(link=link, by=desk.person(), channel=Channel.PAGE, at=LATER)
    newest = Edge.objects.filter(from_entity__state=EntityState.CURRENT, from_entity__type="claim")
    assert [edge.to_entity for edge in newest.exclude(relation=Relation.SUPERSEDES)] == [kept.entity]
    taken_back(desk)
    newest = Edge.objects.filter(from_entity__state=EntityState.CURRENT, from_entity__type="claim")
    assert {edge.to_entity for edge in newest.exclude(relation=Relation.SUPERSEDES)} == {kept.entity, gone.entity}


def test_deleting_deletes_the_links_and_frees_the_sources(desk: Desk) -> None:
    row, source = written(desk), known(desk)
    linked(desk, row, source)
    deleted(desk, row)
    assert not Observation.objects.exists()
    assert not ObservationSource.objects.exists()
    assert Entity.objects.get(type="claim").state == EntityState.TOMBSTONED
    assert Edge.objects.count() == 1


def test_a_deleted_one_comes_back_under_its_number_with_its_links(desk: Desk) -> None:
    row, source = written(desk, concepts=["Pier"]), known(desk)
    linked(desk, row, source)
    facts = observations.facts_of(row)
    deleted(desk, row)
    result = taken_back(desk)
    assert (result.undone, result.skipped) == (2, ())
    back = Observation.objects.get()
    assert {**observations.facts_of(back), "entity": 0} == {**facts, "entity": 0}
    assert back.source_links.get().source == source
    assert edges() == {("SUPPORTED_BY", "v2")}


def test_a_link_whose_source_was_removed_since_stays_away_and_is_told(desk: Desk) -> None:
    row, source = written(desk), known(desk)
    linked(desk, row, source)
    deleted(desk, row)
    source.delete()
    result = taken_back(desk)
    assert (result.undone, result.skipped) == (1, (f"A source of observation #{row.pk} was removed since",))


def test_taking_back_an_addition_removes_it_and_the_concepts_it_brought(desk: Desk) -> None:
    Concept.objects.create(workspace=desk.workspace, name="Harbour")
    written(desk, concepts=["Pier", "Harbour"])
    assert taken_back(desk).undone == 2
    assert not Observation.objects.exists()
    assert list(Concept.objects.values_list("name", flat=True)) == ["Harbour"]
    assert Entity.objects.get().state == EntityState.TOMBSTONED


def test_an_addition_that_others_used_since_is_left_alone(desk: Desk) -> None:
    row = written(desk)
    deed = ChangeSet.objects.get()
    linked(desk, row, known(desk))
    result = changes.undo(change_set=deed, by=desk.person(), at=LATER)
    assert result.skipped == (f"Observation #{row.pk} was linked to a source since",)
    assert Observation.objects.exists()


def test_an_edit_is_taken_back_unless_somebody_edited_since(desk: Desk) -> None:
    row = written(desk)
    edited(desk, row, "The pier stands.")
    deed = ChangeSet.objects.latest("pk")
    edited(desk, row, "The pier floats.")
    assert changes.undo(change_set=deed, by=desk.person(), at=LATER).skipped == (
        f"Observation #{row.pk} was changed since",
    )
    assert taken_back(desk).undone == 1
    assert Observation.objects.get().body == "The pier stands."


def test_the_old_field_is_never_written(desk: Desk) -> None:
    row = ObservationFactory(project__workspace=desk.workspace, source_doi="10.5555/old")
    edited(desk, row, "Another text.")
    assert Observation.objects.get().source_doi == "10.5555/old"


def test_a_fault_at_any_statement_leaves_nothing_behind(desk: Desk) -> None:
    project, source = ProjectFactory(workspace=desk.workspace), known(desk)
    said = Said("The pier sank.", concepts=["Pier"])
    assert (
        faults_until_done(
            lambda: observations.add(project=project, said=said, by=desk.person(), channel=Channel.PAGE, at=NOW)
        )
        > 5
    )
    row = Observation.objects.get()
    assert faults_until_done(lambda: linked(desk, row, source)) > 5
    assert faults_until_done(lambda: deleted(desk, row)) > 5


@pytest.mark.parametrize("deed", ["add", "edit", "delete", "link", "unlink"])
def test_a_reader_may_not_and_to_a_stranger_there_is_nothing(desk: Desk, other_desk: Desk, deed: str) -> None:
    row, source = written(desk), known(desk)
    linked(desk, row, source)
    link = row.source_links.select_related("observation__project", "source").get()
    before = everything()
    said = Said("No.")
    deeds: dict[str, Callable[..., object]] = {
        "add": partial(observations.add, project=row.project, said=said),
        "edit": partial(observations.edit, observation=row, said=said),
        "delete": partial(observations.delete, observation=row),
        "link": partial(observation_links.link, observation=row, source=source, relationship=Relationship.INFERRED),
        "unlink": partial(observation_links.unlink, link=link),
    }
    for person, refusal in ((desk.person(Role.READER), PermissionDenied), (other_desk.person(Role.ADMIN), Http404)):
        with pytest.raises(refusal):
            deeds[deed](by=person, channel=Channel.PAGE, at=NOW)
    assert everything() == before
