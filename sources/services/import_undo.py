"""Takes an import back: its citations, the catalog entries and the sources that nothing else uses by now."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from django.db.models import Q, RestrictedError

from lineage import capture
from lineage.services import deletion
from provenance_site.accounts.models import User
from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import in_parts
from provenance_site.kit.text import counted
from sources import permissions
from sources.models import (
    CatalogEntry,
    Citation,
    CorpusEntry,
    ImportBatch,
    ProjectVersion,
    RetractionDecision,
    Section,
    Source,
    Tag,
)
from sources.queries.states import locked_states
from sources.services import imported_marks, knowledge_undo

_ENTRY = CatalogEntry._meta.label_lower
# SQLite takes 32,766 parameters in a statement where it is built with its own limits.


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Removes what the import brought and nobody has used since. Registered for `sources.import`.

    An entry that another import cites or a corpus keeps stays; a source that was checked, decided on or entered
    elsewhere stays in the registry. Their lineage is tombstoned, never deleted. Tells the entries that went, and what
    stayed and why.
    """
    _hold(changes)
    taken_back = knowledge_undo.undo(changes=changes, by=by, at=at)
    changes = [change for change in changes if change.model not in knowledge_undo.MODELS]
    made = {change.object_id: change for change in changes if change.model == _ENTRY}
    deeds = {change.change_set_id for change in changes}
    batches = list(ImportBatch.objects.filter(change_set__in=deeds).select_related("project"))
    for batch in batches:
        permissions.check_can_curate(by, batch.project.workspace_id)
    imported_marks.undo(batches=batches, given_back=taken_back.changes, at=at)
    _remove_citations(batches, by=by, at=at)
    undone = [*taken_back.changes, *(_undone(change) for change in changes if change.model != _ENTRY)]
    skipped = list(taken_back.skipped)
    for part in in_parts(sorted(made)):
        entries = list(CatalogEntry.objects.filter(pk__in=part).select_related("source").order_by("pk"))
        cited = set(Citation.objects.filter(entry__in=part).values_list("entry_id", flat=True))
        kept = set(CorpusEntry.objects.filter(entry__in=part).values_list("entry_id", flat=True)) - cited
        joined = {entry.pk for entry in entries if entry.source_id != made[entry.pk].after["source"]}
        going = [entry for entry in entries if entry.pk not in cited | kept | joined]
        CatalogEntry.objects.filter(pk__in=[entry.pk for entry in going]).delete()
        new = [(entry.source_id, made[entry.pk].after) for entry in going if made[entry.pk].after["new_source"]]
        marked = [source_id for source_id, after in new if after.get("retracted")]
        _remove_unused([source_id for source_id, _ in new], marked=marked, by=by, at=at)
        undone.extend(_undone(made[entry.pk]) for entry in going)
        skipped.extend(f"{entry.source} is cited by another import" for entry in entries if entry.pk in cited - joined)
        skipped.extend(f"{entry.source} is kept in a corpus" for entry in entries if entry.pk in kept - joined)
        skipped.extend(
            f"{entry.source} was merged with another source since" for entry in entries if entry.pk in joined
        )
        gone = len(part) - len(entries)
        skipped.extend([f"{counted(gone, 'source')} were merged with others of the project since"] if gone else [])
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _hold(changes: Sequence[Change]) -> None:
    """Holds all sources that the import brought or described: before the graph's turn, as whoever edits one does."""
    of_entries = {change.after["source"] for change in changes if change.model == _ENTRY}
    of_themselves = {change.object_id for change in changes if change.model == Source._meta.label_lower}
    for part in in_parts(sorted(of_entries | of_themselves)):
        locked_states(part)


def _remove_citations(batches: Sequence[ImportBatch], *, by: User, at: datetime) -> None:
    """Removes the batches' citations, the versions of the text that no citation names any more, and the sections that
    are in no outline and no corpus besides. One that a harvest was made for stays: what it found is told by section."""
    citations = Citation.objects.filter(batch__in=batches)
    versions = set(citations.values_list("version_id", flat=True))
    sections = set(citations.exclude(section=None).values_list("section_id", flat=True))
    citations.delete()
    for part in in_parts(versions):
        uncited = ProjectVersion.objects.filter(pk__in=part, citations__isnull=True)
        nodes = [pk for pk in uncited.values_list("entity_id", flat=True) if pk is not None]
        held = deletion.held(entity_ids=nodes)
        tombstoned = [pk for pk in nodes if pk not in held]
        capture.tombstone(entity_ids=tombstoned, why="The import that brought it was undone.", by=by, at=at)
        uncited.exclude(entity__in=held).delete()
    for part in in_parts(sections):
        unused = Section.objects.filter(pk__in=part, citations__isnull=True, outline__isnull=True, corpus__isnull=True)
        for section in unused:
            with suppress(RestrictedError):
                section.delete()


def _remove_unused(source_ids: Sequence[int], *, marked: Sequence[int], by: User, at: datetime) -> None:
    """Removes the sources that nothing rests on, and the tags that nothing has then. A retraction mark keeps a source,
    but not where the import brought it; so does a legal hold."""
    unused = Source.objects.filter(
        Q(retracted=False) | Q(pk__in=marked),
        pk__in=source_ids,
        entries__isnull=True,
        checks__isnull=True,
        decisions__isnull=True,
        retraction_acknowledgements__isnull=True,
        observation_links__isnull=True,
        chunks__isnull=True,
        merged__isnull=True,
        merged_into__isnull=True,
    ).exclude(retraction_decisions__in=RetractionDecision.objects.filter(undone_at__isnull=True))
    removed = list(unused.values_list("pk", "entity_id"))
    words = set(Tag.objects.filter(sources__in=unused).values_list("pk", flat=True))
    held = deletion.held(entity_ids=[entity_id for _, entity_id in removed if entity_id is not None])
    removed = [(pk, entity_id) for pk, entity_id in removed if entity_id not in held]
    gone = [entity_id for _, entity_id in removed if entity_id is not None]
    capture.tombstone(entity_ids=gone, why="The import that brought it was undone.", by=by, at=at)
    Source.objects.filter(pk__in=[pk for pk, _ in removed]).delete()
    for part in in_parts(words):
        Tag.objects.filter(pk__in=part, sources__isnull=True).delete()


def _undone(change: Change) -> ChangeFacts:
    return ChangeFacts(model=change.model, object_id=change.object_id, before=change.after, after={})
