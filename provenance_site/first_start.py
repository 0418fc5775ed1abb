"""The first start of an installation: an owner, and a sample project that is really imported and really checked."""

from dataclasses import dataclass
from datetime import datetime

from provenance_site.accounts.operators import FirstOwner, Operator, first_owner
from provenance_site.changes.models import Channel
from provenance_site.jobs.states import JobState
from provenance_site.sample.draft import sample_list
from sources.models import Project
from sources.services import importing, projects, staging
from validation import dispatch
from validation.models import CheckRun
from validation.services.runs import Scope

SAMPLE_PROJECT = "Sample: the harbour memo"
SAMPLE_LABEL = "harbour-memo-draft.md"


@dataclass(frozen=True, slots=True)
class Start:
    """What a start found or made: the owner if new, and the sample's run while it is worth watching."""

    owner: FirstOwner | None
    project: Project | None
    run: CheckRun | None


def prepare(*, sample_port: int, at: datetime) -> Start:
    """Makes what is missing. A later start makes nothing; it only finds a sample run that is not finished yet.

    Someone who deleted or renamed the sample project does not get it back.
    """
    owner = first_owner(at=at)
    if owner is None:
        project = Project.objects.filter(name=SAMPLE_PROJECT).order_by("pk").first()
        going = (
            CheckRun.objects.filter(project=project, job__state=JobState.RUNNING)
            if project
            else CheckRun.objects.none()
        )
        return Start(owner=None, project=project, run=going.select_related("job", "project").first())
    project = _sample_project(owner.operator, sample_port=sample_port, at=at)
    run = dispatch.start_run(project=project, scope=Scope.ALL, by=owner.operator.user, at=at)
    return Start(owner=owner, project=project, run=run)


def _sample_project(who: Operator, *, sample_port: int, at: datetime) -> Project:
    project = projects.create(
        workspace_id=who.workspace.pk, name=SAMPLE_PROJECT, firm="Harbour Research", by=who.user, at=at
    )
    draft = sample_list(sample_port).encode()
    batch = staging.stage(project=project, data=draft, label=SAMPLE_LABEL, by=who.user, at=at)
    importing.commit(batch=batch, by=who.user, channel=Channel.COMMAND, at=at)
    return project
