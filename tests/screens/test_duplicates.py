"""The screen of possible duplicates: looked for, side by side, merged singly and in bulk, told apart, taken back."""

import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from sources import dispatch
from sources.core.kinds import Classification, PairReason, PairState, Sensitivity
from sources.models import DuplicatePair, Source
from sources.services import long_deed_work, long_deeds
from tests.clock import NOW
from tests.desk import Desk, without_token
from tests.factories import (
    CatalogEntryFactory,
    CitationFactory,
    DuplicatePairFactory,
    ProjectFactory,
    SourceFactory,
)

pytestmark = pytest.mark.django_db
TITLE = "Winter sediment in the northern harbour basin"


def source(desk: Desk, title: str = TITLE, **fields: Any) -> Source:
    made: Source = SourceFactory(workspace=desk.workspace, title=title, **fields)
    return made


def pair(desk: Desk, first: Source, second: Source, **fields: Any) -> DuplicatePair:
    made: DuplicatePair = DuplicatePairFactory(workspace=desk.workspace, first=first, second=second, **fields)
    return made


def text_of(client: Client, path: str) -> str:
    return unescape(re.sub(r"\s+", " ", client.get(path).content.decode()))


def ask(*sources: Source, keep: Source, **more: str) -> dict[str, Any]:
    return {"source": [str(one.uuid) for one in sources], "keep": str(keep.uuid), **more}


def expected_of(page: str) -> str:
    found = re.search(r'name="expected" value="([^"]+)"', page)
    assert found is not None
    return found.group(1)


def test_an_empty_screen_says_what_would_be_here(desk: Desk) -> None:
    assert "Nothing looks like a duplicate" in text_of(desk.client(), "/duplicates/")


def test_looking_finds_pairs_and_lays_them_side_by_side(desk: Desk) -> None:
    source(desk, publisher="Port Authority")
    source(desk, f"{TITLE} | Coast Letters")
    client = desk.client()
    answer = client.post("/duplicates/find/", follow=True)
    page = answer.content.decode()
    assert "1 new pair found" in page
    assert "<ins> | Coast Letters</ins>" in page
    assert "Port Authority" in page
    assert "not known" in page
    assert page.count('class="differs"') == 2
    assert 'class="count">1<' in page


def test_a_merge_is_looked_at_then_done_then_taken_back(desk: Desk) -> None:
    keep, lose = source(desk), source(desk, publisher="Port Authority")
    pair(desk, keep, lose)
    project = ProjectFactory(workspace=desk.workspace)
    CatalogEntryFactory(source=keep, project=project, number=1)
    CitationFactory(entry=CatalogEntryFactory(source=lose, project=project, number=2))
    client = desk.client()
    look = client.get("/duplicates/merge/", ask(keep, lose, keep=keep)).content.decode()
    for told in ("Port Authority", "src-002", "1 citation", "Changes"):
        assert told in look
    assert Source.objects.standing().count() == 2
    done = client.post("/duplicates/merge/", ask(keep, lose, keep=keep), follow=True).content.decode()
    assert "Merged 1 source into" in done
    assert client.get(f"/s/{lose.uuid}/").headers["Location"] == f"/s/{keep.uuid}/"
    page = client.get(f"/s/{keep.uuid}/").content.decode()
    assert lose.request_url in page
    assert "src-002 in" in page
    deed = ChangeSet.objects.get()
    client.post(f"/changes/{deed.uuid}/undo/")
    assert Source.objects.standing().count() == 2
    assert client.get(f"/s/{lose.uuid}/").status_code == 200


def test_a_field_that_was_chosen_in_the_look_is_written(desk: Desk) -> None:
    keep, lose = source(desk, publisher="Port"), source(desk, publisher="Port Authority")
    chosen = {"field-publisher": str(lose.uuid), "fields_by": "own"}
    desk.client().post("/duplicates/merge/", ask(keep, lose, keep=keep, **chosen))
    keep.refresh_from_db()
    assert keep.publisher == "Port Authority"


def test_the_look_tells_stricter_labels_and_what_else_is_filled(desk: Desk) -> None:
    keep = source(desk)
    lose = source(
        desk,
        classification=Classification.CONFIDENTIAL,
        sensitivity=Sensitivity.INTERNAL_ONLY,
        bibliography={"container_title": "Coast Letters", "volume": "3"},
    )
    look = desk.client().get("/duplicates/merge/", ask(keep, lose, keep=keep)).content.decode()
    for told in ("becomes confidential", "becomes internal only", "container title, volume"):
        assert told in look


def test_a_retracted_one_has_to_be_confirmed(desk: Desk) -> None:
    keep, lose = source(desk), source(desk, retracted=True, retraction_note="Notice of May")
    client = desk.client()
    refused = client.post("/duplicates/merge/", ask(keep, lose, keep=keep))
    assert refused.status_code == 422
    assert "Notice of May" in refused.content.decode()
    client.post("/duplicates/merge/", ask(keep, lose, keep=keep, also_retracted="yes"))
    keep.refresh_from_db()
    assert keep.retracted


@pytest.mark.parametrize("method", ["get", "post"])
def test_one_source_alone_leads_back_with_what_to_do(desk: Desk, method: str) -> None:
    only = source(desk)
    answer = getattr(desk.client(), method)("/duplicates/merge/", ask(only, keep=only), follow=True)
    assert "Choose at least two sources" in answer.content.decode()


def test_not_duplicates_is_remembered_and_taken_back(desk: Desk) -> None:
    first, second = source(desk), source(desk)
    found = pair(desk, first, second)
    client = desk.client()
    client.post("/duplicates/apart/", ask(first, second, keep=first))
    found.refresh_from_db()
    assert found.state == PairState.DISTINCT
    assert "0 new pairs found" in client.post("/duplicates/find/", follow=True).content.decode()
    client.post(f"/changes/{ChangeSet.objects.get().uuid}/undo/")
    found.refresh_from_db()
    assert found.state == PairState.OPEN


def test_groups_are_merged_in_bulk_after_a_look(desk: Desk) -> None:
    for number in range(3):
        pair(desk, source(desk, f"Survey {number}"), source(desk, f"Harbour survey {number}", publisher="Port"))
    apart = [source(desk) for _ in range(3)]
    pair(desk, apart[0], apart[1])
    pair(desk, apart[1], apart[2])
    pair(desk, apart[0], apart[2], state=PairState.DISTINCT)
    client = desk.client()
    rules = {"keep_by": "oldest", "fields_by": "longest"}
    look = client.get("/duplicates/bulk/", rules).content.decode()
    assert "Merge 3 groups by a rule" in look
    assert "1 group is left out" in look
    stale = client.post("/duplicates/bulk/", {**rules, "expected": "0" * 64})
    assert stale.status_code == 422
    assert Source.objects.standing().count() == 9
    client.post("/duplicates/bulk/", {**rules, "expected": expected_of(look)})
    assert Source.objects.standing().count() == 6
    assert set(Source.objects.filter(merged__isnull=False).values_list("title", "publisher")) == {
        (f"Harbour survey {number}", "Port") for number in range(3)
    }
    client.post(f"/changes/{ChangeSet.objects.get().uuid}/undo/")
    assert Source.objects.standing().count() == 9


def test_only_pairs_of_the_reason_asked_for_are_merged_in_bulk(desk: Desk) -> None:
    first, second, third = source(desk), source(desk), source(desk)
    pair(desk, first, second, reason=PairReason.SAME_CONTENT)
    pair(desk, second, third, reason=PairReason.SIMILAR_TITLE)
    client = desk.client()
    rules = {"reason": "same-content", "keep_by": "oldest"}
    client.post(
        "/duplicates/bulk/", {**rules, "expected": expected_of(client.get("/duplicates/bulk/", rules).content.decode())}
    )
    assert set(Source.objects.standing()) == {first, third}


@pytest.mark.parametrize("path", ["/duplicates/merge/", "/duplicates/apart/"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_foreign_source_answers_like_one_that_never_existed(
    desk: Desk, other_desk: Desk, path: str, method: str
) -> None:
    ours, foreign = source(desk), source(other_desk, "Their secret title")
    client = desk.client()
    told = []
    for other in (foreign.uuid, uuid4()):
        asked = {"source": [str(ours.uuid), str(other)], "keep": str(ours.uuid)}
        answer = getattr(client, method)(path, asked)
        told.append((answer.status_code, without_token(answer.content)))
    assert told[0] == told[1]
    assert told[0][0] in {404, 405}
    assert not ChangeSet.objects.exists()


def test_groups_and_counts_of_another_workspace_are_not_shown(desk: Desk, other_desk: Desk) -> None:
    pair(other_desk, source(other_desk, "Theirs"), source(other_desk, "Theirs too"))
    page = desk.client().get("/duplicates/").content.decode()
    assert "Theirs" not in page
    assert 'class="count"' not in page


def test_a_reader_looks_and_may_change_nothing(desk: Desk) -> None:
    first, second = source(desk), source(desk)
    pair(desk, first, second)
    client = desk.client(Role.READER)
    page = client.get("/duplicates/").content.decode()
    assert TITLE in page
    assert "Not duplicates" not in page
    for path in ("find", "merge", "bulk", "apart"):
        assert client.post(f"/duplicates/{path}/", ask(first, second, keep=first)).status_code == 403
    assert Source.objects.standing().count() == 2


@pytest.mark.parametrize(
    "query", ["reason=none", "page=99999999999999999999", "after=-1", "after=" + "9" * 5_000, "page=0"]
)
def test_a_strange_address_breaks_nothing(desk: Desk, query: str) -> None:
    pair(desk, source(desk), source(desk))
    assert desk.client().get(f"/duplicates/?{query}").status_code == 200


@pytest.mark.parametrize("asked", [{"source": ["x"]}, {"source": ["x", "y"], "keep": "z"}, {"fields_by": "none"}])
def test_a_strange_form_finds_nothing(desk: Desk, asked: dict[str, Any]) -> None:
    assert desk.client().post("/duplicates/apart/", asked).status_code == 404
    assert desk.client().get("/duplicates/merge/", asked).status_code == 404


def test_a_large_registry_is_looked_through_by_a_worker_one_at_a_time(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(4):
        source(desk, published_date="2019")
    monkeypatch.setattr(dispatch, "LOOKED_THROUGH", 3)
    monkeypatch.setattr(long_deeds, "LOOK_STEP", 2)
    client = desk.client()
    page = client.post("/duplicates/find/").headers["Location"]
    assert "0</b> of 4" in client.get(page).content.decode()
    assert "Being looked for" in client.get("/duplicates/").content.decode()
    assert "looking for duplicates already" in client.post("/duplicates/find/", follow=True).content.decode()
    long_deed_work.work(clock=lambda: NOW)
    assert "4 sources: 3 new pairs" in client.get(f"{page}progress/").content.decode()
    assert DuplicatePair.objects.count() == 3
    assert "Being looked for" not in client.get("/duplicates/").content.decode()


@pytest.mark.parametrize("number", [10, 20])
def test_the_screen_costs_the_same_queries_whatever_the_number_of_groups(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(number):
        pair(desk, source(desk), source(desk))
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(15):
        client.get("/duplicates/")


@pytest.mark.parametrize("number", [10, 20])
def test_the_look_at_a_bulk_merge_costs_the_same_queries_whatever_its_size(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(number):
        first, second = source(desk), source(desk)
        pair(desk, first, second)
        project = ProjectFactory(workspace=desk.workspace)
        for one in (first, second):
            CitationFactory(entry=CatalogEntryFactory(source=one, project=project))
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(31):
        assert client.get("/duplicates/bulk/").status_code == 200


def test_of_a_large_group_twenty_stand_side_by_side_and_the_next_come_up(desk: Desk) -> None:
    first, *others = (source(desk) for _ in range(25))
    for other in others:
        pair(desk, first, other)
    client = desk.client()
    page = text_of(client, "/duplicates/")
    assert (page.count("Belongs here"), "5 more sources may be this work too." in page) == (20, True)
    client.post("/duplicates/apart/", {"source": [str(one.uuid) for one in (first, *others[:19])]})
    page = text_of(client, "/duplicates/")
    assert (page.count("Belongs here"), "may be this work too." in page) == (6, False)
    left = [first, *others[19:]]
    assert all(str(one.uuid) in page for one in left)
    client.post("/duplicates/merge/", ask(*left, keep=first))
    assert "Nothing looks like a duplicate" in text_of(client, "/duplicates/")
