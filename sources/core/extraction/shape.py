"""Whether a text is a list of sources, one a line, or a draft in Markdown that cites them."""

import re
from collections.abc import Sequence

from sources.core.extraction.blocks import heading_of
from sources.core.extraction.wording import without_bullet

_NAMES_A_SOURCE = re.compile(
    r"https?://|\bwww\.|\b10\.\d{4,9}(?:\.\d+)*/|\barxiv:|\bpmid\b|\bisbn\b|\bissn\b|\bhdl:|\burn:", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?:https?://|www\.|10\.\d{4,9}/)\S*", re.IGNORECASE)
_MARKDOWN = re.compile(r"\]\(|\]\[|\[\^|^\s{0,3}\[[^\]]{1,99}\]:|^\s*(?:```|~~~)|^\s*\|.*\|\s*$")
_NUMBERED_USE = re.compile(r"[^\s\[(]\s?[\[【]\d{1,3}[\]】]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_LOOKED_AT = 2_000
_LONG_PARAGRAPH = 25
_SENTENCE = 8
_SHORT_SENTENCE = 4


def is_list(lines: Sequence[str]) -> bool:
    """True for a list, where a line that names nothing is an error; False for a draft, where it is prose.

    Decided by counting lines: those that are an address with at most a title beside it, against those that use
    Markdown's links or notes, are prose, or hold an address amid a sentence. One long paragraph makes a draft. Headings
    say nothing, since lists have them too. Linear.
    """
    entries = draft = 0
    for line in lines:
        text = line[:_LOOKED_AT].strip()
        if not text or heading_of(text) is not None:
            continue
        words = _words(text)
        if _NAMES_A_SOURCE.search(text) and not _MARKDOWN.search(text) and not _amid_a_sentence(text):
            entries += 1
        elif words >= _LONG_PARAGRAPH and not _NAMES_A_SOURCE.search(text):
            return False
        elif _MARKDOWN.search(text) or _NAMES_A_SOURCE.search(text) or _is_prose(text, words):
            draft += 1
    return draft <= entries


def _is_prose(text: str, words: int) -> bool:
    if words >= _SENTENCE or _NUMBERED_USE.search(text):
        return True
    return words >= _SHORT_SENTENCE and text.endswith((".", "!", "?", "。", "！", "？"))


def _amid_a_sentence(text: str) -> bool:
    found = _ADDRESS.search(text)
    if not found:
        return False
    before = _words(without_bullet(text[: found.start()]))
    after = _words(_ADDRESS.sub(" ", text[found.end() :]))
    return before >= _SHORT_SENTENCE and after >= _SENTENCE - 2


def _words(text: str) -> int:
    """Words by blanks; where a script sets none, a word for every two characters."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2
