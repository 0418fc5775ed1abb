"""Whether bulk edits of retractions need a second person, and who may say so."""

from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.db import transaction

from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts
from sources import permissions
from sources.models import RetractionPolicy

CHANGE_KIND = "sources.retraction-policy"


class SecondPersonNeeded(PermissionDenied):
    """Nobody does this alone in the workspace: it is proposed, and another person approves it."""

    def __str__(self) -> str:
        return "This workspace wants a second person for this: propose it, and another administrator approves it."


class PolicyRefused(ValueError):
    """The setting cannot be so; the message says why and the way out."""


def needs_second_person(*, workspace_id: int) -> bool:
    """True where bulk edits of retractions wait for another person's approval. One small query."""
    return RetractionPolicy.objects.filter(workspace=workspace_id, second_person=True).exists()


def check_one_is_enough(*, workspace_id: int) -> None:
    """Raises `SecondPersonNeeded` where bulk edits wait for another person's approval."""
    if needs_second_person(workspace_id=workspace_id):
        raise SecondPersonNeeded


def approvers(*, workspace_id: int) -> set[int]:
    """The people who may approve: active administrators of the workspace."""
    found = Membership.objects.filter(workspace=workspace_id, role=Role.ADMIN, user__is_active=True)
    return set(found.values_list("user", flat=True))


def set_second_person(*, workspace_id: int, wanted: bool, by: User, channel: Channel, at: datetime) -> ChangeSet | None:
    """Turns the second person on or off, in a ChangeSet that History shows; None where it is so already.

    What waits for approval goes on waiting. Raises PermissionDenied for less than an administrator, `PolicyRefused`
    where there would be nobody to approve.
    """
    permissions.check_can_retract(by, workspace_id)
    with transaction.atomic():
        # Two at once would both see the old state.
        Workspace.objects.select_for_update(no_key=True).get(pk=workspace_id)
        policy = RetractionPolicy.objects.filter(workspace=workspace_id).first()
        now = policy is not None and policy.second_person
        if now == wanted:
            return None
        if wanted and len(approvers(workspace_id=workspace_id)) < 2:
            raise PolicyRefused(
                "You are the only administrator here, so nobody could approve. Make somebody else one first."
            )
        policy = policy or RetractionPolicy(workspace_id=workspace_id)
        policy.second_person = wanted
        policy.save()
        facts = ChangeFacts(
            RetractionPolicy._meta.label_lower, policy.pk, {"second_person": now}, {"second_person": wanted}
        )
        return changes.record(
            workspace_id=workspace_id,
            kind=CHANGE_KIND,
            actor=by,
            channel=channel,
            note="needed from now on" if wanted else "no longer needed",
            at=at,
            changes=[facts],
        )
