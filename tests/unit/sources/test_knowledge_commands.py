"""`observe`, `cite`, `show`, `source …` and `chunks ingest`: what they print and how they end."""

import io
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.models import Chunk, Observation, Project, Source
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    SessionFactory,
    SourceFactory,
    TurnFactory,
    TurnSourceFactory,
)
from tests.unit.sources.disturbance import everything

pytestmark = pytest.mark.django_db


def run(command: str, *arguments: object) -> str:
    said = io.StringIO()
    call_command(command, *map(str, arguments), stdout=said, stderr=io.StringIO())
    return said.getvalue()


def refused(command: str, *arguments: object) -> str:
    before = everything()
    with pytest.raises(CommandError) as gave_up:
        run(command, *arguments)
    assert gave_up.value.returncode == 2
    assert everything() == before
    return str(gave_up.value)


@pytest.fixture
def project(desk: Desk) -> Project:
    """A project whose last turn retrieved two documents."""
    made: Project = ProjectFactory(workspace=desk.workspace, name="Quay memo")
    began = timezone.now() - timedelta(minutes=5)
    turn = TurnFactory(session=SessionFactory(project=made), started_at=began)
    store = {"turn": turn, "store": "sparqlset.db", "chunk_count": 3}
    TurnSourceFactory(
        **store, position=1, path="sparql-spec.md", lines="45–72", title="SPARQL 1.1", locator="10.5555/sparql"
    )
    TurnSourceFactory(**store, position=2, path="example-queries.go", lines="12–30")
    return made


def test_concepts_of_a_project_are_added_taken_away_and_printed(project: Project) -> None:
    assert run("concepts", "--project", "Quay memo", "--add", "tides", "--add", "ebb") == "ebb\ntides\n"
    assert run("concepts", "--project", "Quay memo", "--remove", "ebb") == "tides\n"
    assert run("concepts", "--project", "Quay memo") == "tides\n"
    assert refused("concepts", "--project", "Pier memo") == "There is no project 'Pier memo'. Projects: Quay memo"
    assert "at most 500" in refused("concepts", "--project", "Quay memo", "--add", "x" * 501)


# -- observe, cite, show -----------------------------------------------------------------------------------------------

OFFER = (
    "Observation recorded (id={}).\n"
    "RAG retrieved 3 chunks from sparqlset.db this turn.\n"
    "  Source: sparql-spec.md (doi:10.5555/sparql)\n"
    "  Source: example-queries.go\n"
)


def test_an_observation_is_recorded_and_its_turn_s_documents_offered(project: Project) -> None:
    said = run("observe", "Federation needs SERVICE blocks.", "--project", "Quay memo", "--kind", "finding")
    row = Observation.objects.get()
    assert said == OFFER.format(row.pk) + "Not linked: give --link to link this observation to these sources.\n"
    assert (row.kind, row.project, row.source_links.count()) == ("finding", project, 0)
    assert ChangeSet.objects.get().channel == Channel.COMMAND


def test_with_link_they_are_linked_and_shown(project: Project) -> None:
    said = run("observe", "Federation needs SERVICE blocks.", "--project", "Quay memo", "--kind", "finding", "--link")
    row = Observation.objects.get()
    assert said == OFFER.format(row.pk) + "Linked to 2 sources (retrieved).\n"
    assert run("show", row.pk) == (
        f"Observation #{row.pk} [finding] ({row.created_at:%Y-%m-%d %H:%M:%S})\n"
        "  Federation needs SERVICE blocks.\n"
        "\n"
        "Sources:\n"
        "  [1] SPARQL 1.1 (doi:10.5555/sparql) — retrieved\n"
        "  [2] example-queries.go — retrieved\n"
    )


@pytest.mark.parametrize(("answer", "links"), [("\n", 2), ("y\n", 2), ("n\n", 0)])
def test_a_terminal_is_asked(project: Project, monkeypatch: pytest.MonkeyPatch, answer: str, links: int) -> None:
    stdin = io.StringIO(answer)
    monkeypatch.setattr(stdin, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", stdin)
    assert "Link this observation to these sources? [Y/n] " in run("observe", "Text.", "--project", "Quay memo")
    assert Observation.objects.get().source_links.count() == links


def test_without_a_turn_nothing_is_offered(desk: Desk) -> None:
    ProjectFactory(workspace=desk.workspace, name="Other")
    assert re.fullmatch(r"Observation recorded \(id=\d+\)\.\n", run("observe", "Text.", "--project", "Other"))


def test_an_observation_may_come_from_standard_input(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Two\nlines.\n")))
    run("observe", "-", "--project", "Quay memo", "--concept", "tides", "--concept", "ebb", "--no-link")
    row = Observation.objects.get()
    assert row.body == "Two\nlines."
    assert sorted(row.concepts.values_list("name", flat=True)) == ["ebb", "tides"]


def test_what_cannot_be_observed_is_refused(project: Project) -> None:
    assert "says something" in refused("observe", " ", "--project", "Quay memo")
    assert "Projects: Quay memo" in refused("observe", "Text.", "--project", "Nowhere")


def test_cite_takes_the_newest_observation_unless_one_is_named(desk: Desk, project: Project) -> None:
    older = ObservationFactory(project=project)
    newest = ObservationFactory(project=project, created_at=NOW + timedelta(days=1))
    source = SourceFactory(workspace=desk.workspace, title="Tide tables")
    told = f"Observation {newest.pk} rests on source {source.pk} (cited): Tide tables\n"
    assert run("cite", source.pk) == told
    assert run("cite", source.pk) == "Already so: o" + told[1:]
    run("cite", source.pk, "--obs", older.pk)
    assert older.source_links.get().relationship == "cited"
    assert "  [1] Tide tables (https://harbour.example/" in run("show", newest.pk)


def test_a_retracted_source_is_marked_and_warned_of(desk: Desk, project: Project) -> None:
    row = ObservationFactory(project=project)
    source = SourceFactory(workspace=desk.workspace, untraceable=True, title="Tide tables")
    run("cite", source.pk)
    assert run("source", "retract", source.pk, "--note", "Figures invented") == (
        "Marked retracted: Tide tables [RETRACTED]\n1 observation rests on it.\n"
    )
    assert run("show", row.pk).endswith(
        "Sources:\n  [1] Tide tables — cited [RETRACTED]\n⚠ Source 1 is marked retracted: “Figures invented”\n"
    )


def test_numbers_of_another_workspace_are_not_there(desk: Desk, other_desk: Desk, project: Project) -> None:
    foreign = ObservationSourceFactory(observation__project__workspace=other_desk.workspace)
    here = ("--workspace", desk.workspace.name)
    assert "no observation" in refused("show", foreign.observation_id, *here)
    assert "no source" in refused("cite", foreign.source_id, *here)
    assert "no observation yet" in refused("cite", SourceFactory(workspace=desk.workspace).pk, *here)
    assert "several workspaces" in refused("show", foreign.observation_id)


def test_a_reader_may_not(desk: Desk, project: Project) -> None:
    name = desk.person(Role.READER).username
    assert "may not observe" in refused("observe", "Text.", "--project", "Quay memo", "--as", name)


# -- source ------------------------------------------------------------------------------------------------------------


def test_a_source_is_added_listed_shown_and_removed(desk: Desk) -> None:
    said = run("source", "add", "doi:10.5555/TIDES.1", "--title", "Tide tables", "--date", "2024", "--rights", "CC0")
    row = Source.objects.get()
    assert said == f"Source recorded (id={row.pk}).\n"
    assert (row.identifier_value, row.published_date, row.rights) == ("10.5555/tides.1", "2024", "CC0")
    assert run("source", "add", "https://doi.org/10.5555/tides.1", "--title", "Else") == (
        f"Known already (id={row.pk}): Tide tables (doi:10.5555/tides.1)\n"
    )
    assert run("source", "list") == f"{row.pk:>6}  Tide tables (doi:10.5555/tides.1)\n1 source.\n"
    assert "  Published: 2024\n  Rights: CC0\n" in run("source", "show", row.pk)
    assert run("source", "remove", row.pk) == (
        "Removed: Tide tables (doi:10.5555/tides.1). The History page can bring it back.\n"
    )
    assert not Source.objects.exists()


def test_an_addition_is_taken_back_unless_something_rests_on_it(desk: Desk, project: Project) -> None:
    run("source", "add", "--title", "Tide tables")
    run("source", "add", "--title", "Tide tables")
    first, second = ChangeSet.objects.order_by("pk")
    used = Source.objects.order_by("pk")[0]
    ObservationSourceFactory(observation__project=project, source=used)
    assert changes.undo(change_set=first, by=desk.person(), at=NOW).skipped == ("“Tide tables” is used by now",)
    assert changes.undo(change_set=second, by=desk.person(), at=NOW).undone == 1
    assert list(Source.objects.all()) == [used]


def test_what_names_no_source_is_refused(desk: Desk) -> None:
    assert "an address or a title" in refused("source", "add")
    assert "javascript" in refused("source", "add", "javascript:alert(1)", "--title", "x")
    assert "no source 7777" in refused("source", "show", "7777")


def test_a_source_that_observations_rest_on_is_not_removed(desk: Desk, project: Project) -> None:
    link = ObservationSourceFactory(observation__project=project, observation__body="Boats rose.")
    said = refused("source", "remove", link.source_id)
    assert f"1 observation rests on it: #{link.observation_id} [note] “Boats rose.”" in said


def test_the_list_is_narrowed_and_cut(desk: Desk) -> None:
    SourceFactory(workspace=desk.workspace, title="Ebb tables")
    SourceFactory(workspace=desk.workspace, title="Ebb charts")
    SourceFactory(workspace=desk.workspace, title="Quays", retracted=True)
    assert run("source", "list", "ebb", "CHARTS").count("\n") == 2
    assert run("source", "list", "--limit", "1").endswith("1 of 3 sources.\n")
    assert "Quays" in run("source", "list", "--retracted")
    assert "[RETRACTED]" in run("source", "list", "--retracted")


def test_what_a_title_holds_cannot_move_the_cursor(desk: Desk) -> None:
    SourceFactory(workspace=desk.workspace, title="Tide\x1b[2J\ntables", untraceable=True)
    said = run("source", "list")
    assert "\x1b" not in said
    assert "Tide [2J tables" in said


# -- chunks ------------------------------------------------------------------------------------------------------------


def test_a_file_is_taken_into_a_store_and_a_change_is_warned_of(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "tides.md"
    file.write_text("# Rise\nIt rises.\n\n# Fall\nIt falls.\n")
    about = ("--store", "harbour", "--doi", "10.5555/tides.1", "--version", "2", "--rights", "CC0")
    said = run("chunks", "ingest", file, *about)
    source = Source.objects.get()
    assert said == (f"{file} in harbour: 2 added, 0 replaced, 0 removed, 0 unchanged.\nSource: {source.pk} tides\n")
    assert set(Chunk.objects.values_list("source_doi", "source_title", "source_version", "rights")) == {
        ("10.5555/tides.1", "tides", "2", "CC0")
    }
    file.write_text("# Rise\nIt rose.\n")
    said = run("chunks", "ingest", file, "--store", "harbour")
    assert "0 added, 1 replaced, 1 removed, 0 unchanged." in said
    assert "Warning: Cached chunks of" in said


def test_what_cannot_be_taken_in_names_the_option(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "tides.md"
    file.write_text("It rises.")
    assert refused("chunks", "ingest", file, "--store", "x", "--doi", "hello").startswith("doi: ")
    assert refused("chunks", "ingest", tmp_path / "none.md", "--store", "x").endswith("Check the path.")


def test_a_project_names_the_workspace(desk: Desk, other_desk: Desk, tmp_path: Path) -> None:
    ProjectFactory(workspace=other_desk.workspace, name="Theirs")
    file = tmp_path / "tides.md"
    file.write_text("It rises.")
    run("chunks", "ingest", file, "--store", "x", "--project", "Theirs")
    assert Chunk.objects.get().store.workspace == other_desk.workspace
