"""Files of a project that other rooms write: the wiring registers them, as it does undo functions."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sources.core.export_formats import ExportFormat
from sources.models import Project


@dataclass(frozen=True, slots=True)
class ExtraFile:
    """`written` gives the text of `project`'s file in pieces; `external` leaves out what must not leave the house."""

    format: ExportFormat
    name: str
    about: str
    written: Callable[[Project, bool], Iterable[str]]


_REGISTERED: dict[ExportFormat, ExtraFile] = {}


def register_file(file: ExtraFile) -> None:
    """Makes the file known under its format; twice is safe."""
    _REGISTERED[file.format] = file


def file_of(wanted: ExportFormat) -> ExtraFile:
    """The file of this format; LookupError where nobody registered one."""
    return _REGISTERED[wanted]


def all_files() -> tuple[ExtraFile, ...]:
    """Every registered file, in the order of the formats."""
    return tuple(_REGISTERED[one] for one in ExportFormat if one in _REGISTERED)
