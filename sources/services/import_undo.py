"""Takes an import back: its citations, the catalog entries and the sources that nothing else uses by now."""

from collections.abc import Sequence
from datetime import datetime

from lineage import capture
from provenance_site.accounts.models import User
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts, Undone
from sources import permissions
from sources.models import CatalogEntry, Citation, ImportBatch, Source

_ENTRY = "sources.catalogentry"


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Removes what the import brought and nobody has used since. Registered for `sources.import`.

    An entry that another import cites stays; a source that was checked, decided on or entered elsewhere stays in the
    registry. Their lineage is tombstoned, never deleted. Tells the entries that went, and what stayed and why.
    """
    made = {change.object_id: change for change in changes if change.model == _ENTRY}
    batches = ImportBatch.objects.filter(change_set__in={change.change_set_id for change in changes})
    for workspace_id in set(batches.values_list("project__workspace_id", flat=True)):
        permissions.check_can_curate(by, workspace_id)
    Citation.objects.filter(batch__in=batches).delete()
    entries = list(CatalogEntry.objects.filter(pk__in=made).select_related("source"))
    cited = set(Citation.objects.filter(entry__in=made).values_list("entry_id", flat=True))
    going = [entry for entry in entries if entry.pk not in cited]
    CatalogEntry.objects.filter(pk__in=[entry.pk for entry in going]).delete()
    _remove_unused([entry.source_id for entry in going if made[entry.pk].after["new_source"]])
    return Undone(
        changes=tuple(
            ChangeFacts(model=_ENTRY, object_id=entry.pk, before=made[entry.pk].after, after={}) for entry in going
        ),
        skipped=tuple(f"{entry.source} is cited by another import" for entry in entries if entry.pk in cited),
    )


def _remove_unused(source_ids: Sequence[int]) -> None:
    unused = Source.objects.filter(
        pk__in=source_ids, entries__isnull=True, checks__isnull=True, decisions__isnull=True, retracted=False
    )
    removed = list(unused.values_list("pk", "entity_id"))
    capture.tombstone(entity_ids=[entity_id for _, entity_id in removed if entity_id is not None])
    Source.objects.filter(pk__in=[pk for pk, _ in removed]).delete()
