"""Who may do what: `check_…` raises, `has_…` answers. A foreign workspace is answered like one that does not exist."""

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.accounts.queries import memberships_of
from provenance_site.accounts.roles import Role

_KEPT_ON_USER = "_desk_memberships"


def memberships(user: User | AnonymousUser) -> tuple[Membership, ...]:
    """The person's memberships, oldest first; one query per user object, so per request.

    A change of role therefore counts from the next request on. Whoever changes a membership calls `forget`.
    """
    kept: tuple[Membership, ...] | None = getattr(user, _KEPT_ON_USER, None)
    if kept is None:
        kept = memberships_of(user)
        setattr(user, _KEPT_ON_USER, kept)
    return kept


def forget(user: User) -> None:
    """Drops what this user object knows of its memberships; the next question asks the database."""
    if hasattr(user, _KEPT_ON_USER):
        delattr(user, _KEPT_ON_USER)


def membership_of(user: User | AnonymousUser, workspace_id: int) -> Membership | None:
    """The person's membership in a workspace, None where there is none. At most one query per user object."""
    return next((found for found in memberships(user) if found.workspace_id == workspace_id), None)


def has_role(user: User | AnonymousUser, workspace: Workspace | int, needed: Role) -> bool:
    """True where the person may do in `workspace` (or its id) what `needed` may do."""
    found = membership_of(user, _id_of(workspace))
    return found is not None and found.as_role.covers(needed)


def check_role(user: User | AnonymousUser, workspace: Workspace | int, needed: Role) -> None:
    """Passes where the person may do in `workspace` (or its id) what `needed` may do.

    Raises PermissionDenied for a member whose role is too low, and Http404 for everyone else: to them the workspace
    must look as if it did not exist, so the two have one answer without any detail.
    """
    found = membership_of(user, _id_of(workspace))
    if found is None:
        raise Http404
    if not found.as_role.covers(needed):
        raise PermissionDenied(f"This needs the role {needed}; you are {found.role} here.")


def _id_of(workspace: Workspace | int) -> int:
    return workspace if isinstance(workspace, int) else workspace.pk
