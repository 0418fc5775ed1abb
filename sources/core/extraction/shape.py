"""Whether a text is a list of sources, one a line, or a draft in Markdown that cites them."""

import re
from collections.abc import Sequence
from enum import StrEnum

from sources.core.extraction.blocks import heading_of
from sources.core.extraction.wording import goes_on, without_bullet

_NAMES_A_SOURCE = re.compile(
    r"https?://|\bwww\.|(?:\b|doi|sbn|issn|pmc?id)10\.\d{4,9}(?:\.\d+)*/|\barxiv:|\bpmid\b|\bisbn\b|\bissn\b|\bhdl:|\burn:",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:https?://|www\.|10\.\d{4,9}/)\S*", re.IGNORECASE)
_MARKDOWN = re.compile(r"\]\(|\]\[|\[\^|^\s{0,3}\[[^\]]{1,99}\]:|^\s*(?:```|~~~)|^\s*\|.*\|\s*$")
# Numbers in brackets after a word, and what assistants write in their place.
_NUMBERED_USE = re.compile(
    r"[a-z][.,]?[¹²³⁴-⁹]+(?:[.,;]|\s|$)|[^\s\[(]\s?[\[【]\d{1,3}[\]】]"
    r"|\[cite: ?\d|【\d{1,4}(?::\d{1,4})?†|cite[\ue000-\uf8ff]?turn\d|\[oaicite:"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_LOOKED_AT = 2_000
_WORDS_OF_A_LINE = 8  # so many words of prose weigh as much as one entry
_LONG_PARAGRAPH = 60  # longer than any citation
_SHORT_SENTENCE = 4


class Shape(StrEnum):
    """How a text names its sources."""

    LIST = "list"
    DRAFT = "draft"
    WEB_PAGE = "web-page"


def is_list(lines: Sequence[str]) -> bool:
    """True for a list, where a line that names nothing is an error; False for a draft, where it is prose.

    Lines are weighed: those that are an address with at most a title beside it, against those that use Markdown's links
    or notes, are prose (by its words), or hold an address amid a sentence. A long paragraph, or prose with numbers in
    brackets, makes a draft by itself. Headings say nothing, since lists have them too. Linear.
    """
    entries = draft = 0
    for line in lines:
        text = line[:_LOOKED_AT].strip()
        if not text or heading_of(text) is not None:
            continue
        names = bool(_NAMES_A_SOURCE.search(text))
        if not names and _NUMBERED_USE.search(text) and _words(text) >= _SHORT_SENTENCE:
            return False
        if _MARKDOWN.search(text) or (names and _amid_a_sentence(text)):
            draft += 1
        elif names:
            entries += 1
        else:
            words = _words(text)
            if words >= _LONG_PARAGRAPH:
                return False
            ends = words >= _SHORT_SENTENCE and text.endswith((".", "!", "?", "。", "！", "？"))
            draft += max(words // _WORDS_OF_A_LINE, int(ends))
    return draft <= entries


def _amid_a_sentence(text: str) -> bool:
    found = _ADDRESS.search(text)
    if not found:
        return False
    if goes_on(text[found.end() :]):
        return True
    before = _words(without_bullet(text[: found.start()]))
    after = _words(_ADDRESS.sub(" ", text[found.end() :]))
    return before >= _SHORT_SENTENCE and after >= _WORDS_OF_A_LINE - 2


def _words(text: str) -> int:
    """Words by blanks; where a script sets none, a word for every two characters."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2
