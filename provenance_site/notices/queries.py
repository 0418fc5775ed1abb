"""What stands in a person's inbox, and what may be shown of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.accounts.reading import reading_under
from provenance_site.notices.models import FeedAddress, Notice, Webhook, WebhookDelivery
from provenance_site.notices.registry import Shown, show_function

# An inbox is read from the top; what is older stays in the database.
MOST = 100
# So many of a webhook's last deliveries are listed.
DELIVERIES = 20


@dataclass(frozen=True, slots=True)
class Line:
    """A notice with its words of now."""

    notice: Notice
    shown: Shown


def inbox(*, membership: Membership) -> list[Line]:
    """The newest notices of a member, unread ones first, as far as they may see what each is about now.

    One query for the notices and what each kind asks for all of its own together.
    """
    return sorted(newest(membership=membership), key=lambda line: line.notice.read_at is not None)


def newest(*, membership: Membership) -> list[Line]:
    """The newest notices of a member, newest first; else as `inbox`."""
    notices = Notice.objects.filter(user_id=membership.user_id, workspace_id=membership.workspace_id)
    return lines_of(list(notices.order_by("-at", "-pk")[:MOST]), membership=membership)


def lines_of(notices: Sequence[Notice], *, membership: Membership) -> list[Line]:
    """Notices of this member, in their order, with the words of now; what they may not see any more is left out."""
    of_kind: dict[str, list[Notice]] = defaultdict(list)
    for notice in notices:
        of_kind[notice.kind].append(notice)
    shown: dict[int, Shown] = {}
    for kind, rows in of_kind.items():
        function = show_function(kind)
        if function is not None:
            # Mail and feeds are written where nobody is signed in.
            with reading_under(
                user_id=membership.user_id,
                workspace_id=membership.workspace_id,
                clearance=membership.as_clearance,
            ):
                shown.update(function(notices=rows, membership=membership))
    return [Line(notice, shown[notice.pk]) for notice in notices if notice.pk in shown]


def feeds_of(*, user: User, workspace: Workspace) -> QuerySet[FeedAddress]:
    """The person's feed addresses of a workspace that have not ended, newest first."""
    return FeedAddress.objects.filter(user=user, workspace=workspace, revoked_at=None).order_by("-created_at", "-pk")


def webhook_of(*, workspace_id: int) -> Webhook | None:
    """The workspace's webhook, None where there is none. One query."""
    return Webhook.objects.filter(workspace=workspace_id).select_related("set_by").first()


def deliveries_of(webhook: Webhook) -> list[WebhookDelivery]:
    """Its last deliveries, newest first. One query."""
    return list(webhook.deliveries.order_by("-created_at", "-pk")[:DELIVERIES])
