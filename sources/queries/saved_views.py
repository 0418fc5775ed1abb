"""Views of the sources table that people have named, and the columns that each keeps for their own."""

from collections.abc import Sequence

from django.db.models import Q

from provenance_site.accounts.models import User
from sources.models import SavedView


def views_for(*, user: User, workspace_id: int) -> list[SavedView]:
    """The person's own views and the shared ones of others, by name; the nameless one keeps the person's columns."""
    mine = Q(owner=user)
    rows = SavedView.objects.filter(mine | Q(is_shared=True), workspace_id=workspace_id).select_related("owner")
    return list(rows.order_by("name", "pk"))


def listed(views: Sequence[SavedView], user: User) -> list[SavedView]:
    """Those of them that have a name, the person's own first."""
    named = [view for view in views if view.name]
    return sorted(named, key=lambda view: view.owner_id != user.pk)


def kept_columns(views: Sequence[SavedView], user: User) -> str:
    """The columns that the person keeps, joined by commas; '' where they have chosen none."""
    return next((view.query for view in views if view.owner_id == user.pk and not view.name), "")
