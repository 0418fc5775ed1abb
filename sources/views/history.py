"""History: every deed in the workspace with who, when and why, and its undo."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.changes import queries
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.jobs.models import Job
from provenance_site.jobs.states import JobState
from provenance_site.kit.paging import page_of
from provenance_site.kit.partials import render_page
from provenance_site.kit.text import counted
from sources import dispatch, permissions
from sources.models import LongDeed, RetractionProposal
from sources.queries.readable import readable
from sources.services.long_deeds import InTheWorks
from sources.views.lookups import change_set_for

# A cookie or a page should not hold more of them; the rest is counted.
_SKIPPED_NAMED = 20
WORDS = {
    "sources.import": "Import",
    "sources.edit": "Sources edited",
    "sources.retract": "Marked retracted",
    "sources.merge": "Sources merged",
    "sources.tell-apart": "Told apart",
    "sources.unretract": "Retraction mark taken off",
    "sources.part-of": "Called a part of a book",
    "sources.retraction-decide": "Decision about retractions",
    "sources.retraction-news": "News about retractions",
    "sources.retraction-policy": "Second person for retractions",
    "notices.webhook": "Webhook",
    "notices.feed": "Feed address",
    "review.decide": "Decision",
    "observation.add": "Observation written",
    "observation.edit": "Observation edited",
    "observation.delete": "Observation deleted",
    "observation.link": "Observation linked",
    "observation.unlink": "Link taken away",
    "concept.edit": "Concept edited",
    "concept.delete": "Concept deleted",
    "project.concepts": "Concepts of a project",
    "source.add": "Source added",
    "source.remove": "Source removed",
    "source.remove-checked": "Source removed with its checks",
    "source.erase": "Source erased",
    "outline.save": "Outline saved",
    "corpus.keep": "Sources kept in a corpus",
    "corpus.remove": "Source taken out of a corpus",
    "draft.add": "Draft begun",
    "draft.version": "Version of a draft",
    "draft.policy": "Policy of a draft",
    "chunks.ingest": "Document taken into a store",
    "validation.own-publisher": "Own publisher",
    "validation.own-pattern": "Own pattern",
    "validation.provider-key": "Search provider",
    "lineage.declassify": "Label lowered",
    "lineage.reclassify": "Lowering of a label taken back",
    "lineage.hold": "Legal hold",
    "lineage.release-hold": "Legal hold released",
    "lineage.deidentify": "Personal data taken out",
    "lineage.join-held": "Waiting edge joined",
    "lineage.drop-held": "Waiting edge let go",
    "lineage.policy": "Lineage policy",
    "lineage.relay": "Other lineage service",
    "lineage.refused-event": "Event refused",
    "changes.undo": "Taken back",
    "tokens.create": "API token made",
    "tokens.revoke": "API token revoked",
    "people.add": "Member added",
    "people.role": "Role changed",
    "people.remove": "Member removed",
}


@dataclass(frozen=True, slots=True)
class Deed:
    """A ChangeSet as the list shows it; `taken_back` is what it took back ('': none), `going_on` the job that does it,
    `proposal` what was approved for it."""

    change_set: ChangeSet
    words: str
    taken_back: str
    rows: int
    can_be_undone: bool
    going_on: Job | None
    proposal: UUID | None


@needs_workspace
@require_GET
def history(request: MemberRequest) -> HttpResponse:
    """The workspace's deeds, newest first."""
    page = page_of(request, readable(queries.history(workspace_id=request.workspace.pk)), per_page=30)
    counts = queries.change_counts(page.object_list)
    may_undo = permissions.can_curate(request.user, request.workspace.pk)
    running = readable(LongDeed.objects.all()).filter(change_set__in=page.object_list, job__state=JobState.RUNNING)
    going_on = {deed.change_set_id: deed.job for deed in running.select_related("job")}
    agreed = readable(RetractionProposal.objects.all()).filter(change_set__in=page.object_list)
    may_retract = permissions.can_retract(request.user, request.workspace.pk)
    proposals = dict(agreed.values_list("change_set_id", "uuid")) if may_retract else {}
    deeds = [
        Deed(
            change_set=change_set,
            words=WORDS.get(change_set.kind, change_set.kind),
            taken_back=WORDS.get(change_set.undoes.kind, change_set.undoes.kind) if change_set.undoes else "",
            rows=counts.get(change_set.pk, 0),
            can_be_undone=may_undo and queries.can_be_undone(change_set),
            going_on=going_on.get(change_set.pk),
            proposal=proposals.get(change_set.pk),
        )
        for change_set in page.object_list
    ]
    return render_page(request, "sources/history.html", {"page": page, "deeds": deeds})


@needs_workspace
@require_POST
def change_undo(request: MemberRequest, uuid: UUID) -> HttpResponse:
    """Takes a deed back and says what was left alone because someone changed it since."""
    change_set = change_set_for(request.user, uuid)
    try:
        result = dispatch.undo(change_set=change_set, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    except (changes.NotUndoable, InTheWorks) as refused:
        messages.error(request, str(refused))
    else:
        if isinstance(result, LongDeed):
            return redirect("long-deed", result.job.uuid)
        messages.success(request, f"Taken back: {counted(result.undone, 'change')}.")
        for left in result.skipped[:_SKIPPED_NAMED]:
            messages.warning(request, f"Left alone: {left}.")
        if (more := len(result.skipped) - _SKIPPED_NAMED) > 0:
            messages.warning(request, f"Left alone for such reasons: {more:,} more.")
    back = request.POST.get("next", "")
    local = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return HttpResponseRedirect(back if local else reverse("history"))
