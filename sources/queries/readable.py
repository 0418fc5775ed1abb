"""Which rows of the registry exist for whoever reads now (`accounts.reading`): hidden is the same as absent.

A rule for each model says which of its rows are hidden from a reader, by the level that its node of the lineage has, or
the node of the source, observation or passage that it is about. For those who read everything, and for the desk itself,
`readable` gives back the very query that it was given. Levels are looked up by sub-queries, not joins: so a rule serves
a count over many rows and a lock alike. What people name in the workspace (projects, sections, stores, concepts, tags,
sessions) is everybody's; what is hidden counts in none of them.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from lineage.models import Entity
from provenance_site.accounts.reading import Reader, limited
from provenance_site.changes.models import Change, ChangeSet
from provenance_site.jobs.models import JobItem
from provenance_site.kit.rows import in_parts
from sources.core.kinds import BatchState, RowAction, UseKind
from sources.models import (
    CatalogEntry,
    Check,
    Chunk,
    Citation,
    CorpusEntry,
    Decision,
    Draft,
    DraftVersion,
    DuplicatePair,
    EntryAlias,
    Export,
    ExportOrder,
    ImportBatch,
    ImportRow,
    LongDeed,
    Observation,
    ObservationSource,
    ProjectVersion,
    Reading,
    RetractionAcknowledgement,
    RetractionDecision,
    RetractionHint,
    RetractionProposal,
    RetractionProposalRow,
    RetractionStanding,
    ReviewItem,
    Source,
    SourceAlias,
    SourcePart,
    SourceVersion,
    StatusChange,
    Tag,
    TurnSource,
)
from sources.queries import readable_writing as writing
from sources.queries.readable_parts import Rule, above, any_of, mine, node, of_source, source, words_above, workspaces

Rows = TypeVar("Rows", bound="QuerySet[Any, Any]")


def readable(rows: Rows) -> Rows:
    """`rows` as far as they exist for whoever reads now. No query; twice is safe. Raises KeyError without a rule."""
    reader = limited()
    if reader is None:
        return rows
    model: type[Model] = rows.model
    return rows.exclude(hidden_from(reader, model))


# Putting a rule together takes longer than most queries that it narrows; a reader with other limits has other rules.
@lru_cache(maxsize=512)
def hidden_from(reader: Reader, model: type[Model]) -> Q:
    """What of the model's rows is hidden from `reader`. Raises KeyError without a rule."""
    return RULES[model](reader, "")


def readable_at(model: type[Model], path: str) -> Q | None:
    """The condition that the `model` row at `path` (`entries__source__`) exists for whoever reads now; None where all
    do: as the `filter` of a count that is no filter."""
    reader = limited()
    return None if reader is None else ~RULES[model](reader, path)


def hidden_keys(model: type[Model], keys: Collection[int]) -> set[int]:
    """Which of these rows are hidden from whoever reads now: for what was looked up without a look at who asks. One
    query per 500 for those to whom anything is hidden, none for others; empty for a model without a rule."""
    if limited() is None or model not in RULES:
        return set()
    seen: set[int] = set()
    for part in in_parts(sorted(keys)):
        seen.update(readable(model._default_manager.filter(pk__in=part)).values_list("pk", flat=True))
    return set(keys) - seen


def _with_node(reader: Reader, path: str) -> Q:
    """Its own node, or that of its source: a passage that was declassified still names its source."""
    return node(reader, path) | of_source(reader, path)


def _observation(reader: Reader, path: str) -> Q:
    """By its node; of one whose node is not kept nobody can say what it rests on, but whoever wrote it."""
    bare = Q(**{f"{path}entity__isnull": True, f"{path}project__workspace_id__in": workspaces(reader)})
    return node(reader, path) | (bare & ~mine(reader, path))


def _version(reader: Reader, path: str) -> Q:
    """A text that rests on hidden sources is hidden, but not from whoever gave it."""
    given = Citation.objects.filter(version=OuterRef(f"{path}pk"), batch__created_by=reader.user_id)
    return node(reader, path) & ~Q(Exists(given))


def _citation(reader: Reader, path: str) -> Q:
    return source(reader, f"{path}entry__source__") | _version(reader, f"{path}version__")


def _export(reader: Reader, path: str) -> Q:
    """By its node. One whose node is not kept is seen by whoever made it, since nobody else can say what stands in it;
    so is one from which sources were left out: it says how many."""
    theirs = Q(**{f"{path}workspace_id__in": workspaces(reader)}) & ~mine(reader, path)
    telling = Q(**{f"{path}entity__isnull": True}) | Q(**{f"{path}left_out__gt": 0})
    return node(reader, path) | (theirs & telling)


def _order(reader: Reader, path: str) -> Q:
    """Others' are seen once there is a file that is seen: how much there is to read would tell how much there is."""
    waiting = Q(**{f"{path}export__isnull": True, f"{path}workspace_id__in": workspaces(reader)})
    made = Export.objects.filter(_export(reader, ""), pk=OuterRef(f"{path}export_id"))
    return (waiting & ~mine(reader, path)) | Q(Exists(made))


def _batch(reader: Reader, path: str) -> Q:
    """Others' are seen once they are written, as far as they brought something that is seen."""
    theirs = Q(**{f"{path}project__workspace_id__in": workspaces(reader)}) & ~mine(reader, path)
    rows = ImportRow.objects.filter(batch=OuterRef(f"{path}pk"))
    hidden = Exists(rows.filter(_row_content(reader, "")))
    rest = Exists(rows.exclude(_row_content(reader, "")).exclude(action=RowAction.ERROR))
    return theirs & (~Q(**{f"{path}state": BatchState.COMMITTED}) | (Q(hidden) & ~Q(rest)))


def _row_content(reader: Reader, path: str) -> Q:
    """What a row of a file became, or what it names: a repeat has only the identifier."""
    named = Source.objects.filter(
        source(reader, ""), workspace_id=OuterRef(f"{path}batch__project__workspace_id")
    ).filter(canonical_key=OuterRef(f"{path}canonical_key"))
    key = Q(**{f"{path}source__isnull": True, f"{path}record_kind": "source"}) & ~Q(**{f"{path}canonical_key": ""})
    return (
        of_source(reader, path)
        | (key & Q(Exists(named)))
        | _object(reader, path, "observation", Observation)
        | _object(reader, path, "chunk", Chunk)
    )


def _object(reader: Reader, path: str, kind: str, model: type[Model]) -> Q:
    hidden = model._default_manager.filter(hidden_from(reader, model), pk=OuterRef(f"{path}object_id"))
    return Q(**{f"{path}record_kind": kind}) & Q(Exists(hidden))


def _row(reader: Reader, path: str) -> Q:
    return _row_content(reader, path) & ~mine(reader, f"{path}batch__")


def _item(reader: Reader, path: str) -> Q:
    """An item of a run of checks; the items of other jobs are not for pages."""
    return Q(Exists(Source.objects.filter(source(reader, ""), pk=OuterRef(f"{path}subject_id"))))


def _link(reader: Reader, path: str) -> Q:
    return of_source(reader, path) | _observation(reader, f"{path}observation__")


def _pair(reader: Reader, path: str) -> Q:
    return source(reader, f"{path}first__") | source(reader, f"{path}second__")


def _part(reader: Reader, path: str) -> Q:
    return source(reader, f"{path}part__") | source(reader, f"{path}whole__")


def _entry_alias(reader: Reader, path: str) -> Q:
    return of_source(reader, path) | source(reader, f"{path}entry__source__")


def _acknowledgement(reader: Reader, path: str) -> Q:
    hidden = Observation.objects.filter(_observation(reader, ""), pk=OuterRef(f"{path}use_id"))
    return of_source(reader, path) | (Q(**{f"{path}use_kind": UseKind.OBSERVATION}) & Q(Exists(hidden)))


def _long_deed(reader: Reader, path: str) -> Q:
    """Others' count rows."""
    return Q(**{f"{path}job__workspace_id__in": workspaces(reader)}) & ~mine(reader, f"{path}job__")


def _deed(reader: Reader, path: str) -> Q:
    """Others' deeds are hidden as wholes where a row that they changed is hidden: what they say of themselves counts
    all that they did. So are those of whose rows one is gone: nobody can say any more who may read of it."""
    theirs = Q(**{f"{path}workspace_id__in": workspaces(reader)}) & ~Q(**{f"{path}actor": reader.user_id})
    rows = ImportRow.objects.filter(of_source(reader, ""), batch__change_set=OuterRef(f"{path}pk"))
    touching = [_touching(model, hidden, path) for model, hidden in _hidden_in_history(reader)]
    return theirs & (any_of(touching) | Q(Exists(rows)))


def _hidden_in_history(reader: Reader) -> Iterator[tuple[type[Model], Q]]:
    """What a change must be like to be of a hidden row, by the model it is of. Asked apart: SQLite reads no deeper."""
    yield Entity, Q(Exists(Entity.objects.filter(above(reader), pk=OuterRef("object_id"))))
    for model in _TOLD_IN_HISTORY:
        rows = model._default_manager.filter(pk=OuterRef("object_id"))
        yield model, Q(Exists(rows.filter(hidden_from(reader, model))))
        yield model, ~Q(Exists(rows)) & (_removed_above(reader) if model is Source else Q())


def _removed_above(reader: Reader) -> Q:
    """A source that was removed, unless its history says that it was not restricted."""
    hidden = {word for one in reader.limits for word in words_above(one)}
    return ~Q(before__has_key="classification") | Q(before__classification__in=sorted(hidden))


def _touching(model: type[Model], hidden: Q, path: str) -> Q:
    changes = Change.objects.filter(hidden, change_set=OuterRef(f"{path}pk"), model=model._meta.label_lower)
    return Q(Exists(changes))


def _change(reader: Reader, path: str) -> Q:
    return _deed(reader, f"{path}change_set__")


# What else a deed changes it changes beside one of these.
_TOLD_IN_HISTORY: tuple[type[Model], ...] = (
    CatalogEntry,
    Chunk,
    CorpusEntry,
    Draft,
    DraftVersion,
    DuplicatePair,
    Observation,
    ObservationSource,
    Source,
)
RULES: dict[type[Model], Rule] = {
    CatalogEntry: of_source,
    Change: _change,
    ChangeSet: _deed,
    Check: of_source,
    Chunk: _with_node,
    Citation: _citation,
    CorpusEntry: writing.corpus_entry,
    Decision: of_source,
    Draft: writing.draft,
    DraftVersion: writing.draft_version,
    DuplicatePair: _pair,
    EntryAlias: _entry_alias,
    Export: _export,
    ExportOrder: _order,
    ImportBatch: _batch,
    ImportRow: _row,
    JobItem: _item,
    LongDeed: _long_deed,
    Observation: _observation,
    ObservationSource: _link,
    ProjectVersion: _version,
    Reading: of_source,
    RetractionAcknowledgement: _acknowledgement,
    RetractionDecision: of_source,
    RetractionHint: of_source,
    RetractionProposal: writing.proposal,
    RetractionProposalRow: writing.proposal_row,
    RetractionStanding: of_source,
    SourcePart: _part,
    ReviewItem: of_source,
    Source: source,
    SourceAlias: of_source,
    SourceVersion: _with_node,
    StatusChange: of_source,
    Tag.sources.through: of_source,
    TurnSource: of_source,
}
