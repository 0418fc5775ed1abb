"""Entries of an XML file of records: each by a format's own description, a record that breaks by its problem."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from lxml import etree

from sources.core.entries import Item
from sources.formats.description import Description, row_error
from sources.formats.xml_records import xml_records


class Described(Protocol):
    """Gives the work that one record element describes; `line` is where the element begins."""

    def __call__(self, element: etree._Element, /, *, line: int) -> Description:
        """The work, not yet a record."""
        ...


def xml_items(path: Path, names: frozenset[str], described: Described) -> Iterator[Item]:
    """An entry for every record element of these local `names`; what was mended in it is its first warning."""
    for record in xml_records(path, names):
        if record.element is None:
            yield row_error(record.line, "", record.problem)
            continue
        told = described(record.element, line=record.line)
        told.warnings[:0] = [record.repaired] if record.repaired else []
        yield told.item()
