"""Keeps a workspace's retention policies: what is past its days is removed from the graph, where no object is left."""

from datetime import datetime

from django.db import transaction

from lineage.services import policies
from sources.queries import expected_lineage


def keep(*, workspace_id: int, at: datetime) -> int:
    """Removes what is past the days that the workspace's policies keep it; gives how many nodes. Idempotent.

    The registry's own objects are removed in the registry, by people; their nodes stay as long as they do. Reads all
    objects of the workspace, and nothing where no policy has days.
    """
    wanted = policies.policies_of(workspace_id=workspace_id).values()
    if all(policy.retention_days is None and policy.keeps_text for policy in wanted):
        return 0
    with transaction.atomic():
        kept = set(expected_lineage.kept_by_the_registry(workspace_id=workspace_id))
        return policies.expire(workspace_id=workspace_id, kept=kept, at=at)
