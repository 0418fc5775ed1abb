"""Files for the tests of text formats: written to disk, told by their heads, read whole."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from sources.core.entries import Item, SourceRecord
from sources.core.records import RowError
from sources.formats.format import HEAD_BYTES, Format
from sources.formats.opened import head_of
from sources.formats.readers import recognise


def format_of(data: bytes) -> Format:
    """The format that takes a file."""
    found = recognise(head_of(data[:HEAD_BYTES], is_whole=len(data) <= HEAD_BYTES))
    assert found is not None
    return found


def read(data: bytes | str, where: Path) -> list[Item]:
    """All entries of a file by the format that recognises it; its own count of them agrees where it has one."""
    given = data.encode() if isinstance(data, str) else data
    path = where / "file"
    path.write_bytes(given)
    found = format_of(given)
    items = list(found.read(path))
    if found.count is not None:
        assert found.count(path) == len(items)
    return items


def records(items: list[Item]) -> list[SourceRecord]:
    """The sources among entries."""
    return [item for item in items if isinstance(item, SourceRecord)]


def errors(items: list[Item]) -> list[RowError]:
    """What could not be read among entries."""
    return [item for item in items if isinstance(item, RowError)]


def named(record: SourceRecord) -> str:
    """The best identifier of a record, '' where it has a title only."""
    return record.identities[0].value if record.identities else ""


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive of these members."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, held in members.items():
            archive.writestr(name, held)
    return made.getvalue()
