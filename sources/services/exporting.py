"""Files that are handed on: built once, recorded with what they rest on, and served as they were."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.kit.memory import few_collections
from provenance_site.kit.snapshot import one_state
from sources import permissions
from sources.core.exported import in_order
from sources.models import Export, Project, Section
from sources.queries.holdings import StoredHoldings
from sources.reports import csv_table, master_sources
from sources.reports.bundle import encoded
from sources.reports.master_sources import Layout
from sources.services import export_lineage, export_writing
from sources.services.export_files import Spool, place_of, spooled
from sources.services.export_writing import Noted, Reading, Wanted

# A second press of the same button, or a browser that sends a form again.
_SAME_PRESS = timedelta(seconds=10)


class ExportRefused(ValueError):
    """The export cannot be made; the message says why and the way out."""


class FileGone(LookupError):
    """The bytes of an export are no longer in the data folder; the message says the way out."""


def check(wanted: Wanted, *, by: User | None) -> None:
    """Raises what `build` would raise before it writes anything: `ExportRefused`, PermissionDenied, Http404."""
    if by is not None:
        _check_may(by, wanted.workspace_id, is_external=wanted.is_external)
    _check_makes_sense(wanted)


def build(
    wanted: Wanted,
    *,
    by: User | None,
    at: datetime,
    reading: Reading | None = None,
    recorded: Callable[[Export], None] = lambda _: None,
) -> Export:
    """Writes the file, puts it under its hash into the data folder, and records it with what it rests on.

    `by` is the person it is for; None where the machine's owner asks on the command line. Everything is read from one
    state. The row and its lineage are written in one transaction after the file is in its place: a row never names
    bytes that are not there. The same press twice gives the same export. Raises `ExportRefused`, PermissionDenied for a
    reader who asks for internal sources, Http404 for a stranger.

    `reading` says to another thread how far it is. `recorded` is called in the transaction that records; what it raises
    takes that back.
    """
    check(wanted, by=by)
    with few_collections(), spooled() as spool:
        with one_state():
            holdings = _holdings(wanted)
            noted, told = Noted(holdings, len(holdings), reading), holdings.export()
            export_writing.write(wanted, sources=noted, export=told, into=spool)
        places = noted.places
        spool.keep()
        with transaction.atomic():
            before = _same_press(wanted, sha256=spool.sha256, by=by, at=at)
            if before:
                recorded(before)
                return before
            row = _row(wanted, spool=spool, source_count=len(places), left_out=told.left_out_internal, by=by, at=at)
            ids = holdings.source_ids(places)
            row.entity = export_lineage.record(wanted, sha256=spool.sha256, source_ids=ids, by=by, at=at)
            row.save()
            recorded(row)
    return row


def file_for(export: Export, *, by: User | None) -> Path:
    """Where the export's bytes lie. Raises `FileGone`, PermissionDenied where internal sources stand in it and the
    person is a reader, Http404 for a stranger."""
    if by is not None:
        _check_may(by, export.workspace_id, is_external=export.is_external)
    place = place_of(export.sha256)
    if not place.is_file():
        raise FileGone("The file is no longer in the data folder. Build it again.")
    return place


def table_of(wanted: Wanted, *, by: User, bom: bool = False) -> Iterator[bytes]:
    """The sources of a list as CSV, in pieces that are read while they are sent; records nothing."""
    _check_may(by, wanted.workspace_id, is_external=wanted.is_external)
    return encoded(csv_table.stream(_holdings(wanted), bom=bom))


def counts_of(wanted: Wanted) -> tuple[int, int]:
    """How many sources an export would hold at most, and how many it would leave out. Two queries."""
    holdings = _holdings(wanted)
    return holdings.count(), holdings.left_out()


def master_sources_file(*, project: Project, layout: Layout, by: User | None) -> str:
    """Master-Sources.md of the project at its present state, for others. Same state, same bytes; records nothing.

    `by` is the person it is for; None where the machine's owner asks on the command line.
    """
    if by is not None:
        permissions.check_can_read(by, project.workspace_id)
    with one_state():
        sources = StoredHoldings(project.workspace_id, project)
        return "".join(master_sources.stream(sources, sources.export(), layout=layout))


def sections_of(project: Project) -> tuple[str, ...]:
    """The sections of a project, as people count."""
    return in_order(Section.objects.filter(project=project).values_list("slug", flat=True))


def _holdings(wanted: Wanted) -> StoredHoldings:
    return StoredHoldings(wanted.workspace_id, wanted.project, wanted.chosen, external=wanted.is_external)


def _check_may(by: User, workspace_id: int, *, is_external: bool) -> None:
    if is_external:
        permissions.check_can_read(by, workspace_id)
    else:
        permissions.check_can_export_internal(by, workspace_id)


def _check_makes_sense(wanted: Wanted) -> None:
    if wanted.format.needs_project and wanted.project is None:
        raise ExportRefused(f"{wanted.format.label} is of one project; choose a project first.")
    if not wanted.format.needs_section:
        if wanted.section:
            raise ExportRefused(f"{wanted.format.label} is not of one section; leave the section empty.")
        return
    known = sections_of(wanted.project) if wanted.project else ()
    if wanted.section not in known:
        names = ", ".join(f"“{name}”" for name in known[:20]) or "none yet: import a draft with headings"
        told = f"There is no section “{wanted.section}” in the project." if wanted.section else "Choose a section."
        raise ExportRefused(f"{told} Its sections: {names}.")


def _same_press(wanted: Wanted, *, sha256: str, by: User | None, at: datetime) -> Export | None:
    return Export.objects.filter(
        workspace_id=wanted.workspace_id,
        project=wanted.project,
        format=wanted.format,
        section=wanted.section,
        query=wanted.query,
        is_external=wanted.is_external,
        sha256=sha256,
        created_by=by,
        created_at__gt=at - _SAME_PRESS,
    ).first()


def _row(wanted: Wanted, *, spool: Spool, source_count: int, left_out: int, by: User | None, at: datetime) -> Export:
    return Export(
        workspace_id=wanted.workspace_id,
        project=wanted.project,
        format=wanted.format,
        section=wanted.section,
        query=wanted.query,
        file_name=wanted.file_name,
        media_type=wanted.format.media_type,
        sha256=spool.sha256,
        byte_count=spool.byte_count,
        source_count=source_count,
        left_out=left_out,
        is_external=wanted.is_external,
        created_at=at,
        created_by=by,
    )
