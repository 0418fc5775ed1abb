"""What may be read of the history: deeds of a workspace, changes of one row."""

from collections.abc import Iterable

from django.db.models import Count, QuerySet

from provenance_site.changes.models import Change, ChangeSet
from provenance_site.changes.registry import undo_function


def history(*, workspace_id: int) -> QuerySet[ChangeSet]:
    """The deeds of a workspace, newest first, with actor and `undone_by`. One query per page."""
    return (
        ChangeSet.objects.filter(workspace_id=workspace_id)
        .select_related("actor", "undone_by", "undoes")
        .order_by("-at", "-pk")
    )


def change_counts(change_sets: Iterable[ChangeSet]) -> dict[int, int]:
    """How many rows each of these deeds changed, by its key. One query.

    For a page of deeds: counted together with the list, those of all pages would be.
    """
    rows = Change.objects.filter(change_set__in=[deed.pk for deed in change_sets]).order_by().values_list("change_set")
    return dict(rows.annotate(Count("pk")))


def changes_of(*, workspace_id: int, model: str, object_id: int) -> QuerySet[Change]:
    """The changes of one row, newest first, with their deeds. `model` is the label in lower case. One query."""
    return (
        Change.objects.filter(model=model, object_id=object_id, change_set__workspace_id=workspace_id)
        .select_related("change_set", "change_set__actor")
        .order_by("-change_set__at", "-pk")
    )


def can_be_undone(change_set: ChangeSet) -> bool:
    """True where its kind has an undo function and it was not undone yet; a query unless `undone_by` is loaded."""
    return undo_function(change_set.kind) is not None and not hasattr(change_set, "undone_by")
