"""What the registry calls the nodes of its rows, for pages of lineage. Registered with them by the wiring."""

from collections.abc import Collection, Mapping
from urllib.parse import quote

from django.urls import reverse

from lineage.queries.key_sets import among
from lineage.queries.words import Name
from provenance_site.kit.text import date_in_words
from sources.core.chunking import hash_of
from sources.models import Chunk, CorpusEntry, DraftVersion, Export, Observation, Source, SourceVersion
from sources.queries.readable import readable


def names(workspace_id: int, keys: Collection[int]) -> Mapping[int, Name]:
    """Titles and pages of the rows behind these nodes, by key; seven queries, whatever the number."""
    found: dict[int, Name] = {}
    of_exports = (
        readable(Export.objects.all())
        .filter(workspace_id=workspace_id, entity__in=among(keys))
        .order_by("created_at", "pk")
    )
    for export in of_exports:
        found[export.entity_id or 0] = Name(export.file_name, reverse("export", args=[export.uuid]))
    for chunk in (
        readable(Chunk.objects.all())
        .filter(store__workspace_id=workspace_id, entity__in=among(keys))
        .select_related("store")
    ):
        lines = f", lines {chunk.start_line}–{chunk.end_line}" if chunk.start_line else ""
        url = f"{reverse('document', args=[chunk.store_id])}?key={hash_of(chunk.path)}#chunk-{chunk.pk}"
        found[chunk.entity_id or 0] = Name(f"{chunk.source_title or chunk.path or 'passage'}{lines}", url)
    versions = readable(SourceVersion.objects.all()).filter(source__workspace_id=workspace_id, entity__in=among(keys))
    for version in versions.select_related("source"):
        url = f"{reverse('source', args=[version.source.uuid])}?part=versions"
        found[version.entity_id or 0] = Name(f"{version.source}, of {date_in_words(version.fetched_at)}", url)
    for source in readable(Source.objects.all()).filter(workspace_id=workspace_id, entity__in=among(keys)):
        found[source.entity_id or 0] = Name(str(source), reverse("source", args=[source.uuid]))
    for one in readable(Observation.objects.all()).filter(project__workspace_id=workspace_id, entity__in=among(keys)):
        found[one.entity_id or 0] = Name(str(one), reverse("observation", args=[one.uuid]))
    drafts = readable(DraftVersion.objects.all()).filter(
        draft__project__workspace_id=workspace_id, entity__in=among(keys)
    )
    for draft in drafts.select_related("draft").only("number", "entity_id", "draft__name", "draft__uuid"):
        url = f"{reverse('draft', args=[draft.draft.uuid])}?version={draft.number}"
        found[draft.entity_id or 0] = Name(f"{draft.draft.name}, version {draft.number}", url)
    kept = readable(CorpusEntry.objects.all()).filter(entry__project__workspace_id=workspace_id, entity__in=among(keys))
    for hit in kept.select_related("entry__project", "section").defer("excerpt", "summary"):
        url = f"{reverse('corpus', args=[hit.entry.project.uuid])}?section={quote(hit.section.slug)}"
        found[hit.entity_id or 0] = Name(f"{hit.entry.stable_id}, found for {hit.section.title}", url)
    return found
