"""Proposals of pairs: by content, by titles, by imports; never what a person told apart."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied

from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.findings import Verdict
from sources.core.kinds import IdentifierType, PairReason, PairState, VersionOrigin
from sources.models import DuplicatePair, Source, TitleKey
from sources.queries.duplicates import board_of, open_count
from sources.services import duplicates, telling_apart
from sources.services.duplicates import MOST_ALIKE, SMALLEST_CONTENT
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CheckFactory,
    DuplicatePairFactory,
    SourceFactory,
    SourceVersionFactory,
)
from tests.unit.sources.disturbance import everything, faults_until_done, together

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
TITLE = "Winter sediment in the northern harbour basin"


def source(desk: Desk, title: str = "", **fields: Any) -> Source:
    made: Source = SourceFactory(workspace=desk.workspace, title=title, **fields)
    return made


def read(
    source: Source, sha256: str = "ab" * 32, *, verdict: Verdict = Verdict.VERIFIED_ACCESSIBLE, **told: Any
) -> None:
    version = SourceVersionFactory(source=source, sha256=sha256, **{"byte_count": 9_000, **told})
    CheckFactory(source=source, version=version, verdict=verdict)


def propose(*sources: Source) -> int:
    return duplicates.propose_for(source_ids=[one.pk for one in sources], at=NOW)


def pairs() -> set[tuple[int, int, str]]:
    return set(DuplicatePair.objects.values_list("first_id", "second_id", "reason"))


def tell_apart(desk: Desk, *sources: Source, role: Role = Role.CURATOR) -> ChangeSet | None:
    return telling_apart.tell_apart(
        workspace_id=desk.workspace.pk,
        source_ids=[one.pk for one in sources],
        by=desk.person(role),
        channel=Channel.PAGE,
        at=NOW,
    )


def test_the_same_content_proposes_once_whichever_is_asked_about(desk: Desk) -> None:
    first, second = source(desk), source(desk)
    read(first)
    read(second)
    assert (propose(second), propose(first), propose(first, second)) == (1, 0, 0)
    assert pairs() == {(first.pk, second.pk, PairReason.SAME_CONTENT)}
    assert open_count(workspace_id=desk.workspace.pk) == 1


@pytest.mark.parametrize(
    "told",
    [
        {"byte_count": SMALLEST_CONTENT - 1},
        {"origin": VersionOrigin.IMPORTED},
        {"verdict": Verdict.VERIFIED_GATED},
        {"verdict": Verdict.TITLE_SWAPPED},
    ],
)
def test_content_that_is_no_work_proposes_nothing(desk: Desk, told: dict[str, Any]) -> None:
    first, second = source(desk), source(desk)
    read(first, **told)
    read(second, **told)
    assert propose(first, second) == 0


def test_a_page_that_a_site_gives_for_everything_proposes_nothing(desk: Desk) -> None:
    many = [source(desk) for _ in range(MOST_ALIKE + 1)]
    for one in many:
        read(one)
    assert propose(*many) == 0


def test_a_title_with_year_and_author_proposes_even_where_it_is_short(desk: Desk) -> None:
    told = {"published_date": "2019-04", "authors": "Lind, Ana"}
    first = source(desk, "Editorial", **told)
    second = source(desk, "EDITORIAL.", **{**told, "published_date": "2019"})
    other = source(desk, "Editorial", **{**told, "published_date": "2020"})
    assert propose(first, second, other) == 1
    assert pairs() == {(first.pk, second.pk, PairReason.SIMILAR_TITLE)}


def test_a_near_title_proposes_where_nothing_speaks_against_it(desk: Desk) -> None:
    first = source(desk, TITLE, published_date="2019")
    second = source(desk, f"{TITLE} | Coast Letters", authors="Lind, Ana")
    source(desk, "Herons of the northern harbour basin in winter storms")
    assert propose(second) == 0, "the first was never filed"
    assert propose(first) == 1
    assert pairs() == {(first.pk, second.pk, PairReason.SIMILAR_TITLE)}


def test_a_title_that_was_edited_is_filed_anew(desk: Desk) -> None:
    first, second = source(desk, TITLE), source(desk, "Something else entirely about pelicans")
    propose(first, second)
    Source.objects.filter(pk=second.pk).update(title=TITLE)
    assert propose(second) == 1
    keys = [set(TitleKey.objects.filter(source=one).values_list("key", flat=True)) for one in (first, second)]
    assert keys[0] == keys[1]


def test_one_entry_that_names_two_sources_proposes_them(desk: Desk, other_desk: Desk) -> None:
    first, second, foreign = source(desk), source(desk), source(other_desk)
    named = [[second.pk, first.pk, foreign.pk], [first.pk]]
    assert duplicates.propose_shared(source_ids=named, at=NOW) == 1
    assert duplicates.propose_shared(source_ids=named, at=NOW) == 0
    assert pairs() == {(first.pk, second.pk, PairReason.SHARED_IDENTIFIERS)}


def test_workspaces_and_merged_sources_are_left_alone(desk: Desk, other_desk: Desk) -> None:
    first, foreign = source(desk, TITLE), source(other_desk, TITLE)
    merged = source(desk, TITLE, merged_into=first)
    for one in (first, foreign, merged):
        read(one)
    assert propose(first, foreign, merged) == 0


def test_what_a_person_told_apart_is_not_proposed_again(desk: Desk) -> None:
    first, second, third = (source(desk, TITLE, published_date="2019") for _ in range(3))
    propose(first, second, third)
    tell_apart(desk, first, second)
    DuplicatePair.objects.filter(state=PairState.OPEN).delete()
    propose(first, second, third)
    assert set(DuplicatePair.objects.filter(state=PairState.OPEN).values_list("first_id", "second_id")) == {
        (first.pk, third.pk),
        (second.pk, third.pk),
    }
    (group,) = board_of(workspace_id=desk.workspace.pk).groups()
    assert group.told_apart == {(first.pk, second.pk)}


def test_a_group_told_apart_is_gone_and_comes_back_with_undo(desk: Desk) -> None:
    first, second, third = (source(desk) for _ in range(3))
    for other in (second, third):
        DuplicatePairFactory(workspace=desk.workspace, first=first, second=other)
    before = everything()["sources.DuplicatePair"]
    deed = tell_apart(desk, first, second, third)
    assert deed is not None
    assert DuplicatePair.objects.filter(state=PairState.DISTINCT).count() == 3
    assert board_of(workspace_id=desk.workspace.pk).groups() == []
    assert tell_apart(desk, first, second, third) is None
    result = changes.undo(change_set=deed, by=desk.person(), at=LATER)
    assert (result.undone, result.skipped) == (3, ())
    assert everything()["sources.DuplicatePair"] == before


def test_a_pair_that_was_merged_since_is_left_and_named(desk: Desk) -> None:
    first, second = source(desk, "Tides"), source(desk, "Herons")
    deed = tell_apart(desk, first, second)
    assert deed is not None
    DuplicatePair.objects.update(state=PairState.MERGED)
    result = changes.undo(change_set=deed, by=desk.person(), at=LATER)
    assert result.skipped == ("“Tides” and “Herons” were looked at again since",)


def test_fewer_than_two_sources_cannot_be_told_apart(desk: Desk, other_desk: Desk) -> None:
    with pytest.raises(telling_apart.NothingToTellApart, match="at least two"):
        tell_apart(desk, source(desk), source(other_desk))


def test_a_reader_tells_nothing_apart(desk: Desk) -> None:
    with pytest.raises(PermissionDenied):
        tell_apart(desk, source(desk), source(desk), role=Role.READER)


def test_a_fault_at_any_statement_proposes_nothing(desk: Desk) -> None:
    first, second = source(desk, TITLE), source(desk, TITLE)
    assert faults_until_done(lambda: propose(first, second)) > 5


@pytest.mark.django_db(transaction=True)
def test_two_workers_propose_a_pair_once(desk: Desk) -> None:
    sources = [source(desk, TITLE, published_date="2019") for _ in range(5)]
    results = together(lambda: propose(*sources), lambda: propose(*reversed(sources)), meet_before="INSERT")
    assert not [result for result in results if isinstance(result, Exception)]
    found = list(DuplicatePair.objects.values_list("first_id", "second_id"))
    assert len(found) == len(set(found)) == 4


@pytest.mark.parametrize("number", [10, 20])
def test_proposing_costs_the_same_queries_whatever_the_number(
    desk: Desk, number: int, django_assert_num_queries: Any
) -> None:
    made = [source(desk, f"{TITLE} number {place}", identifier_type=IdentifierType.URL) for place in range(number // 2)]
    made += [source(desk, f"{TITLE} number {place} | Coast Letters") for place in range(number // 2)]
    for place, one in enumerate(made):
        read(one, f"{place % (number // 2):064x}")
    with django_assert_num_queries(13):
        assert propose(*made) == number // 2


def test_groups_are_connected_pairs_with_their_reasons(desk: Desk) -> None:
    first, second, third, fourth, fifth = (source(desk) for _ in range(5))
    for one, other, reason in (
        (first, third, PairReason.SIMILAR_TITLE),
        (third, fifth, PairReason.SAME_CONTENT),
        (second, fourth, PairReason.SHARED_IDENTIFIERS),
    ):
        DuplicatePairFactory(workspace=desk.workspace, first=one, second=other, reason=reason)
    board = board_of(workspace_id=desk.workspace.pk)
    found = board.groups()
    assert [(group.source_ids, group.reasons) for group in found] == [
        ((first.pk, third.pk, fifth.pk), (PairReason.SAME_CONTENT, PairReason.SIMILAR_TITLE)),
        ((second.pk, fourth.pk), (PairReason.SHARED_IDENTIFIERS,)),
    ]
    only = board.groups(PairReason.SAME_CONTENT)
    assert [group.source_ids for group in only] == [(third.pk, fifth.pk)]


def test_looking_through_a_registry_again_still_finds_what_was_edited(desk: Desk) -> None:
    first = source(desk, TITLE, published_date="2019")
    second = source(desk, f"{TITLE} | Coast Letters", published_date="2020")
    ids = [first.pk, second.pk]
    assert duplicates.propose_for(source_ids=ids, at=NOW, renewed_only=True) == 0
    Source.objects.filter(pk=second.pk).update(published_date="2019-05")
    assert duplicates.propose_for(source_ids=ids, at=NOW, renewed_only=True) == 1
    DuplicatePair.objects.all().delete()
    assert duplicates.propose_for(source_ids=ids, at=NOW, renewed_only=True) == 0
    assert duplicates.propose_for(source_ids=ids, at=NOW) == 1
