"""One step of an import's commit: the next rows of a batch, by kind, in one transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from provenance_site.accounts.models import User
from provenance_site.changes.registry import ChangeFacts
from sources.core.kinds import RowAction
from sources.models import ImportBatch, ImportRow
from sources.services import arrivals, chunk_import, knowledge_import, link_import

STEP = 2000


@dataclass(slots=True)
class Step:
    """What one step wrote. `tally` counts by word; `facts` is what undo needs; `rejected` are (source, reason)."""

    tally: dict[str, int] = field(default_factory=dict)
    facts: list[ChangeFacts] = field(default_factory=list)
    rejected: list[tuple[int, str]] = field(default_factory=list)


def waiting(batch: ImportBatch) -> list[ImportRow]:
    """The next rows to be written, all of one kind: first what others need."""
    rows = batch.rows.filter(is_written=False).exclude(action=RowAction.ERROR).order_by("rank", "position")
    found = list(rows[:STEP])
    return [row for row in found if row.record_kind == found[0].record_kind]


def write(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> Step:
    """Writes these rows in the caller's transaction and marks them as written."""
    step = _WRITERS[rows[0].record_kind](batch=batch, rows=rows, by=by, at=at)
    ImportRow.objects.filter(batch=batch, position__in=[row.position for row in rows]).update(is_written=True)
    return step


def _works(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> Step:
    arrived = arrivals.write(batch=batch, rows=rows, at=at)
    tally = {
        "new_sources": len(arrived.new_sources),
        "new_entries": arrived.new_entries,
        "new_citations": arrived.new_citations,
    }
    return Step(tally=tally, facts=arrived.facts, rejected=arrived.rejected)


def _chunks(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> Step:
    facts = chunk_import.write(batch=batch, rows=rows, by=by, at=at)
    return Step(tally={"changed_passages": len(facts)}, facts=facts)


def _others(write_kind: Callable[..., list[ChangeFacts]], word: str) -> Callable[..., Step]:
    def written(*, batch: ImportBatch, rows: Sequence[ImportRow], by: User, at: datetime) -> Step:
        facts = write_kind(batch=batch, rows=rows, by=by, at=at)
        return Step(tally={word: len(facts)}, facts=facts)

    return written


_WRITERS: dict[str, Callable[..., Step]] = {
    "source": _works,
    "project": _others(knowledge_import.projects, "new_projects"),
    "concept": _others(knowledge_import.concepts, "new_concepts"),
    "observation": _others(knowledge_import.observations, "new_observations"),
    "chunk": _chunks,
    "turn": _others(knowledge_import.turns, "new_turns"),
    "link": _others(link_import.write, "new_links"),
}
