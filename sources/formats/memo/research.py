"""Research notes of a memo run (`1-research/*.md`): what was found before anything was written."""

from collections.abc import Iterator

from sources.core.catalog import CitationStatus
from sources.core.entries import Item, SourceRecord
from sources.core.extract import NOTHING_FOUND
from sources.core.records import RowError
from sources.formats import drafts


def read_text(text: str, *, section: str = "", version: str = "", file: str = "") -> Iterator[Item]:
    """The sources that a research note names, as found in research. Notes without any are no error."""
    details = (("file", file),) if file else ()
    for item in drafts.read_text(text):
        if isinstance(item, SourceRecord):
            status = CitationStatus.FOUND_IN_RESEARCH
            yield drafts.placed(item, section=section, version=version, details=details, status=status)
        elif not (isinstance(item, RowError) and item.message == NOTHING_FOUND):
            yield item
