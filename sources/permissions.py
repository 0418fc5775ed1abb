"""Who may do what in the registry: `check_can_…` raises, `can_…` answers; services call the first, pages the second.

A person outside the workspace gets the same 404 as for a thing that never existed.
"""

from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role, has_role
from provenance_site.accounts.roles import Role


def can_curate(user: User, workspace_id: int) -> bool:
    """True when `user` may import lists, make projects and start checks."""
    return has_role(user, workspace_id, Role.CURATOR)


def check_can_curate(user: User, workspace_id: int) -> None:
    """Raises unless `user` may import lists, make projects and start checks."""
    check_role(user, workspace_id, Role.CURATOR)


def can_decide(user: User, workspace_id: int) -> bool:
    """True when `user` may accept, override and drop."""
    return has_role(user, workspace_id, Role.EDITOR)


def check_can_decide(user: User, workspace_id: int) -> None:
    """Raises unless `user` may accept, override and drop."""
    check_role(user, workspace_id, Role.EDITOR)


def can_retract(user: User, workspace_id: int) -> bool:
    """True when `user` may mark sources retracted."""
    return has_role(user, workspace_id, Role.ADMIN)


def check_can_retract(user: User, workspace_id: int) -> None:
    """Raises unless `user` may mark sources retracted."""
    check_role(user, workspace_id, Role.ADMIN)


def can_erase(user: User, workspace_id: int) -> bool:
    """True when `user` may remove a source so that no word of it is kept."""
    return has_role(user, workspace_id, Role.ADMIN)


def check_can_erase(user: User, workspace_id: int) -> None:
    """Raises unless `user` may remove a source so that no word of it is kept."""
    check_role(user, workspace_id, Role.ADMIN)


def check_can_read(user: User, workspace_id: int) -> None:
    """Raises unless `user` is a member."""
    check_role(user, workspace_id, Role.READER)


def can_export_internal(user: User, workspace_id: int) -> bool:
    """True when `user` may build and download files in which `internal_only` sources stand."""
    return has_role(user, workspace_id, Role.CURATOR)


def check_can_export_internal(user: User, workspace_id: int) -> None:
    """Raises unless `user` may build and download files in which `internal_only` sources stand."""
    check_role(user, workspace_id, Role.CURATOR)
