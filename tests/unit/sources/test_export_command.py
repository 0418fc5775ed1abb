"""`manage.py export_sources`: every file, recorded as by its page."""

import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from sources.core.export_formats import ExportFormat
from sources.core.kinds import Sensitivity
from sources.models import Export, Project
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, CitationFactory, SectionFactory, SourceFactory
from tests.unit.sources.lists import project_at

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


@pytest.fixture
def project(desk: Desk) -> Project:
    """Two sources in one section; one is internal."""
    project = project_at(desk)
    section = SectionFactory(project=project, slug="02-market")
    for sensitivity in Sensitivity:
        source = SourceFactory(workspace=desk.workspace, sensitivity=sensitivity)
        CitationFactory(entry=CatalogEntryFactory(project=project, source=source), section=section)
    return project


def said(*arguments: object) -> str:
    errors = io.StringIO()
    call_command("export_sources", *map(str, arguments), stdout=io.StringIO(), stderr=errors)
    return errors.getvalue()


@pytest.mark.parametrize("format_", ExportFormat)
def test_every_file_can_be_made_and_is_recorded(project: Project, tmp_path: Path, format_: ExportFormat) -> None:
    section = "02-market" if format_.needs_section else ""
    out = tmp_path / "made"
    told = said("--project", project.name, "--format", format_, "--section", section, "--out", out)
    export = Export.objects.get()
    assert hashlib.sha256(out.read_bytes()).hexdigest() == export.sha256
    assert (export.created_by, export.is_external, export.left_out) == (None, True, 1)
    assert f"1 internal left out; SHA-256 {export.sha256}" in told
    assert f"Wrote {out}" in told


def test_internal_sources_go_in_where_the_owner_says_so(project: Project, tmp_path: Path) -> None:
    said("--project", project.name, "--format", "csv", "--internal", "--out", tmp_path / "all.csv")
    export = Export.objects.get()
    assert (export.is_external, export.source_count, export.left_out) == (False, 2, 0)


def test_without_out_it_gets_its_own_name(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said("--project", project.name, "--format", "bundle")
    assert zipfile.ZipFile(tmp_path / "Harbour-memo-sources.zip").testzip() is None


def test_a_missing_section_is_said_with_those_there_are(project: Project) -> None:
    with pytest.raises(CommandError, match="“02-market”") as refused:
        said("--project", project.name, "--format", "best-sources", "--out", "-")
    assert refused.value.returncode == 2
    assert Export.objects.count() == 0


def test_what_a_filter_finds_is_a_file_with_or_without_a_project(desk: Desk, project: Project, tmp_path: Path) -> None:
    SourceFactory(workspace=desk.workspace, title="Tide tables of the outer basin", publisher="Quay")
    out = tmp_path / "list.csv"
    said("--query", "?publisher=Quay", "--format", "csv", "--out", out)
    assert "Tide tables of the outer basin" in out.read_text()
    export = Export.objects.get()
    assert (export.project, export.query, export.source_count) == (None, "publisher=Quay", 1)
    said("--query", f"project={project.uuid}", "--format", "csv", "--out", out)
    assert Export.objects.latest("pk").project == project


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ([], "--project, or give the --query"),
        (["--project", "Nowhere"], "There is no project"),
        (["--query", "verdict=cosmic"], "not known"),
        (["--query", "q=x", "--workspace", "Nowhere"], "There is no workspace"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_way_out(project: Project, asked: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told) as refused:
        said(*asked, "--format", "csv", "--out", "-")
    assert refused.value.returncode == 2
