"""Files that are handed on: the right bytes, once, under their hash, recorded with what they rest on."""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from lineage.core.relations import EntityType, Relation
from lineage.models import Edge, Entity
from provenance_site.accounts.roles import Role
from sources.core.export_formats import ExportFormat
from sources.core.findings import Disposition, Verdict
from sources.core.kinds import Sensitivity
from sources.models import Export, Project, Source
from sources.services import exporting, review
from sources.services.export_files import place_of, spooled
from sources.services.export_writing import Wanted
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, ProjectFactory, SectionFactory, SourceFactory
from tests.unit.sources.findings import apply
from tests.unit.sources.lists import DRAFT, imported, project_at

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(minutes=5)
OF_A_LIST = [one for one in ExportFormat if not one.needs_project]


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """An export folder of the test's own."""
    settings.EXPORT_DIR = tmp_path / "exports"
    return tmp_path / "exports"


@pytest.fixture
def project(desk: Desk) -> Project:
    """Three sources, one of them internal and called canary, one dropped, one found again."""
    project = project_at(desk)
    imported(desk, DRAFT, project=project)
    survey, doi, gulf = Source.objects.order_by("entries__number")
    Source.objects.filter(pk=gulf.pk).update(
        sensitivity=Sensitivity.INTERNAL_ONLY, title="canary", identifier_value="https://canary.org/report"
    )
    apply(survey, Verdict.VERIFIED_VIA_REPUBLISH)
    apply(doi, Verdict.HARD_404)
    gulf.refresh_from_db()
    apply(gulf, Verdict.VERIFIED_VIA_REPUBLISH, requested_url="https://canary.org/report")
    return project


def wanted(project: Project, format_: ExportFormat, **more: object) -> Wanted:
    section = "market-context" if format_.needs_section else ""
    return Wanted(workspace_id=project.workspace_id, project=project, format=format_, section=section, **more)  # type: ignore[arg-type]


def content(export: Export) -> bytes:
    return exporting.file_for(export, by=None).read_bytes()


def readable(data: bytes) -> str:
    """All text of a file; of an archive, of every file in it."""
    if not data.startswith(b"PK"):
        return data.decode()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())


@pytest.mark.parametrize("format_", ExportFormat)
def test_an_export_is_a_row_a_file_under_its_hash_and_a_node(
    desk: Desk, project: Project, format_: ExportFormat
) -> None:
    person = desk.person(Role.READER)
    export = exporting.build(wanted(project, format_), by=person, at=LATER)
    data = content(export)
    assert Export.objects.get() == export
    assert export.sha256 == hashlib.sha256(data).hexdigest()
    assert (export.byte_count, export.created_by, export.created_at) == (len(data), person, LATER)
    assert (export.left_out, export.is_external, export.media_type) == (1, True, format_.media_type)
    assert export.entity is not None
    assert (export.entity.type, export.entity.content_hash) == (EntityType.FILE, export.sha256)


@pytest.mark.parametrize("format_", ExportFormat)
def test_no_internal_source_leaves_in_a_file_for_others(project: Project, format_: ExportFormat) -> None:
    external = readable(content(exporting.build(wanted(project, format_), by=None, at=LATER)))
    inside = exporting.build(wanted(project, format_, is_external=False), by=None, at=LATER)
    assert "canary" not in external
    assert "canary" in readable(content(inside))
    assert inside.left_out == 0


@pytest.mark.parametrize("format_", [one for one in ExportFormat if one.tells_left_out])
def test_the_file_itself_says_how_many_were_left_out(project: Project, format_: ExportFormat) -> None:
    told = readable(content(exporting.build(wanted(project, format_), by=None, at=LATER)))
    assert any("1" in line and ("left out" in line.lower() or "internal" in line.lower()) for line in told.splitlines())


@pytest.mark.parametrize("format_", ExportFormat)
def test_a_file_for_others_is_the_one_of_a_desk_that_never_had_the_internal_source(
    desk: Desk, project: Project, format_: ExportFormat
) -> None:
    """But for the lines that say that something was left out."""

    def told() -> list[str]:
        text = readable(content(exporting.build(wanted(project, format_), by=None, at=LATER)))
        return [line for line in text.splitlines() if line and not re.search(r"[Ll]eft out|nternal|^% ", line)]

    before = told()
    Source.objects.get(title="canary").entries.all().delete()
    assert told() == before


@pytest.mark.parametrize("format_", ExportFormat)
def test_the_same_state_gives_the_same_bytes_at_any_time(desk: Desk, project: Project, format_: ExportFormat) -> None:
    first = exporting.build(wanted(project, format_), by=desk.person(Role.READER), at=LATER)
    again = exporting.build(wanted(project, format_), by=desk.person(Role.ADMIN), at=LATER + timedelta(days=9))
    assert first.sha256 == again.sha256
    assert first != again
    assert first.entity == again.entity
    assert len([path for path in place_of(first.sha256).parent.iterdir() if path.name == first.sha256]) == 1


def test_a_button_that_is_pressed_twice_gives_one_export(desk: Desk, project: Project) -> None:
    asked = wanted(project, ExportFormat.BIBTEX)
    person = desk.person()
    first = exporting.build(asked, by=person, at=LATER)
    assert exporting.build(asked, by=person, at=LATER + timedelta(seconds=2)) == first
    assert exporting.build(asked, by=person, at=LATER + timedelta(minutes=1)) != first
    assert exporting.build(asked, by=desk.person(Role.ADMIN), at=LATER) != first


def test_a_file_rests_on_the_sources_that_stand_in_it_and_on_no_others(project: Project) -> None:
    memo = exporting.build(wanted(project, ExportFormat.MASTER_MEMO), by=None, at=LATER)
    everything = exporting.build(wanted(project, ExportFormat.CSV), by=None, at=LATER)
    kept = Source.objects.exclude(disposition=Disposition.DROP).exclude(title="canary")
    outside = Source.objects.exclude(title="canary")
    for export, sources in ((memo, kept), (everything, outside)):
        edges = Edge.objects.filter(from_entity=export.entity)
        assert {edge.relation for edge in edges} == {Relation.GENERATED_FROM}
        assert {edge.to_entity_id for edge in edges} == {source.entity_id for source in sources}
        assert export.source_count == len(sources)


def test_a_long_list_is_told_to_lineage_in_parts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sources.services.export_lineage._BATCH", 2)
    project = project_at(desk)
    imported(desk, "".join(f"https://harbour.org/{number}\n" for number in range(5)), project=project)
    export = exporting.build(wanted(project, ExportFormat.RIS), by=None, at=LATER)
    assert Edge.objects.filter(from_entity=export.entity).count() == 5


def test_a_source_without_a_node_does_no_harm(desk: Desk) -> None:
    entry = CatalogEntryFactory(project=project_at(desk))
    export = exporting.build(wanted(entry.project, ExportFormat.RIS), by=None, at=LATER)
    assert (export.source_count, Edge.objects.count()) == (1, 0)


def test_a_failed_export_leaves_no_file_and_no_row(
    project: Project, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Iterator[str]:
        yield "a beginning"
        raise OSError("no space left")

    monkeypatch.setattr("sources.reports.ris.stream", broken)
    with pytest.raises(OSError, match="no space"):
        exporting.build(wanted(project, ExportFormat.RIS), by=None, at=LATER)
    assert [path for path in folder.rglob("*") if path.is_file()] == []
    assert (Export.objects.count(), Entity.objects.filter(type=EntityType.FILE).count()) == (0, 0)


def test_an_empty_project_has_files_too(desk: Desk) -> None:
    project = project_at(desk)
    SectionFactory(project=project, slug="market-context")
    for format_ in ExportFormat:
        export = exporting.build(wanted(project, format_), by=None, at=LATER)
        assert export.source_count == 0
    assert json.loads(content(Export.objects.get(format=ExportFormat.CSL_JSON))) == []


def test_the_archive_holds_what_the_single_files_hold(project: Project) -> None:
    bundle = content(exporting.build(wanted(project, ExportFormat.BUNDLE), by=None, at=LATER))
    archive = zipfile.ZipFile(io.BytesIO(bundle))
    for format_, name in (
        (ExportFormat.MASTER_MEMO, "Master-Sources.md"),
        (ExportFormat.MASTER_VERDICT, "Master-Sources-by-verdict.md"),
        (ExportFormat.BEST_SOURCES, "Best-Sources/market-context.md"),
        (ExportFormat.SOURCED_CORPUS, "sourced_corpus/market-context.json"),
        (ExportFormat.CSV, "sources.csv"),
        (ExportFormat.RECOVERY_LOG, "recovery-log.json"),
        (ExportFormat.RUN_REPORT, "run-report.md"),
    ):
        single = content(exporting.build(wanted(project, format_), by=None, at=LATER))
        assert archive.read(name) == single, name
    assert "recovery-log.json" in archive.read("README.md").decode()


@pytest.mark.parametrize("format_", OF_A_LIST)
def test_some_sources_of_a_workspace_can_be_handed_on(desk: Desk, project: Project, format_: ExportFormat) -> None:
    SourceFactory(workspace=desk.workspace, title="Left in the registry")
    asked = Wanted(
        workspace_id=desk.workspace.pk,
        format=format_,
        chosen=Source.objects.filter(title__contains="survey"),
        query="q=survey",
    )
    export = exporting.build(asked, by=desk.person(Role.READER), at=LATER)
    text = readable(content(export))
    assert "harbour.example/new" in text or "Harbour survey" in text
    assert "Left in the registry" not in text
    assert (export.project, export.query, export.left_out) == (None, "q=survey", 0)


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", [ExportFormat.BEST_SOURCES, ExportFormat.SOURCED_CORPUS])
def test_an_unknown_section_is_named_with_those_there_are(project: Project, format_: ExportFormat) -> None:
    asked = Wanted(workspace_id=project.workspace_id, project=project, format=format_, section="budget")
    with pytest.raises(exporting.ExportRefused, match=r"no section “budget”.*“market-context”, “team”"):
        exporting.build(asked, by=None, at=LATER)


def test_a_section_of_another_project_is_none_of_this_one(desk: Desk, project: Project) -> None:
    SectionFactory(project=ProjectFactory(workspace=desk.workspace), slug="budget")
    asked = Wanted(
        workspace_id=project.workspace_id, project=project, format=ExportFormat.BEST_SOURCES, section="budget"
    )
    with pytest.raises(exporting.ExportRefused):
        exporting.build(asked, by=None, at=LATER)


def test_a_section_where_none_belongs_is_refused(project: Project) -> None:
    asked = Wanted(workspace_id=project.workspace_id, project=project, format=ExportFormat.RIS, section="team")
    with pytest.raises(exporting.ExportRefused, match="leave the section empty"):
        exporting.build(asked, by=None, at=LATER)


@pytest.mark.parametrize("format_", [one for one in ExportFormat if one.needs_project])
def test_what_tells_of_a_project_needs_one(desk: Desk, format_: ExportFormat) -> None:
    with pytest.raises(exporting.ExportRefused, match="choose a project"):
        exporting.build(Wanted(workspace_id=desk.workspace.pk, format=format_), by=None, at=LATER)


def test_a_reader_gets_no_internal_sources_and_a_stranger_nothing(
    desk: Desk, other_desk: Desk, project: Project
) -> None:
    inside = wanted(project, ExportFormat.CSV, is_external=False)
    reader = desk.person(Role.READER)
    with pytest.raises(PermissionDenied):
        exporting.build(inside, by=reader, at=LATER)
    export = exporting.build(inside, by=desk.person(Role.CURATOR), at=LATER)
    with pytest.raises(PermissionDenied):
        exporting.file_for(export, by=reader)
    with pytest.raises(PermissionDenied):
        exporting.table_of(inside, by=reader)
    for person in (other_desk.person(Role.ADMIN),):
        with pytest.raises(Http404):
            exporting.build(inside, by=person, at=LATER)
        with pytest.raises(Http404):
            exporting.file_for(export, by=person)
    assert Export.objects.count() == 1


def test_a_file_that_is_gone_is_said_with_the_way_out(project: Project) -> None:
    export = exporting.build(wanted(project, ExportFormat.CSV), by=None, at=LATER)
    place_of(export.sha256).unlink()
    with pytest.raises(exporting.FileGone, match="Build it again"):
        exporting.file_for(export, by=None)
    again = exporting.build(wanted(project, ExportFormat.CSV), by=None, at=LATER + timedelta(hours=1))
    assert content(again) == content(export)


@pytest.mark.parametrize("hostile", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_only_a_hash_names_a_file(hostile: str) -> None:
    with pytest.raises(ValueError, match="no SHA-256"):
        place_of(hostile)


def test_what_is_spooled_and_not_kept_is_gone() -> None:
    with spooled() as spool:
        spool.write(b"secret")
        assert spool.path.exists()
        assert spool.path.stat().st_mode & 0o077 == 0
    assert not spool.path.exists()


@pytest.mark.parametrize("name", ["Über/.. \\ memo", "con", "x" * 500, "\u202egnp.exe", "東京"])
def test_a_project_of_any_name_has_a_safe_file_name(desk: Desk, name: str) -> None:
    project = ProjectFactory(workspace=desk.workspace, name=name[:200])
    named = wanted(project, ExportFormat.BUNDLE).file_name
    assert named.endswith("-sources.zip")
    assert not set(named) & set('/\\:*?"<>|\u202e \n')
    assert len(named) <= 200


def test_a_table_of_a_list_is_sent_while_it_is_read_and_records_nothing(desk: Desk, project: Project) -> None:
    asked = Wanted(workspace_id=desk.workspace.pk, format=ExportFormat.CSV, chosen=Source.objects.all())
    pieces = exporting.table_of(asked, by=desk.person(Role.READER), bom=True)
    data = b"".join(pieces)
    assert data.startswith(b"\xef\xbb\xbf")
    assert (b"Harbour survey" in data, b"canary" in data) == (True, False)
    assert Export.objects.count() == 0


def test_decisions_of_people_are_in_the_file(desk: Desk, project: Project) -> None:
    source = Source.objects.get(title="Harbour survey")
    review.decide(
        source=source,
        given=review.Verdicted(review.DecisionKind.DROP, "Not about harbours."),
        seen=review.Seen.of(source),
        by=desk.person(Role.EDITOR),
        channel=review.Channel.PAGE,
        at=LATER,
    )
    text = readable(content(exporting.build(wanted(project, ExportFormat.SOURCES_MD), by=None, at=LATER)))
    assert "Not about harbours." in text.partition("## Examined and rejected")[2]
