"""Deeds on many sources: begun on a page, done by a worker part by part, watched, stopped and taken back."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Change, ChangeSet
from provenance_site.jobs import services as jobs
from sources import dispatch
from sources.core.findings import Disposition, Verdict
from sources.models import Decision, LongDeed, ReviewItem, Source
from sources.services import long_deed_work, long_deeds
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import SourceFactory
from tests.screens.test_bulk_edit import confirm, everything, ids, preview, sources_of, undo
from tests.unit.sources.findings import apply

pytestmark = pytest.mark.django_db
MANY = 7


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "CHANGED_AT_ONCE", 5)
    monkeypatch.setattr(long_deeds, "STEP", 3)


def begin(client: Client, chosen: dict[str, Any] | None = None, **edit: Any) -> str:
    """Begins a deed on all sources; gives the address of its page."""
    answer = confirm(client, preview(client, chosen or everything(seen=MANY), **edit))
    assert answer.status_code == 302
    return str(answer.headers["Location"])


def work(*, after_s: int = 0) -> None:
    long_deed_work.work(clock=lambda: NOW + timedelta(seconds=after_s))


def test_all_that_match_are_edited_by_a_worker_and_taken_back_by_a_worker(desk: Desk) -> None:
    sources_of(desk, MANY, rights="All rights reserved")
    client = desk.client()
    page = begin(client, rights="CC0", add_tags="tax")
    assert not Source.objects.filter(rights="CC0").exists()
    waiting = client.get(page).content.decode()
    assert f"0</b> of {MANY}" in waiting
    assert "every 2s" in waiting
    work()
    assert Source.objects.filter(rights="CC0", tags__name="tax", row_version=2).count() == MANY
    assert ChangeSet.objects.get().changes.count() == MANY
    done = client.get(f"{page}progress/").content.decode()
    assert f"Changed {MANY} sources" in done
    assert "hx-get" not in done
    undo(client)
    work()
    assert Source.objects.filter(rights="All rights reserved", tags=None).count() == MANY
    assert "Taken back" in client.get(page).content.decode()


def test_it_is_done_in_parts_of_which_none_is_done_twice(desk: Desk) -> None:
    sources_of(desk, MANY)
    begin(desk.client(), rights="CC0")
    dead = jobs.claim(kind=long_deeds.JOB_KIND, limit=1, at=NOW, lease_s=long_deed_work.LEASE_S)
    assert len(dead.items) == 1
    work()
    assert Source.objects.filter(rights="CC0").count() == MANY - 3
    work(after_s=long_deed_work.LEASE_S + 1)
    assert Source.objects.filter(rights="CC0", row_version=2).count() == MANY
    assert Change.objects.count() == MANY


def test_what_a_colleague_edits_before_its_turn_is_left_alone_and_counted(desk: Desk) -> None:
    first, *_ = sources_of(desk, MANY)
    client = desk.client()
    page = begin(client, rights="CC0")
    confirm(client, preview(client, ids([first]), rights="CC1"))
    work()
    first.refresh_from_db()
    assert first.rights == "CC1"
    told = client.get(page).content.decode()
    assert f"Changed {MANY - 1} sources" in told
    assert "1 source left alone" in told


def test_a_list_that_changed_since_the_look_is_refused_before_anything_is_queued(desk: Desk) -> None:
    sources_of(desk, MANY)
    client = desk.client()
    page = preview(client, everything(seen=MANY), rights="CC0")
    SourceFactory(workspace=desk.workspace, title="Came in between")
    assert confirm(client, page).status_code == 409
    assert not LongDeed.objects.exists()
    assert not ChangeSet.objects.exists()


def test_a_stopped_one_keeps_what_is_done_which_can_be_taken_back(desk: Desk) -> None:
    sources_of(desk, MANY)
    client = desk.client()
    page = begin(client, rights="CC0")
    jobs.claim(kind=long_deeds.JOB_KIND, limit=1, at=NOW, lease_s=60)  # a worker that never comes back
    work()
    deed = ChangeSet.objects.get()
    assert "still being done" in client.post(f"/changes/{deed.uuid}/undo/", follow=True).content.decode()
    assert "being done" in client.get("/history/").content.decode()
    client.post(f"{page}stop/")
    work(after_s=61)
    assert Source.objects.filter(rights="CC0").count() == MANY - 3
    assert f"after {MANY - 3} of {MANY}" in client.get(page).content.decode()
    undo(client)
    assert not Source.objects.filter(rights="CC0").exists()


def test_one_that_was_stopped_before_it_changed_anything_is_no_history(desk: Desk) -> None:
    sources_of(desk, MANY)
    client = desk.client()
    page = begin(client, rights="CC0")
    client.post(f"{page}stop/")
    assert "Stopped by" in client.get(page).content.decode()
    assert not ChangeSet.objects.exists()
    assert "had ended already" in client.post(f"{page}stop/", follow=True).content.decode()


@pytest.mark.parametrize("deed", ["drop", "retract"])
def test_many_are_dropped_or_marked_and_brought_back(desk: Desk, deed: str) -> None:
    for _ in range(MANY):
        apply(SourceFactory(workspace=desk.workspace), Verdict.THIN)
    client = desk.client(Role.ADMIN)
    begin(client, deed=deed, note="Notice 7")
    work()
    if deed == "drop":
        assert set(Source.objects.values_list("disposition", "decided")) == {(Disposition.DROP, "drop")}
        assert Decision.objects.filter(reason="Notice 7").count() == MANY
        assert not ReviewItem.objects.filter(closed_at=None).exists()
    else:
        assert set(Source.objects.values_list("retracted", "retraction_note")) == {(True, "Notice 7")}
    undo(client)
    work()
    assert set(Source.objects.values_list("disposition", "decided", "retracted")) == {(Disposition.REVIEW, "", False)}
    assert ReviewItem.objects.filter(closed_at=None).count() == MANY


def test_an_undo_that_the_person_may_not_do_is_refused_at_once_and_leaves_the_deed_undoable(desk: Desk) -> None:
    sources_of(desk, MANY)
    begin(desk.client(Role.ADMIN), deed="drop", note="Not relevant")
    work()
    deed = ChangeSet.objects.get()
    assert desk.client(Role.CURATOR).post(f"/changes/{deed.uuid}/undo/").status_code == 403
    assert ChangeSet.objects.get() == deed


def test_an_undo_that_found_nothing_to_take_back_can_be_tried_again(desk: Desk) -> None:
    chosen = sources_of(desk, MANY)
    client = desk.client()
    page = begin(client, rights="CC0")
    work()
    deed = ChangeSet.objects.get()
    Source.objects.update(rights="CC1")
    client.post(f"/changes/{deed.uuid}/undo/")
    work()
    assert f"{MANY} rows left alone" in client.get(f"/deeds/{LongDeed.objects.latest('pk').job.uuid}/").content.decode()
    Source.objects.update(rights="CC0")
    client.post(f"/changes/{deed.uuid}/undo/")
    work()
    assert Source.objects.filter(rights=chosen[0].rights).count() == MANY
    assert "Taken back" in client.get(page).content.decode()


def test_a_reader_watches_and_stops_nothing(desk: Desk) -> None:
    sources_of(desk, MANY)
    page = begin(desk.client(), rights="CC0")
    reader = desk.client(Role.READER)
    assert f"{page}stop/" not in reader.get(page).content.decode()
    assert reader.post(f"{page}stop/").status_code == 403
    work()
    assert Source.objects.filter(rights="CC0").count() == MANY
