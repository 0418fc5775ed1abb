"""Wherever a work is shown, what is told of its retraction stands beside it: a word of its own, and a picture."""

from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zipfile import ZipFile

import pytest
from bs4 import BeautifulSoup, Tag
from django.core.management import call_command

from provenance_site.accounts.roles import Role
from sources.core.export_formats import ExportFormat
from sources.core.findings import Verdict
from sources.core.identifiers import identify
from sources.core.kinds import PairReason, ReviewReason, UseKind
from sources.core.retraction import RetractionStatus
from sources.core.retraction_status import Nature, Provider
from sources.models import Chunk, Observation, Project, Source
from sources.services import registry, retraction_acknowledgements
from sources.services.retraction_records import record
from tests.api.test_duplicates import client as api_client
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    ChunkFactory,
    CitationFactory,
    DuplicatePairFactory,
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    ReviewItemFactory,
    SectionFactory,
    SourceFactory,
    SourcePartFactory,
    TurnFactory,
    TurnSourceFactory,
)
from tests.screens.test_exports import made
from tests.unit.sources.test_retraction_records import DOI, said
from tests.unit.validation.reports import run_of
from validation.models import CheckRun

pytestmark = pytest.mark.django_db

# What is said, and the word that stands on pages.
SAID: dict[str, tuple[list[Any], RetractionStatus]] = {
    "retracted": ([said(Nature.RETRACTED)], RetractionStatus.RETRACTED),
    "withdrawn": ([said(Nature.WITHDRAWN)], RetractionStatus.WITHDRAWN),
    "a concern": ([said(Nature.CONCERN)], RetractionStatus.CONCERN),
    "a part": ([said(Nature.PARTIAL)], RetractionStatus.PARTIAL),
    "providers that disagree": ([said(Nature.RETRACTED, provider=Provider.OPENALEX)], RetractionStatus.DISPUTED),
    "that its book fell": ([], RetractionStatus.AFFECTED),
}


def tell(case: str) -> RetractionStatus:
    """Has it said; gives the word that follows."""
    told, status = SAID[case]
    record(assertions=told, at=NOW)
    if not told:
        source = Source.objects.get(identifier_value=DOI)
        SourcePartFactory(part=source, whole__title="All silt", whole__retracted=True)
    return status


PAGES: dict[str, Callable[[Source, Project], str]] = {
    "the table of sources": lambda source, project: "/sources/",
    "a source": lambda source, project: f"/s/{source.uuid}/",
    "its versions": lambda source, project: f"/s/{source.uuid}/?part=versions",
    "its form": lambda source, project: f"/s/{source.uuid}/edit/",
    "the queue": lambda source, project: f"/queue/?source={source.uuid}",
    "duplicates": lambda source, project: "/duplicates/",
    "observations": lambda source, project: "/observations/",
    "an observation": lambda source, project: f"/o/{Observation.objects.get().uuid}/",
    "a search for a source to link": lambda source, project: f"/o/{Observation.objects.get().uuid}/?find=silt",
    "a project's observations": lambda source, project: f"/p/{project.uuid}/observations/",
    "a turn": lambda source, project: f"/sessions/{Observation.objects.get().turn.session_id}/",  # type: ignore[union-attr]
    "a document of a store": lambda source, project: _document(),
    "a project": lambda source, project: f"/p/{project.uuid}/",
    "a project's report": lambda source, project: f"/p/{project.uuid}/report/",
    "a check": lambda source, project: f"/runs/{CheckRun.objects.get().job.uuid}/",
    "a check's report": lambda source, project: f"/runs/{CheckRun.objects.get().job.uuid}/report/",
    "its node": lambda source, project: _of_lineage("entity", source),
    "what rests on its node": lambda source, project: _of_lineage("impact", source),
    "the nodes of which one is its own": lambda source, project: f"/lineage/?q={source.entity.ref.split('/')[-1]}",  # type: ignore[union-attr]
}


def _of_lineage(part: str, source: Source) -> str:
    assert source.entity is not None
    return f"/lineage/{part}/?{urlencode({'ref': source.entity.ref})}"


def _document() -> str:
    chunk = Chunk.objects.get()
    return f"/stores/{chunk.store_id}/document/?key={chunk.path_key}"


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


@pytest.fixture
def project(desk: Desk) -> Project:
    """A project in which a work is used in every way."""
    new = [registry.NewSource(identity=identify(DOI), title="Harbour silt and its causes")]
    registry.register_many(workspace_id=desk.workspace.pk, sources=new, at=NOW)
    source = Source.objects.get()
    project: Project = ProjectFactory(workspace=desk.workspace)
    entry = CatalogEntryFactory(project=project, source=source)
    CitationFactory(entry=entry, section=SectionFactory(project=project, slug="01-silt"))
    run_of(project, Verdict.VERIFIED_ACCESSIBLE)
    turn = TurnFactory(session__project=project)
    TurnSourceFactory(turn=turn, source=source, title="Harbour silt and its causes")
    observation = ObservationFactory(project=project, turn=turn)
    ObservationSourceFactory(observation=observation, source=source)
    ChunkFactory(store__workspace=desk.workspace, source=source)
    ReviewItemFactory(source=source, reason=ReviewReason.THIN)
    other = SourceFactory(workspace=desk.workspace, title="Harbour silt, and its causes")
    first, second = sorted((source, other), key=lambda one: one.pk)
    DuplicatePairFactory(workspace=desk.workspace, first=first, second=second, reason=PairReason.SIMILAR_TITLE)
    return project


def pictured(page: str, word: str) -> bool:
    """True where the word stands in a chip or a note that has a picture too."""
    for found in BeautifulSoup(page, "lxml").select(".chip, .note"):
        if isinstance(found, Tag) and word.lower() in found.get_text().lower() and found.find("svg"):
            return True
    return False


@pytest.mark.parametrize("case", SAID)
def test_every_page_that_shows_the_work_says_what_is_told_of_it(desk: Desk, project: Project, case: str) -> None:
    status = tell(case)
    source = Source.objects.get(identifier_value=DOI)
    client = desk.client(Role.CURATOR)
    silent = []
    for name, address in PAGES.items():
        answer = client.get(address(source, project), follow=True)
        assert answer.status_code == 200, name
        if not pictured(answer.content.decode(), status.word):
            silent.append(name)
    assert silent == []


FILES = [one for one in ExportFormat if one not in {ExportFormat.RECOVERY_LOG, ExportFormat.RUN_REPORT}]


@pytest.mark.parametrize("case", ["withdrawn", "a concern", "a part", "that its book fell"])
def test_every_file_that_leaves_says_what_is_told_of_the_work(desk: Desk, project: Project, case: str) -> None:
    status = tell(case)
    client = desk.client(Role.CURATOR)
    words = (status.label.lower(), status.keywords[-1], f'"{status.value}"', f"retraction: {status.value}")
    silent = []
    for one in FILES:
        export = made(client, project, format=one.value, **({"section": "01-silt"} if one.needs_section else {}))
        answer: Any = client.get(f"/exports/{export.uuid}/file/")
        data = b"".join(answer)
        if one is ExportFormat.BUNDLE:
            with ZipFile(BytesIO(data)) as packed:
                data = b"".join(packed.read(name) for name in packed.namelist())
        if not any(word in data.decode(errors="replace").lower() for word in words):
            silent.append(one.value)
    for form in ("md", "csv", "json"):
        text = client.get(f"/runs/{CheckRun.objects.get().job.uuid}/report.{form}").content.decode().lower()
        if not any(word in text for word in words):
            silent.append(f"a check's report.{form}")
    assert silent == []


@pytest.mark.parametrize("case", SAID)
def test_a_terminal_says_what_is_told_of_the_work(desk: Desk, project: Project, case: str) -> None:
    status = tell(case)
    source = Source.objects.select_related("entity").get(identifier_value=DOI)
    assert source.entity is not None
    session = Observation.objects.select_related("turn__session").get().turn.session  # type: ignore[union-attr]
    silent = []
    for words in (
        ["show", str(Observation.objects.get().pk)],
        ["source", "list"],
        ["source", "show", str(source.pk)],
        ["turn_notes", "--project", project.name, "--session", session.name],
        ["lineage", "path", source.entity.ref, source.entity.ref, "--json"],
    ):
        out = StringIO()
        call_command(*words, stdout=out)
        # A node that is said to be retracted by its state is not said to be so twice.
        if status.label not in out.getvalue().upper():
            silent.append(words[0])
    assert silent == []


@pytest.mark.parametrize("case", SAID)
def test_every_answer_that_names_the_work_says_what_is_told_of_it(desk: Desk, project: Project, case: str) -> None:
    status = tell(case)
    one = api_client(desk)
    (observation,) = one.get("/api/v1/observations").json()["observations"]
    assert [row["retraction_status"] for row in observation["sources"]] == [status.value]
    groups = one.get("/api/v1/duplicates").json()["groups"]
    assert status.value in {row["retraction_status"] for group in groups for row in group["sources"]}
    tab = (
        "retracted" if status.is_retracted else "conflicts" if case in {"a part", "providers that disagree"} else "new"
    )
    # What is only affected waits for nobody.
    if status is not RetractionStatus.AFFECTED:
        (listed,) = one.get(f"/api/v1/retractions?tab={tab}").json()["sources"]
        assert listed["retraction_status"] == status.value
    payload = desk.client().get(f"/chunks/{Chunk.objects.get().pk}/provenance.json").json()
    assert payload["standing"]["status"] == status.value


def test_what_fell_is_said_to_have_fallen_where_its_lineage_is_shown(desk: Desk, project: Project) -> None:
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    source = Source.objects.select_related("entity").get(identifier_value=DOI)
    assert source.entity is not None
    page = desk.client().get("/lineage/entity/", {"ref": source.entity.ref}).content.decode()
    assert pictured(page, "Retracted")


def test_a_use_that_is_meant_is_shown_as_meant(desk: Desk, project: Project) -> None:
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    source, observation = Source.objects.get(identifier_value=DOI), Observation.objects.get()
    uses = {
        UseKind.OBSERVATION: observation.pk,
        UseKind.STORE: Chunk.objects.get().store_id,
        UseKind.PROJECT: project.pk,
    }
    client = desk.client()
    pages = [f"/o/{observation.uuid}/", _document(), f"/p/{project.uuid}/report/"]
    assert not any("As the example of one" in client.get(page).content.decode() for page in pages)
    for kind, pk in uses.items():
        retraction_acknowledgements.acknowledge(
            source=source,
            use_kind=kind,
            use_id=pk,
            reason="As the example of one",
            by=desk.person(Role.EDITOR),
            at=NOW,
        )
    for page in pages:
        text = client.get(page).content.decode()
        assert "As the example of one" in text, page
        assert "Retracted" in text
    assert ">meant<" in client.get("/observations/").content.decode()
    assert "Cited on purpose: As the example of one" in client.get(f"/p/{project.uuid}/report.md").content.decode()
