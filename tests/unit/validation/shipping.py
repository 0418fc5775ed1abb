"""A project whose corpus holds pages of the gazette, a draft over it, and a world in which the pages stand."""

from collections.abc import Iterable

from provenance_site.changes.models import Channel
from sources.core.findings import Cause, Verdict
from sources.models import Draft, DraftVersion, Project, Section
from sources.services import corpora, drafts
from sources.services.corpora import KeptFinding
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ProjectFactory
from tests.fakes.world import World, page
from validation.models import ShipCheck
from validation.services import ship_gate, ship_work
from validation.services.ship_gate import Document
from validation.services.validate import utc_now

TITLE = "Harbour survey"


def address(number: int) -> str:
    return f"https://gazette.org/{number}"


def corpus_project(desk: Desk, numbers: Iterable[int], *, name: str = "Harbour memo") -> Project:
    """A project with these pages in the corpus of its one section, as src-001 and so on in their order."""
    project: Project = ProjectFactory(workspace=desk.workspace, name=name)
    section = Section.objects.create(project=project, slug="market", title="Market")
    corpora.keep(
        project=project,
        section=section,
        findings=[
            KeptFinding(
                url=address(number),
                title=f"{TITLE} {number}",
                excerpt="The survey counted the boats.",
                verdict=Verdict.VERIFIED_ACCESSIBLE,
                cause=Cause.CONTENT,
                fetched_at=NOW,
            )
            for number in numbers
        ],
        by=desk.person(),
        at=NOW,
    )
    return project


def draft_of(desk: Desk, project: Project, text: str, *, name: str = "Memo") -> DraftVersion:
    """The first version of a new draft."""
    draft: Draft = drafts.create(project=project, name=name, by=desk.person(), channel=Channel.PAGE, at=NOW)
    return drafts.add_version(draft=draft, text=text, by=desk.person(), at=NOW)


def world_of(numbers: Iterable[int]) -> World:
    """A world where these pages stand; all others fail to answer."""
    pages = {address(number): page(address(number), title=f"{TITLE} {number}") for number in numbers}
    return World(pages=pages)


def begun(desk: Desk, project: Project, text: str, *, path: str = "memo.md") -> ShipCheck:
    return ship_gate.start(
        project=project, document=Document(name=path, path=path, text=text), by=desk.person(), at=utc_now()
    )


def checked(desk: Desk, project: Project, text: str, world: World) -> ShipCheck:
    """A ship check of the text that a worker has finished."""
    check = begun(desk, project, text)
    ship_work.work(clock=utc_now, budget_s=30, job_id=check.pk, open_world=world.open)
    return ShipCheck.objects.select_related("job", "project").get(pk=check.pk)
