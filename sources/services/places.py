"""Where an import's works are used: catalog entries of its project, versions of the text, sections, citations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from provenance_site.kit.rows import insert_rows
from sources.core.entries import SourceRecord
from sources.models import CatalogEntry, Citation, ImportBatch, ImportRow, Project, Source
from sources.services import projects


@dataclass(frozen=True, slots=True)
class Entered:
    """The entries that are new in the project, and how many citations are."""

    new_entries: tuple[CatalogEntry, ...]
    new_citations: int


def enter(*, batch: ImportBatch, placed: Sequence[tuple[ImportRow, SourceRecord, Source]], at: datetime) -> Entered:
    """Enters the sources into the batch's project and writes where each row cites them; in the caller's transaction.

    Entries are numbered in the order of the rows. A citation that is there already stays the one it is.
    """
    # As it stands, not as the batch remembers it: numbers from here on are this step's.
    project = Project.objects.select_for_update().get(pk=batch.project_id)
    in_order = sorted(placed, key=lambda place: place[0].position)
    source_ids = list(dict.fromkeys(source.pk for _, _, source in in_order))
    new_from = project.next_number
    entered = projects.enter(project=project, source_ids=source_ids, at=at)
    labels = dict.fromkeys(record.project_version[:200] or batch.label for _, record, _ in in_order)
    versions = {label: projects.version_named(project=project, label=label, at=at) for label in labels}
    sections = projects.sections_named(project=project, titles=[row.section for row, _, _ in in_order])
    already = Citation.objects.filter(version__in=versions.values()).count()
    insert_rows(
        [
            Citation(
                entry=entered[source.pk],
                version=versions[record.project_version[:200] or batch.label],
                section=sections.get(row.section),
                batch=batch,
                status=row.status,
                line=row.line,
                spelling=row.spelling,
                claimed_title=row.title,
                context=row.context,
            )
            for row, record, source in in_order
        ],
        ignore_conflicts=True,
    )
    return Entered(
        new_entries=tuple(entry for entry in entered.values() if entry.number >= new_from),
        new_citations=Citation.objects.filter(version__in=versions.values()).count() - already,
    )
