"""Projects and runs in every state that a report tells of."""

from datetime import timedelta

from provenance_site.jobs.models import JobItem
from provenance_site.jobs.states import ItemState, JobState
from sources.core.findings import SourceFinding, Verdict
from sources.core.kinds import Sensitivity
from sources.models import Project, Source
from sources.services import registry
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    CheckRunFactory,
    JobFactory,
    JobItemFactory,
    ProjectFactory,
    SourceFactory,
)
from tests.unit.sources.findings import finding
from validation.models import CheckRun

LATER = NOW + timedelta(hours=1)


def project_of(desk: Desk, number: int, name: str = "Harbour memo") -> Project:
    """A project with sources that nobody has checked."""
    project: Project = ProjectFactory(workspace=desk.workspace, name=name)
    for place in range(1, number + 1):
        address = f"https://gazette.example/{project.pk}/{place}"
        source = SourceFactory(workspace=desk.workspace, identifier_value=address, title=f"Harbour survey {place}")
        CatalogEntryFactory(project=project, source=source, number=place)
    return project


def sources_of(project: Project) -> list[Source]:
    """Its sources in the order of their ids."""
    return list(Source.objects.filter(entries__project=project).order_by("entries__number"))


def run_of(project: Project, *verdicts: Verdict | None, **seen: object) -> CheckRun:
    """A finished run over the project's first sources with these verdicts; None leaves an item that was skipped."""
    job = JobFactory(workspace=project.workspace, state=JobState.DONE, created_at=NOW, finished_at=LATER)
    run: CheckRun = CheckRunFactory(job=job, project=project)
    told = []
    for place, (source, verdict) in enumerate(zip(sources_of(project), verdicts, strict=False)):
        state = ItemState.SKIPPED if verdict is None else ItemState.DONE
        item: JobItem = JobItemFactory(job=job, subject_id=source.pk, position=place, state=state)
        if verdict is not None:
            told.append(SourceFinding(source.pk, finding(verdict, at=LATER, **seen), item_id=item.pk))
    registry.apply_findings(findings=told, at=LATER)
    return run


def keep_inside(project: Project, *numbers: int) -> None:
    """Makes the project's sources of these numbers internal."""
    inside = Source.objects.filter(entries__project=project, entries__number__in=numbers)
    assert Source.objects.filter(pk__in=inside.values("pk")).update(sensitivity=Sensitivity.INTERNAL_ONLY) == len(
        numbers
    )
