"""Where a page says what it is: the parts of its title, its headings, and the sentences of a short page."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sources.core.similarity import content_words, fold, segments
from validation.core.phrases import Group, phrase_book
from validation.core.reading import PageText

_MAX_HEADINGS = 6
_MAX_SENTENCES = 40
_MAX_SENTENCE_CHARS = 400
_ALMOST_EMPTY = 110  # words
_FEW_WORDS = 40
_LINKED = 0.5
_BRIEF = 40  # words of prose that make a brief item of news
_SHORT_BLOCK = 12  # words; a line so short may be a message without being marked up as a heading
# A run of signs is looked at from its first one only: a title of nothing else would be read again from each.
_TITLE_BREAK = re.compile(r"(?<![:.!?()])[:.!?()]+(?=\s|$)\s*|[。！？：（）¡¿「」]+|\s(?=\()")
_SENTENCE_BREAK = re.compile(r"(?<![.!?…])[.!?…]+(?=\s|$)|[。！？]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a page says of itself: as written, folded, bare of fillers and codes, and the status code in it.

    `place` is `title` (whole, or a part between separators), `h1`, `heading` (lower ones),
    `part` (of one of these, between other punctuation) or `line`.
    """

    text: str
    folded: str
    bare: str
    code: int | None
    place: str


def heads(group: Group, one: Statement, words: int, limits: Mapping[str, int]) -> bool:
    """True where `one` says a phrase of `group` and, with so many words of main text, speaks for the whole page.

    `limits` are words by place. A single word may be a work's title («Gone», «Verboten»), and a phrase may begin one
    («Access denied: a history»): both need an almost empty page.
    """
    if words > limits[one.place]:
        return False
    if group.is_whole(one.folded, one.bare):
        return words <= _ALMOST_EMPTY or " " in one.bare
    return words <= _ALMOST_EMPTY and group.begins(one.bare)


def statements(text: PageText) -> Iterator[Statement]:
    """The short statements of a page in order of weight: title parts, headings, then short lines of the main text."""
    title = text.document_title
    if title:
        whole = _statement(title, "title")
        yield whole
        named = segments(title)
        if len(named) > 1:
            yield from (_statement(part, "title") for part in named)
        parts = [part for segment in named for part in _TITLE_BREAK.split(segment) if part and part.strip()]
        if len(parts) > len(named):
            yield from (_statement(part, "part") for part in parts)
    headings = [block for block in text.headings if block.region <= 1][:_MAX_HEADINGS]
    for block in headings:
        place = "h1" if block.level == 1 else "heading"
        yield _statement(block.text, place)
        parts = [part for part in _TITLE_BREAK.split(block.text) if part and part.strip()]
        if len(parts) > 1:
            yield from (_statement(part, "part") for part in parts)
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


def is_a_text(text: PageText) -> bool:
    """True where a short page is a work all the same: its h1 says what its title says, and prose follows.

    Brief news carry consent banners, login boxes and dead players like any page, and their sentences speak of anything.
    What is no work shows its own words in title and headings, or no title of three telling words.
    """
    if text.prose_words < _BRIEF:
        return False
    title = f" {fold(text.document_title)} "
    return any(
        block.level == 1 and content_words(block.text) >= 3 and f" {fold(block.text)} " in title
        for block in text.headings
    )


def _statement(text: str, place: str) -> Statement:
    folded = fold(text[:_MAX_SENTENCE_CHARS])
    bare, code = phrase_book().bare(folded)
    return Statement(text, folded, bare, code, place)
