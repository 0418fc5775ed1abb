"""Admin lists that know tenants: staff see the rows of workspaces in which they are administrators and read everything,
and no others."""

from typing import TypeVar, cast

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from provenance_site.accounts.models import User
from provenance_site.accounts.roles import Clearance, Role
from provenance_site.kit.readonly import ReadOnlyAdmin

M = TypeVar("M", bound=Model)


class ScopedAdmin(ReadOnlyAdmin[M]):
    """Read-only rows of one's own workspaces; `workspace_path` is the look-up from the model to its workspace."""

    workspace_path = "workspace"

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        """Superusers included: being staff opens the admin, being an administrator of a workspace opens its rows.

        Rows are shown here as they are, so whoever may not read everything in a workspace sees none of it.
        """
        memberships = f"{self.workspace_path}__memberships"
        person = {
            f"{memberships}__user": cast(User, request.user),
            f"{memberships}__role": Role.ADMIN,
            f"{memberships}__clearance": Clearance.RESTRICTED,
        }
        return super().get_queryset(request).filter(**person)
