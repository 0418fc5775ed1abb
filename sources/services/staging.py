"""The first step of an import: read a list and say what would happen, without touching the registry."""

import hashlib
from collections.abc import Mapping
from datetime import datetime

from django.conf import settings
from django.db import transaction

from provenance_site.accounts.models import User
from sources import permissions
from sources.core import extract
from sources.core.credentials import without_credentials
from sources.core.kinds import BatchState, RowAction
from sources.core.lines import one_line
from sources.core.records import Extraction, Reference, RowError
from sources.models import CatalogEntry, ImportBatch, ImportRow, Project, Source
from sources.services import registry

_BATCH = 1000
_SHOWN = 500


class ImportRefused(ValueError):
    """The list cannot be imported as a whole; the message says why and what to do."""


def stage(*, project: Project, data: bytes, label: str, by: User, at: datetime) -> ImportBatch:
    """Reads `data` and keeps what was found as a staged batch: new, known, duplicates, unreadable lines.

    Raises `ImportRefused` where nothing can be staged: too large, not text, no reference in it, too many.
    """
    permissions.check_can_curate(by, project.workspace_id)
    found = _read(data)
    rows = _rows(project=project, found=found)
    sha256 = hashlib.sha256(data).hexdigest()
    with transaction.atomic():
        batch = ImportBatch.objects.create(
            project=project,
            label=without_credentials(one_line(label))[:200] or _unnamed(project=project, sha256=sha256, at=at),
            sha256=sha256,
            byte_count=len(data),
            created_at=at,
            created_by=by,
        )
        for position, row in enumerate(rows, start=1):
            row.batch, row.position = batch, position
        ImportRow.objects.bulk_create(rows, batch_size=_BATCH)
    return batch


def check_readable(batch: ImportBatch) -> None:
    """Raises `ImportRefused` where no line of a staged batch names a source: for doors that commit without a look."""
    if not batch.rows.exclude(action=RowAction.ERROR).exists():
        first = batch.rows.order_by("line").first()
        told = f" Line {first.line}: {first.message}" if first else ""
        raise ImportRefused(f"No line names a source that can be imported.{told}")


def discard(*, batch: ImportBatch, by: User) -> None:
    """Throws a staged batch away; a committed one stays as it is. Idempotent."""
    permissions.check_can_curate(by, batch.project.workspace_id)
    ImportBatch.objects.filter(pk=batch.pk, state=BatchState.STAGED).update(state=BatchState.DISCARDED)


def _unnamed(*, project: Project, sha256: str, at: datetime) -> str:
    """The name of a list that was given none: its earlier one where the same bytes were imported before, so that they
    are no new version of the text; else the moment."""
    earlier = ImportBatch.objects.filter(project=project, sha256=sha256, state=BatchState.COMMITTED).order_by("pk")
    return earlier.values_list("label", flat=True).first() or f"Pasted list {at:%Y-%m-%d %H:%M}"


def _read(data: bytes) -> Extraction:
    limit = settings.IMPORT_MAX_BYTES
    if len(data) > limit:
        raise ImportRefused(
            f"The list is {len(data) / 1_048_576:.1f} MB; at most {limit // 1_048_576} MB are taken at once. "
            "Split it and import the parts."
        )
    try:
        text = extract.decode(data)
    except extract.NotText as refused:
        raise ImportRefused(str(refused)) from refused
    if not text.strip():
        raise ImportRefused("The list is empty. Paste one address or DOI a line, or a Markdown draft with links.")
    found = extract.extract(text)
    if not found.references and not found.errors:
        raise ImportRefused(
            "No address, DOI or other identifier was found. Paste one a line, or a Markdown draft with links or "
            "footnotes."
        )
    # Unreadable lines count too: each becomes a row of the preview, and 10 MB can hold millions of them.
    named = len(found.references) + len(found.errors)
    if named > settings.IMPORT_MAX_REFERENCES:
        raise ImportRefused(
            f"The list has {named:,} references and unreadable lines; at most {settings.IMPORT_MAX_REFERENCES:,} are "
            "taken at once. Split it and import the parts."
        )
    return found


def _rows(*, project: Project, found: Extraction) -> list[ImportRow]:
    known = registry.known_sources(
        workspace_id=project.workspace_id, keys=[reference.identity.key for reference in found.references]
    )
    entered = _stable_ids(project=project, known=known)
    first_seen: dict[str, Reference] = {}
    rows = [_error_row(error) for error in found.errors]
    for reference in found.references:
        key = reference.identity.key
        first = first_seen.setdefault(key, reference)
        rows.append(_reference_row(reference, first=first, source=known.get(key), entered=entered))
    return sorted(rows, key=lambda row: row.line)


def _reference_row(
    reference: Reference, *, first: Reference, source: Source | None, entered: Mapping[int, str]
) -> ImportRow:
    action, message = RowAction.NEW, ""
    if first is not reference:
        same = first.spelling == reference.spelling
        action = RowAction.REPEAT if same else RowAction.DUPLICATE
        message = f"Line {first.line} names it already" + ("." if same else f" as {first.spelling[:200]}")
    elif source is not None:
        stable_id = entered.get(source.pk)
        action = RowAction.KNOWN
        message = f"In this project as {stable_id}." if stable_id else "In the registry; it is added to this project."
    return ImportRow(
        line=reference.line,
        action=action,
        message=message,
        spelling=reference.spelling,
        identifier_type=reference.identity.type,
        identifier_value=reference.identity.value,
        canonical_key=reference.identity.key,
        request_url=reference.identity.request_url,
        title=reference.title,
        section=reference.section[:300],
        status=reference.status,
        context=reference.context,
        source=source,
    )


def _error_row(error: RowError) -> ImportRow:
    return ImportRow(line=error.line, action=RowAction.ERROR, message=error.message, spelling=error.spelling[:_SHOWN])


def _stable_ids(*, project: Project, known: Mapping[str, Source]) -> dict[int, str]:
    ids = [source.pk for source in known.values()]
    found: dict[int, str] = {}
    for start in range(0, len(ids), _BATCH):
        entries = CatalogEntry.objects.filter(project=project, source_id__in=ids[start : start + _BATCH])
        found.update({entry.source_id: entry.stable_id for entry in entries})
    return found
