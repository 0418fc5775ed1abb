"""Which format a file is in, and its entries: the one list of formats that can be imported."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sources.core.decoding import NotText, decode
from sources.core.entries import Item
from sources.formats import (
    biblioscape,
    bibtex,
    csl_json,
    csv_table,
    desk_table,
    docx,
    drafts,
    endnote_tagged,
    endnote_xml,
    harvey_knowledge,
    harvey_session,
    isi,
    kb_export,
    marc_xml,
    master_sources,
    memo_outputs,
    mods,
    nbib,
    nep,
    pubmed_xml,
    rag_store,
    recovery_log,
    reference_lists,
    ris,
    source_list,
    sourced_corpus,
    sources_md,
    text_lists,
    web_pages,
    word_sources,
    zotero_csv,
    zotero_json,
    zotero_rdf,
)
from sources.formats.format import Format, Head, Unreadable
from sources.formats.opened import open_head

__all__ = ["PLAIN", "READERS", "Reading", "format_label", "open_head", "reading_of", "recognise", "takers_of"]

# Each recognises only its own; the order counts only for a file that mixes formats. Text that none of the others takes
# is one of PLAIN.
PLAIN: tuple[Format, ...] = (web_pages.FORMAT, reference_lists.FORMAT, text_lists.FORMAT, drafts.FORMAT)
READERS: tuple[Format, ...] = (
    rag_store.FORMAT,
    harvey_knowledge.FORMAT,
    docx.FORMAT,
    memo_outputs.FORMAT,
    kb_export.FORMAT,
    sourced_corpus.FORMAT,
    recovery_log.FORMAT,
    pubmed_xml.FORMAT,
    endnote_xml.FORMAT,
    mods.FORMAT,
    marc_xml.FORMAT,
    word_sources.FORMAT,
    zotero_rdf.FORMAT,
    zotero_json.FORMAT,
    csl_json.FORMAT,
    zotero_csv.FORMAT,
    # Told by their first line, so before those that look for a sign anywhere.
    sources_md.FORMAT,
    master_sources.FORMAT,
    source_list.FORMAT,
    desk_table.FORMAT,
    csv_table.FORMAT,
    bibtex.FORMAT,
    ris.FORMAT,
    nbib.FORMAT,
    nep.FORMAT,
    isi.FORMAT,
    biblioscape.FORMAT,
    endnote_tagged.FORMAT,
    harvey_session.FORMAT,
    *PLAIN,
)
_LOOKED_AT = 16 * 1_048_576
UNKNOWN = (
    "This file is in none of the formats that can be imported. Export the list anew as BibTeX, RIS, CSL-JSON, EndNote "
    "XML or CSV, or paste its text."
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A file being read: its format, its entries one by one, and their number by the format's second rule."""

    format: Format
    items: Iterator[Item]
    counted: int | None


def recognise(head: Head) -> Format | None:
    """The format of a file by its beginning, None where it is none of them."""
    return next(iter(takers_of(head)), None)


def takers_of(head: Head) -> list[Format]:
    """Every format that takes a file: one of those with signs of their own, else one of PLAIN; [] where none does. Of
    several, in a file that mixes formats, the first counts."""
    own = [one for one in READERS if one not in PLAIN and one.recognises(head)]
    return own or [one for one in PLAIN if one.recognises(head)]


def format_label(name: str) -> str:
    """What people call the format of this name; '' for none."""
    return next((one.label for one in READERS if one.name == name), "")


def reading_of(path: Path) -> Reading:
    """The file's format, entries and count. Raises Unreadable where no format is recognised; reading the entries may
    raise it too."""
    found = recognise(open_head(path))
    if found is None:
        raise Unreadable(_why_not(path))
    return Reading(found, found.read(path), found.count(path) if found.count else None)


def _why_not(path: Path) -> str:
    """What a file is that no reader takes: an image or archive by its first bytes, a text by its first bad one."""
    with path.open("rb") as file:
        data = file.read(_LOOKED_AT)
    try:
        decode(data)
    except NotText as refused:
        return str(refused)
    return UNKNOWN
