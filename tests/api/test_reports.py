"""The report on a run over JSON: what the file says, for a token of its workspace."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from sources.core.findings import Verdict
from tests.desk import Desk
from tests.unit.validation.reports import keep_inside, project_of, run_of

pytestmark = pytest.mark.django_db


def read(desk: Desk, path: str, role: Role = Role.READER) -> Any:
    _, secret = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {secret}"}).get(path)


def test_the_report_is_that_of_the_file(desk: Desk) -> None:
    run = run_of(project_of(desk, 3), Verdict.VERIFIED_ACCESSIBLE, Verdict.VERIFIED_VIA_REPUBLISH, Verdict.FETCH_FAILED)
    told = read(desk, f"/api/v1/runs/{run.job.uuid}/report")
    assert told.status_code == 200
    assert told.json() == json.loads(desk.client().get(f"/runs/{run.job.uuid}/report.json").content)
    assert told.json()["gate"]["headline"] == "2 of 3 verified; less than 90 % blocks"


def test_a_report_of_another_workspace_answers_like_one_that_never_existed(desk: Desk, other_desk: Desk) -> None:
    run = run_of(project_of(desk, 1), Verdict.THIN)
    foreign = read(other_desk, f"/api/v1/runs/{run.job.uuid}/report", Role.ADMIN)
    missing = read(other_desk, "/api/v1/runs/00000000-0000-4000-8000-000000000000/report", Role.ADMIN)
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


def test_no_report_without_a_token(desk: Desk) -> None:
    run = run_of(project_of(desk, 1), Verdict.THIN)
    assert Client().get(f"/api/v1/runs/{run.job.uuid}/report").status_code == 401


def test_the_schema_describes_the_report(desk: Desk) -> None:
    schema = desk.client().get("/api/v1/openapi.json").json()
    described = schema["components"]["schemas"]
    assert {"gate", "verified", "gated", "flagged", "dropped", "recovered"} <= set(described["ReportOut"]["properties"])
    assert "next_try_at" in described["EntryOut"]["properties"]


def test_internal_sources_are_counted_and_not_told(desk: Desk) -> None:
    project = project_of(desk, 2)
    run = run_of(project, Verdict.VERIFIED_ACCESSIBLE, Verdict.THIN)
    keep_inside(project, 2)
    path = f"/api/v1/runs/{run.job.uuid}/report"
    told = read(desk, path)
    assert (told.json()["left_out"], told.json()["gate"]["total"]) == (1, 1)
    assert b"Harbour survey 2" not in told.content
    assert read(desk, f"{path}?internal=true").status_code == 403
    whole = read(desk, f"{path}?internal=true", Role.CURATOR).json()
    assert (whole["left_out"], whole["gate"]["total"]) == (0, 2)
    assert [entry["title"] for entry in whole["flagged"]] == ["Harbour survey 2"]


def test_the_report_on_a_project_is_that_of_its_file(desk: Desk, other_desk: Desk) -> None:
    project = project_of(desk, 2)
    run_of(project, Verdict.VERIFIED_ACCESSIBLE, Verdict.THIN)
    keep_inside(project, 2)
    path = "/api/v1/report?project=Harbour%20memo"
    told = read(desk, path)
    assert told.json() == json.loads(desk.client().get(f"/p/{project.uuid}/report.json").content)
    assert (told.json()["run"], told.json()["left_out"]) == (None, 1)
    assert read(desk, f"{path}&internal=true").status_code == 403
    assert read(desk, f"{path}&internal=true", Role.CURATOR).json()["internal"] == 1
    assert read(other_desk, path, Role.ADMIN).status_code == 404
