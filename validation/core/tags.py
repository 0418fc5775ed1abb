"""What a tag does to the text around it, and what its class, id and role say of the text inside.

Tags are read as strings, as the serialiser of lxml writes them: a page repeats a few hundred, so each is read once.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img"}
    | {"ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike"}
    | {"strong", "sub", "sup", "time", "tt", "u", "var", "wbr"}
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
_GATES = re.compile(  # each first letter once: half the time of a plain list of words
    r"p(?:ay-?wall|remium|iano)|re(?:g-?wall|stricted)|subscri|abonn|me(?:ter(?:ed|-)|mber(?:ship|s-only))|unlock|lock(?:ed)"
    r"|gated|login-?wall|barrier|offer|upsell"
)
_APP_ROOT = re.compile(
    r"^(?:root|app|__next|__nuxt|react-?root|app-?root|main-?app|ember\d+|svelte|gatsby-focus-wrapper)$"
)
_NO_DISPLAY = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CLASS, _ID, _ROLE, _STYLE = ' class="', ' id="', ' role="', ' style="'
_SPACES = re.compile("&#(?:9|10|13);")
# What a tag does to the text around it; plain numbers, compared in the hot loop. Those below LINK end a block.
NOTHING, OPEN, CLOSE, BREAK, LINK, UNLINK, HIDE = range(7)


class Tag(NamedTuple):
    """One tag, read: what it does, and what its name, class, id and role say of the text inside.

    `nests` is what it adds to the depth; `plain` is true where the text inside is what the text around it is.
    """

    does: int
    nests: int
    plain: bool = True
    region: int = 0
    level: int = 0
    gate: bool = False
    linked: bool = False
    app_root: bool = False


@lru_cache(maxsize=16_384)
def _named(name: str) -> tuple[bool, bool]:
    """(boilerplate, gate) that one word of a class or id attribute suggests. Cached: sites share most of them."""
    lower = name.lower()
    return not _BOILERPLATE.isdisjoint(lower.replace("_", "-").split("-")), _GATES.search(lower) is not None


_PLAIN_START, _PLAIN_INLINE, _LINK_START = Tag(OPEN, 1), Tag(NOTHING, 1), Tag(LINK, 1, plain=False, linked=True)
_END, _INLINE_END, _LINK_END = Tag(CLOSE, -1), Tag(NOTHING, -1), Tag(UNLINK, -1)
_EMPTY, _EMPTY_INLINE, _HIDDEN_START = Tag(BREAK, 0), Tag(NOTHING, 0), Tag(HIDE, 1)


def read_tag(written: str) -> Tag:
    """A tag as the serialiser writes it, without its brackets: `div class="a"`, `/div`, `br/`."""
    if written[0] == "/":
        name = written[1:]
        return _LINK_END if name == "a" else _INLINE_END if name in INLINE else _END
    name, _, rest = written.partition(" ")
    if written[-1] == "/":
        if _ID in written and _APP_ROOT.match(_attribute(written, _ID)):
            return Tag(BREAK, 0, app_root=True)
        return _EMPTY_INLINE if name.rstrip("/") in INLINE else _EMPTY
    if (rest or name == "dialog") and is_hidden(name, written):
        return _HIDDEN_START
    if name in INLINE:
        return _LINK_START if name == "a" else _PLAIN_INLINE
    region, gate, app_root = _REGION_OF_TAG.get(name, 0), False, False
    if rest:
        if name in _NAMED:
            ident = _attribute(written, _ID)
            for word in f"{_attribute(written, _CLASS)} {ident}".split():
                boilerplate, is_gate = _named(word)
                region = region or int(boilerplate)
                gate = gate or is_gate
            app_root = ident != "" and _APP_ROOT.match(ident) is not None
        region = _REGION_OF_ROLE.get(_attribute(written, _ROLE), region)
    level, linked = _LEVELS.get(name, 0), name == "button"
    if not (region or level or gate or linked or app_root):
        return _PLAIN_START
    return Tag(OPEN, 1, False, region, level, gate, linked, app_root)


def _attribute(written: str, mark: str) -> str:
    """An attribute's value, '' where it has none. Quotation marks inside values are escaped, so the search is exact."""
    start = written.find(mark) + len(mark)
    if start < len(mark):
        return ""
    value = written[start : written.index('"', start)]
    return _SPACES.sub(" ", value) if "&" in value else value


def is_hidden(tag: str, written: str) -> bool:
    """True where a start tag, as the serialiser writes it, hides what is inside by its own attributes."""
    if tag == "body":  # scripts show a body that starts hidden
        return False
    if "hidden" in written and (' hidden="' in written or ' aria-hidden="true"' in written):
        return True
    if _STYLE in written and _NO_DISPLAY.search(_attribute(written, _STYLE)):
        return True
    return tag == "dialog" and ' open="' not in written


def start_tag(element: Any) -> str:
    """The start tag of an element of the tree, with the attributes that may hide it."""
    said = ((name, element.get(name)) for name in ("style", "hidden", "aria-hidden", "open"))
    return " ".join([str(element.tag), *(f'{name}="{value}"' for name, value in said if value is not None)])
