"""What the works of an import leave beside their sources: other names, the states that files describe, tags."""

import hashlib
import json
from collections.abc import Collection, Sequence
from datetime import datetime

from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.rows import insert_columns, insert_rows
from sources.core import entries
from sources.core.kinds import VersionOrigin
from sources.formats.readers import PLAIN
from sources.models import ImportBatch, Source, SourceAlias, SourceVersion, Tag
from sources.services.staged_rows import plain
from sources.services.works import Work

_BATCH = 1000
# In these a row's spelling is how a text names the work; in the others it is an entry's key.
_PLAIN = frozenset(format_.name for format_ in PLAIN)


def remember(*, batch: ImportBatch, works: Sequence[Work], new: Collection[int], at: datetime) -> list[ChangeFacts]:
    """Makes other spellings and identifiers lead to their works; gives those of sources not in `new`, for undo."""
    workspace_id = batch.project.workspace_id
    aliases = []
    for work in works:
        source = work.known
        identities = [identity for record in work.records for identity in record.identities]
        others = {one.key: one for one in identities if one.key != source.canonical_key}
        aliases += [_alias(source, other.value, key, at=at) for key, other in others.items() if key]
        own = {source.request_url, source.identifier_value}
        if batch.format in _PLAIN:
            spellings = dict.fromkeys(row.spelling for row in work.rows if row.spelling not in own)
        else:
            variants = (value for record in work.records for name, value in record.details if name == "variant")
            spellings = dict.fromkeys(variants)
        aliases += [_alias(source, spelling, "", at=at) for spelling in spellings]
    # In one order, so that two lists at once for two projects cannot wait for each other's rows.
    aliases.sort(key=lambda alias: (alias.source_id, alias.spelling_key, alias.canonical_key))
    for alias in aliases:
        alias.workspace_id = workspace_id
    keys = sorted({alias.canonical_key for alias in aliases if alias.source_id not in new} - {""})
    before = set(_aliases_of(workspace_id, keys))
    insert_rows(aliases, ignore_conflicts=True)
    made = sorted(set(_aliases_of(workspace_id, keys)) - before)
    return [ChangeFacts(SourceAlias._meta.label_lower, pk, {}, {"made": True}) for pk in made]


def _aliases_of(workspace_id: int, keys: Sequence[str]) -> list[int]:
    found: list[int] = []
    for start in range(0, len(keys), _BATCH):
        part = keys[start : start + _BATCH]
        rows = SourceAlias.objects.filter(workspace_id=workspace_id, canonical_key__in=part)
        found.extend(rows.values_list("pk", flat=True))
    return found


def _alias(source: Source, spelling: str, key: str, *, at: datetime) -> SourceAlias:
    return SourceAlias(
        source=source,
        spelling=spelling,
        spelling_key=hashlib.sha256(spelling.encode()).hexdigest(),
        canonical_key=key,
        first_seen_at=at,
    )


def keep_versions(*, works: Sequence[Work], at: datetime) -> None:
    """Every state in which a file describes a work, as a version named by the hash of what it says."""
    versions = []
    for work in works:
        for row, record in work.placed:
            if row.record is None:
                continue
            told = entries.as_json(plain(record))
            written = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
            versions.append(
                SourceVersion(
                    source=work.known,
                    origin=VersionOrigin.IMPORTED,
                    sha256=hashlib.sha256(written).hexdigest(),
                    record=told,
                    media_type="application/json",
                    byte_count=len(written),
                    title=record.title,
                    fetched_at=at,
                )
            )
    insert_rows(versions, ignore_conflicts=True)


def tag(*, workspace_id: int, works: Sequence[Work]) -> None:
    """Puts the tags of the records on their sources, made where the workspace has none of that name. Idempotent."""
    wanted = {
        (work.known.pk, name.strip()[:100])
        for work in works
        for record in work.records
        for name in record.tags
        if name.strip()
    }
    if not wanted:
        return
    names = sorted({name for _, name in wanted})
    Tag.objects.bulk_create([Tag(workspace_id=workspace_id, name=name) for name in names], ignore_conflicts=True)
    tags = dict(Tag.objects.filter(workspace_id=workspace_id, name__in=names).values_list("name", "pk"))
    through = Source.tags.through
    pairs = sorted(wanted)
    insert_columns(
        through,
        {"source_id": [source_id for source_id, _ in pairs], "tag_id": [tags[name] for _, name in pairs]},
        same={},
        ignore_conflicts=True,
    )
