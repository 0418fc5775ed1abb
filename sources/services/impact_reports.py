"""Tells people of impact that nobody was told of yet: the lineage writes rows, the registry pulls them.

So edges and causes that arrive from outside wake people as well as those of the registry's own deeds.
"""

from collections import defaultdict
from datetime import datetime

from django.db import transaction

from lineage.core.relations import EntityType
from lineage.models import Cause, Impact
from lineage.queries import impact_notices
from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.notices import services as notices
from sources.core.kinds import ReviewReason
from sources.models import ReviewItem, Source

MOST = 5_000


def report(*, at: datetime) -> int:
    """Reports up to 5,000 impact rows, oldest first, and gives how many; call it again while it gives that many.

    Owners of what fell get one notice a cause; where nothing of it has an owner, the editors of the workspace do. The
    source that caused it waits in the review queue. One transaction; two at once tell nobody twice, since a notice and
    an open item stand once.
    """
    with transaction.atomic():
        unreported = Impact.objects.filter(reported_at__isnull=True).order_by("pk")
        rows = list(unreported.values_list("pk", "cause", "entity__owner")[:MOST])
        if not rows:
            return 0
        owners: dict[int, set[int]] = defaultdict(set)
        for _, cause_id, owner in rows:
            owners[cause_id].update([owner] if owner else [])
        for cause in Cause.objects.filter(pk__in=owners).select_related("entity").order_by("pk"):
            told = owners[cause.pk] or _editors(cause.workspace_id)
            notices.tell(
                workspace_id=cause.workspace_id,
                user_ids=told,
                kind=impact_notices.KIND,
                key=f"cause {cause.pk}",
                subject_id=cause.pk,
                at=at,
            )
            _open_item(cause, at=at)
        Impact.objects.filter(pk__in=[pk for pk, *_ in rows]).update(reported_at=at)
    return len(rows)


def _editors(workspace_id: int) -> set[int]:
    roles = [role.value for role in Role if role.covers(Role.EDITOR)]
    return set(Membership.objects.filter(workspace=workspace_id, role__in=roles).values_list("user", flat=True))


def _open_item(cause: Cause, *, at: datetime) -> None:
    """Puts the source that a cause is about into the queue, unless it waits there for this already."""
    if cause.entity is None or cause.cleared_at is not None or cause.entity.as_type is not EntityType.SOURCE:
        return
    source = Source.objects.filter(entity=cause.entity, workspace=cause.workspace_id).first()
    if source is None:
        return
    ReviewItem.objects.bulk_create(
        [ReviewItem(source=source, reason=ReviewReason.IMPACT, opened_at=at)], ignore_conflicts=True
    )
