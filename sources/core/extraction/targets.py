"""Where an address in running text begins and ends: bare addresses, and the parentheses of Markdown links."""

import re
from dataclasses import dataclass
from html import unescape

from sources.core.endings import without_sentence_end

# Never inside an address: blanks, quotes, code ticks, invisible marks, private-use marks of assistants' exports, and
# the full-width punctuation that ends a sentence in Chinese and Japanese.
_STOP = (
    r"\s\"“”«»`\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ue000-\uf8ff"
    r"、。，；：！？（）「」『』【】《》〈〉"
)
_RUN = re.compile(rf"[^{_STOP}<>()\[\]{{}}]+")
_RUN_WITH_ANGLES = re.compile(rf"[^{_STOP}()\[\]{{}}]+")
_REST_OF_WORD = re.compile(r"\S+")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_NEXT_ADDRESS = re.compile(r"[,;|](?=https?://|10\.[0-9]{4,9}/)", re.IGNORECASE)
_ESCAPED_MARK = re.compile(r"&(?:quot|lt|gt|apos|nbsp|#34|#39|#60|#62|#x22|#x27);?", re.IGNORECASE)
_TOO_LONG = 10_000
_NEAR = 300

_PARENTHESIS = re.compile(r"\([ \t]*\n?[ \t]*")
_ANGLED = re.compile(r"<((?:[^<>\\\n]|\\.){0,10000})>")
_CHARACTERS = r"(?:[^\s()\\]++|\\[!-/:-@\[-`{-~]|\\)"
_NESTED = rf"\({_CHARACTERS}*+\)"
for _ in range(2):
    _NESTED = rf"\((?:{_CHARACTERS}|{_NESTED})*+\)"
# Parentheses three deep and no deeper, without giving anything back: 10 MB of `[a](` stay linear.
_PLAIN = re.compile(rf"(?:{_CHARACTERS}|{_NESTED})*+")
_TITLE = re.compile(
    r"[ \t]*\n?[ \t]*(?:\"((?:[^\"\\]|\\.){0,2000})\"|'((?:[^'\\]|\\.){0,2000})'|\(((?:[^()\\]|\\.){0,2000})\))",
    re.DOTALL,
)
_END = re.compile(r"[ \t]*\n?[ \t]*\)")
_BLANK_INSIDE = re.compile(r"[ \t]+[^()\n]{1,300}\)")

_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});")


@dataclass(frozen=True, slots=True)
class Destination:
    """What stands in the parentheses of a link: the address as written, where it begins, its title, and where the
    whole ends. `broken` where a blank stands inside the address."""

    written: str
    at: int
    title: str
    end: int
    broken: bool = False


def bare_end(text: str, start: int, *, angles: bool = False, stop_at_pipe: bool = False) -> int:
    """Where the bare address or identifier that begins at `start` ends.

    It runs to the next stop character or closing bracket without an opener inside, and loses the sentence's
    punctuation. `angles` lets < and > pass (old DOIs hold them). Linear; a run of over 10,000 characters is taken to
    its next blank.
    """
    run = _RUN_WITH_ANGLES if angles else _RUN
    at, expected = start, [""]
    while True:
        at = _run_end(run, text, at)
        char = text[at : at + 1]
        if char in _PAIRS:
            expected.append(_PAIRS[char])
        elif not char or char != expected[-1]:
            break
        else:
            expected.pop()
        at += 1
        if at - start > _TOO_LONG:
            rest = _REST_OF_WORD.match(text, at)
            return rest.end() if rest else at
    address = text[start:at]
    for limit in (_NEXT_ADDRESS, _ESCAPED_MARK):
        cut = limit.search(address)
        address = address[: cut.start()] if cut else address
    if stop_at_pipe:
        address = address.partition("|")[0]
    if text[start - 1 : start] == "_":
        address = address.rstrip("_.,;:!?")
    return start + len(without_sentence_end(address))


def _run_end(run: re.Pattern[str], text: str, at: int) -> int:
    """Where the run ends that begins at `at`, or a place behind the first sign that another address begins in it.

    Looked for in steps, each four times as long: of a thousand addresses with commas between them each is looked at
    for itself, not with all that follow.
    """
    reach = _NEAR
    while True:
        found = run.match(text, at, at + reach)
        end = found.end() if found else at
        if end < at + reach or _NEXT_ADDRESS.search(text, at, end):
            return end
        reach *= 4


def destination(text: str, at: int) -> Destination | None:
    """Reads `(address "title")` from its opening parenthesis on; None where Markdown sees no link there. Linear: an
    address may hold parentheses three deep."""
    opened = _PARENTHESIS.match(text, at)
    if not opened:
        return None
    start = opened.end()
    angled = _ANGLED.match(text, start)
    if angled:
        written, start, end = angled[1], start + 1, angled.end()
    else:
        plain = _PLAIN.match(text, start)
        end = plain.end() if plain else start
        written = text[start:end]
    titled = _TITLE.match(text, end)
    closed = _END.match(text, titled.end() if titled else end)
    if closed:
        title = next((part for part in titled.groups() if part), "") if titled else ""
        return Destination(written, start, title, closed.end())
    blank = _BLANK_INSIDE.match(text, end)
    if blank and written.lower().startswith(("http://", "https://")) and "http" not in blank[0].lower():
        return Destination(text[start : blank.end() - 1], start, "", blank.end(), broken=True)
    return None


def unescaped(text: str) -> str:
    """Markdown's backslash escapes and whole HTML entities resolved. `&copy=1` in a query is no entity and stays."""
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    return _ENTITY.sub(lambda found: unescape(found[0]), text) if "&" in text else text
