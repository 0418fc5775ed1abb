"""Word documents: citations of reference managers, notes, links, identifiers in the text, reference lists, comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from lxml import etree

from sources.core.catalog import CitationStatus
from sources.core.credentials import without_credentials
from sources.core.entries import Item, SourceRecord
from sources.core.extraction.bibliography import Entry, is_title_of_list
from sources.core.extraction.citation import looks_like_reference
from sources.core.extraction.gathering import read_spans, row_error
from sources.core.extraction.spans import spans_in
from sources.core.extraction.wording import MAX_TITLE, sentence_around, title_of_link
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.records import RowError
from sources.formats.archives import Archive, names_in
from sources.formats.format import Format, Head, Unreadable
from sources.formats.reference_entries import record_of
from sources.formats.word.managed import Works, works_in_code, works_in_part, works_in_tag
from sources.formats.word.markup import Paragraph, events, paragraphs

_TEXT = "word/document.xml"
_NOTES = {"word/footnotes.xml": "Footnotes", "word/endnotes.xml": "Endnotes"}
# What stands beside the text, with the section that its sources are put under.
_BESIDE = {"comments": "Comments", "header": "Headers", "footer": "Footers"}
_PART_BESIDE = re.compile(r"word/(comments(?=\.)|header(?=\d)|footer(?=\d))\d{0,3}\.xml")
_HEADING = re.compile(r"(?:heading|berschrift|titre|titolo|título)\s?\d|title", re.IGNORECASE)
_NUMBER = re.compile(r"\s*(?:\[(\d{1,4})\]|(\d{1,4})[.)])\s+")
_FIELD_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]{1,8000})"', re.IGNORECASE)
_OWN_CITATION = re.compile(r"\s*CITATION\s+(\S{1,200})")
# 40 MB of markup are read in 20 s; a dissertation with a thousand citations has a tenth of it.
_BIGGEST_PART = 40 * 1_048_576


@dataclass(slots=True)
class _Works:
    """One record a work, however often it is cited, with its contexts."""

    records: dict[str, SourceRecord] = field(default_factory=dict)
    contexts: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def add(self, record: SourceRecord) -> None:
        """Takes a record; of a work that is known already, what the new one says more and its context."""
        keys = [identity.key for identity in record.identities] or [
            f"title:{record.title.casefold()}:{record.published_date}"
        ]
        name = next((self.names[key] for key in keys if key in self.names), keys[0])
        for key in keys:
            self.names.setdefault(key, name)
        known = self.records.get(name)
        self.records[name] = record if known is None else _fuller(known, record)
        self.contexts.setdefault(name, []).append(record.context)

    def all(self) -> Iterator[SourceRecord]:
        """The records in the order of their first places. Further contexts stand in `details`, at most 50."""
        for name, record in self.records.items():
            contexts = self.contexts[name]
            more = tuple(
                ("context", context) for context in dict.fromkeys(contexts[1:]) if context not in ("", record.context)
            )
            counted = (("times_cited", str(len(contexts))),) if len(contexts) > 1 else ()
            yield replace(record, details=(*record.details, *counted, *more[:50]))


def _fuller(known: SourceRecord, other: SourceRecord) -> SourceRecord:
    identities = (*known.identities, *(one for one in other.identities if one not in known.identities))
    if not known.title and other.title:
        return replace(
            other,
            line=known.line,
            identities=identities,
            context=known.context,
            section=known.section,
            status=known.status,
        )
    return replace(known, identities=identities, context=known.context or other.context)


def _recognises(head: Head) -> bool:
    names = names_in(head)
    return any(name.startswith("word/") for name in names) or (
        names[:1] == ["[Content_Types].xml"] and b"wordprocessingml" in head.data
    )


def _read(path: Path) -> Iterator[Item]:
    """One record for each work, in the order of first citation, then places that cannot be read.

    `line` is the paragraph, counted from 1 in its part; footnotes and endnotes have `section` “Footnotes” and
    “Endnotes”. What comments, headers and footers name is found in research, not cited, unless the text cites it too.
    Deleted text is left out, inserted text is read. What Word keeps outside the document (linked pictures, templates)
    is never fetched.
    """
    with Archive(path) as archive:
        if _TEXT not in archive.names:
            raise Unreadable("The archive has no word/document.xml, so it is no Word document (.docx).")
        works = _Works()
        errors: list[RowError] = []
        listed = list(_own_sources(archive))
        errors += [item for item in listed if isinstance(item, RowError)]
        own = [item for item in listed if isinstance(item, SourceRecord)]
        cited: set[str] = set()
        for part, section, status in _parts(archive):
            for item in _items(archive, part, section=section, managed=bool(own), cited=cited):
                if isinstance(item, SourceRecord):
                    works.add(replace(item, status=status))
                else:
                    errors.append(item)
        for record in own:
            used = CitationStatus.INCLUDED if record.ref in cited else CitationStatus.VALID_NOT_CITED
            works.add(replace(record, status=used))
    yield from works.all()
    yield from sorted(errors, key=lambda error: error.line)


def _parts(archive: Archive) -> Iterator[tuple[str, str, CitationStatus]]:
    """The parts that hold text, those of the text itself first, each with its section and what it says of a source."""
    for part, section in {_TEXT: "", **_NOTES}.items():
        if part in archive.names:
            yield part, section, CitationStatus.INCLUDED
    for part in sorted(archive.names):
        if found := _PART_BESIDE.fullmatch(part):
            yield part, _BESIDE[found[1]], CitationStatus.FOUND_IN_RESEARCH


def _items(
    archive: Archive, part: str, *, section: str, managed: bool, cited: set[str]
) -> Iterator[SourceRecord | RowError]:
    """What one part names, in order; what it says of a source (`status`) is left to the caller.

    `managed` where the document is known to hold its works as data, so that the list which a field made of them is
    passed over; `cited` takes the tags of Word's own sources that the text cites.
    """
    targets = _targets(archive, part)
    listing = False
    for paragraph in paragraphs(archive.read(part, at_most=_BIGGEST_PART), part=part):
        text = paragraph.text.strip()
        if part == _TEXT and text and (_HEADING.match(paragraph.style) or (len(text) < 60 and is_title_of_list(text))):
            section, listing = text[:MAX_TITLE], is_title_of_list(text)
        cited.update(tag[1] for code in paragraph.fields if (tag := _OWN_CITATION.match(code.code)))
        found = list(_managed(paragraph, section=section))
        managed = managed or any(isinstance(item, SourceRecord) for item in found)
        yield from found
        if paragraph.generated and managed:
            continue
        linked = list(_linked(paragraph, targets, section=section))
        yield from _entry(paragraph, linked, section=section) if listing else linked


def _managed(paragraph: Paragraph, *, section: str) -> Iterator[SourceRecord | RowError]:
    known: set[str] = set()
    for code in paragraph.fields:
        # EndNote writes the same data at a field and at the field inside it.
        if code.data in known:
            continue
        known |= {code.data} if code.data else set()
        context = sentence_around(paragraph.text, code.at, code.at)
        try:
            for item in works_in_code(code.code, code.data, line=paragraph.number):
                yield _placed(item, section=section, context=context)
        except Unreadable as refused:
            yield row_error(paragraph.number, code.code[:200], str(refused))
    for tag in paragraph.tags:
        try:
            for item in works_in_tag(tag, line=paragraph.number):
                yield _placed(item, section=section, context=sentence_around(paragraph.text, 0, 0))
        except Unreadable as refused:
            yield row_error(paragraph.number, tag[:40], str(refused))


def _placed(item: SourceRecord | RowError, *, section: str, context: str) -> SourceRecord | RowError:
    if isinstance(item, RowError):
        return item
    return replace(item, section=section, context=context)


def _linked(paragraph: Paragraph, targets: dict[str, str], *, section: str) -> Iterator[SourceRecord | RowError]:
    """Links of the paragraph, then addresses and identifiers that stand in its text outside them."""
    text = without_credentials(paragraph.text)
    hidden = list(text)
    named: list[tuple[str, int, int]] = []
    for link in paragraph.links:
        end = link.end if link.end >= 0 else link.start
        named.append((targets.get(link.target, ""), link.start, end))
    named += [(found[1], 0, 0) for code in paragraph.fields if (found := _FIELD_LINK.match(code.code))]
    for target, start, end in named:
        if not target.lower().startswith(("http:", "https:", "doi:", "urn:", "ftp:")):
            continue
        words = text[start:end]
        hidden[start:end] = " " * (end - start)
        try:
            identity = identify(target)
        except (UnusableUrl, BadIdentifier) as error:
            yield row_error(paragraph.number, target, str(error))
            continue
        yield SourceRecord(
            line=paragraph.number,
            spelling=target[:200],
            identities=(identity,),
            title=title_of_link(words),
            section=section,
            context=sentence_around(text, start, end),
        )
    rest = "".join(hidden)
    bare, refused = read_spans((paragraph.number, span) for span in spans_in(rest, markdown=False))
    yield from refused
    for each in bare:
        yield SourceRecord(
            line=paragraph.number,
            spelling=each.span.spelling[:200],
            identities=(each.identity,),
            title=title_of_link(each.span.text),
            section=section,
            context=sentence_around(text, each.span.start, each.span.end),
        )


def _entry(
    paragraph: Paragraph, linked: list[SourceRecord | RowError], *, section: str
) -> Iterator[SourceRecord | RowError]:
    """A paragraph of a reference list typed by hand is one work, with what it links to."""
    number = _NUMBER.match(paragraph.text)
    text = paragraph.text[number.end() :] if number else paragraph.text
    records = [item for item in linked if isinstance(item, SourceRecord)]
    if not looks_like_reference(text):
        yield from linked
        return
    told = Entry(line=paragraph.number, end=paragraph.number, text=" ".join(text.split()))
    made = record_of(told, section=section, status=CitationStatus.INCLUDED)
    identities = tuple(dict.fromkeys([*(one for record in records for one in record.identities), *made.identities]))
    yield replace(made, identities=identities, spelling=records[0].spelling if records else made.spelling)


def _targets(archive: Archive, part: str) -> dict[str, str]:
    """Where the hyperlinks of a part lead, by their ids. Other relationships are not looked at."""
    folder, _, name = part.rpartition("/")
    rels = f"{folder}/_rels/{name}.rels"
    if rels not in archive.names:
        return {}
    return {
        str(element.get("Id")): str(element.get("Target") or "")
        for kind, element in events(archive.read(rels, at_most=_BIGGEST_PART), part=rels)
        if kind == "end" and str(element.get("Type") or "").endswith("/hyperlink")
    }


def _own_sources(archive: Archive) -> Works:
    for name in archive.names:
        if re.fullmatch(r"customXml/item\d{1,4}\.xml", name):
            data = archive.read(name, at_most=_BIGGEST_PART)
            if b"officeDocument/2006/bibliography" not in data:
                continue
            root: etree._Element | None = None
            for kind, element in events(data, part=name):
                root = element if kind == "end" else root
            if root is not None:
                yield from works_in_part(root)


# A work cited ten times is one record, so that nothing in the file could be counted to the same number.
FORMAT = Format(name="docx", label="Word document (DOCX)", recognises=_recognises, read=_read)
