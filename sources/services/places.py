"""Where an import's works are used: catalog entries of its project, versions of the text, sections, citations, and that
each version rests on what it cites."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from provenance_site.kit.rows import insert_rows
from sources.core.entries import SourceRecord
from sources.models import CatalogEntry, Citation, ImportBatch, ImportRow, ProjectVersion, Source
from sources.services import draft_lineage, projects


@dataclass(frozen=True, slots=True)
class Entered:
    """The entries that are new in the project, and how many citations are."""

    new_entries: tuple[CatalogEntry, ...]
    new_citations: int


def enter(*, batch: ImportBatch, placed: Sequence[tuple[ImportRow, SourceRecord, Source]], at: datetime) -> Entered:
    """Enters the sources into the batch's project and writes where each row cites them; in the caller's transaction.

    Entries are numbered in the order of the rows. A citation that is there already stays the one it is.
    """
    project = batch.project
    in_order = sorted(placed, key=lambda place: place[0].position)
    source_ids = list(dict.fromkeys(source.pk for _, _, source in in_order))
    entered = projects.enter(project=project, source_ids=source_ids, at=at)
    uses = [(row, source, use) for row, record, source in in_order for use in _uses(row, record, label=batch.label)]
    labels = dict.fromkeys(use.version for _, _, use in uses)
    versions = {label: projects.version_named(project=project, label=label, at=at) for label in labels}
    sections = projects.sections_named(project=project, titles=[use.section for _, _, use in uses])
    already = Citation.objects.filter(version__in=versions.values()).count()
    insert_rows(
        [
            Citation(
                entry=entered.by_source[source.pk],
                version=versions[use.version],
                section=sections.get(use.section),
                batch=batch,
                status=row.status,
                line=row.line,
                spelling=row.spelling,
                claimed_title=row.title,
                context=row.context,
            )
            for row, source, use in uses
        ],
        ignore_conflicts=True,
    )
    cited: dict[ProjectVersion, list[Source]] = {version: [] for version in versions.values()}
    for _, source, use in uses:
        cited[versions[use.version]].append(source)
    draft_lineage.record(batch=batch, cited=cited, at=at)
    return Entered(
        new_entries=tuple(entered.by_source[source_id] for source_id in source_ids if source_id in entered.new),
        new_citations=Citation.objects.filter(version__in=versions.values()).count() - already,
    )


class _Use(NamedTuple):
    version: str
    section: str


def _uses(row: ImportRow, record: SourceRecord, *, label: str) -> list[_Use]:
    """Where a row says that the work is used: a plain one in one place, an entry of a merged list in many.

    Such a list names all versions and all sections, not which section in which version: every version is kept with the
    first section, and the newest with all of them.
    """
    versions = [value for name, value in record.details if name == "version" and value]
    sections = [value[:300] for name, value in record.details if name == "section" and value]
    versions = list(dict.fromkeys(version[:200] for version in [*versions, record.project_version] if version)) or [
        label
    ]
    sections = list(dict.fromkeys([row.section, *sections] if row.section else sections)) or [""]
    newest = record.project_version[:200] or versions[-1]
    return [
        _Use(version, section) for version in versions for section in (sections if version == newest else sections[:1])
    ]
