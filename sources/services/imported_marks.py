"""What an imported file says of retractions: heard as its word, and never against what a person decided.

A file's word moves nothing where providers say otherwise: an editor is asked. Where nobody has said anything yet the
mark is set, as the file has it, and the question stays open.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import in_parts
from sources.core import retraction_status
from sources.core.entries import SourceRecord, details_by_name
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Nature, Provider, Status
from sources.models import ImportBatch, RetractionAssertion, Source
from sources.queries.retraction_evidence import asserted, evidence_of, holding
from sources.services import chunk_marks, retraction_impact, retraction_records, retraction_standings, retractions
from sources.services.retraction_records import AssertionFacts

_SOURCE = Source._meta.label_lower
_LONGEST_REASON = 2_000
# Where providers say nothing graver than these, a file's word marks.
_SILENT = frozenset({Status.UNCHECKED, Status.NONE_FOUND, Status.CORRECTED, Status.CONCERN})
# What a finer word of a file says. That nothing was found, or that it is disputed, says nothing.
_FINER = {
    nature.value: nature
    for nature in Nature
    if nature not in {Nature.NONE, Nature.UNKNOWN, Nature.NOTICE, Nature.REINSTATED}
}


@dataclass(frozen=True, slots=True)
class FileWord:
    """What a file says of one source."""

    nature: Nature
    note: str


def word_of(record: SourceRecord) -> FileWord | None:
    """What the record says of its work's retraction, None where nothing."""
    finer = _FINER.get(str(details_by_name(record).get("retraction_status", "")))
    if record.retracted and (finer is None or not finer.is_full):
        finer = Nature.RETRACTED
    if finer is None or (finer.is_full and not record.retracted):
        return None
    return FileWord(finer, record.retraction_note)


def take_in(*, batch: ImportBatch, words: Mapping[int, FileWord], marks: bool, at: datetime) -> list[ChangeFacts]:
    """Keeps what the batch's file says of these sources (keys), in the caller's transaction; gives the marks set.

    With `marks` a source of which nobody else says or decided otherwise is marked, and passages and the graph follow.
    Twice changes nothing.
    """
    if not words:
        return []
    workspace_id = batch.project.workspace_id
    sources: dict[int, Source] = {}
    for part in in_parts(sorted(words)):
        rows = Source.objects.standing().filter(workspace_id=workspace_id, pk__in=part)
        sources.update({source.pk: source for source in rows.order_by("pk")})
    said = [
        AssertionFacts(
            identifier_type=source.identifier_type,
            identifier_value=source.identifier_value,
            provider=Provider.IMPORTED,
            record_id=words[pk].nature.value,
            nature=words[pk].nature,
            raw_nature=words[pk].nature.value,
            reasons=(words[pk].note[:_LONGEST_REASON],) if words[pk].note else (),
            snapshot=_snapshot(batch),
            workspace_id=workspace_id,
        )
        for pk, source in sources.items()
        if source.canonical_key and source.identifier_type != IdentifierType.NONE
    ]
    retraction_records.record(assertions=said, at=at)
    if not marks:
        return []
    fallen = {pk: words[pk].note for pk in _unopposed(list(sources.values()), at=at) if words[pk].nature.is_full}
    facts = retractions.write_each(workspace_id=workspace_id, notes=fallen, retracted=True, by=None, at=at)
    return [ChangeFacts(fact.model, fact.object_id, _mark_in(fact.before), _mark_in(fact.after)) for fact in facts]


def undo(*, batches: Sequence[ImportBatch], given_back: Iterable[ChangeFacts], at: datetime) -> None:
    """Has passages and the graph follow marks that were given back by the undo of these imports, and forgets what only
    their files said: an import that was taken back has said nothing."""
    freed = {
        fact.object_id: (True, str(fact.before.get("retraction_note", "")))
        for fact in given_back
        if fact.model == _SOURCE and fact.before.get("retracted")
    }
    chunk_marks.follow(earlier=freed)
    for batch in batches:
        workspace_id = batch.project.workspace_id
        retraction_impact.follow(workspace_id=workspace_id, source_ids=freed, by=None, at=at)
        said = RetractionAssertion.objects.filter(workspace_id=workspace_id, snapshot=_snapshot(batch))
        alone = [row for row in said if row.first_seen_at == row.last_seen_at]
        for part in in_parts([row.pk for row in alone]):
            RetractionAssertion.objects.filter(pk__in=part).delete()
        keys = {row.identifier_key for row in alone}
        retraction_standings.settle(source_ids=retraction_standings.follow_again(identifier_keys=keys, at=at), at=at)


def overruled(source_ids: Iterable[int]) -> set[int]:
    """Those of the sources of which a person decided that they hold: no file's word marks their passages."""
    return {pk for pk, row in holding(set(source_ids)).items() if not row.as_status.is_retracted}


def _unopposed(sources: Sequence[Source], *, at: datetime) -> list[int]:
    decided = holding([source.pk for source in sources])
    evidence = evidence_of(sources)
    found = []
    for source in sources:
        others = [asserted(row) for row in evidence[source.pk][1] if row.provider != Provider.IMPORTED]
        if source.pk not in decided and retraction_status.derive(others, now=at).status in _SILENT:
            found.append(source.pk)
    return found


def _mark_in(told: Mapping[str, object]) -> dict[str, object]:
    return {name: told[name] for name in ("retracted", "retraction_note")}


def _snapshot(batch: ImportBatch) -> str:
    return f"import {batch.uuid}"
