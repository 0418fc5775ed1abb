"""What the lineage graph should say of the registry's objects, read from their rows alone."""

from collections import defaultdict
from collections.abc import Iterator

from lineage.core import keys, refs
from lineage.core.relations import EntityType, Label, Relation
from lineage.models import Edge, Entity
from lineage.reconcile import Expected
from provenance_site.kit.rows import in_parts
from sources.core.chunking import hash_of
from sources.core.kinds import BatchState
from sources.models import (
    Chunk,
    Citation,
    CorpusEntry,
    DraftVersion,
    Export,
    ImportBatch,
    Observation,
    ObservationSource,
    ProjectVersion,
    Source,
    SourceVersion,
)

_BATCH = 1_000
SOURCE = Source._meta.label_lower
VERSION = SourceVersion._meta.label_lower
CHUNK = Chunk._meta.label_lower
OBSERVATION = Observation._meta.label_lower
EXPORT = Export._meta.label_lower
DRAFT = ProjectVersion._meta.label_lower
CORPUS_ENTRY = CorpusEntry._meta.label_lower
DRAFT_VERSION = DraftVersion._meta.label_lower


def expected(*, workspace_id: int) -> Iterator[Expected]:
    """Every object of a workspace that has a node, kind by kind, each by key; a thousand rows at a time, but for what
    observations and texts rest on, which is held by key.

    A ref is told where the row alone gives it: not for texts of projects, whose bytes the row does not name.
    """
    yield from _imports(workspace_id)
    yield from _sources(workspace_id)
    yield from _versions(workspace_id)
    yield from _chunks(workspace_id)
    yield from _observations(workspace_id)
    yield from _drafts(workspace_id)
    yield from _exports(workspace_id)
    yield from _retrieved(workspace_id)
    yield from _gated(workspace_id)


def kept_by_the_registry(*, workspace_id: int) -> Iterator[int]:
    """The nodes of objects that are there: what a retention by age must leave alone."""
    named: list[str] = []
    for one in expected(workspace_id=workspace_id):
        if one.entity_id is not None:
            yield one.entity_id
        elif one.ref:
            named.append(keys.ref_key(one.ref))
    for part in in_parts(named):
        rows = Entity.objects.filter(workspace_id=workspace_id, ref_key__in=part)
        yield from rows.values_list("pk", flat=True)


def _imports(workspace_id: int) -> Iterator[Expected]:
    rows = ImportBatch.objects.filter(project__workspace=workspace_id, state=BatchState.COMMITTED).order_by("pk")
    for uuid, sha256 in rows.values_list("uuid", "sha256").iterator(_BATCH):
        ref = refs.make(EntityType.ARTIFACT, f"import/{uuid}", sha256)
        yield Expected(("", 0), str(ref), sha256)


def _sources(workspace_id: int) -> Iterator[Expected]:
    rows = Source.objects.filter(workspace=workspace_id, merged_into__isnull=True).order_by("pk")
    told = rows.values_list("pk", "uuid", "entity", "classification", "authority")
    for pk, uuid, entity_id, classification, authority in told.iterator(_BATCH):
        ref = refs.make(EntityType.SOURCE, str(uuid), "v1")
        yield Expected((SOURCE, pk), str(ref), "", entity_id, Label(classification), authority)


def _versions(workspace_id: int) -> Iterator[Expected]:
    rows = SourceVersion.objects.filter(source__workspace=workspace_id).order_by("pk")
    told = rows.values_list("pk", "source__uuid", "sha256", "entity", "source__entity")
    for pk, uuid, sha256, entity_id, of_source in told.iterator(_BATCH):
        ref = refs.make(EntityType.SOURCE_VERSION, str(uuid), sha256)
        yield Expected((VERSION, pk), str(ref), sha256, entity_id, rests_on=_there(of_source))


def _chunks(workspace_id: int) -> Iterator[Expected]:
    rows = Chunk.objects.filter(store__workspace=workspace_id).order_by("pk")
    told = rows.values_list("pk", "store", "path_key", "content_hash", "ordinal", "entity", "version__entity")
    for pk, store, path_key, content_hash, ordinal, entity_id, of_version in told.iterator(_BATCH):
        ref = refs.make(EntityType.CHUNK, f"store/{store}/{path_key}", f"{content_hash}.{ordinal}")
        yield Expected((CHUNK, pk), str(ref), content_hash, entity_id, rests_on=_there(of_version))


def _observations(workspace_id: int) -> Iterator[Expected]:
    rests_on: dict[int, list[int]] = defaultdict(list)
    links = ObservationSource.objects.filter(observation__project__workspace=workspace_id)
    for pk, entity_id in links.exclude(source__entity=None).values_list("observation", "source__entity"):
        rests_on[pk].append(entity_id)
    rows = Observation.objects.filter(project__workspace=workspace_id).order_by("pk")
    for pk, uuid, body, entity_id in rows.values_list("pk", "uuid", "body", "entity").iterator(_BATCH):
        ref = refs.make(EntityType.CLAIM, f"observation/{uuid}", "v1")
        yield Expected((OBSERVATION, pk), str(ref), hash_of(body), entity_id, rests_on=tuple(rests_on[pk]))


def _drafts(workspace_id: int) -> Iterator[Expected]:
    rests_on: dict[int, set[int]] = defaultdict(set)
    cited = Citation.objects.filter(version__project__workspace=workspace_id, version__entity__isnull=False)
    pairs = cited.exclude(entry__source__entity=None).values_list("version", "entry__source__entity").distinct()
    for pk, entity_id in pairs.iterator(_BATCH):
        rests_on[pk].add(entity_id)
    rows = ProjectVersion.objects.filter(project__workspace=workspace_id).order_by("pk")
    for pk, entity_id in rows.values_list("pk", "entity").iterator(_BATCH):
        yield Expected((DRAFT, pk), "", "", entity_id, rests_on=tuple(sorted(rests_on[pk])))


def _exports(workspace_id: int) -> Iterator[Expected]:
    rows = Export.objects.filter(workspace=workspace_id).order_by("pk")
    for pk, sha256, entity_id in rows.values_list("pk", "sha256", "entity").iterator(_BATCH):
        yield Expected((EXPORT, pk), "", sha256, entity_id)


def _retrieved(workspace_id: int) -> Iterator[Expected]:
    rows = CorpusEntry.objects.filter(entry__project__workspace=workspace_id, entity__isnull=False).order_by("pk")
    for pk, entity_id in rows.values_list("pk", "entity").iterator(_BATCH):
        yield Expected((CORPUS_ENTRY, pk), "", "", entity_id)


def _gated(workspace_id: int) -> Iterator[Expected]:
    """Versions of drafts, and the claims that they contain, which no row keeps."""
    rows = DraftVersion.objects.filter(draft__project__workspace=workspace_id).order_by("pk")
    told = rows.values_list("pk", "draft__uuid", "number", "sha256", "entity")
    for pk, uuid, number, sha256, entity_id in told.iterator(_BATCH):
        ref = refs.make(EntityType.REPORT, f"draft/{uuid}/{number}", sha256)
        yield Expected((DRAFT_VERSION, pk), str(ref), sha256, entity_id)
    said = Edge.objects.filter(
        workspace_id=workspace_id,
        relation=Relation.CONTAINS,
        from_entity__in=rows.exclude(entity=None).order_by().values("entity"),
        to_entity__type=EntityType.CLAIM,
    )
    claims = said.order_by("to_entity").values_list("to_entity", "to_entity__ref", "to_entity__content_hash")
    for entity_id, ref_text, sha256 in claims.distinct().iterator(_BATCH):
        yield Expected(("", 0), ref_text, sha256, entity_id)


def _there(entity_id: int | None) -> tuple[int, ...]:
    return () if entity_id is None else (entity_id,)
