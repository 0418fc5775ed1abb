"""Rows of corpora as history keeps them: written, taken out, and put back by an undo."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from lineage import capture
from lineage.services.in_turn import hold
from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from provenance_site.kit.rows import in_parts
from sources import permissions
from sources.models import CatalogEntry, CorpusEntry, Section

REMOVE_KIND = "corpus.remove"
CORPUS_ENTRY = CorpusEntry._meta.label_lower
_ENTRY = CatalogEntry._meta.label_lower
_TOLD = (
    "fetched_at",
    "excerpt",
    "summary",
    "body_sha256",
    "retrieval_query",
    "retrieval_tool",
    "rank",
    "score",
    "verdict",
    "access_note",
)
_WRITTEN = (*_TOLD, "entity", "kept_at", "kept_by")


def write(rows: Sequence[CorpusEntry]) -> list[ChangeFacts]:
    """Writes these rows over those of the same entry and section; gives what changed. In the caller's transaction.

    A row that says the same as before is left as it is.
    """
    if not rows:
        return []
    section_id = rows[0].section_id
    there: dict[int, CorpusEntry] = {}
    for part in in_parts([row.entry_id for row in rows]):
        kept = CorpusEntry.objects.filter(section=section_id, entry__in=part).select_related("entry")
        there |= {row.entry_id: row for row in kept}
    facts: list[ChangeFacts] = []
    fresh = [row for row in rows if row.entry_id not in there]
    CorpusEntry.objects.bulk_create(fresh, batch_size=500)
    facts += [ChangeFacts(CORPUS_ENTRY, row.pk, before={}, after=facts_of(row)) for row in fresh]
    moved: list[CorpusEntry] = []
    for row in rows:
        old = there.get(row.entry_id)
        if old is None:
            continue
        before = facts_of(old)
        for name in _WRITTEN:
            setattr(old, name, getattr(row, name))
        if facts_of(old) != before:
            moved.append(old)
            facts.append(ChangeFacts(CORPUS_ENTRY, old.pk, before=before, after=facts_of(old)))
    CorpusEntry.objects.bulk_update(moved, _WRITTEN, batch_size=100)
    return facts


def remove(*, row: CorpusEntry, by: User, channel: Channel, at: datetime) -> None:
    """Takes an entry out of the corpus of its section; the source, its id and other sections keep it.

    One ChangeSet that can be undone; none where it is out already.
    """
    workspace_id = row.entry.project.workspace_id
    permissions.check_can_curate(by, workspace_id)
    with transaction.atomic():
        # As it is now, for history; of two people at once one takes it out.
        rows = CorpusEntry.objects.select_for_update(of=("self",), no_key=True).select_related("entry", "section")
        there = rows.filter(pk=row.pk).first()
        if there is None:
            return
        facts = ChangeFacts(CORPUS_ENTRY, there.pk, before=facts_of(there), after={})
        _bury(there, by=by, at=at)
        there.delete()
        changes.record(
            workspace_id=workspace_id,
            kind=REMOVE_KIND,
            actor=by,
            channel=channel,
            note=f"{row.entry} from {row.section.title}"[:200],
            at=at,
            changes=[facts],
        )


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes out what was kept and puts back what was taken out or written over, where nobody changed it since.

    An entry of the catalog that came with it goes where nothing else uses it; its id is never given again. Registered
    for keeping and for taking out.
    """
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    # All of them are held before any is touched, and their nodes in one order: others may meet them in another.
    wanted = [change.object_id for change in changes if change.model == CORPUS_ENTRY]
    for part in in_parts(sorted(wanted)):
        rows = CorpusEntry.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=part).order_by("pk")
        hold(entity_id for entity_id in rows.values_list("entity_id", flat=True) if entity_id is not None)
    # The last written first, and entries of the catalog when no section keeps them any more.
    for change in sorted(changes, key=lambda one: (one.model == _ENTRY, -one.pk)):
        permissions.check_can_curate(by, change.change_set.workspace_id)
        result = _undo_entry(change) if change.model == _ENTRY else _undo_one(change, by=by, at=at)
        if isinstance(result, str):
            skipped.append(result)
        else:
            undone.append(result)
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def forget(*, source_id: int) -> None:
    """Takes what corpora kept of a source out of history, for an erasure; in the caller's transaction. Idempotent."""
    of_source = Q(after__source=source_id) | Q(before__source=source_id)
    entries = list(Change.objects.filter(of_source, model=_ENTRY).values_list("object_id", flat=True))
    for part in in_parts(sorted(set(entries))):
        kept = Q(after__entry__in=part) | Q(before__entry__in=part)
        Change.objects.filter(kept, model=CORPUS_ENTRY).update(before={}, after={})


def entry_facts(entry: CatalogEntry) -> ChangeFacts:
    """What history keeps of an entry of the catalog that was made for a corpus."""
    return ChangeFacts(_ENTRY, entry.pk, before={}, after={"source": entry.source_id, "id": entry.stable_id})


def facts_of(row: CorpusEntry) -> dict[str, Any]:
    """The row as history keeps it; the id for the sentence that says why one was left alone."""
    told: dict[str, Any] = {name: getattr(row, name) for name in _TOLD}
    fetched_at = told["fetched_at"]
    return {
        **told,
        "verdict": str(told["verdict"]),
        "fetched_at": fetched_at.isoformat() if fetched_at else None,
        "entry": row.entry_id,
        "section": row.section_id,
        "entity": row.entity_id,
        "id": row.entry.stable_id,
    }


def _undo_entry(change: Change) -> ChangeFacts | str:
    workspace_id = change.change_set.workspace_id
    there = CatalogEntry.objects.filter(pk=change.object_id, project__workspace_id=workspace_id)
    unused = there.filter(
        source=change.after["source"], corpus__isnull=True, citations__isnull=True, former__isnull=True
    )
    entry = unused.first()
    if entry is None:
        return f"{change.after['id']} is used by now and keeps its source"
    entry.delete()
    return ChangeFacts(_ENTRY, change.object_id, before=change.after, after={})


def _undo_one(change: Change, *, by: User, at: datetime) -> ChangeFacts | str:
    workspace_id = change.change_set.workspace_id
    if not change.before and not change.after:
        return "What was kept was erased since"
    named = str((change.after or change.before)["id"])
    row = (
        CorpusEntry.objects.select_for_update(of=("self",), no_key=True)
        .filter(pk=change.object_id, section__project__workspace_id=workspace_id)
        .select_related("entry")
        .first()
    )
    now = facts_of(row) if row else {}
    if now != change.after:
        return f"What is kept of {named} was changed since"
    if not change.before:
        if row is not None:
            _bury(row, by=by, at=at)
            row.delete()
        return ChangeFacts(CORPUS_ENTRY, change.object_id, before=now, after={})
    return _put_back(row, change.before, workspace_id=workspace_id, at=at, now=now, pk=change.object_id)


def _put_back(
    row: CorpusEntry | None, kept: Mapping[str, Any], *, workspace_id: int, at: datetime, now: dict[str, Any], pk: int
) -> ChangeFacts | str:
    if row is None:
        entry = CatalogEntry.objects.filter(pk=kept["entry"], project__workspace_id=workspace_id).first()
        section = Section.objects.filter(pk=kept["section"], project__workspace_id=workspace_id).first()
        if entry is None or section is None:
            return f"{kept['id']} or its section is not there any more"
        if CorpusEntry.objects.filter(entry=entry, section=section).exists():
            return f"{kept['id']} was kept again since"
        row = CorpusEntry(pk=pk, entry=entry, section=section, kept_at=at)
    for name in _TOLD:
        setattr(row, name, kept[name])
    row.fetched_at = datetime.fromisoformat(kept["fetched_at"]) if kept["fetched_at"] else None
    row.entity_id = kept["entity"]
    row.save()
    if row.entity_id is not None:
        capture.stand_again(entity_ids=[row.entity_id])
    return ChangeFacts(CORPUS_ENTRY, row.pk, before=now, after=facts_of(row))


def _bury(row: CorpusEntry, *, by: User, at: datetime) -> None:
    if row.entity_id is not None:
        capture.tombstone(entity_ids=[row.entity_id], why="It was taken out of the corpus.", by=by, at=at)
