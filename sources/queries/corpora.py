"""Reads of corpora: what a section or a project may cite, as the gate and the pack know it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import Count, QuerySet

from provenance_site.kit.rows import in_parts
from sources.core.citations import CorpusItem, Standing
from sources.core.findings import Disposition, Verdict
from sources.core.kinds import IdentifierType, Sensitivity
from sources.core.records import Identity
from sources.core.urls import identity_form
from sources.models import CorpusEntry, EntryAlias, Project, Section, Source, SourceAlias
from sources.queries.readable import readable, readable_at


def entries_of(project: Project, section: Section | None = None) -> QuerySet[CorpusEntry]:
    """The corpus of a project or of one of its sections, in the order of ids, with sources and newest checks.

    A source of two sections comes twice, one behind the other.
    """
    rows = readable(CorpusEntry.objects.all()).filter(entry__project=project, entry__source__merged_into__isnull=True)
    if section is not None:
        rows = rows.filter(section=section)
    return rows.select_related("entry__source__latest_check", "section").order_by("entry__number", "section", "pk")


def corpus_of(*, project: Project, section: Section | None = None, at: datetime) -> list[CorpusItem]:
    """What may be cited in a project (or in one section), each source once, in the order of ids.

    A source that several sections kept tells the longest of its excerpts. Ids that a merge left over lead to the same
    source and stand behind it. `at` decides what is stale. Three queries, and one more per 500 sources.
    """
    chosen: dict[int, CorpusEntry] = {}
    for row in entries_of(project, section):
        kept = chosen.get(row.entry_id)
        if kept is None or len(row.excerpt) > len(kept.excerpt):
            chosen[row.entry_id] = row
    spellings = _spellings([row.entry.source_id for row in chosen.values()])
    former = _former(project, chosen)
    items: list[CorpusItem] = []
    for row in chosen.values():
        for stable_id in (row.entry.stable_id, *former.get(row.entry_id, ())):
            items.append(item_of(row, stable_id=stable_id, spellings=spellings.get(row.entry.source_id, ()), at=at))
    return items


def item_of(row: CorpusEntry, *, stable_id: str = "", spellings: Sequence[str] = (), at: datetime) -> CorpusItem:
    """An entry as the gate and the pack know it; its entry, source, newest check and section are loaded."""
    source = row.entry.source
    evidence = source.latest_check.evidence if source.latest_check else {}
    own = Identity(IdentifierType(source.identifier_type), source.identifier_value, source.request_url)
    recovered = str((evidence.get("recovery") or {}).get("recovered_url", ""))
    is_recovered = source.verdict == Verdict.VERIFIED_VIA_REPUBLISH and bool(recovered)
    url = recovered if is_recovered else own.link or source.request_url
    others = dict.fromkeys((own.link, source.request_url, str(evidence.get("final_url", "")), *spellings))
    return CorpusItem(
        id=stable_id or row.entry.stable_id,
        url=url,
        canonical_url=identity_form(url),
        title=source.title or str(evidence.get("title_found", "")) or str(source),
        publisher=source.publisher,
        published=source.published_date,
        excerpt=row.excerpt,
        summary=row.summary,
        variants=tuple(other for other in others if other and other != url),
        standing=standing_of(source, at=at),
        verdict=source.verdict,
        access_note=row.access_note,
        section=row.section.slug,
        section_title=row.section.title,
    )


def standing_of(source: Source, *, at: datetime) -> frozenset[Standing]:
    """What stands against citing a source at `at`: retracted, dropped, not to leave the house, or known only by a
    verdict that answers for it no longer."""
    told = {
        Standing.RETRACTED: source.retracted,
        Standing.DROPPED: source.disposition == Disposition.DROP,
        Standing.INTERNAL_ONLY: source.sensitivity == Sensitivity.INTERNAL_ONLY,
        Standing.STALE: source.fresh_until is not None and source.fresh_until < at,
    }
    return frozenset(standing for standing, holds in told.items() if holds)


def sections_of(project: Project) -> list[tuple[Section, int]]:
    """The project's sections that have an outline or a corpus, in the order of the outline, with how many sources each
    has. One query."""
    rows = (
        Section.objects.filter(project=project)
        .annotate(kept=Count("corpus", filter=readable_at(CorpusEntry, "corpus__")))
        .select_related("outline")
        .order_by("outline__position", "pk")
    )
    listed = [(row, row.kept) for row in rows if row.kept or hasattr(row, "outline")]
    return sorted(listed, key=lambda pair: (not hasattr(pair[0], "outline"), _position(pair[0]), pair[0].pk))


def _position(section: Section) -> int:
    return section.outline.position if hasattr(section, "outline") else 0


def _spellings(source_ids: Iterable[int]) -> Mapping[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for part in in_parts(sorted(set(source_ids))):
        rows = readable(SourceAlias.objects.all()).filter(source__in=part).order_by("pk")
        for source_id, spelling in rows.values_list("source_id", "spelling"):
            found[source_id].append(spelling)
    return found


def _former(project: Project, entry_ids: Iterable[int]) -> Mapping[int, list[str]]:
    wanted = set(entry_ids)
    found: dict[int, list[str]] = defaultdict(list)
    for alias in readable(EntryAlias.objects.all()).filter(project=project).order_by("number"):
        if alias.entry_id in wanted:
            found[alias.entry_id].append(alias.stable_id)
    return found
