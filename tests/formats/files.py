"""Small files to import: written, read through the public door, and their count held against what was read."""

import tempfile
from pathlib import Path

from sources.core.entries import Item, SourceRecord
from sources.core.records import RowError
from sources.formats.readers import reading_of


def read(content: str | bytes, *, as_format: str) -> list[Item]:
    """Every entry of a file with this content; it must be recognised as `as_format`, and its count must agree."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        reading = reading_of(path)
        items = list(reading.items)
        assert reading.format.name == as_format
        assert reading.counted == len(items)
        return items


def one(content: str | bytes, *, as_format: str) -> SourceRecord:
    """The only record of a file."""
    (item,) = read(content, as_format=as_format)
    assert isinstance(item, SourceRecord), item
    return item


def failed(items: list[Item]) -> list[RowError]:
    """The errors among the entries."""
    return [item for item in items if isinstance(item, RowError)]


def sources(items: list[Item]) -> list[SourceRecord]:
    """The records among the entries."""
    return [item for item in items if isinstance(item, SourceRecord)]


def names(record: SourceRecord) -> list[str]:
    """The identities of a record as `type:value`."""
    return [f"{identity.type}:{identity.value}" for identity in record.identities]
