"""Rows that a merge moves, makes and removes, written in bulk and put back in bulk.

A row is told as `ChangeFacts` tell it: columns before and after. `before` of a row that was removed is the whole row,
so that it comes back under its own key. The key `MERGED` beside the columns names the source that was merged.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, models, transaction

from provenance_site.changes.models import Change
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import in_parts, insert_rows, update_rows
from provenance_site.kit.text import counted
from sources.models import (
    CatalogEntry,
    Chunk,
    Citation,
    CorpusEntry,
    Decision,
    DuplicatePair,
    EntryAlias,
    ObservationSource,
    RetractionAcknowledgement,
    RetractionDecision,
    RetractionHint,
    ReviewItem,
    Source,
    SourceAlias,
    SourcePart,
    TurnSource,
)

MERGED = "merged_source"
# What hangs on a source, in the order in which a merge writes it; undo goes the other way. And how a person calls it.
WORDS: dict[type[models.Model], str] = {
    CatalogEntry: "entry",
    Citation: "citation",
    CorpusEntry: "entry of a corpus",
    EntryAlias: "former id",
    SourceAlias: "spelling",
    Source.tags.through: "tag",
    ObservationSource: "link of an observation",
    Chunk: "chunk",
    TurnSource: "retrieval",
    Decision: "decision",
    RetractionDecision: "word on its retraction",
    RetractionAcknowledgement: "use that is meant",
    RetractionHint: "hint at a retraction",
    SourcePart: "part of a book",
    ReviewItem: "question",
    DuplicatePair: "possible duplicate",
}
PLURALS: dict[type[models.Model], str] = {
    CatalogEntry: "entries",
    CorpusEntry: "entries of corpora",
    ObservationSource: "links of observations",
    RetractionDecision: "words on its retraction",
    RetractionAcknowledgement: "uses that are meant",
    RetractionHint: "hints at a retraction",
    SourcePart: "parts of books",
}


@dataclass(slots=True)
class Row:
    """One row to write: `pk` is None for one to make. Columns by their names in the table's model (`source_id`)."""

    model: type[models.Model]
    pk: int | None
    before: dict[str, Any]
    after: dict[str, Any]
    merged: int

    @property
    def facts(self) -> ChangeFacts:
        """The row as the history keeps it; only after it was written."""
        if self.pk is None:
            raise ValueError(f"the {WORDS[self.model]} was not written")
        told: dict[str, Any] = {MERGED: self.merged}
        return ChangeFacts(
            model=self.model._meta.label_lower,
            object_id=self.pk,
            before=self.before | told if self.before else {},
            after=self.after | told if self.after else {},
        )


@dataclass(slots=True)
class PutBack:
    """What an undo put back, and a sentence for each row that it left."""

    facts: list[ChangeFacts] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def whole(row: models.Model) -> dict[str, Any]:
    """All columns of a row but its key, as JSON can hold them to the last digit."""
    return {
        column.attname: _told(getattr(row, column.attname))
        for column in row._meta.concrete_fields
        if not column.primary_key
    }


def counted_words(moving: Mapping[type[models.Model], int]) -> tuple[str, ...]:
    """What moves, counted: “2 entries”, “5 citations”. Ids that lead on are told by themselves."""
    return tuple(
        counted(moving[model], word, PLURALS.get(model, ""))
        for model, word in WORDS.items()
        if moving.get(model) and model is not EntryAlias
    )


def write(rows: Iterable[Row]) -> None:
    """Writes the rows, kind by kind in the order of `WORDS`: first those that change, then removals, then new ones.

    Sets the keys of those that were made. A statement per kind and 500 rows.
    """
    by_model: dict[type[models.Model], list[Row]] = defaultdict(list)
    for row in rows:
        by_model[row.model].append(row)
    for model in WORDS:
        _change(model, [row for row in by_model[model] if row.before and row.after])
    for model in reversed(WORDS):
        gone = [row.pk for row in by_model[model] if not row.after]
        for part in in_parts(gone):
            model._base_manager.filter(pk__in=part).delete()
    for model in WORDS:
        new = [row for row in by_model[model] if not row.before]
        instances = [model(**_values(model, row.after)) for row in new]
        insert_rows(instances)
        for row, instance in zip(new, instances, strict=True):
            row.pk = instance.pk


def put_back(changes: Sequence[Change]) -> PutBack:
    """Undoes what `write` did, as far as the rows are as it left them; the others are named."""
    done = PutBack()
    by_model: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        by_model[change.model].append(change)
    for model in reversed(WORDS):
        _remove_made(model, [one for one in by_model[model._meta.label_lower] if not one.before], done)
    for model in WORDS:
        _bring_back(model, [one for one in by_model[model._meta.label_lower] if not one.after], done)
    for model in reversed(WORDS):
        changed = [one for one in by_model[model._meta.label_lower] if one.before and one.after]
        _change_back(model, changed, done)
    return done


def _change(model: type[models.Model], rows: Sequence[Row]) -> None:
    by_columns: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        by_columns[tuple(sorted(row.after))].append(row)
    for columns, alike in by_columns.items():
        instances = [model(pk=row.pk, **_values(model, row.after)) for row in alike]
        update_rows(instances, _names(model, columns))


def _remove_made(model: type[models.Model], changes: Sequence[Change], done: PutBack) -> None:
    for part in in_parts(changes):
        there = model._base_manager.in_bulk([change.object_id for change in part])
        as_made = [change for change in part if _is_as(there.get(change.object_id), change.after)]
        model._base_manager.filter(pk__in=[change.object_id for change in as_made]).delete()
        done.facts += [_undone(change) for change in as_made]
        # One that somebody removed since needs no removing.
        changed = [change for change in part if change.object_id in there and change not in as_made]
        done.left += [f"the {WORDS[model]} {there[change.object_id]} was changed since" for change in changed]


def _bring_back(model: type[models.Model], changes: Sequence[Change], done: PutBack) -> None:
    rows = [(change, model(pk=change.object_id, **_values(model, change.before))) for change in changes]
    for part in in_parts(_with_ends(model, rows, done)):

        def insert(some: Sequence[tuple[Change, models.Model]]) -> None:
            model._base_manager.bulk_create([row for _, row in some])

        _one_by_one_where_refused(model, part, insert, done)


def _change_back(model: type[models.Model], changes: Sequence[Change], done: PutBack) -> None:
    for part in in_parts(changes):
        there = model._base_manager.in_bulk([change.object_id for change in part])
        rows: list[tuple[Change, models.Model]] = []
        for change in part:
            row = there.get(change.object_id)
            if row is None:
                done.left.append(f"a {WORDS[model]} was removed since")
            elif not _is_as(row, change.after):
                done.left.append(f"the {WORDS[model]} “{row}” was changed since")
            else:
                rows.append((change, row))
        for change, row in rows:
            for name, value in _values(model, change.before).items():
                setattr(row, name, value)
        rows = _with_ends(model, rows, done)

        def update(some: Sequence[tuple[Change, models.Model]]) -> None:
            by_columns: dict[tuple[str, ...], list[models.Model]] = defaultdict(list)
            for change, row in some:
                by_columns[tuple(sorted(set(change.before) - {MERGED}))].append(row)
            for columns, alike in by_columns.items():
                update_rows(alike, _names(model, columns))

        _one_by_one_where_refused(model, rows, update, done)


def _one_by_one_where_refused(
    model: type[models.Model],
    rows: Sequence[tuple[Change, models.Model]],
    deed: Any,
    done: PutBack,
) -> None:
    """Does the deed for all rows at once; where a constraint refuses, for each by itself, and names those refused."""
    if not rows:
        return
    try:
        with transaction.atomic():
            deed(rows)
            done.facts += [_undone(change) for change, _ in rows]
    except IntegrityError:
        for change, row in rows:
            try:
                with transaction.atomic():
                    deed([(change, row)])
                    done.facts.append(_undone(change))
            except IntegrityError:
                done.left.append(f"another {WORDS[model]} took the place of “{row}”")


def _with_ends(
    model: type[models.Model], rows: Sequence[tuple[Change, models.Model]], done: PutBack
) -> list[tuple[Change, models.Model]]:
    """The rows whose every end is still there; an optional end that is gone is left empty, other rows are named."""
    kept = list(rows)
    for column in model._meta.concrete_fields:
        related = column.related_model
        if not isinstance(column, models.ForeignKey) or not isinstance(related, type):
            continue
        wanted = {getattr(row, column.attname) for _, row in kept} - {None}
        there: set[Any] = set()
        for part in in_parts(sorted(wanted)):
            there.update(related._base_manager.filter(pk__in=part).values_list("pk", flat=True))
        if not wanted - there:
            continue
        for _, row in kept:
            if column.null and getattr(row, column.attname) not in there:
                setattr(row, column.attname, None)
        gone = [row for _, row in kept if not column.null and getattr(row, column.attname) not in there]
        done.left += [f"what the {WORDS[model]} “{row}” belonged to was removed since" for row in gone]
        kept = [(change, row) for change, row in kept if row not in gone]
    return kept


def _is_as(row: models.Model | None, told: Mapping[str, Any]) -> bool:
    """True where the row's columns still say what a change wrote."""
    return row is not None and all(_told(getattr(row, name)) == value for name, value in told.items() if name != MERGED)


def _undone(change: Change) -> ChangeFacts:
    return ChangeFacts(model=change.model, object_id=change.object_id, before=change.after, after=change.before)


def _values(model: type[models.Model], told: Mapping[str, Any]) -> dict[str, Any]:
    by_name = {column.attname: column for column in model._meta.concrete_fields}
    return {
        name: by_name[name].to_python(value) if isinstance(by_name[name], models.DateTimeField) else value
        for name, value in told.items()
        if name != MERGED
    }


def _names(model: type[models.Model], columns: Iterable[str]) -> list[str]:
    by_name = {column.attname: column.name for column in model._meta.concrete_fields}
    return [by_name[name] for name in columns]


def _told(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
