"""What the registry calls the nodes of its rows, for pages of lineage. Registered with them by the wiring."""

from collections.abc import Collection, Mapping
from urllib.parse import quote

from django.urls import reverse

from lineage.queries.key_sets import among
from lineage.queries.words import Name, Remark
from provenance_site.kit.text import date_in_words
from sources.core.chunking import hash_of
from sources.models import Chunk, CorpusEntry, DraftVersion, Export, Observation, Source, SourceVersion
from sources.queries.readable import readable
from sources.queries.retraction_evidence import tell


def names(workspace_id: int, keys: Collection[int]) -> Mapping[int, Name]:
    """Titles and pages of the rows behind these nodes, by key, with what is told of a work's retraction.

    Seven queries, whatever the number, and two per 500 works. Rows are asked for by node alone, since a node is of one
    workspace: where that is named too, SQLite looks through all that the workspace has.
    """
    found: dict[int, Name] = {}
    for export in readable(Export.objects.all()).filter(entity__in=among(keys)).order_by("created_at", "pk"):
        found[export.entity_id or 0] = Name(export.file_name, reverse("export", args=[export.uuid]))
    for chunk in readable(Chunk.objects.all()).filter(entity__in=among(keys)).defer("content"):
        lines = f", lines {chunk.start_line}–{chunk.end_line}" if chunk.start_line else ""
        url = f"{reverse('document', args=[chunk.store_id])}?key={hash_of(chunk.path)}#chunk-{chunk.pk}"
        found[chunk.entity_id or 0] = Name(f"{chunk.source_title or chunk.path or 'passage'}{lines}", url)
    versions = list(readable(SourceVersion.objects.all()).filter(entity__in=among(keys)).select_related("source"))
    works = list(readable(Source.objects.all()).filter(entity__in=among(keys)))
    tell([*works, *(version.source for version in versions)])
    for version in versions:
        url = f"{reverse('source', args=[version.source.uuid])}?part=versions"
        words = f"{version.source}, of {date_in_words(version.fetched_at)}"
        found[version.entity_id or 0] = Name(words, url, _remark(version.source))
    for source in works:
        found[source.entity_id or 0] = Name(str(source), reverse("source", args=[source.uuid]), _remark(source))
    for one in readable(Observation.objects.all()).filter(entity__in=among(keys)):
        found[one.entity_id or 0] = Name(str(one), reverse("observation", args=[one.uuid]))
    drafts = readable(DraftVersion.objects.all()).filter(entity__in=among(keys))
    for draft in drafts.select_related("draft").only("number", "entity_id", "draft__name", "draft__uuid"):
        url = f"{reverse('draft', args=[draft.draft.uuid])}?version={draft.number}"
        found[draft.entity_id or 0] = Name(f"{draft.draft.name}, version {draft.number}", url)
    kept = readable(CorpusEntry.objects.all()).filter(entity__in=among(keys))
    for hit in kept.select_related("entry__project", "section").defer("excerpt", "summary"):
        url = f"{reverse('corpus', args=[hit.entry.project.uuid])}?section={quote(hit.section.slug)}"
        found[hit.entity_id or 0] = Name(f"{hit.entry.stable_id}, found for {hit.section.title}", url)
    return found


def _remark(source: Source) -> Remark | None:
    told = source.told
    return Remark(told.word, told.tone, told.icon) if told is not None and told.word else None
