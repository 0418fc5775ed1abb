"""Merging: one source stays, everything that hung on the others is found through it, and all of it can be undone."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import transaction

from lineage.core.relations import EntityState
from lineage.models import Edge
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.entries import Relationship
from sources.core.findings import Disposition
from sources.core.identifiers import identify
from sources.core.kinds import Classification, DecisionKind, FieldRule, PairState, ReviewReason, Sensitivity
from sources.models import (
    CatalogEntry,
    Chunk,
    Citation,
    DuplicatePair,
    EntryAlias,
    ObservationSource,
    ReviewItem,
    Source,
    SourceAlias,
    TurnSource,
)
from sources.queries import known
from sources.services import merging, projects, registry
from sources.services.merge_cases import MergeRefused, Overtaken, RetractionUnconfirmed, ToldApart, Wanted
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    ChunkFactory,
    ChunkStoreFactory,
    CitationFactory,
    DecisionFactory,
    DuplicatePairFactory,
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    ProjectVersionFactory,
    ReviewItemFactory,
    SourceAliasFactory,
    SourceFactory,
    TagFactory,
    TurnFactory,
    TurnSourceFactory,
)
from tests.unit.sources.disturbance import everything, faults_until_done, together

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
EVEN_LATER = NOW + timedelta(hours=2)


def source(desk: Desk, **fields: Any) -> Source:
    made: Source = SourceFactory(workspace=desk.workspace, **fields)
    return made


def merge(
    desk: Desk, keep: Source, *lose: Source, role: Role = Role.CURATOR, carry: bool = False, **rules: Any
) -> ChangeSet:
    return merging.merge(
        workspace_id=desk.workspace.pk,
        wanted=[Wanted(keep=keep.pk, lose=tuple(one.pk for one in lose), **rules)],
        carry_retractions=carry,
        by=desk.person(role),
        channel=Channel.PAGE,
        at=LATER,
    )


def take_back(desk: Desk, deed: ChangeSet) -> changes.UndoResult:
    return changes.undo(change_set=deed, by=desk.person(), at=EVEN_LATER)


def fresh(row: Any) -> Any:
    row.refresh_from_db()
    return row


def test_the_one_that_goes_leads_to_the_one_that_stays(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    merge(desk, keep, lose)
    assert fresh(lose).merged_into == keep
    assert list(Source.objects.standing()) == [keep]
    found = known.sources_by_key(workspace_id=desk.workspace.pk, keys=[lose.canonical_key, keep.canonical_key])
    assert {key: one.pk for key, one in found.items()} == {lose.canonical_key: keep.pk, keep.canonical_key: keep.pk}
    alias = SourceAlias.objects.get()
    assert (alias.source, alias.spelling, alias.canonical_key) == (keep, lose.request_url, lose.canonical_key)


@pytest.mark.parametrize("forget_aliases", [False, True])
def test_every_key_of_a_chain_of_merges_leads_to_its_end(desk: Desk, forget_aliases: bool) -> None:
    first, second, third = (source(desk) for _ in range(3))
    merge(desk, second, first)
    merge(desk, third, second)
    if forget_aliases:
        SourceAlias.objects.all().delete()
    keys = [one.canonical_key for one in (first, second, third)]
    found = known.sources_by_key(workspace_id=desk.workspace.pk, keys=keys)
    assert {key: one.pk for key, one in found.items()} == dict.fromkeys(keys, third.pk)


def test_registering_what_was_merged_makes_no_new_source(desk: Desk) -> None:
    keep = source(desk)
    address = identify("https://harbour.example/other")
    made = registry.register_many(
        workspace_id=desk.workspace.pk, sources=[registry.NewSource(identity=address)], at=NOW
    )
    merge(desk, keep, made.by_key[address.key])
    again = registry.register_many(
        workspace_id=desk.workspace.pk, sources=[registry.NewSource(identity=address, title="Harbour")], at=LATER
    )
    assert again.by_key[address.key].pk == keep.pk
    assert not again.new_keys


def test_an_entry_of_another_project_keeps_its_id_under_the_source_that_stays(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    entry = CatalogEntryFactory(source=lose, project=ProjectFactory(workspace=desk.workspace))
    merge(desk, keep, lose)
    assert fresh(entry).source == keep
    assert not EntryAlias.objects.exists()


def test_where_a_project_has_both_citations_join_and_the_second_id_leads_on(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    project = ProjectFactory(workspace=desk.workspace)
    stays = CatalogEntryFactory(source=keep, project=project, number=7)
    goes = CatalogEntryFactory(source=lose, project=project, number=3)
    version = ProjectVersionFactory(project=project)
    cited = CitationFactory(entry=goes, version=version, line=1)
    in_one_line = CitationFactory(entry=goes, version=version, line=2)
    CitationFactory(entry=stays, version=version, line=2)
    merge(desk, keep, lose)
    assert list(CatalogEntry.objects.all()) == [stays]
    assert fresh(cited).entry == stays
    assert not Citation.objects.filter(pk=in_one_line.pk).exists()
    former = EntryAlias.objects.get()
    assert (former.stable_id, former.entry, former.source) == ("src-003", stays, lose)


def test_an_id_leads_on_through_two_merges(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    entries = [CatalogEntryFactory(source=source(desk), project=project, number=n) for n in (1, 2, 3)]
    first, second, third = (entry.source for entry in entries)
    merge(desk, second, first)
    merge(desk, third, second)
    assert list(EntryAlias.objects.order_by("number").values_list("number", "entry")) == [
        (1, entries[2].pk),
        (2, entries[2].pk),
    ]


def test_observations_chunks_retrievals_spellings_and_tags_move(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    project = ProjectFactory(workspace=desk.workspace)
    observation = ObservationFactory(project=project)
    ObservationSourceFactory(observation=observation, source=lose, relationship=Relationship.CITED)
    ObservationSourceFactory(observation=observation, source=keep, relationship=Relationship.CITED)
    retrieved = ObservationSourceFactory(observation=observation, source=lose, relationship=Relationship.RETRIEVED)
    chunk = ChunkFactory(store=ChunkStoreFactory(workspace=desk.workspace), source=lose)
    hit = TurnSourceFactory(turn=TurnFactory(session__project=project), source=lose)
    alias = SourceAliasFactory(source=lose)
    tag = TagFactory(workspace=desk.workspace)
    lose.tags.add(tag)
    merge(desk, keep, lose)
    assert fresh(retrieved).source == keep
    assert ObservationSource.objects.filter(source=keep).count() == 2
    assert not ObservationSource.objects.filter(source=lose).exists()
    assert fresh(chunk).source == fresh(hit).source == fresh(alias).source == keep
    assert list(keep.tags.all()) == [tag]


def test_fields_are_filled_and_the_stricter_label_holds(desk: Desk) -> None:
    keep = source(desk, title="Harbour survey", publisher="", bibliography={"volume": "3"})
    lose = source(
        desk,
        title="Harbour survey of the northern coast",
        publisher="Port Authority",
        authors="Lind, Ana",
        author_list=[{"family": "Lind", "given": "Ana"}],
        bibliography={"volume": "4", "pages": "1-9"},
        classification=Classification.CONFIDENTIAL,
        sensitivity=Sensitivity.INTERNAL_ONLY,
    )
    merge(desk, keep, lose)
    fresh(keep)
    assert (keep.title, keep.publisher, keep.authors) == ("Harbour survey", "Port Authority", "Lind, Ana")
    assert keep.author_list == [{"family": "Lind", "given": "Ana"}]
    assert keep.bibliography == {"volume": "3", "pages": "1-9"}
    assert (keep.classification, keep.sensitivity) == (Classification.CONFIDENTIAL, Sensitivity.INTERNAL_ONLY)


def test_a_field_that_a_person_chose_goes_before_the_rule(desk: Desk) -> None:
    keep, lose = source(desk, title="Survey", publisher="A"), source(desk, title="Harbour survey", publisher="Port")
    merge(desk, keep, lose, fields=FieldRule.LONGEST, chosen={"publisher": keep.pk})
    assert (fresh(keep).title, keep.publisher) == ("Harbour survey", "A")


def test_a_retracted_one_makes_the_other_retracted_only_when_a_person_says_so(desk: Desk) -> None:
    keep, lose = source(desk), source(desk, retracted=True, retraction_note="Notice of May")
    with pytest.raises(RetractionUnconfirmed, match="retracted"):
        merge(desk, keep, lose)
    deed = merge(desk, keep, lose, carry=True)
    assert (fresh(keep).retracted, keep.retraction_note) == (True, "Notice of May")
    take_back(desk, deed)
    assert (fresh(keep).retracted, keep.retraction_note) == (False, "")


def test_a_decision_comes_along_where_the_other_has_none(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    decision = DecisionFactory(source=lose, kind=DecisionKind.DROP, reason="Paywalled.")
    question = ReviewItemFactory(source=lose)
    deed = merge(desk, keep, lose)
    assert (fresh(keep).decided, keep.disposition) == (DecisionKind.DROP, Disposition.DROP)
    assert fresh(decision).source == keep
    assert fresh(question).closed_at == LATER
    take_back(desk, deed)
    assert (fresh(keep).decided, keep.disposition) == ("", Disposition.UNCHECKED)
    assert fresh(question).closed_at is None


def test_where_people_decided_differently_the_one_that_stays_keeps_its_decision_and_a_question_opens(
    desk: Desk,
) -> None:
    keep, lose = source(desk, decided=DecisionKind.ACCEPT, disposition=Disposition.KEEP), source(desk)
    DecisionFactory(source=keep, kind=DecisionKind.ACCEPT)
    other = DecisionFactory(source=lose, kind=DecisionKind.DROP, reason="Paywalled.", at=LATER)
    deed = merge(desk, keep, lose)
    assert (fresh(keep).decided, fresh(other).source) == (DecisionKind.ACCEPT, lose)
    assert ReviewItem.objects.get().reason == ReviewReason.NEW_EVIDENCE
    take_back(desk, deed)
    assert not ReviewItem.objects.exists()


def test_pairs_with_others_are_about_the_one_that_stays(desk: Desk) -> None:
    keep, lose, third, fourth = (source(desk) for _ in range(4))

    def pair(one: Source, other: Source, state: PairState = PairState.OPEN) -> DuplicatePair:
        made: DuplicatePair = DuplicatePairFactory(workspace=desk.workspace, first=one, second=other, state=state)
        return made

    within, onward = pair(keep, lose), pair(lose, third)
    apart, same = pair(lose, fourth, PairState.DISTINCT), pair(keep, fourth)
    before = everything()["sources.DuplicatePair"]
    deed = merge(desk, keep, lose)
    assert fresh(within).state == PairState.MERGED
    assert (fresh(onward).first, onward.second) == (keep, third)
    assert fresh(same).state == fresh(apart).state == PairState.DISTINCT
    take_back(desk, deed)
    assert everything()["sources.DuplicatePair"] == before


def test_what_a_person_told_apart_is_not_merged(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    DuplicatePairFactory(workspace=desk.workspace, first=keep, second=lose, state=PairState.DISTINCT)
    with pytest.raises(ToldApart, match="told apart"):
        merge(desk, keep, lose)


def test_a_source_of_another_workspace_is_as_good_as_gone(desk: Desk, other_desk: Desk) -> None:
    with pytest.raises(Overtaken):
        merge(desk, source(desk), source(other_desk))


def test_one_source_alone_or_named_twice_is_refused(desk: Desk) -> None:
    keep = source(desk)
    with pytest.raises(MergeRefused, match="at least two"):
        merge(desk, keep)
    with pytest.raises(MergeRefused, match="twice"):
        merge(desk, keep, keep)


def test_a_reader_may_not_merge(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    with pytest.raises(PermissionDenied):
        merge(desk, keep, lose, role=Role.READER)


def test_lineage_tells_the_joining_and_forgets_nothing(desk: Desk) -> None:
    found = registry.register_many(
        workspace_id=desk.workspace.pk,
        sources=[registry.NewSource(identity=identify(f"https://harbour.example/{name}")) for name in "ab"],
        at=NOW,
    )
    keep, lose = found.by_key.values()
    deed = merge(desk, keep, lose)
    edge = Edge.objects.get()
    assert (edge.from_entity_id, edge.to_entity_id, edge.relation) == (keep.entity_id, lose.entity_id, "SUPERSEDES")
    assert (edge.run_id, edge.to_entity.state) == (str(deed.uuid), EntityState.SUPERSEDED)
    take_back(desk, deed)
    edge = Edge.objects.get()
    assert (edge.metadata, edge.to_entity.state) == ({"withdrawn_at": EVEN_LATER.isoformat()}, EntityState.CURRENT)


def test_what_was_edited_since_is_left_and_named(desk: Desk) -> None:
    keep, lose = source(desk, title=""), source(desk, title="Harbour survey", publisher="Port")
    chunk = ChunkFactory(store=ChunkStoreFactory(workspace=desk.workspace), source=lose)
    deed = merge(desk, keep, lose)
    Source.objects.filter(pk=keep.pk).update(title="Better title")
    Chunk.objects.filter(pk=chunk.pk).update(source=None)
    result = take_back(desk, deed)
    assert (fresh(keep).title, keep.publisher, fresh(lose).merged_into) == ("Better title", "", None)
    assert [line for line in result.skipped if "title of “Better title”" in line]
    assert [line for line in result.skipped if line.startswith("the chunk")]
    assert fresh(chunk).source is None


def test_what_was_merged_on_is_taken_back_from_its_end(desk: Desk) -> None:
    first, second, third = (source(desk) for _ in range(3))
    hit = TurnSourceFactory(turn=TurnFactory(session__project__workspace=desk.workspace), source=first)
    inner, outer = merge(desk, second, first), merge(desk, third, second)
    refused = take_back(desk, inner)
    assert (refused.undone, len(refused.skipped)) == (0, 1)
    assert "merged on" in refused.skipped[0]
    take_back(desk, outer)
    take_back(desk, inner)
    assert TurnSource.objects.get(pk=hit.pk).source == first
    assert Source.objects.standing().count() == 3


def test_an_observation_that_was_deleted_since_does_not_come_back(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    observation = ObservationFactory(project__workspace=desk.workspace)
    ObservationSourceFactory(observation=observation, source=lose)
    ObservationSourceFactory(observation=observation, source=keep)
    deed = merge(desk, keep, lose)
    observation.delete()
    result = take_back(desk, deed)
    assert [line for line in result.skipped if "link of an observation" in line]
    assert not ObservationSource.objects.exists()


def test_a_fault_at_any_statement_merges_nothing(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    project = ProjectFactory(workspace=desk.workspace)
    CitationFactory(entry=CatalogEntryFactory(source=lose, project=project))
    CitationFactory(entry=CatalogEntryFactory(source=keep, project=project))
    assert faults_until_done(lambda: merge(desk, keep, lose)) > 10
    deed = ChangeSet.objects.get()
    assert faults_until_done(lambda: take_back(desk, deed)) > 10


@pytest.mark.django_db(transaction=True)
def test_of_two_people_at_once_one_merges(desk: Desk) -> None:
    one, other = source(desk), source(desk)
    results = together(
        lambda: merge(desk, one, other),
        lambda: merge(desk, other, one, role=Role.EDITOR),
        meet_before="UPDATE",
    )
    assert sorted(type(result).__name__ for result in results) == ["ChangeSet", "Overtaken"]
    assert Source.objects.standing().count() == 1


@pytest.mark.parametrize("number", [10, 20])
def test_a_bulk_merge_costs_the_same_queries_whatever_its_size(
    desk: Desk, number: int, django_assert_max_num_queries: Any
) -> None:
    wanted = []
    for _ in range(number):
        keep, lose = source(desk), source(desk)
        project = ProjectFactory(workspace=desk.workspace)
        CitationFactory(entry=CatalogEntryFactory(source=lose, project=project))
        CatalogEntryFactory(source=keep, project=project)
        wanted.append(Wanted(keep=keep.pk, lose=(lose.pk,)))
    person = desk.person()
    with django_assert_max_num_queries(50):
        merging.merge(
            workspace_id=desk.workspace.pk,
            wanted=wanted,
            carry_retractions=False,
            by=person,
            channel=Channel.PAGE,
            at=LATER,
        )
    assert Source.objects.standing().count() == number


def test_a_source_that_was_merged_meanwhile_gets_no_entry(desk: Desk) -> None:
    keep, lose = source(desk), source(desk)
    project = ProjectFactory(workspace=desk.workspace)
    merge(desk, keep, lose)
    with pytest.raises(projects.SourceMerged), transaction.atomic():
        projects.enter(project=project, source_ids=[lose.pk], at=LATER)
    assert not CatalogEntry.objects.exists()
