"""`manage.py gate`: a file or a draft against real sockets on loopback, in five forms, with an exit code each."""

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from provenance_site.accounts.roles import Role
from sources.core.findings import Cause, Verdict
from sources.models import Project, Section
from sources.services import corpora
from sources.services.corpora import KeptFinding
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ProjectFactory
from tests.fakes.loopback import Loopback, Reply, Request, reply
from tests.fakes.world import ARTICLE
from tests.unit.validation.shipping import draft_of
from validation.models import ShipCheck

pytestmark = pytest.mark.django_db

# A host each, since a host is asked one thing at a time.
HOSTS = [f"gazette-{number}.sample.localhost" for number in range(1, 12)]
GONE = HOSTS[10]


def publisher(request: Request) -> Reply:
    host = request.headers["host"].partition(":")[0]
    if host == GONE:
        return reply(b"<title>Not found</title><p>Nothing here.</p>", status="404 Not Found")
    title = f"Harbour survey of {host}"
    body = f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{ARTICLE}</p></main></body></html>"
    return reply(body.encode(), "Content-Type: text/html; charset=utf-8")


@pytest.fixture
def port(settings: Any) -> Iterator[int]:
    with Loopback(publisher) as server:
        settings.SAMPLE_HOSTS, settings.SAMPLE_PORT = tuple(HOSTS), server.port
        yield server.port


@pytest.fixture
def project(desk: Desk, port: int) -> Project:
    """The pages of all eleven houses in one corpus, src-001 to src-011; the last one is gone by now."""
    made: Project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    section = Section.objects.create(project=made, slug="market", title="Market")
    findings = [
        KeptFinding(
            url=f"http://{host}:{port}/survey",
            title=f"Harbour survey of {host}",
            verdict=Verdict.VERIFIED_ACCESSIBLE,
            cause=Cause.CONTENT,
            fetched_at=NOW,
        )
        for host in HOSTS
    ]
    corpora.keep(project=made, section=section, findings=findings, by=desk.person(), at=NOW)
    return made


def cites(*numbers: int) -> str:
    return "\n\n".join(f"Boats came in the year. [src-{number:03d}]" for number in numbers)


def run(*arguments: object) -> tuple[int, str]:
    """The exit code of the command and what it printed on standard output."""
    said = io.StringIO()
    try:
        call_command("gate", *map(str, arguments), stdout=said, stderr=io.StringIO())
    except SystemExit as ended:
        return int(ended.code or 0), said.getvalue()
    except CommandError as refused:
        return refused.returncode, str(refused)
    raise AssertionError("the command exits with the decision")


@pytest.mark.parametrize(
    ("numbers", "code", "headline"),
    [
        (range(1, 3), 0, "memo.md: accept. 2 of 2 verified (100.0 %)."),
        (range(1, 12), 1, "memo.md: investigate. 10 of 11 verified (90.9 %)."),
        (range(10, 12), 2, "memo.md: block. 1 of 2 verified (50.0 %)."),
    ],
)
def test_the_exit_code_is_the_decision_and_no_worker_is_needed(
    project: Project, tmp_path: Path, numbers: range, code: int, headline: str
) -> None:
    file = tmp_path / "memo.md"
    file.write_text(cites(*numbers), encoding="utf-8")
    exit_code, said = run(file, "--project", project.name, "--path", "texts/memo.md")
    assert (exit_code, said.splitlines()[-1]) == (code, headline)
    assert ShipCheck.objects.get().as_decision is not None
    if code:
        line = 2 * len(numbers) - 1
        assert (
            f"texts/memo.md:{line}:25: {'error' if code == 2 else 'warning'} link-not-verified: http://{GONE}" in said
        )


def test_a_draft_is_named_by_its_name_and_its_newest_version_is_checked(desk: Desk, project: Project) -> None:
    draft_of(desk, project, f"{cites(1)}\n\nAnd [one](https://else.org/).")
    code, said = run("Memo", "--project", project.name)
    assert code == 2
    assert "memo-v1.md:3:" in said
    assert "open-marker" in said
    assert ShipCheck.objects.get().version is not None


def test_each_form_is_what_its_readers_read(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "memo.md"
    file.write_text(f"{cites(1)}\n\nAnd [one](https://else.sample.localhost/).", encoding="utf-8")
    told = {
        form: run(file, "--project", project.name, "--format", form, "--path", "memo.md")
        for form in ("text", "json", "junit", "sarif", "github")
    }
    assert {code for code, _ in told.values()} == {2}
    assert json.loads(told["json"][1])["decision"] == "block"
    suites = ElementTree.fromstring(told["junit"][1])  # noqa: S314
    assert len(suites.findall("testsuite/testcase/failure")) >= 2
    places = [
        (one["ruleId"], one["locations"][0]["physicalLocation"]["region"]["startLine"])
        for one in json.loads(told["sarif"][1])["runs"][0]["results"]
    ]
    assert ("link-outside-corpus", 3) in places
    assert "::error file=memo.md,line=3,col=5,title=Ship gate%3A link-outside-corpus::" in told["github"][1]


def test_a_report_is_written_to_a_file_with_its_folder(project: Project, tmp_path: Path) -> None:
    file, out = tmp_path / "memo.md", tmp_path / "reports" / "gate.xml"
    file.write_text(cites(1), encoding="utf-8")
    assert run(file, "--project", project.name, "--format", "junit", "--out", out) == (0, "")
    assert out.read_text(encoding="utf-8").startswith("<?xml")


def test_a_text_without_a_link_is_blocked_and_says_what_to_do(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "memo.md"
    file.write_text("Nobody is cited.", encoding="utf-8")
    code, said = run(file, "--project", project.name)
    assert code == 2
    assert "Cite sources of the corpus by their ids." in said


def test_what_cannot_be_checked_exits_with_2_and_the_way_out(desk: Desk, project: Project, tmp_path: Path) -> None:
    file = tmp_path / "memo.md"
    file.write_bytes(b"")
    assert run(file, "--project", project.name) == (2, "The document is empty. Give the finished Markdown text.")
    code, said = run(file, "--project", "No such memo")
    assert code == 2
    assert "Projects: Harbour memo" in said
    code, said = run(tmp_path / "missing.md", "--project", project.name)
    assert code == 2
    assert "There is no file" in said
    file.write_bytes(b"\xff\xfe\x00\xd8binary\x00\x01")
    assert run(file, "--project", project.name)[0] == 2
    assert run(tmp_path, "--project", project.name)[0] == 2
    assert run("潮" * 120, "--project", project.name)[0] == 2  # longer than any file's name
    file.write_text(cites(1), encoding="utf-8")
    reader = desk.person(role=Role.READER)
    code, said = run(file, "--project", project.name, "--as", reader.username)
    assert (code, "Name a curator with --as" in said) == (2, True)
    assert not ShipCheck.objects.exists()


def test_a_report_that_cannot_be_written_exits_with_2(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "memo.md"
    file.write_text(cites(1), encoding="utf-8")
    assert run(file, "--project", project.name, "--out", file / "below.xml")[0] == 2


@pytest.mark.parametrize("form", ["text", "json", "junit", "sarif", "github"])
def test_a_file_of_whatever_name_is_checked(project: Project, tmp_path: Path, form: str) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/me\xffmo\n::error::x.md"))
    file.write_text(cites(1), encoding="utf-8")
    code, said = run(file, "--project", project.name, "--format", form)
    assert code == 0
    assert said.encode()
    assert "\n::error::x" not in said
