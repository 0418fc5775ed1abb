"""Tells editors, and the workspace's webhook, of news about retractions: once for all news of one moment."""

from datetime import datetime

from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from provenance_site.notices import services as notices
from provenance_site.notices import webhooks
from sources.queries import retraction_notices


def tell(*, change_set: ChangeSet, at: datetime) -> None:
    """Tells every editor of the workspace, and its webhook, what `change_set` brought; in the transaction of that."""
    roles = [role.value for role in Role if role.covers(Role.EDITOR)]
    editors = Membership.objects.filter(workspace=change_set.workspace_id, role__in=roles)
    notices.tell(
        workspace_id=change_set.workspace_id,
        user_ids=set(editors.values_list("user", flat=True)),
        kind=retraction_notices.KIND,
        key=f"change {change_set.pk}",
        subject_id=change_set.pk,
        at=at,
    )
    webhooks.put(
        workspace_id=change_set.workspace_id,
        kind=retraction_notices.EVENT_KIND,
        key=f"change {change_set.pk}",
        subject_id=change_set.pk,
        at=at,
    )
