"""Telling people, and their having read it."""

from collections.abc import Collection
from datetime import datetime

from provenance_site.accounts.models import Membership
from provenance_site.notices.models import Notice


def tell(*, workspace_id: int, user_ids: Collection[int], kind: str, key: str, subject_id: int, at: datetime) -> None:
    """Puts a notice into the inboxes of those who are members of the workspace; the same news twice is told once."""
    members = Membership.objects.filter(workspace_id=workspace_id, user__in=user_ids, user__is_active=True)
    Notice.objects.bulk_create(
        [
            Notice(workspace_id=workspace_id, user_id=user_id, kind=kind, key=key, subject_id=subject_id, at=at)
            for user_id in members.values_list("user", flat=True)
        ],
        ignore_conflicts=True,
    )


def mark_read(*, membership: Membership, notice_id: int | None, at: datetime) -> int:
    """Marks one of the member's notices read, or all of them; gives how many were not. Others' are left alone."""
    unread = Notice.objects.filter(
        user_id=membership.user_id, workspace_id=membership.workspace_id, read_at__isnull=True
    )
    if notice_id is not None:
        unread = unread.filter(pk=notice_id)
    return unread.update(read_at=at)


def done_with(*, workspace_id: int, user_id: int, kind: str, subject_id: int, at: datetime) -> None:
    """Marks a person's notices of a subject read that they have dealt with themselves. Twice changes nothing."""
    unread = Notice.objects.filter(workspace_id=workspace_id, user_id=user_id, read_at__isnull=True)
    unread.filter(kind=kind, subject_id=subject_id).update(read_at=at)
