"""`manage.py import_sources` and `export_sources`: the main job from a terminal, with exit codes for scripts."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.findings import Verdict
from sources.models import CatalogEntry, ImportBatch, Project, Source
from sources.queries.imports import Preview
from sources.reports.master_sources import Layout
from sources.services.exporting import master_sources_file
from tests.desk import Desk
from tests.unit.sources.disturbance import everything
from tests.unit.sources.findings import apply
from tests.unit.sources.lists import DRAFT, imported, project_at

pytestmark = pytest.mark.django_db
MIXED = "https://harbour.org/a\nhttp://www.harbour.org/a\nhttps://harbour.org/a\njavascript:alert(1)\n"


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    """A draft in a file."""
    path = tmp_path / "draft-1.md"
    path.write_text(DRAFT)
    return path


def run(command: str, *arguments: object) -> tuple[int, str]:
    """The exit code of the command and what it printed on standard output."""
    said = io.StringIO()
    try:
        call_command(command, *map(str, arguments), stdout=said, stderr=io.StringIO())
    except SystemExit as ended:
        return int(ended.code or 0), said.getvalue()
    return 0, said.getvalue()


def refused(command: str, *arguments: object) -> tuple[int, str]:
    """The exit code of a command that gives up, and what it says on standard error."""
    with pytest.raises(CommandError) as gave_up:
        run(command, *arguments)
    return gave_up.value.returncode, str(gave_up.value)


# -- import ------------------------------------------------------------------------------------------------------------


def test_a_file_is_imported_into_a_new_project(desk: Desk, draft: Path) -> None:
    assert run("import_sources", draft, "--project", "Harbour memo") == (
        0,
        "New: 3, Same under another spelling: 1\n"
        "Imported into Harbour memo: 3 new sources, 3 new in the project, 4 citations.\n",
    )
    assert (Project.objects.get().workspace, ImportBatch.objects.get().label) == (desk.workspace, "draft-1.md")
    deed = ChangeSet.objects.get()
    assert (deed.channel, deed.actor) == (Channel.COMMAND, desk.person(Role.ADMIN))


def test_the_same_file_again_adds_nothing(desk: Desk, draft: Path) -> None:
    run("import_sources", draft, "--project", "Harbour memo")
    code, said = run("import_sources", draft, "--project", "Harbour memo")
    assert code == 0
    assert "0 new sources, 0 new in the project, 0 citations" in said
    assert Source.objects.count() == CatalogEntry.objects.count() == 3


def test_unreadable_lines_are_named_with_their_number_and_give_exit_code_1(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(MIXED)
    code, said = run("import_sources", tmp_path / "list.txt", "--project", "Harbour memo", "--label", "spring")
    assert code == 1
    assert "New: 1, Same under another spelling: 1, Named again: 1, Unreadable: 1\n" in said
    assert "  line 4: “javascript:”" in said
    assert Source.objects.count() == 1
    assert ImportBatch.objects.get().label == "spring"


def test_an_entry_that_may_be_missing_gives_exit_code_1(
    desk: Desk, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Preview, "doubt", "Compare the rows with the file.")
    code, said = run("import_sources", draft, "--project", "Harbour memo")
    assert (code, "Warning: Compare the rows with the file.\n" in said) == (1, True)


def test_a_list_may_come_from_standard_input(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"https://harbour.org/a\n")))
    assert run("import_sources", "-", "--project", "Harbour memo")[0] == 0
    assert ImportBatch.objects.get().label == "standard input"


def test_a_dry_run_says_the_same_and_writes_nothing(desk: Desk, draft: Path) -> None:
    before = everything()
    code, said = run("import_sources", draft, "--project", "Harbour memo", "--dry-run")
    assert code == 0
    assert said == ("New: 3, Same under another spelling: 1\nNothing was written (--dry-run).\n")
    assert everything() == before


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"https://harbour.org/\xff\n", "Line 1"),
        (b"javascript:alert(1)\nfile:///etc/passwd\n", "No line names a source"),
    ],
    ids=["nothing in it", "an image", "not UTF-8", "no line that can be read"],
)
def test_what_cannot_be_imported_gives_exit_code_2_and_leaves_no_project(
    desk: Desk, tmp_path: Path, data: bytes, said: str
) -> None:
    (tmp_path / "list.md").write_bytes(data)
    before = everything()
    code, message = refused("import_sources", tmp_path / "list.md", "--project", "Harbour memo")
    assert code == 2
    assert said in message
    assert everything() == before


def test_a_file_that_is_not_there_gives_exit_code_2(desk: Desk, tmp_path: Path) -> None:
    code, message = refused("import_sources", tmp_path / "nothing.md", "--project", "Harbour memo")
    assert code == 2
    assert "nothing.md cannot be read: No such file or directory" in message


def test_a_person_can_be_named(desk: Desk, draft: Path) -> None:
    curator = desk.person(Role.CURATOR)
    run("import_sources", draft, "--project", "Harbour memo", "--as", curator.username)
    assert ChangeSet.objects.get().actor == curator


def test_a_reader_is_refused_in_a_sentence(desk: Desk, draft: Path) -> None:
    before = everything()
    _, message = refused(
        "import_sources", draft, "--project", "Harbour memo", "--as", desk.person(Role.READER).username
    )
    assert "needs the role curator" in message
    assert everything() == before


def test_of_several_workspaces_one_must_be_named(desk: Desk, other_desk: Desk, draft: Path) -> None:
    assert "--workspace" in refused("import_sources", draft, "--project", "Harbour memo")[1]
    run("import_sources", draft, "--project", "Harbour memo", "--workspace", "Stranger desk")
    assert Project.objects.get().workspace == other_desk.workspace


def test_a_stranger_is_refused_in_a_sentence(desk: Desk, draft: Path) -> None:
    assert "'nobody' is no member" in refused("import_sources", draft, "--project", "x", "--as", "nobody")[1]


def test_a_password_is_not_printed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://anna:hunter2@harbour.org/a\nftp://anna:hunter2@harbour.org/b\n")
    code, said = run("import_sources", tmp_path / "list.txt", "--project", "Harbour memo")
    assert code == 1
    assert "line 2" in said
    assert "hunter2" not in said


def test_nothing_that_acts_on_a_terminal_is_printed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://harbour.org/a\n\x1b[2Jjavascript:\x1b]0;x\x07\n")
    said = run("import_sources", tmp_path / "list.txt", "--project", "Harbour memo")[1]
    assert "line 2" in said
    assert all(sign.isprintable() or sign == "\n" for sign in said)


# -- export ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(desk: Desk) -> Project:
    """A project with three sources of which one was checked."""
    project = project_at(desk)
    imported(desk, DRAFT, project=project)
    apply(Source.objects.get(identifier_value="https://harbour.org/survey"), Verdict.VERIFIED_ACCESSIBLE)
    return project


@pytest.mark.parametrize("layout", Layout)
def test_the_file_holds_the_very_bytes_of_the_download(project: Project, tmp_path: Path, layout: Layout) -> None:
    out = tmp_path / "new folder" / "sources.md"
    assert run("export_sources", "--project", project.name, "--format", f"master-{layout}", "--out", out) == (0, "")
    assert out.read_bytes() == master_sources_file(project=project, layout=layout, by=None).encode()


def test_it_can_be_printed(project: Project) -> None:
    assert run("export_sources", "--project", project.name, "--out", "-") == (
        0,
        master_sources_file(project=project, layout=Layout.VERDICT, by=None),
    )


def test_without_out_it_is_written_where_one_stands(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("export_sources", "--project", project.name)
    assert (tmp_path / "Master-Sources.md").read_text().startswith("# Master Sources — Harbour memo\n")


def test_an_unknown_project_is_said_with_those_there_are(project: Project) -> None:
    code, message = refused("export_sources", "--project", "Gulf memo", "--out", "-")
    assert (code, message) == (2, "There is no project 'Gulf memo'. Projects: Harbour memo")


def test_a_name_that_two_workspaces_use_asks_which(project: Project, other_desk: Desk) -> None:
    project_at(other_desk, project.name)
    assert "--workspace" in refused("export_sources", "--project", project.name, "--out", "-")[1]
    said = run("export_sources", "--project", project.name, "--workspace", "Stranger desk", "--out", "-")[1]
    assert "**Unique sources**: 0\n" in said


def test_a_place_that_cannot_be_written_is_said(project: Project, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = refused("export_sources", "--project", project.name, "--out", tmp_path / "file" / "below.md")[1]
    assert "cannot be written" in message
    assert "--out" in message
