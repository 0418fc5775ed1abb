"""Finds what a page is about, only among what the person may see: a foreign thing and a missing one answer alike."""

from uuid import UUID

from django.http import Http404
from django.shortcuts import get_object_or_404

from provenance_site.accounts.models import User
from provenance_site.changes.models import ChangeSet
from sources.models import Draft, ImportBatch, LongDeed, Project, RetractionProposal, Section, Source
from sources.queries.readable import hidden_keys, readable

_LONGEST_CHAIN = 50


def project_for(user: User, uuid: UUID) -> Project:
    """The project, or Http404."""
    return get_object_or_404(Project.objects.visible_to(user).select_related("workspace"), uuid=uuid)


def source_for(user: User, uuid: UUID) -> Source:
    """The source with its newest check and what is said of its retraction, or Http404."""
    sources = (
        readable(Source.objects.all())
        .visible_to(user)
        .select_related("workspace", "latest_check", "entity", "retraction_standing")
    )
    return get_object_or_404(sources, uuid=uuid)


def merged_source_for(user: User, uuid: UUID) -> Source | None:
    """The source that `uuid` was merged into, at the end of the chain; None where it stands for itself, or Http404."""
    found = get_object_or_404(readable(Source.objects.all()).visible_to(user).select_related("merged_into"), uuid=uuid)
    last = found
    # Merges of merged sources make chains, but never a long one; a bound keeps a broken one from turning for ever.
    for _ in range(_LONGEST_CHAIN):
        if last.merged_into is None:
            break
        last = last.merged_into
    if hidden_keys(Source, {last.pk}):
        raise Http404
    return last if last.pk != found.pk else None


def batch_for(user: User, uuid: UUID) -> ImportBatch:
    """The import, or Http404."""
    batches = readable(ImportBatch.objects.all()).select_related("project__workspace", "change_set__undone_by", "job")
    return get_object_or_404(batches, uuid=uuid, project__workspace__memberships__user=user)


def change_set_for(user: User, uuid: UUID) -> ChangeSet:
    """The change set, or Http404."""
    return get_object_or_404(readable(ChangeSet.objects.all()), uuid=uuid, workspace__memberships__user=user)


def long_deed_for(user: User, uuid: UUID) -> LongDeed:
    """The long deed whose job has this uuid, or Http404."""
    deeds = (
        readable(LongDeed.objects.all())
        .visible_to(user)
        .select_related("job__created_by", "job__cancelled_by", "change_set__undone_by")
    )
    return get_object_or_404(deeds, job__uuid=uuid)


def proposal_for(user: User, uuid: UUID) -> RetractionProposal:
    """The proposal with its people and its deed, or Http404."""
    proposals = (
        readable(RetractionProposal.objects.all())
        .visible_to(user)
        .select_related("workspace", "proposed_by", "decided_by", "change_set")
    )
    return get_object_or_404(proposals, uuid=uuid)


def draft_for(user: User, uuid: UUID) -> Draft:
    """The draft with its project, or Http404."""
    drafts = readable(Draft.objects.all()).visible_to(user).select_related("project__workspace")
    return get_object_or_404(drafts, uuid=uuid)


def section_for(project: Project, slug: str) -> Section | None:
    """The section of this slug, None for '', or Http404."""
    return get_object_or_404(Section, project=project, slug=slug[:100]) if slug else None
