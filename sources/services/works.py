"""Which works the rows of an import mean: one for all rows that share an identifier, a source where one is known."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sources.core import entries
from sources.core.entries import SourceRecord
from sources.core.records import Identity
from sources.models import ImportBatch, ImportRow, Source
from sources.queries import known
from sources.services import duplicates, metadata
from sources.services.staged_rows import record_of


@dataclass(slots=True)
class Work:
    """One work that rows of a step mean: a source that is there, or one to be registered under `identity`."""

    identity: Identity
    source: Source | None = None
    rows: list[ImportRow] = field(default_factory=list)
    records: list[SourceRecord] = field(default_factory=list)

    @property
    def known(self) -> Source:
        """Its source, once it has one."""
        assert self.source is not None  # noqa: S101
        return self.source

    @property
    def spelled(self) -> Identity:
        """Its identity as the first row spells it that also has a title, else the first: a text often names a source
        bare, or by a link that a program made, before it cites it in full."""
        titled = (entries.first_identity(record) for record in self.records if record.title)
        return next((one for one in titled if one.key == self.identity.key), self.identity)

    @property
    def placed(self) -> list[tuple[ImportRow, SourceRecord]]:
        """Each row with its record."""
        return list(zip(self.rows, self.records, strict=True))

    @property
    def values(self) -> dict[str, Any]:
        """What its records say, the first one that says it; of the bibliography, the first of each part, and of
        classifications the strictest."""
        told: dict[str, Any] = {}
        for record in self.records:
            values = metadata.values_of(record)
            told = {
                **values,
                **told,
                "bibliography": {**values.get("bibliography", {}), **told.get("bibliography", {})},
            }
        labels = [record.classification for record in self.records if record.classification]
        if labels:
            told["classification"] = max(labels, key=lambda label: label.level).value
        return {name: value for name, value in told.items() if value}


def sorted_out(*, batch: ImportBatch, rows: Sequence[ImportRow], at: datetime) -> list[Work]:
    """The works that the rows mean, each once, in the order of their first row."""
    records = {row.pk: _record(row) for row in rows}
    keys = {identity.key for record in records.values() for identity in record.identities}
    matches = known.Matches(workspace_id=batch.project.workspace_id, records=list(records.values()), keys=keys)
    works: list[Work] = []
    by_source: dict[int, Work] = {}
    by_name: dict[object, Work] = {}
    doubtful: list[list[int]] = []
    for row in rows:
        record = records[row.pk]
        names: list[object] = [identity.key for identity in record.identities] or [known.words_of(record)]
        hits = matches.hits(record)
        meant = {id(work): work for name in names if (work := by_name.get(name))}
        meant |= {id(work): work for source in hits if (work := by_source.get(source.pk))}
        if len(hits) > 1 or len(meant) > 1:
            doubtful.append(
                [source.pk for work in meant.values() if (source := work.source)] + [one.pk for one in hits]
            )
            continue
        work = next(iter(meant.values()), None)
        if work is None:
            work = Work(entries.first_identity(record), hits[0] if hits else None)
            works.append(work)
        if work.source is not None:
            by_source[work.source.pk] = work
        for name in names:
            by_name.setdefault(name, work)
        work.rows.append(row)
        work.records.append(record)
    duplicates.propose_shared(source_ids=doubtful, at=at)
    return works


def _record(row: ImportRow) -> SourceRecord:
    record = record_of(row)
    assert isinstance(record, SourceRecord)  # noqa: S101
    return record
