"""`manage.py run_report`: the report from a terminal, with an exit code for pipelines on request."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from sources.core.findings import Verdict
from tests.desk import Desk
from tests.unit.validation.reports import keep_inside, project_of, run_of

pytestmark = pytest.mark.django_db


def run(*arguments: object) -> tuple[int, str]:
    """The exit code of the command and what it printed on standard output."""
    said = io.StringIO()
    try:
        call_command("run_report", *map(str, arguments), stdout=said, stderr=io.StringIO())
    except SystemExit as ended:
        return int(ended.code or 0), said.getvalue()
    return 0, said.getvalue()


def test_the_report_of_a_project_is_printed_in_markdown(desk: Desk) -> None:
    run_of(project_of(desk, 2), Verdict.VERIFIED_ACCESSIBLE, Verdict.HARD_404)
    code, said = run("--project", "Harbour memo")
    assert code == 0
    assert said.startswith("# Project report — Harbour memo\n")
    assert "**Gate**: Block. 1 of 2 verified; less than 90 % blocks." in said


def test_a_run_is_named_by_the_uuid_of_its_address(desk: Desk) -> None:
    project = project_of(desk, 1)
    first = run_of(project, Verdict.FETCH_FAILED)
    run_of(project, Verdict.VERIFIED_ACCESSIBLE)
    told = json.loads(run("--project", "Harbour memo", "--run", first.job.uuid, "--format", "json")[1])
    assert (told["run"], told["gate"]["verified"]) == (str(first.job.uuid), 0)
    assert json.loads(run("--project", "Harbour memo", "--format", "json")[1])["run"] is None


def test_a_file_is_written_with_its_folder_and_the_same_bytes_each_time(desk: Desk, tmp_path: Path) -> None:
    run_of(project_of(desk, 1), Verdict.VERIFIED_ACCESSIBLE)
    paths = [tmp_path / "new" / name for name in ("a.csv", "b.csv")]
    for path in paths:
        assert run("--project", "Harbour memo", "--format", "csv", "--bom", "--out", path) == (0, "")
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].read_bytes().startswith(b'\xef\xbb\xbf"list","id"')


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([Verdict.VERIFIED_ACCESSIBLE] * 3, 0),
        ([Verdict.VERIFIED_ACCESSIBLE] * 10 + [Verdict.HARD_404], 1),
        ([Verdict.HARD_404], 2),
        ([], 2),
    ],
)
def test_the_gate_is_the_exit_code_where_it_is_asked_for(desk: Desk, verdicts: list[Verdict], code: int) -> None:
    run_of(project_of(desk, len(verdicts)), *verdicts)
    assert run("--project", "Harbour memo", "--exit-code")[0] == code
    assert run("--project", "Harbour memo")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--project", "Harbor memo"], "Projects: Harbour memo"),
        (["--project", "Harbour memo", "--run", "seven"], "takes the UUID in the address of the run's page"),
        (["--project", "Harbour memo", "--run", "00000000-0000-4000-8000-000000000000"], "Its newest runs: none yet"),
        (["--project", "Harbour memo", "--out", "/dev/null/report.md"], "Choose another --out"),
    ],
)
def test_a_refusal_says_the_way_out(desk: Desk, arguments: list[str], said: str) -> None:
    project_of(desk, 1)
    with pytest.raises(CommandError, match=said):
        run(*arguments)


def test_a_run_of_another_project_is_refused(desk: Desk) -> None:
    project_of(desk, 1)
    other = run_of(project_of(desk, 1, name="Other memo"), Verdict.THIN)
    with pytest.raises(CommandError, match="has no run"):
        run("--project", "Harbour memo", "--run", other.job.uuid)


def test_two_projects_of_one_name_are_told_apart_by_their_workspace(desk: Desk, other_desk: Desk) -> None:
    run_of(project_of(desk, 1), Verdict.THIN)
    project_of(other_desk, 0)
    with pytest.raises(CommandError, match="--workspace"):
        run("--project", "Harbour memo")
    assert "**Unique sources**: 1" in run("--project", "Harbour memo", "--workspace", desk.workspace.name)[1]


def test_internal_sources_stay_out_unless_they_are_asked_for(desk: Desk) -> None:
    project = project_of(desk, 2)
    run_of(project, Verdict.VERIFIED_ACCESSIBLE, Verdict.HARD_404)
    keep_inside(project, 2)
    said, warned = io.StringIO(), io.StringIO()
    call_command("run_report", "--project", "Harbour memo", "--format", "csv", stdout=said, stderr=warned)
    assert ("Harbour survey 2" in said.getvalue(), warned.getvalue()) == (False, "1 internal left out\n")
    assert run("--project", "Harbour memo", "--exit-code")[0] == 0
    code, text = run("--project", "Harbour memo", "--exit-code", "--internal")
    assert (code, "Harbour survey 2" in text) == (2, True)
