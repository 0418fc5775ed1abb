"""Large files are a worker's: ordered, made under a lease, begun again where a worker died, and never twice."""

import threading
from collections.abc import Iterable
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.jobs import services as jobs
from provenance_site.jobs.models import JobItem
from provenance_site.jobs.states import JobState
from sources import dispatch, tasks
from sources.core.export_formats import ExportFormat
from sources.models import Export, ExportOrder, Project
from sources.reports import csv_table
from sources.services import export_orders, exporting
from sources.services.export_files import place_of
from sources.services.export_writing import Reading, Wanted
from tests.clock import NOW
from tests.desk import HTMX, Desk
from tests.factories import CatalogEntryFactory, ProjectFactory, SourceFactory

pytestmark = pytest.mark.django_db
SOURCES = 4


@pytest.fixture(autouse=True)
def _small(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"
    monkeypatch.setattr(dispatch, "WRITTEN_AT_ONCE", SOURCES - 1)
    monkeypatch.setattr(dispatch, "ARCHIVED_AT_ONCE", 1)
    monkeypatch.setattr(tasks.make_exports, "apply_async", lambda **_: None)


@pytest.fixture
def project(desk: Desk) -> Project:
    project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    for number in range(SOURCES):
        source = SourceFactory(workspace=desk.workspace, title=f"Tide {number}")
        CatalogEntryFactory(project=project, source=source, number=number + 1)
    return project


def wanted(project: Project, format_: ExportFormat = ExportFormat.CSV) -> Wanted:
    return Wanted(workspace_id=project.workspace_id, project=project, format=format_)


def ordered(desk: Desk, project: Project, format_: ExportFormat = ExportFormat.CSV) -> ExportOrder:
    made = dispatch.make_export(wanted=wanted(project, format_), by=desk.person(Role.CURATOR), at=NOW)
    assert isinstance(made, ExportOrder)
    return made


def test_a_small_file_is_made_at_once(desk: Desk, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "WRITTEN_AT_ONCE", SOURCES)
    made = dispatch.make_export(wanted=wanted(project), by=desk.person(), at=NOW)
    assert isinstance(made, Export)
    assert not ExportOrder.objects.exists()


def test_a_worker_is_woken_after_the_commit(
    desk: Desk,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    woken: list[str] = []
    monkeypatch.setattr(tasks.make_exports, "apply_async", lambda **_: woken.append("export"))
    with django_capture_on_commit_callbacks(execute=True):
        ordered(desk, project)
        assert not woken
    assert woken == ["export"]
    assert not Export.objects.exists()


@pytest.mark.parametrize("format_", [ExportFormat.CSV, ExportFormat.BUNDLE])
def test_a_worker_makes_the_same_file_that_is_made_at_once(desk: Desk, project: Project, format_: ExportFormat) -> None:
    order = ordered(desk, project, format_)
    export_orders.work(clock=lambda: NOW)
    order.refresh_from_db()
    assert order.export is not None
    assert order.job is not None
    assert (order.job.state, order.export.created_by, order.problem) == (JobState.DONE, order.created_by, "")
    assert (order.export.source_count, order.read == order.expected > 0) == (SOURCES, True)
    assert place_of(order.export.sha256).is_file()
    at_once = exporting.build(wanted(project, format_), by=None, at=NOW)
    assert at_once.sha256 == order.export.sha256
    export_orders.work(clock=lambda: NOW)
    assert Export.objects.count() == 2


def test_the_same_wish_twice_is_one_order_until_its_file_is_made(desk: Desk, project: Project) -> None:
    first = ordered(desk, project)
    assert ordered(desk, project) == first
    assert ordered(desk, project, ExportFormat.RIS) != first
    export_orders.work(clock=lambda: NOW)
    assert ordered(desk, project) != first


def test_what_a_dead_worker_left_is_begun_anew_when_its_lease_is_over(desk: Desk, project: Project) -> None:
    order = ordered(desk, project)
    assert jobs.claim(kind=export_orders.KIND, limit=1, at=NOW, lease_s=export_orders.LEASE_S).items
    export_orders.work(clock=lambda: NOW)
    assert not Export.objects.exists()  # it is in other hands
    later = NOW + timedelta(seconds=export_orders.LEASE_S + 1)
    assert jobs.sweep(kind=export_orders.KIND, at=later) == [order.job_id]
    export_orders.work(clock=lambda: later)
    order.refresh_from_db()
    assert order.export == Export.objects.get()


def test_a_worker_who_lost_its_lease_records_nothing(
    desk: Desk, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, later = ordered(desk, project), NOW + timedelta(minutes=5)
    real = csv_table.stream

    def taken_over(*given: Any) -> Iterable[str]:
        assert jobs.claim(kind=export_orders.KIND, limit=1, at=later, lease_s=60).items
        return real(*given)

    monkeypatch.setattr(csv_table, "stream", taken_over)
    export_orders.work(clock=lambda: NOW)
    order.refresh_from_db()
    assert (order.export, order.problem, Export.objects.count()) == (None, "", 0)
    assert JobItem.objects.get(job=order.job).outcome == ""


def test_three_dead_workers_are_told(desk: Desk, project: Project) -> None:
    order = ordered(desk, project)
    for hour in range(jobs.ATTEMPTS):
        assert jobs.claim(kind=export_orders.KIND, limit=1, at=NOW + timedelta(hours=hour), lease_s=60).items
    export_orders.work(clock=lambda: NOW + timedelta(hours=9))
    order.refresh_from_db()
    assert "Make it again" in order.problem
    assert "Make it again" in desk.client(Role.READER).get(reverse("export-order", args=[order.uuid])).content.decode()


def test_who_left_the_workspace_gets_no_file(desk: Desk, project: Project) -> None:
    order = ordered(desk, project)
    Membership.objects.filter(user=order.created_by).delete()
    export_orders.work(clock=lambda: NOW)
    order.refresh_from_db()
    assert order.export is None
    assert "member" in order.problem


def test_a_page_shows_how_far_it_is_and_then_the_file(desk: Desk, project: Project) -> None:
    reader: Client = desk.client(Role.READER)
    answer = reader.post(f"/p/{project.uuid}/exports/", {"format": "bundle"})
    order = ExportOrder.objects.get()
    place = reverse("export-order", args=[order.uuid])
    assert (answer.status_code, answer.headers["Location"]) == (302, place)
    export_orders.tell(order_id=order.pk, reading=Reading(read=7, expected=40))
    part = reader.get(place, headers=HTMX).content.decode()
    assert "<html" not in part
    assert 'max="40" value="7"' in part
    assert f'hx-get="{place}"' in part
    export_orders.work(clock=lambda: NOW)
    done = reader.get(place, headers=HTMX).content.decode()
    assert "hx-trigger" not in done
    assert f'href="/exports/{Export.objects.get().uuid}/file/"' in done


def test_a_list_is_found_anew_by_its_query(desk: Desk, project: Project) -> None:
    reader = desk.client(Role.READER)
    reader.post("/sources/export/?q=Tide", {"format": "csv"})
    SourceFactory(workspace=desk.workspace, title="Quay")
    SourceFactory(workspace=desk.workspace, title="Tide of tomorrow")
    export_orders.work(clock=lambda: NOW)
    export = Export.objects.get()
    assert (export.query, export.source_count) == ("q=Tide", SOURCES + 1)


def test_readers_do_not_see_how_far_internal_files_are(desk: Desk, project: Project) -> None:
    desk.client(Role.CURATOR).post(f"/p/{project.uuid}/exports/", {"format": "csv", "internal": "on"})
    place = reverse("export-order", args=[ExportOrder.objects.get().uuid])
    assert desk.client(Role.READER).get(place).status_code == 403
    assert desk.client(Role.CURATOR).get(place).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_the_lease_is_kept_and_the_progress_told_while_a_file_is_written(
    desk: Desk, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, real, tell = ordered(desk, project), csv_table.stream, export_orders.tell
    beaten = threading.Event()
    monkeypatch.setattr(export_orders, "BEAT_S", 0.01)

    def told(**given: Any) -> None:
        tell(**given)
        beaten.set()

    def slow(sources: Any) -> Iterable[str]:
        yield from real(sources)
        beaten.clear()
        assert beaten.wait(30)

    monkeypatch.setattr(export_orders, "tell", told)
    monkeypatch.setattr(csv_table, "stream", slow)
    moments = (NOW + timedelta(seconds=50 * number) for number in count())
    export_orders.work(clock=lambda: next(moments))
    order.refresh_from_db()
    assert order.export is not None
    assert order.read == order.expected == SOURCES
