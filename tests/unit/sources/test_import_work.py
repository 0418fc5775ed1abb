"""Long imports are a worker's: written in steps under a lease, taken up where a dead worker left them."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from provenance_site.jobs import services as jobs
from provenance_site.jobs.states import JobState
from sources import dispatch, tasks
from sources.core.kinds import BatchState
from sources.models import ImportBatch, Source
from sources.services import import_steps, import_work, importing
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.sources.lists import staged

pytestmark = pytest.mark.django_db
LINES = 12


@pytest.fixture(autouse=True)
def _short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_steps, "STEP", 5)
    monkeypatch.setattr(dispatch, "WHILE_ONE_WAITS", 10)


def long_list(desk: Desk) -> ImportBatch:
    return staged(desk, "\n".join(f"https://harbour.org/{line}" for line in range(LINES)), label="long")


def queued(desk: Desk) -> ImportBatch:
    batch = long_list(desk)
    result = dispatch.commit_import(batch=batch, by=desk.person(Role.CURATOR), channel=Channel.PAGE, at=NOW)
    assert result is None
    batch.refresh_from_db()
    return batch


def test_a_long_list_is_left_to_a_worker_who_is_woken_after_the_commit(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    woken: list[str] = []
    monkeypatch.setattr(tasks.import_batches, "apply_async", lambda **_: woken.append("import"))
    with django_capture_on_commit_callbacks(execute=True):
        batch = queued(desk)
        assert not woken
    assert woken == ["import"]
    assert (batch.state, Source.objects.count()) == (BatchState.COMMITTING, 0)


def test_a_worker_writes_it_to_its_end(desk: Desk) -> None:
    batch = queued(desk)
    import_work.work(clock=lambda: NOW)
    batch.refresh_from_db()
    assert (batch.state, Source.objects.count(), batch.tally["new_entries"]) == (BatchState.COMMITTED, LINES, LINES)
    assert batch.job is not None
    assert batch.job.state == JobState.DONE
    import_work.work(clock=lambda: NOW)
    assert Source.objects.count() == LINES


def test_what_a_dead_worker_left_is_taken_up_when_its_lease_is_over(desk: Desk) -> None:
    batch = queued(desk)
    dead = jobs.claim(kind=import_work.KIND, limit=1, at=NOW, lease_s=import_work.LEASE_S)
    assert len(dead.items) == 1
    assert importing.write_step(batch=batch, at=NOW)
    import_work.work(clock=lambda: NOW)
    assert Source.objects.count() == 5  # it is in other hands
    later = NOW + timedelta(seconds=import_work.LEASE_S + 1)
    assert jobs.sweep(kind=import_work.KIND, at=later) == [batch.job_id]
    import_work.work(clock=lambda: later)
    batch.refresh_from_db()
    assert (batch.state, Source.objects.count()) == (BatchState.COMMITTED, LINES)


def test_a_worker_whose_lease_was_taken_over_leaves_the_rest(desk: Desk) -> None:
    queued(desk)
    moments = iter([NOW + timedelta(hours=hours) for hours in range(100)])

    def clock() -> datetime:
        """An hour a look: the lease is over before the first step is."""
        moment = next(moments)
        jobs.claim(kind=import_work.KIND, limit=1, at=moment - timedelta(minutes=1), lease_s=3600)
        return moment

    import_work.work(clock=clock)
    assert Source.objects.count() < LINES


def test_the_page_shows_how_far_it_is_and_stops_asking_at_the_end(desk: Desk, client: Client) -> None:
    batch = queued(desk)
    client.force_login(desk.person(Role.READER))
    importing.write_step(batch=batch, at=NOW)
    told = progress(client, batch.uuid)
    assert 'value="5"' in told
    assert 'max="12"' in told
    assert "hx-trigger" in told
    import_work.work(clock=lambda: NOW)
    told = progress(client, batch.uuid)
    assert "hx-trigger" not in told
    assert "Imported 12 sources" in told


def test_an_interrupted_import_can_be_taken_up_by_hand(desk: Desk, client: Client) -> None:
    batch = long_list(desk)
    by = desk.person(Role.CURATOR)
    importing.begin(batch=batch, by=by, channel=Channel.PAGE, at=NOW)
    importing.write_step(batch=batch, at=NOW)
    client.force_login(by)
    assert "Writing was interrupted" in client.get(reverse("import-preview", args=[batch.uuid])).content.decode()
    client.post(reverse("import-commit", args=[batch.uuid]))
    import_work.work(clock=lambda: NOW)
    assert Source.objects.count() == LINES


def test_a_short_list_is_written_at_once(desk: Desk) -> None:
    batch = staged(desk, "https://harbour.org/1\n", label="short")
    result = dispatch.commit_import(batch=batch, by=desk.person(Role.CURATOR), channel=Channel.PAGE, at=NOW)
    assert result is not None
    assert result.new_sources == 1


def progress(client: Client, uuid: UUID) -> str:
    return client.get(reverse("import-progress", args=[uuid])).content.decode()
