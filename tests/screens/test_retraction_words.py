"""Wherever a work is shown, what is told of its retraction stands beside it: a word of its own, and a picture."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag

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
    TurnFactory,
    TurnSourceFactory,
)
from tests.screens.test_exports import made
from tests.unit.sources.findings import apply
from tests.unit.sources.test_retraction_records import DOI, said

pytestmark = pytest.mark.django_db

# What is said, and the word that stands on pages.
SAID: dict[str, tuple[list[Any], RetractionStatus]] = {
    "retracted": ([said(Nature.RETRACTED)], RetractionStatus.RETRACTED),
    "withdrawn": ([said(Nature.WITHDRAWN)], RetractionStatus.WITHDRAWN),
    "a concern": ([said(Nature.CONCERN)], RetractionStatus.CONCERN),
    "a part": ([said(Nature.PARTIAL)], RetractionStatus.PARTIAL),
    "providers that disagree": ([said(Nature.RETRACTED, provider=Provider.OPENALEX)], RetractionStatus.DISPUTED),
}
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
    "a project's report": lambda source, project: f"/p/{project.uuid}/report/",
}


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
    apply(source, Verdict.VERIFIED_ACCESSIBLE)
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
    told, status = SAID[case]
    record(assertions=told, at=NOW)
    source = Source.objects.get(identifier_value=DOI)
    client = desk.client(Role.CURATOR)
    silent = []
    for name, address in PAGES.items():
        answer = client.get(address(source, project), follow=True)
        assert answer.status_code == 200, name
        if not pictured(answer.content.decode(), status.word):
            silent.append(name)
    assert silent == []


FILES = [
    one for one in ExportFormat if one not in {ExportFormat.RECOVERY_LOG, ExportFormat.BUNDLE, ExportFormat.RUN_REPORT}
]


@pytest.mark.parametrize("case", ["withdrawn", "a concern", "a part"])
def test_every_file_that_leaves_says_what_is_told_of_the_work(desk: Desk, project: Project, case: str) -> None:
    told, status = SAID[case]
    record(assertions=told, at=NOW)
    client = desk.client(Role.CURATOR)
    words = (status.label.lower(), status.keywords[-1], f'"{status.value}"', f"retraction: {status.value}")
    silent = []
    for one in FILES:
        export = made(client, project, format=one.value, **({"section": "01-silt"} if one.needs_section else {}))
        answer: Any = client.get(f"/exports/{export.uuid}/file/")
        text = b"".join(answer).decode().lower()
        if not any(word in text for word in words):
            silent.append(one.value)
    assert silent == []


@pytest.mark.parametrize("case", SAID)
def test_every_answer_that_names_the_work_says_what_is_told_of_it(desk: Desk, project: Project, case: str) -> None:
    told, status = SAID[case]
    record(assertions=told, at=NOW)
    one = api_client(desk)
    (observation,) = one.get("/api/v1/observations").json()["observations"]
    assert [row["retraction_status"] for row in observation["sources"]] == [status.value]
    groups = one.get("/api/v1/duplicates").json()["groups"]
    assert status.value in {row["retraction_status"] for group in groups for row in group["sources"]}
    tab = (
        "retracted" if status.is_retracted else "conflicts" if case in {"a part", "providers that disagree"} else "new"
    )
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
