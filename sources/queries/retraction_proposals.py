"""Proposals of bulk edits as pages and notices show them."""

from collections.abc import Mapping, Sequence

from django.db.models import F
from django.urls import reverse

from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.kit.text import counted
from provenance_site.notices.models import Notice
from provenance_site.notices.registry import Shown
from sources.core.kinds import ProposalState
from sources.models import RetractionProposal
from sources.models.retraction_proposal import RetractionProposalQuerySet
from sources.queries.readable import readable

KIND = "sources.retraction-proposal"


def proposals_of(*, workspace_id: int) -> RetractionProposalQuerySet:
    """The workspace's proposals with their people, those that wait first, then the newest. One query."""
    found = (
        readable(RetractionProposal.objects.all())
        .filter(workspace=workspace_id)
        .select_related("proposed_by", "decided_by", "change_set")
    )
    # What waits has no moment yet, and the largest stands first.
    return found.order_by(F("decided_at").desc(nulls_first=True), "-proposed_at", "-pk")


def waiting_count(*, workspace_id: int) -> int:
    """How many proposals wait for a second person. One query."""
    return readable(RetractionProposal.objects.all()).filter(workspace=workspace_id).waiting().count()


def shown(*, notices: Sequence[Notice], membership: Membership) -> Mapping[int, Shown]:
    """The words by notice, for people who may still approve; one query for all of them."""
    if not membership.as_role.covers(Role.ADMIN):
        return {}
    wanted = [notice.subject_id for notice in notices]
    here = readable(RetractionProposal.objects.all()).filter(workspace=membership.workspace_id)
    rows = here.select_related("proposed_by", "decided_by")
    found = rows.in_bulk(wanted)
    return {
        notice.pk: _words(found[notice.subject_id], reader_id=membership.user_id)
        for notice in notices
        if notice.subject_id in found
    }


def _words(proposal: RetractionProposal, *, reader_id: int) -> Shown:
    about = f"{proposal.as_kind.label}, {counted(proposal.planned, 'source')}: {proposal.note[:200]}"
    url = reverse("retraction-proposal", args=[proposal.uuid])
    if proposal.as_state is ProposalState.WAITING:
        own = proposal.proposed_by_id == reader_id
        title = "Your proposal waits" if own else f"{proposal.proposed_by} asks for your approval"
        return Shown(title=title, text=about, url=url)
    why = f" ({proposal.reason[:200]})" if proposal.reason else ""
    title = f"{proposal.as_state.label} by {proposal.decided_by}: a bulk edit of retractions"
    return Shown(title=title, text=f"{about}{why}", url=url)
