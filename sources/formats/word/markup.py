"""WordprocessingML read as a stream: paragraphs with their text, links and field codes. No entity, no network."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO

from lxml import etree

from sources.formats.format import Unreadable

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_R = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
_LONGEST_TEXT = 200_000
_LONGEST_CODE = 4_000_000
_MAX_OPEN_FIELDS = 32
# Word writes a drawing twice, the second time for readers of 2007: its text must not count twice.
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LEFT_OUT = ("del", "moveFrom", "delText", "delInstrText", "rPr", "pPr", "sectPr", _FALLBACK)
# Of these only the text boxes in them are read.
_PICTURES = ("pict", "drawing", "object")


@dataclass(slots=True)
class FieldCode:
    """One field: its instruction as joined over its runs, the data that it carries (base64), and the text it shows.
    `at` is where it begins in the paragraph's text, 0 where it began in an earlier one."""

    code: str = ""
    data: str = ""
    at: int = 0


@dataclass(slots=True)
class Link:
    """A hyperlink of the document: the id of its target, and its words at `start` to `end` of the paragraph's text."""

    target: str
    start: int
    end: int


@dataclass(slots=True)
class Paragraph:
    """One paragraph. `number` counts from 1 over the part, table cells and text boxes too. `generated` where a
    reference manager's bibliography field made it; `tags` are the tags of content controls that begin in it."""

    number: int
    text: str = ""
    style: str = ""
    links: list[Link] = field(default_factory=list)
    fields: list[FieldCode] = field(default_factory=list)
    generated: bool = False
    tags: list[str] = field(default_factory=list)


class _Reading:
    """The state of one part while it is read from front to back."""

    def __init__(self) -> None:
        self.number = 0
        self.open: list[Paragraph] = []
        self.parts: list[list[str]] = []
        self.lengths: list[int] = []
        self.fields: list[tuple[FieldCode, bool]] = []
        self.skipping = 0
        self.pictures = 0
        self.boxes: list[int] = []
        self.tags: list[str] = []

    @property
    def is_outside(self) -> bool:
        """True where what stands here is no text of the document."""
        return bool(self.skipping or self.pictures)

    def enter(self, tag: str) -> None:
        """Goes into an element that is left out, into a picture, or into the text box of one."""
        self.skipping += tag in _LEFT_OUT
        self.pictures += tag in _PICTURES
        if tag == "txbxContent":
            self.boxes.append(self.pictures)
            self.pictures = 0

    def leave(self, tag: str) -> None:
        """Comes out again."""
        self.skipping -= tag in _LEFT_OUT
        self.pictures -= tag in _PICTURES
        if tag == "txbxContent":
            self.pictures = self.boxes.pop()

    def begin_paragraph(self) -> None:
        self.number += 1
        made = Paragraph(self.number, tags=self.tags)
        self.tags = []
        made.generated = any(is_bibliography(one.code) for one, _ in self.fields)
        self.open.append(made)
        self.parts.append([])
        self.lengths.append(0)

    def end_paragraph(self) -> Paragraph:
        made = self.open.pop()
        made.text = "".join(self.parts.pop())
        self.lengths.pop()
        return made

    def add(self, text: str) -> None:
        if not self.open or self.lengths[-1] > _LONGEST_TEXT or (self.fields and not self.fields[-1][1]):
            return
        self.parts[-1].append(text)
        self.lengths[-1] += len(text)

    def instruct(self, text: str) -> None:
        if self.fields and not self.fields[-1][1] and len(self.fields[-1][0].code) < _LONGEST_CODE:
            self.fields[-1][0].code += text

    def field_char(self, kind: str, data: str) -> None:
        if kind == "begin" and len(self.fields) < _MAX_OPEN_FIELDS:
            at = self.lengths[-1] if self.open else 0
            self.fields.append((FieldCode(data=data, at=at), False))
        elif kind == "separate" and self.fields:
            self.fields[-1] = (self.fields[-1][0], True)
            if self.open and is_bibliography(self.fields[-1][0].code):
                self.open[-1].generated = True
        elif kind == "end" and self.fields:
            done = self.fields.pop()[0]
            if self.open:
                self.open[-1].fields.append(done)


def is_bibliography(code: str) -> bool:
    """True for the field that a reference manager fills with the list of all works cited."""
    words = code.split()[:3]
    told = " ".join(words).upper()
    return (
        "ZOTERO_BIBL" in told
        or "EN.REFLIST" in told
        or "MENDELEY BIBLIOGRAPHY" in told
        or told.startswith("BIBLIOGRAPHY")
    )


def paragraphs(data: bytes, *, part: str) -> Iterator[Paragraph]:
    """The paragraphs of one part in order, those of table cells, text boxes and notes among them, deletions left out.

    The memory held is flat. Raises `Unreadable`, naming the part, for XML that is broken or declares a document type.
    """
    reading = _Reading()
    for kind, element in events(data, part=part):
        tag = element.tag.removeprefix(_W).removeprefix(_STRICT) if isinstance(element.tag, str) else ""
        if kind == "start":
            reading.enter(tag)
            if not reading.is_outside:
                _start(reading, tag, element)
            continue
        was_outside = reading.is_outside
        reading.leave(tag)
        if tag == "pPr":
            _style(reading, element)
        elif not was_outside and not reading.is_outside:
            done = _end(reading, tag, element)
            if done is not None:
                yield done
        if tag in ("p", "r", *_LEFT_OUT, *_PICTURES):
            element.clear()
            while element.getprevious() is not None and tag == "p":
                del element.getparent()[0]


def events(data: bytes, *, part: str) -> Iterator[tuple[str, etree._Element]]:
    """Start and end events of an XML part. Entities and network are off; a document type is refused, not skipped."""
    if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data or _utf16_doctype(data):
        raise Unreadable(f"{part} declares a document type, which no Word document does. It was not read.")
    walker = etree.iterparse(
        BytesIO(data), events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        yield from walker
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"{part}, line {error.lineno or 1}: the XML is broken ({error.msg}).") from error


def attribute(element: etree._Element, name: str) -> str:
    """A `w:` attribute of an element, '' where it has none."""
    return str(element.get(_W + name) or element.get(_STRICT + name) or "")


def _utf16_doctype(data: bytes) -> bool:
    head = data[:8192].replace(b"\x00", b"")
    return b"<!DOCTYPE" in head or b"<!ENTITY" in head


def _start(reading: _Reading, tag: str, element: etree._Element) -> None:
    match tag:
        case "p":
            reading.begin_paragraph()
        case "hyperlink" if reading.open:
            target = next((str(element.get(name)) for name in _R if element.get(name)), "")
            if target:
                reading.open[-1].links.append(Link(target, reading.lengths[-1], -1))
        case "fldSimple" if reading.open:
            reading.open[-1].fields.append(FieldCode(attribute(element, "instr"), at=reading.lengths[-1]))
            reading.open[-1].generated |= is_bibliography(attribute(element, "instr"))
        case "tag":
            tags = reading.open[-1].tags if reading.open else reading.tags
            tags.append(attribute(element, "val")[:_LONGEST_CODE])
        case _:
            return


def _end(reading: _Reading, tag: str, element: etree._Element) -> Paragraph | None:
    match tag:
        case "p" if reading.open:
            return reading.end_paragraph()
        case "t":
            reading.add(element.text or "")
        case "tab" | "br" | "cr":
            reading.add(" ")
        case "noBreakHyphen":
            reading.add("-")
        case "instrText":
            reading.instruct(element.text or "")
        case "fldChar":
            held = "".join(str(text) for text in element.itertext())
            reading.field_char(attribute(element, "fldCharType"), held[:_LONGEST_CODE])
        case "hyperlink" if reading.open:
            for link in reversed(reading.open[-1].links):
                if link.end < 0:
                    link.end = reading.lengths[-1]
                    break
        case _:
            return None
    return None


def _style(reading: _Reading, element: etree._Element) -> None:
    if reading.open and not reading.is_outside:
        style = next((child for child in element if str(child.tag).endswith("}pStyle")), None)
        reading.open[-1].style = attribute(style, "val") if style is not None else ""
