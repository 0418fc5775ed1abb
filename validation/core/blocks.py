"""The visible text of an HTML page, in blocks, from one walk over its tree."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

_INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img"}
    | {"ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike"}
    | {"strong", "sub", "sup", "time", "tt", "u", "var", "wbr"}
)
# Nothing in these is text that a reader sees; their place breaks no line.
_UNSEEN = frozenset(
    {"script", "style", "noscript", "template", "svg", "math", "iframe", "object", "embed", "video", "audio", "canvas"}
    | {"select", "datalist", "textarea", "title", "meta", "link", "base", "input", "area", "param", "source"}
)
# Regions: 0 may be main text, 1 looks like boilerplate by its name, 2 is boilerplate by its meaning.
_REGION_OF_TAG = {"nav": 2, "footer": 2, "menu": 2, "aside": 1, "header": 1, "dialog": 1, "address": 1}
_REGION_OF_ROLE = {
    "navigation": 2,
    "contentinfo": 2,
    "search": 2,
    "menu": 2,
    "menubar": 2,
    "banner": 1,
    "complementary": 1,
    "dialog": 1,
    "alertdialog": 1,
}
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_NAMED = frozenset({"div", "section", "ul", "ol", "table", "td", "dl", "form", "p", "span", "li"})
_NAME_PARTS = re.compile(r"[\s_-]+")
_BOILERPLATE = frozenset(
    {"nav", "navbar", "navigation", "subnav", "menu", "submenu", "footer", "masthead", "topbar", "toolbar", "sidebar"}
    | {"widget", "widgets", "comment", "comments", "respond", "disqus", "breadcrumb", "breadcrumbs", "share", "sharing"}
    | {
        "social",
        "related",
        "recommend",
        "recommended",
        "recommendations",
        "popular",
        "trending",
        "promo",
        "promos",
        "ads",
    }
    | {"advert", "advertisement", "newsletter", "cookie", "cookies", "gdpr", "modal", "popup", "pagination", "teaser"}
    | {"teasers", "byline", "caption"}
)
_GATE_NAMES = """
paywall pay-wall regwall reg-wall subscri abonn premium piano metered meter- membership members-only unlock locked
restricted gated login-wall loginwall barrier offer upsell
"""
_GATES = tuple(_GATE_NAMES.split())
_APP_ROOT = re.compile(
    r"^(?:root|app|__next|__nuxt|react-?root|app-?root|main-?app|ember\d+|svelte|gatsby-focus-wrapper)$"
)
_NO_DISPLAY = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_DEEPEST = 2_000  # libxml2 drops what lies deeper than 2,048
_MOST_EVENTS = 300_000
_NESTING = re.compile(r"</?(?:div|span|font|b|i|em|strong|center|section|blockquote)\b[^<>]{0,1000}>", re.IGNORECASE)


def words_in(text: str) -> int:
    """How many words `text` has; two characters of a script without spaces count as one."""
    count = len(text.split())
    if not text.isascii() and (spaceless := len(_SPACELESS.findall(text))):
        count += spaceless // 2
    return count


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
    deepest: int = 0


@lru_cache(maxsize=4_096)
def _named(name: str) -> tuple[int, bool]:
    """(region, gate) that a class or id attribute suggests; a page repeats the same few hundred names."""
    lower = name.lower()
    boilerplate = not _BOILERPLATE.isdisjoint(_NAME_PARTS.split(lower))
    return int(boilerplate), any(gate in lower for gate in _GATES)


def _is_hidden(tag: str, attributes: list[tuple[str, str]]) -> bool:
    if tag == "dialog":
        return all(name != "open" for name, _ in attributes)
    for name, value in attributes:
        if name == "style":
            if _NO_DISPLAY.search(value):
                return tag != "body"  # scripts show a body that starts hidden
        elif name == "hidden" or (name == "aria-hidden" and value == "true"):
            return tag != "body"
    return False


def walk(text: str) -> Seen:
    """What is seen on the page `text`, hidden parts and scripts left out. Never raises, and ends in linear time."""
    seen = _walk_tree(text)
    if seen.deepest >= _DEEPEST and len(seen.blocks) < 5:
        flat = _walk_tree(_NESTING.sub(" ", text))
        if len(flat.blocks) > len(seen.blocks):
            return flat
    return seen


def _walk_tree(text: str) -> Seen:
    seen = Seen()
    root = _parse(text)
    if root is not None:
        _Walk(seen).run(root)
    return seen


def _parse(text: str) -> Any:
    """The root element, None where nothing in the text makes a tree."""
    data = text.replace("\x00", "").encode("utf-8", errors="replace")
    parser = etree.HTMLParser(encoding="utf-8", recover=True, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return etree.fromstring(data, parser=parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


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
    stack: list[_Place] = field(default_factory=lambda: [_Place(0, 0, gate=False, linked=False)])

    def run(self, root: Any) -> None:
        walker = etree.iterwalk(root, events=("start", "end"))
        stack, pieces = self.stack, self.pieces
        deepest = 0
        for event, element in islice(walker, _MOST_EVENTS):
            tag = element.tag
            if event == "start":
                attributes = element.items()
                if tag in _UNSEEN or ((attributes or tag == "dialog") and _is_hidden(tag, attributes)):
                    self._note_unseen(tag, element)
                    walker.skip_subtree()
                    stack.append(stack[-1])
                    continue
                if tag not in _INLINE:
                    if pieces:
                        self._flush()
                    stack.append(self._inside(tag, attributes))
                elif tag == "a":
                    around = stack[-1]
                    stack.append(_Place(around.region, around.level, around.gate, linked=True))
                else:
                    stack.append(stack[-1])
                if len(stack) > deepest:
                    deepest = len(stack)
                text = element.text
            else:
                if pieces and tag not in _INLINE and tag not in _UNSEEN:
                    self._flush()
                stack.pop()
                text = element.tail
            if text and (pieces or not text.isspace()):
                pieces.append(text)
                if stack[-1].linked:
                    self.link_chars += len(text.strip())
        self._flush()
        self.seen.deepest = deepest
        self.seen.blocks = tuple(self.blocks)

    def _inside(self, tag: str, attributes: list[tuple[str, str]]) -> _Place:
        """The place inside a block element that has just been opened; the same one where nothing changes."""
        around = self.stack[-1]
        region, level, gate = _REGION_OF_TAG.get(tag, 0), _LEVELS.get(tag, 0), False
        for name, value in attributes:
            if name == "class" or name == "id":
                if tag in _NAMED:
                    named = _named(value)
                    region, gate = region or named[0], gate or named[1]
                    if name == "id" and _APP_ROOT.match(value):
                        self.seen.app_root = True
            elif name == "role":
                region = _REGION_OF_ROLE.get(value, region)
        if region <= around.region and not level and (around.gate or not gate) and tag != "button":
            return around
        return _Place(
            region if region > around.region else around.region,
            level or around.level,
            gate or around.gate,
            around.linked or tag == "button",
        )

    def _flush(self) -> None:
        words = "".join(self.pieces).split()
        if words:
            text = " ".join(words)
            region, level, gate, _ = self.stack[-1]
            count = len(words) if text.isascii() else words_in(text)
            self.blocks.append(Block(text, count, level, min(self.link_chars, len(text)), region, gate))
        self.pieces.clear()
        self.link_chars = 0

    def _note_unseen(self, tag: str, element: Any) -> None:
        seen = self.seen
        match tag:
            case "script":
                seen.scripts += 1
                if "ld+json" in (element.get("type") or "").lower() and element.text:
                    seen.json_ld.append(element.text)
            case "title" if not seen.title:
                seen.title = " ".join("".join(element.itertext()).split())
            case "meta":
                seen.metadata.append({str(name).lower(): str(value) for name, value in element.attrib.items()})
            case "noscript" if len(seen.noscript) < 2_000:
                seen.noscript += " ".join("".join(element.itertext()).split())[:2_000] + " "
            case "input" if (element.get("type") or "").lower() == "password":
                seen.password_fields += 1
            case "iframe" | "object" | "embed":
                seen.frames += 1
