"""Saved views of the sources table: named, shared, renamed, deleted; and the columns that a person keeps."""

from collections.abc import Sequence
from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.db import transaction

from provenance_site.accounts.models import User
from sources import permissions
from sources.core.lines import one_line
from sources.models import SavedView

MAX_NAME = 100
MAX_QUERY = 4_000
MAX_VIEWS = 200


class ViewRefused(ValueError):
    """A view cannot be kept so; the message says why and the way out."""


def save(*, workspace_id: int, name: str, query: str, is_shared: bool, by: User, at: datetime) -> SavedView:
    """Keeps a view under `name`, in the place of the person's view of that name where there is one.

    Raises `ViewRefused` for an empty or long name and a long query, and where there are 200 of them; PermissionDenied
    for a reader who would share it.
    """
    permissions.check_can_read(by, workspace_id)
    name = _name(name)
    if is_shared:
        permissions.check_can_curate(by, workspace_id)
    if len(query) > MAX_QUERY:
        raise ViewRefused(
            f"The filter is {len(query):,} characters long; {MAX_QUERY:,} are kept. Take some values away."
        )
    mine = SavedView.objects.filter(workspace_id=workspace_id, owner=by)
    with transaction.atomic():
        if mine.count() >= MAX_VIEWS and not mine.filter(name=name).exists():
            raise ViewRefused(f"You keep {MAX_VIEWS} views. Delete one, or give this one the name of another.")
        view, _ = SavedView.objects.update_or_create(
            workspace_id=workspace_id,
            owner=by,
            name=name,
            defaults={"query": query, "is_shared": is_shared},
            create_defaults={"query": query, "is_shared": is_shared, "created_at": at},
        )
    return view


def change(*, view: SavedView, name: str, is_shared: bool, by: User) -> None:
    """Renames a view and shares it or not. Only its owner may; raises `ViewRefused` also for a name taken."""
    if view.owner_id != by.pk:
        raise PermissionDenied("Only the person who made a view may change it.")
    name = _name(name)
    if is_shared and not view.is_shared:
        permissions.check_can_curate(by, view.workspace_id)
    others = SavedView.objects.filter(workspace_id=view.workspace_id, owner=by, name=name).exclude(pk=view.pk)
    if others.exists():
        raise ViewRefused(f"You have a view called “{name}” already. Choose another name.")
    view.name, view.is_shared = name, is_shared
    view.save(update_fields=["name", "is_shared"])


def delete(*, view: SavedView, by: User) -> None:
    """Deletes a view: its owner's own, or a shared one by an administrator."""
    if view.owner_id != by.pk:
        permissions.check_can_retract(by, view.workspace_id)
    view.delete()


def keep_columns(*, workspace_id: int, columns: Sequence[str], by: User, at: datetime) -> None:
    """Keeps which columns the person sees; none chosen brings the usual ones back. Twice is the same as once.

    They lie in the person's one view without a name.
    """
    permissions.check_can_read(by, workspace_id)
    if not columns:
        SavedView.objects.filter(workspace_id=workspace_id, owner=by, name="").delete()
        return
    query = ",".join(columns)
    SavedView.objects.update_or_create(
        workspace_id=workspace_id,
        owner=by,
        name="",
        defaults={"query": query},
        create_defaults={"query": query, "created_at": at},
    )


def _name(name: str) -> str:
    name = one_line(name)
    if not 0 < len(name) <= MAX_NAME:
        raise ViewRefused(f"A view's name has 1 to {MAX_NAME} characters; this one has {len(name)}.")
    return name
