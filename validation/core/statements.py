"""Where a page says what it is: the parts of its title, its headings, and the sentences of a short page."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sources.core.similarity import fold, segments
from validation.core.phrases import phrase_book
from validation.core.reading import PageText

_MAX_HEADINGS = 6
_MAX_SENTENCES = 40
_MAX_SENTENCE_CHARS = 400
_SINGLE_WORD_LIMIT = 110
_FEW_WORDS = 40
_LINKED = 0.5
_SHORT_BLOCK = 12  # words; a line so short may be a message without being marked up as a heading
_TITLE_BREAK = re.compile(r"[:.!?()]+(?=\s|$)\s*|[。！？：（）¡¿「」]+|\s(?=\()")
_SENTENCE_BREAK = re.compile(r"[.!?…]+(?=\s|$)|[。！？]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a page says of itself: as written, folded, bare of fillers and codes, and the status code in it.

    `place` is `title`, `h1`, `heading` (lower ones) or `line`.
    """

    text: str
    folded: str
    bare: str
    code: int | None
    place: str


def limit_of(one: Statement, limits: Mapping[str, int]) -> int:
    """How many words of main text a page may have for `one` to speak for all of it, by place.

    A statement of a single word may be a title («Gone», «Verboten»): it needs an almost empty page.
    """
    limit = limits[one.place]
    return limit if " " in one.bare else min(limit, _SINGLE_WORD_LIMIT)


def statements(text: PageText) -> Iterator[Statement]:
    """The short statements of a page in order of weight: title parts, headings, then short lines of the main text."""
    title = text.document_title
    if title:
        whole = _statement(title, "title")
        yield whole
        parts = [part for segment in segments(title) for part in _TITLE_BREAK.split(segment) if part and part.strip()]
        if len(parts) > 1:
            yield from (_statement(part, "title") for part in parts)
    headings = [block for block in text.headings if block.region <= 1][:_MAX_HEADINGS]
    for block in headings:
        place = "h1" if block.level == 1 else "heading"
        yield _statement(block.text, place)
        parts = [part for part in _TITLE_BREAK.split(block.text) if part and part.strip()]
        if len(parts) > 1:
            yield from (_statement(part, place) for part in parts)
    # Links and buttons speak only where the page is hardly more than them («Sign in with …»).
    links_too = text.visible_words <= _FEW_WORDS
    lines = (
        block
        for block in text.blocks
        if not block.level
        and block.region <= 1
        and block.words <= _SHORT_BLOCK
        and (links_too or block.link_share < _LINKED)
    )
    for _, block in zip(range(_MAX_SENTENCES), lines, strict=False):
        yield _statement(block.text, "line")


def sentences(text: PageText) -> Iterator[tuple[str, str]]:
    """The first sentences of the main text with their folded forms; asked for only on pages with little text."""
    count = 0
    for block in text.main:
        for sentence in _SENTENCE_BREAK.split(block.text):
            plain = sentence.strip()
            if not plain:
                continue
            count += 1
            if count > _MAX_SENTENCES:
                return
            yield plain, fold(plain[:_MAX_SENTENCE_CHARS])


def _statement(text: str, place: str) -> Statement:
    folded = fold(text[:_MAX_SENTENCE_CHARS])
    bare, code = phrase_book().bare(folded)
    return Statement(text, folded, bare, code, place)
