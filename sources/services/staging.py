"""The first step of an import: reading a file and telling what would happen. Nothing enters the registry here.

What the person sees is kept as rows; the commit (`services.importing`) writes exactly those.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from math import inf
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.kit.memory import few_collections
from provenance_site.kit.rows import insert_rows
from sources import permissions
from sources.adapters.parsing import ParsedFile, is_plain_text, parsed
from sources.core.credentials import without_credentials
from sources.core.entries import Item
from sources.core.kinds import BatchState, RowAction
from sources.core.lines import one_line
from sources.formats.format import Unreadable
from sources.models import ImportBatch, Project
from sources.services import dangling
from sources.services.staged_rows import RowMaker

T = TypeVar("T")
_CHUNK = 1000
_PIECE = 1_048_576
_UNNAMED_FILE = "list"


class ImportRefused(ValueError):
    """The list cannot be imported as a whole; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one import may hold: bytes of a text, bytes of a file of another tool, entries in it."""

    most_text: float = inf
    most_bytes: float = inf
    most_entries: float = inf

    @classmethod
    def of_pages(cls) -> "Limits":
        """What a person at a page can wait for and look through."""
        return cls(settings.IMPORT_MAX_BYTES, settings.IMPORT_MAX_FILE_BYTES, settings.IMPORT_MAX_REFERENCES)


def stage(
    *,
    project: Project,
    data: bytes | Path,
    label: str,
    by: User,
    at: datetime,
    name: str = "",
    limits: Limits | None = None,
) -> ImportBatch:
    """Reads a file and keeps what was found as a staged batch: new, known, duplicates, unreadable lines.

    `data` is the file's bytes or where it lies; `name` its own name where that differs from `label`, what the person
    calls this version. Raises `ImportRefused` where nothing can be staged: too large, in no format that can be read, no
    entry in it, too many. Up to a thousand entries are written in one transaction; of more, each thousand in one of its
    own, and the batch counts as staged only after the last.
    """
    permissions.check_can_curate(by, project.workspace_id)
    limits = limits or Limits.of_pages()
    sha256, byte_count = _measured(data, limits=limits)
    with _opened(data, name=name or label or _UNNAMED_FILE) as file:
        _check_number(file, limits=limits)
        batch = ImportBatch(
            project=project,
            label=without_credentials(one_line(label))[:200] or _unnamed(project=project, sha256=sha256, at=at),
            format=file.format,
            counted=file.counted,
            state=BatchState.STAGING,
            sha256=sha256,
            byte_count=byte_count,
            created_at=at,
            created_by=by,
        )
        _keep(batch, file.items())
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
    waiting = [BatchState.STAGED, BatchState.STAGING]
    ImportBatch.objects.filter(pk=batch.pk, state__in=waiting).update(state=BatchState.DISCARDED)


def _unnamed(*, project: Project, sha256: str, at: datetime) -> str:
    """The name of a list that was given none: its earlier one where the same bytes were imported before, so that they
    are no new version of the text; else the moment."""
    earlier = ImportBatch.objects.filter(project=project, sha256=sha256, state=BatchState.COMMITTED).order_by("pk")
    return earlier.values_list("label", flat=True).first() or f"Pasted list {at:%Y-%m-%d %H:%M}"


def _measured(data: bytes | Path, *, limits: Limits) -> tuple[str, int]:
    """Hash and size of what was given, in one pass; raises `ImportRefused` where it is too large."""
    size = len(data) if isinstance(data, bytes) else data.stat().st_size
    most = limits.most_text if is_plain_text(data) else limits.most_bytes
    if size > most:
        raise ImportRefused(
            f"The list is {size / 1_048_576:.1f} MB; at most {most / 1_048_576:.0f} MB are taken at once. "
            "Split it and import the parts."
        )
    digest = hashlib.sha256()
    if isinstance(data, bytes):
        digest.update(data)
    else:
        with data.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    return digest.hexdigest(), size


@contextmanager
def _opened(data: bytes | Path, *, name: str) -> Iterator[ParsedFile]:
    if _is_blank(data):
        raise ImportRefused("The list is empty. Paste one address or DOI a line, or a Markdown draft with links.")
    try:
        with parsed(data, name=name) as file:
            yield file
    except Unreadable as refused:
        raise ImportRefused(str(refused)) from refused


def _is_blank(data: bytes | Path) -> bool:
    if isinstance(data, Path):
        with data.open("rb") as file:
            data = file.read(_PIECE)
    return not data.strip()


def _check_number(file: ParsedFile, *, limits: Limits) -> None:
    """Unreadable lines count too: each becomes a row of the preview, and 10 MB can hold millions of them."""
    if not file.entries:
        raise ImportRefused(
            "No address, DOI or other identifier was found. Paste one a line, or a Markdown draft with links or "
            "footnotes."
        )
    if file.entries > limits.most_entries:
        raise ImportRefused(
            f"The list has {file.entries:,} references and unreadable lines; at most {limits.most_entries:,} are "
            "taken at once. Split it and import the parts."
        )


def _keep(batch: ImportBatch, items: Iterable[Item]) -> None:
    """Writes the batch and its rows. What a chunk says of repeated entries rests on the rows of the ones before."""
    maker = RowMaker(project=batch.project, batch=batch)
    position = 0
    chunks = _chunks(items)
    chunk = next(chunks)
    while chunk:
        following = next(chunks, [])
        with few_collections(), transaction.atomic():
            if batch.pk is None:
                batch.save(force_insert=True)
            rows = maker.rows(chunk)
            for row in rows:
                position += 1
                row.position = position
            insert_rows(rows)
            if not following:
                dangling.report(batch)
                batch.state = BatchState.STAGED
                batch.save(update_fields=["state"])
        chunk = following


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    left = iter(items)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk
