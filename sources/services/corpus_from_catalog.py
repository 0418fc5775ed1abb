"""Sources that a project has already, taken into the corpus of a section: an analyst's own list needs no search."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from provenance_site.accounts.models import User
from provenance_site.changes.models import Channel
from sources import permissions
from sources.core.exported import ExportedSource
from sources.core.findings import Disposition
from sources.models import CatalogEntry, CorpusEntry, Project, Section, Source
from sources.queries import exported
from sources.queries.readable import readable
from sources.services import corpora, corpus_lineage, corpus_rows
from sources.services.corpora import NotOfProject

TOOL = "catalog"
_BATCH = 500


def waiting(*, project: Project, section: Section) -> int:
    """How many sources of the project are kept by their verdicts and not in the section's corpus yet. One query."""
    return _entries(project, section).count()


def take_in(*, project: Project, section: Section, by: User, channel: Channel, at: datetime) -> int:
    """Puts every source of the project that its verdict or a person keeps into the corpus of a section, under the id
    that it has; gives how many are new there. Twice is safe. One ChangeSet that can be undone.

    What an import told of excerpt, summary, question and tool comes along. Raises `NotOfProject`.
    """
    permissions.check_can_curate(by, project.workspace_id)
    if section.project_id != project.pk:
        raise NotOfProject(f"“{section}” is no section of {project}.")
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        entries = list(_entries(project, section))
        rows = [
            row
            for start in range(0, len(entries), _BATCH)
            for row in _rows(entries[start : start + _BATCH], project, section, by=by, at=at)
        ]
        sources = Source.objects.select_related("entity", "latest_check__version__entity").in_bulk(
            [row.entry.source_id for row in rows]
        )
        corpus_lineage.write_hits(project=project, rows=rows, sources=sources, run_id="", at=at)
        facts = corpus_rows.write(rows)
        corpora.record(project, section, facts, by=by, channel=channel, at=at)
    return len(facts)


def _entries(project: Project, section: Section) -> QuerySet[CatalogEntry]:
    return (
        readable(CatalogEntry.objects.all())
        .filter(project=project, source__disposition=Disposition.KEEP, source__merged_into__isnull=True)
        .exclude(corpus__section=section)
        .order_by("number")
    )


def _rows(
    entries: list[CatalogEntry], project: Project, section: Section, *, by: User, at: datetime
) -> Iterable[CorpusEntry]:
    told = exported.sources_of(
        [entry.source_id for entry in entries],
        numbers={entry.source_id: entry.number for entry in entries},
        project=project,
    )
    for entry in entries:
        if entry.source_id in told:
            yield _row(entry, told[entry.source_id], section, by=by, at=at)


def _row(entry: CatalogEntry, source: ExportedSource, section: Section, *, by: User, at: datetime) -> CorpusEntry:
    return CorpusEntry(
        entry=entry,
        section=section,
        fetched_at=source.fetched_at or source.checked_at,
        excerpt=source.body_excerpt[: corpora.MAX_EXCERPT],
        summary=source.summary[: corpora.SUMMARY_LENGTH],
        retrieval_query=source.retrieval_query,
        retrieval_tool=(source.retrieval_tool or TOOL)[:50],
        verdict=source.verdict.value if source.verdict else "",
        access_note=source.access_note,
        kept_at=at,
        kept_by=by,
    )
