"""Claims without a source on screen: searched, looked at, chosen; corrected texts and their new links."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from provenance_site.accounts.roles import Role
from sources.models import CorpusEntry, DraftVersion
from tests.desk import HTMX, Desk
from tests.unit.validation.shipping import corpus_project, draft_of
from tests.unit.validation.test_marker_resolution import (
    CLAIM,
    DEAD,
    GOOD,
    PASSAGE,
    marked,
    search,
    searched,
    world,
)
from validation import tasks
from validation.models import HarvestRequest, RequestCandidate

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def messages(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What would have been sent to the broker."""
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(tasks.work_on_harvest_requests, "apply_async", lambda **options: sent.append(options))
    return sent


def test_a_marked_claim_is_searched_looked_at_and_resolved(
    desk: Desk,
    messages: list[dict[str, object]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    version = marked(desk)
    client, here = desk.client(), f"/d/{version.draft.uuid}/markers/"
    assert CLAIM in client.get(here).content.decode()
    assert here in client.get(f"/d/{version.draft.uuid}/").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(here, {"claim": CLAIM})
    request = HarvestRequest.objects.get()
    there = f"/markers/{request.uuid}/"
    assert answer.headers["Location"] == there
    assert len(messages) == 1
    assert re.search(r'hx-trigger="every \d+s"', client.get(there, headers=HTMX).content.decode())
    search(world())
    page = client.get(there, headers=HTMX).content.decode()
    assert "hx-trigger" not in page
    assert PASSAGE in page
    assert re.search(r"Fits the claim by [01]\.\d\d of 1\.", page)
    assert "Cannot be chosen" in page
    good = RequestCandidate.objects.get(url=GOOD)
    told = client.post(there, {"step": "pick", "candidate": good.uuid, "section": "market"}, follow=True)
    assert "The source is in the corpus, and Memo v2 cites it." in told.content.decode()
    assert CorpusEntry.objects.get(entry__source__request_url=GOOD).section.slug == "market"
    assert "[^2]" in DraftVersion.objects.get(number=2).gated_text


def test_what_cannot_be_chosen_is_refused_with_the_way_out(desk: Desk) -> None:
    request = searched(desk, marked(desk))
    client, there = desk.client(), f"/markers/{request.uuid}/"
    dead = RequestCandidate.objects.get(url=DEAD)
    assert "not verified" in client.post(there, {"step": "pick", "candidate": dead.uuid}, follow=True).content.decode()
    for data in ({"step": "pick"}, {"step": "pick", "candidate": "x"}, {"step": "fly"}, {}):
        assert "Choose" in client.post(there, data, follow=True).content.decode()
    assert client.post(there, {"step": "pick", "candidate": request.uuid}).status_code == 404
    assert DraftVersion.objects.count() == 1


def test_a_reader_looks_and_does_nothing(desk: Desk) -> None:
    version = marked(desk)
    request = searched(desk, version)
    reader = desk.client(Role.READER)
    page = reader.get(f"/markers/{request.uuid}/", headers=HTMX).content.decode()
    assert PASSAGE in page
    assert "<button" not in page
    for address in (
        f"/markers/{request.uuid}/",
        f"/d/{version.draft.uuid}/markers/",
        f"/d/{version.draft.uuid}/correct/",
    ):
        assert reader.post(address).status_code == 403


def test_a_request_is_closed_and_searched_again(desk: Desk, messages: list[dict[str, object]]) -> None:
    request = searched(desk, marked(desk))
    client, there = desk.client(), f"/markers/{request.uuid}/"
    assert "The marker stays" in client.post(there, {"step": "dismiss"}, follow=True).content.decode()
    client.post(there, {"step": "again"})
    request.refresh_from_db()
    assert request.state == "open"


def test_a_draft_without_markers_and_one_without_a_version_say_so(desk: Desk) -> None:
    version = draft_of(desk, corpus_project(desk, [1]), "Boats came. [src-001]\n")
    client, here = desk.client(), f"/d/{version.draft.uuid}/markers/"
    assert "No claim wants a source" in client.get(here).content.decode()
    assert "No claim was chosen" in client.post(here, {"all": "1"}, follow=True).content.decode()
    DraftVersion.objects.all().delete()
    assert "has no version yet" in client.post(here, {"all": "1"}, follow=True).content.decode()


def test_a_corrected_text_is_gated_and_its_new_link_becomes_a_request(desk: Desk) -> None:
    version = marked(desk)
    client, here = desk.client(), f"/d/{version.draft.uuid}/correct/"
    assert "Boats came" in client.get(here).content.decode()
    text = f"{CLAIM.rstrip('.')} ([report]({GOOD})).\n"
    told = client.post(here, {"text": text}, follow=True).content.decode()
    assert "1 link outside the corpus became a request" in told
    assert GOOD in told
    assert HarvestRequest.objects.get().version.number == 2
    assert client.post(here, {"text": " "}).status_code == 422
    late = client.post(here, {"text": "Mine.", "seen": "1"})
    assert late.status_code == 409
    for told in ("Mine.", "Look at version 2", 'name="seen" value="2"'):
        assert told in late.content.decode()
    # A file chosen beside the text that the form came with takes its place.
    beside = {"text": version.draft.versions.get(number=2).gated_text, "seen": "2"}
    file = SimpleUploadedFile("mine.md", b"Boats came. [src-001]\n")
    assert client.post(here, beside | {"file": file}).headers["Location"] == f"/d/{version.draft.uuid}/"
    same = client.post(here, {"text": "Boats came. [src-001]\n"})
    assert same.headers["Location"] == f"/d/{version.draft.uuid}/"


@pytest.mark.parametrize("number", [10, 20])
def test_the_list_of_claims_costs_the_same_however_many_there_are(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    text = "\n\n".join(f"In the year {one} the ferry carried passengers. [src-9{one:02d}]" for one in range(number))
    version = marked(desk, text=text)
    client, here = desk.client(), f"/d/{version.draft.uuid}/markers/"
    client.post(here, {"all": "1"})
    assert HarvestRequest.objects.count() == number
    with django_assert_num_queries(6):
        assert client.get(here).status_code == 200


def test_the_search_for_all_claims_takes_a_budget_and_says_when_nothing_is_left_to_search(desk: Desk) -> None:
    version = marked(desk)
    client, here = desk.client(), f"/d/{version.draft.uuid}/markers/"
    page = client.get(here).content.decode()
    assert 'name="calls"' in page
    assert 'name="candidates"' in page
    for wrong, told in (({"calls": "-1"}, "Calls: enter a number"), ({"candidates": "many"}, "Candidates: enter a")):
        answer = client.post(here, {"all": "1", "calls": "3", "candidates": "2", **wrong}, follow=True)
        assert told in answer.content.decode()
        assert not HarvestRequest.objects.exists()
    client.post(here, {"all": "1", "calls": "3", "candidates": "2"})
    assert set(HarvestRequest.objects.values_list("call_budget", "candidate_budget")) == {(3, 2)}
    search(world())
    answer = client.post(here, {"all": "1", "calls": "9", "candidates": "2"}, follow=True)
    told = re.sub(r"\s+", " ", answer.content.decode())
    assert "Searching sources" not in told
    assert HarvestRequest.objects.filter(call_budget=9).count() == 0
