"""What may be read about people: memberships, members of a workspace, tokens."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from provenance_site.accounts.models import ApiToken, Membership, User, Workspace


def memberships_of(user: User | AnonymousUser) -> tuple[Membership, ...]:
    """The person's memberships with their workspaces, oldest first; empty for anonymous. One query."""
    if user.pk is None:
        return ()
    return tuple(Membership.objects.filter(user_id=user.pk).select_related("workspace").order_by("pk"))


def members_of(*, workspace: Workspace) -> QuerySet[Membership]:
    """The memberships of a workspace with their people, in order of user name. One query."""
    return Membership.objects.filter(workspace=workspace).select_related("user").order_by("user__username")


def tokens_of(*, user: User, workspace: Workspace) -> QuerySet[ApiToken]:
    """The person's own tokens for a workspace, newest first, with the expired and revoked ones. One query."""
    return ApiToken.objects.filter(user=user, workspace=workspace).order_by("-created_at", "-pk")
