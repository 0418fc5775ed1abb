"""Saved web pages and browsers' bookmark files: their links to other places."""

from collections.abc import Iterator
from pathlib import Path

from sources.core import extract
from sources.core.entries import Item
from sources.formats.format import Format, Head
from sources.formats.plain_text import Shape, shape_of, text_of
from sources.formats.text_lists import record_of_reference


def _recognises(head: Head) -> bool:
    return shape_of(head) is Shape.WEB_PAGE


def _read(path: Path) -> Iterator[Item]:
    found = extract.extract(text_of(path), shape=extract.Shape.WEB_PAGE)
    items: list[Item] = [*found.errors, *map(record_of_reference, found.references)]
    yield from sorted(items, key=lambda item: item.line)


# Links are read one by one as they stand; a second way to count them would be the same one.
FORMAT = Format(name="web-page", label="Web page or bookmarks", recognises=_recognises, read=_read)
