"""What an export holds: which writer, under which name, over which sources."""

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import assert_never

from django.db.models import QuerySet

from sources.core.export_formats import ExportFormat
from sources.core.exported import Brief, Export, ExportedSource
from sources.core.holdings import Holdings
from sources.models import Project, Source
from sources.reports import (
    best_sources,
    bibtex,
    bundle,
    csl_json,
    csv_table,
    kb_export,
    master_sources,
    ris,
    sourced_corpus,
    sources_md,
)
from sources.reports.bundle import Extra, safe_name
from sources.reports.master_sources import Layout
from sources.services import extra_files
from sources.services.export_files import Spool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be exported: a project (or one section of it), or the sources of a list.

    `chosen` are the sources that the list's filter finds, `query` its query string. Not `is_external`: `internal_only`
    sources go in too.
    """

    workspace_id: int
    format: ExportFormat
    project: Project | None = None
    section: str = ""
    chosen: "QuerySet[Source] | None" = None
    query: str = ""
    is_external: bool = True

    @property
    def file_name(self) -> str:
        """The name under which the file is saved; safe on every system."""
        match self.format:
            case ExportFormat.MASTER_VERDICT | ExportFormat.MASTER_MEMO:
                return master_sources.FILE_NAME
            case ExportFormat.BEST_SOURCES:
                return f"Best-Sources-{safe_name(self.section)}.md"
            case ExportFormat.SOURCED_CORPUS:
                return f"sourced_corpus-{safe_name(self.section or bundle.UNSECTIONED)}.json"
            case ExportFormat.SOURCES_MD:
                return sources_md.FILE_NAME
            case ExportFormat.BIBTEX:
                return bibtex.FILE_NAME
            case ExportFormat.RIS:
                return ris.FILE_NAME
            case ExportFormat.CSL_JSON:
                return csl_json.FILE_NAME
            case ExportFormat.CSV:
                return csv_table.FILE_NAME
            case ExportFormat.JSON_LINES:
                return kb_export.FILE_NAME
            case ExportFormat.RECOVERY_LOG | ExportFormat.RUN_REPORT:
                return extra_files.file_of(self.format).name
            case ExportFormat.BUNDLE:
                return f"{safe_name(self.project.name) if self.project else 'sources'}-sources.zip"
            case _:
                assert_never(self.format)


@dataclass(slots=True)
class Reading:
    """How far the writing of a file is: sources read, of how many. An archive reads each many times; 0 until known."""

    read: int = 0
    expected: int = 0


class Noted:
    """Holdings that note which places were read: a file rests on those, and on no others."""

    def __init__(self, whole: Holdings, total: int, reading: Reading | None = None) -> None:
        self._whole = whole
        self._read = bytearray(total)
        self.reading = reading or Reading()
        self.reading.expected = total

    def briefs(self) -> Iterator[Brief]:
        """A brief of each source."""
        return self._whole.briefs()

    def read(self, positions: Iterable[int]) -> Iterator[ExportedSource]:
        """The sources at these places."""
        return self._whole.read(self._noted(positions))

    def __iter__(self) -> Iterator[ExportedSource]:
        return self.read(range(len(self._read)))

    @property
    def places(self) -> list[int]:
        """The places that were read, rising."""
        return [place for place, was_read in enumerate(self._read) if was_read]

    def note_all(self) -> None:
        """Notes every place, for files that others write."""
        self._read = bytearray(b"\x01" * len(self._read))

    def _noted(self, positions: Iterable[int]) -> Iterator[int]:
        for position in positions:
            self._read[position] = 1
            self.reading.read += 1
            yield position


def write(wanted: Wanted, *, sources: Noted, export: Export, into: Spool) -> None:
    """Writes the file, a few sources at a time. Same state, same bytes."""
    if wanted.format is ExportFormat.BUNDLE:
        _write_bundle(wanted, sources=sources, export=export, into=into)
        return
    for piece in bundle.encoded(_text(wanted, sources=sources, export=export)):
        into.write(piece)


def _text(wanted: Wanted, *, sources: Noted, export: Export) -> Iterable[str]:
    match wanted.format:
        case ExportFormat.MASTER_VERDICT:
            return master_sources.stream(sources, export, layout=Layout.VERDICT)
        case ExportFormat.MASTER_MEMO:
            return master_sources.stream(sources, export, layout=Layout.MEMO)
        case ExportFormat.BEST_SOURCES:
            return best_sources.stream(sources, export, section=wanted.section)
        case ExportFormat.SOURCED_CORPUS:
            return sourced_corpus.stream(sources, section=wanted.section)
        case ExportFormat.SOURCES_MD:
            return sources_md.stream(sources, export)
        case ExportFormat.BIBTEX:
            return bibtex.stream(sources, export)
        case ExportFormat.RIS:
            return ris.stream(sources)
        case ExportFormat.CSL_JSON:
            return csl_json.stream(sources)
        case ExportFormat.CSV:
            return csv_table.stream(sources)
        case ExportFormat.JSON_LINES:
            return kb_export.stream(sources, export)
        case ExportFormat.RECOVERY_LOG | ExportFormat.RUN_REPORT:
            sources.note_all()
            assert wanted.project is not None  # noqa: S101
            return extra_files.file_of(wanted.format).written(wanted.project, wanted.is_external)
        case ExportFormat.BUNDLE:
            raise AssertionError("an archive is no text")
        case _:
            assert_never(wanted.format)


def _write_bundle(wanted: Wanted, *, sources: Noted, export: Export, into: Spool) -> None:
    project = wanted.project
    # Other rooms' files tell of the whole project.
    others = extra_files.all_files() if project and wanted.chosen is None else ()
    extras = [_extra(file, project, wanted.is_external) for file in others if project]
    # An archive keeps the time of each file; the state's own, so that the same state gives the same bytes.
    moment = max(export.as_of.astimezone(UTC), datetime(1980, 1, 1, tzinfo=UTC))
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in bundle.files(sources, export, extras=extras, planned=partial(_expect, sources.reading)):
            about = zipfile.ZipInfo(name, moment.timetuple()[:6])
            about.compress_type, about.create_system, about.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            with archive.open(about, "w") as file:
                for piece in content:
                    file.write(piece)


def _expect(reading: Reading, count: int) -> None:
    reading.expected = count


def _extra(file: extra_files.ExtraFile, project: Project, is_external: bool) -> Extra:
    return Extra(file.name, file.about, lambda: file.written(project, is_external))
