"""The visible text of an HTML page, in blocks, from one walk over its tree."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from validation.core.tags import CLOSE, HIDE, LINK, OPEN, UNLINK, Tag, is_hidden, read_tag, start_tag

# Nothing in these is text that a reader sees; their place breaks no line.
_UNSEEN = frozenset(
    {"script", "style", "noscript", "template", "svg", "math", "iframe", "object", "embed", "video", "audio", "canvas"}
    | {"select", "datalist", "textarea", "title", "meta", "link", "base", "input", "area", "param", "source", "img"}
)
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_SPACE = re.compile(r"\s")
_OTHER_SPACES = "\t\r\v\f\x1c\x1d\x1e\x1f"  # what `str.split` takes for space besides, in ASCII
# Longer texts are split into words part by part: as an object of its own a word takes ten times its letters, and a
# bomb's two megabytes of one text took 25 for its words.
_SLICE = 100_000
_DEEPEST = 2_000  # libxml2 drops what lies deeper than 2,048
_FEW_BLOCKS = 5
_MOST_TAGS = 300_000
# Nothing inside the first counts; the others are noted; then all of them are cut out of the tree.
_SEALED = ("style", "template", "svg", "math", "video", "audio", "canvas", "select", "datalist", "textarea")
_CUT = tuple(_UNSEEN - set(_SEALED))
# Long and of no use here: without them the same few tags come again and again.
_DROPPED = ("href", "src", "srcset", "alt", "title", "rel", "target", "data-src", "data-srcset", "value", "onclick")
# The serialiser escapes `>` in text and in attributes, so this splits its output exactly.
_TAG = re.compile("<([^>]*)>")
_NESTING = re.compile(r"</?(?:div|span|font|b|i|em|strong|center|section|blockquote)\b[^<>]{0,1000}>", re.IGNORECASE)


def words_in(text: str) -> int:
    """How many words `text` has; two characters of a script without spaces count as one."""
    if _is_spaced(text):
        return _words_between(text.strip(" "))
    if len(text) > _SLICE:
        return sum(len(part.split()) for part in _slices(text)) + _spaceless(text) // 2
    count = len(text.split())
    if not text.isascii() and (spaceless := len(_SPACELESS.findall(text))):
        count += spaceless // 2
    return count


def _spaced(text: str) -> tuple[str, int]:
    """`text` with one space between words, and how many words it has."""
    if _is_spaced(text):
        text = text.strip(" ")
        return text, _words_between(text)
    is_short = len(text) <= _SLICE
    words = text.split() if is_short else [told for part in _slices(text) if (told := " ".join(part.split()))]
    text = " ".join(words)
    return text, len(words) if is_short and text.isascii() else words_in(text)


def _is_spaced(text: str) -> bool:
    """True where an ASCII text has one space between words, as most blocks have; blanks may stand at its ends.

    Ten searches for one letter take a tenth of the time of splitting and joining, and a quarter of that of a look at
    every letter (`isprintable`, a pattern).
    """
    if not text.isascii() or "\n" in text or "  " in text:
        return False
    for space in _OTHER_SPACES:  # noqa: SIM110 -- a generator would take three times as long as the searches
        if space in text:
            return False
    return True


def _words_between(text: str) -> int:
    return text.count(" ") + 1 if text else 0


def _spaceless(text: str) -> int:
    return sum(len(_SPACELESS.findall(part)) for part in _slices(text))


def _slices(text: str) -> Iterator[str]:
    """The text in parts that end where a word ends."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + _SLICE)
        end = space.start() if space else len(text)
        yield text[start:end]
        start = end


class Block(NamedTuple):
    """One visible block of text, spaces collapsed. (A tuple: a page has hundreds, and they are made in the hot loop.)

    `level` is 1 to 6 in a heading, else 0. `link_chars` of its characters are links or buttons. `region`: 0 may be main
    text, 1 boilerplate by its class name, 2 by its meaning. `gate`: it stands in a box named like a paywall.
    """

    text: str
    words: int
    level: int = 0
    link_chars: int = 0
    region: int = 0
    gate: bool = False

    @property
    def link_share(self) -> float:
        """The part of the text that is links, 0 to 1."""
        return self.link_chars / len(self.text) if self.text else 0.0


@dataclass(slots=True)
class Seen:
    """What one walk over a page met. `metadata` are the attributes of each `<meta>`, names in lower case."""

    title: str = ""
    blocks: tuple[Block, ...] = ()
    metadata: list[dict[str, str]] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    password_fields: int = 0
    frames: int = 0
    scripts: int = 0
    noscript: str = ""
    app_root: bool = False


def walk(text: str) -> Seen:
    """What is seen on the page `text`, hidden parts and scripts left out. Never raises, and ends in linear time."""
    seen = _seen(_parse(text))
    if len(seen.blocks) < _FEW_BLOCKS and text.count("<") >= _DEEPEST and _is_deep(_parse(text)):
        flat = _seen(_parse(_NESTING.sub(" ", text)))
        if len(flat.blocks) > len(seen.blocks):
            return flat
    return seen


def _parse(text: str) -> Any:
    """The root element, None where nothing in the text makes a tree."""
    data = text.replace("\x00", "").encode("utf-8", errors="replace")
    parser = etree.HTMLParser(encoding="utf-8", recover=True, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return etree.fromstring(data, parser=parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _is_deep(root: Any) -> bool:
    """True where the tree is so deep that the parser has dropped what lies deeper."""
    depth = 0
    for event, _ in islice(etree.iterwalk(root, events=("start", "end")), _MOST_TAGS):
        depth += 1 if event == "start" else -1
        if depth >= _DEEPEST:
            return True
    return False


def _seen(root: Any) -> Seen:
    """Notes what is no text and cuts it out in C, then reads the rest from the serialiser's output.

    A loop over tags as strings, which repeat, is a little faster than one over the tree's elements and attributes.
    """
    seen = Seen()
    if root is None:
        return seen
    etree.strip_elements(root, *_SEALED, with_tail=False)
    for element in root.iter("noscript"):
        if len(seen.noscript) < 2_000:
            seen.noscript += " ".join("".join(element.itertext()).split())[:2_000] + " "
    etree.strip_elements(root, "noscript", with_tail=False)
    for element in root.iter("script", "title", "meta", "input", "iframe", "object", "embed"):
        _note(seen, element)
    etree.strip_elements(root, *_CUT, with_tail=False)
    etree.strip_attributes(root, *_DROPPED)
    _Walk(seen).run(etree.tostring(root, encoding="unicode", with_tail=False))
    return seen


def _note(seen: Seen, element: Any) -> None:
    match element.tag:
        case "script":
            seen.scripts += 1
            if "ld+json" in element.get("type", "").lower() and element.text:
                seen.json_ld.append(element.text)
        case "title" if not seen.title:
            seen.title = " ".join("".join(element.itertext()).split())
        case "meta":
            seen.metadata.append({str(name).lower(): str(value) for name, value in element.attrib.items()})
        case "input" if element.get("type", "").lower() == "password":
            seen.password_fields += not any(is_hidden(one.tag, start_tag(one)) for one in element.iterancestors())
        case "iframe" | "object" | "embed":
            seen.frames += 1


class _Place(NamedTuple):
    """What encloses the text being read: region, heading level, a gate's name, a link or button."""

    region: int
    level: int
    gate: bool
    linked: bool


@dataclass(slots=True)
class _Walk:
    """The state of a walk: the text of the block being read, and the place of each open element."""

    seen: Seen
    pieces: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    link_chars: int = 0
    known: dict[str, Tag] = field(default_factory=dict)

    def run(self, markup: str) -> None:
        pieces, known = self.pieces, self.known
        parts = _TAG.split(markup)
        stack = [place := _Place(0, 0, gate=False, linked=False)]
        hidden = 0
        for written, text in islice(zip(parts[1::2], parts[2::2], strict=True), _MOST_TAGS):
            tag = known.get(written)
            if tag is None:
                tag = known[written] = read_tag(written)
                if tag.app_root and not hidden:
                    self.seen.app_root = True
            does = tag.does
            if hidden:
                hidden += tag.nests
                if hidden:
                    continue
                if does == CLOSE and pieces:
                    self._flush(place)
            elif does:
                if does == HIDE:
                    hidden = 1
                    continue
                if does < LINK and pieces:
                    self._flush(place)
                if does in (CLOSE, UNLINK):
                    stack.pop()
                    place = stack[-1]
                elif does in (OPEN, LINK):
                    if not tag.plain:
                        place = self._inside(place, tag)
                    stack.append(place)
            if text and (pieces or not text.isspace()):
                if "&" in text:
                    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&#13;", " ").replace("&amp;", "&")
                pieces.append(text)
                if place.linked:
                    self.link_chars += len(text.strip())
        if pieces:
            self._flush(place)
        self.seen.blocks = tuple(self.blocks)

    def _inside(self, around: _Place, tag: Tag) -> _Place:
        """The place inside an element that has just been opened; what encloses it goes on."""
        return _Place(
            max(tag.region, around.region),
            tag.level or around.level,
            tag.gate or around.gate,
            around.linked or tag.linked,
        )

    def _flush(self, place: _Place) -> None:
        text, count = _spaced("".join(self.pieces))
        self.pieces.clear()
        if text:
            region, level, gate, _ = place
            self.blocks.append(Block(text, count, level, min(self.link_chars, len(text)), region, gate))
        self.link_chars = 0
