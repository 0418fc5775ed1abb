"""What layers of `tests.layers` bring beside the registry: corpora, drafts, harvests, ship checks, proposals."""

from dataclasses import dataclass
from typing import Any

from provenance_site.accounts.models import User
from provenance_site.changes.models import Channel
from provenance_site.jobs.states import JobState
from provenance_site.notices.models import Notice
from sources.models import Draft, Project, RetractionProposal, Source
from sources.queries import retraction_proposals
from sources.services import drafts
from tests.clock import NOW
from tests.factories import (
    CandidateFactory,
    CorpusEntryFactory,
    HarvestRequestFactory,
    HarvestRunFactory,
    JobFactory,
    RequestCandidateFactory,
    RetractionHintFactory,
    RetractionProposalFactory,
    RetractionProposalRowFactory,
    ShipCheckFactory,
    ShipLinkFactory,
)
from validation.models import HarvestRequest, HarvestRun, ShipCheck


@dataclass(frozen=True, slots=True)
class Work:
    """What was made with the sources of a layer."""

    draft: Draft
    harvest: HarvestRun
    own_harvest: HarvestRun
    request: HarvestRequest
    ship: ShipCheck
    proposal: RetractionProposal


def work_of(name: str, project: Project, sources: list[Source], *, by: User, under: Work | None) -> Work:
    """A corpus of two of the sources, the second of which is retracted, and a thing of each kind that was made of it.

    `under`: what an earlier layer brought gets rows of these sources too.
    """
    entries = [source.entries.get() for source in sources[1:3]]
    section = project.sections.get()
    for entry in entries:
        CorpusEntryFactory(entry=entry, section=section, excerpt=f"The {name} rose twice.", summary="", kept_by=by)
    retracted, good = (entry.stable_id for entry in entries)
    text = f"The {name} rose twice a day [{good}].\n\nThey fell [{retracted}].\n"
    draft = drafts.begin(project=project, name=f"On {name}", text=text, by=by, channel=Channel.PAGE, at=NOW).draft
    if under is not None:
        # One version rests on what is below it, one only names what the gate refused.
        for told in (f"It names [{retracted}] alone.\n", f"It rests on [{good}].\n"):
            drafts.add_version(draft=under.draft, text=told, by=by, at=NOW)
    own = HarvestRunFactory(project=project, created_by=by, state="done")
    harvest = under.harvest if under else own
    for run in {own.pk: own, harvest.pk: harvest}.values():
        for source in sources[1:3]:
            CandidateFactory(
                run=run, key=source.canonical_key, url=source.request_url, title=f"Found {name}", state="kept",
                stable_id=source.entries.get().stable_id,
            )  # fmt: skip
    request = HarvestRequestFactory(
        draft=draft, version=draft.versions.get(), claim=f"The {name} rose.", state="searched"
    )
    for one in {request.pk: request, **({under.request.pk: under.request} if under else {})}.values():
        RequestCandidateFactory(
            request=one, key=sources[1].canonical_key, url=sources[1].request_url, title=f"Found {name}"
        )
    workspace = project.workspace
    job = JobFactory(workspace=workspace, created_by=by, title=name, state=JobState.DONE, finished_at=NOW)
    ship = ShipCheckFactory(
        job=job, project=project, version=draft.versions.get(), document=f"On {name} v1", text=f"The {name} rose.\n"
    )
    ShipLinkFactory(check_made=ship, source=sources[2], key=sources[2].canonical_key, address=sources[2].request_url)
    proposal = RetractionProposalFactory(workspace=workspace, proposed_by=by, note=f"The list about {name}")
    RetractionProposalRowFactory(proposal=proposal, source=sources[2], spelling=f"{name} b")
    RetractionHintFactory(source=sources[1], words=f"On the {name}")
    return Work(draft, harvest, own, request, ship, proposal)


def told_of_proposal(person: User, work: Work) -> Any:
    """Tells a person of the layer's proposal."""
    return Notice.objects.create(
        workspace=work.proposal.workspace,
        user=person,
        kind=retraction_proposals.KIND,
        key=f"proposal {work.proposal.pk}",
        subject_id=work.proposal.pk,
        at=NOW,
    )
