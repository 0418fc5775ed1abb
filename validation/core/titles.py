"""Whether a page bears the claimed title, over all the places where a page puts its title."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from sources.core.similarity import compare_titles, content_words, fold
from validation.core.documents import Obstacle
from validation.core.reading import PageText
from validation.core.sniffing import PDF

SAME, NEAR, OTHER = 0.8, 0.6, 0.3
_ENOUGH_WORDS = 4
_EARLY_CHARS = 3_000
_MOST_H2 = 5
_NEARLY_ALL = 0.85
_HYPHEN = re.compile(r"-\n(?=[^\W\d_])")
_FIRST_LINES = 5  # of the main text, taken for titles where a page has none
_LONGEST_LINE = 40  # words; a longer block is a paragraph


@dataclass(frozen=True, slots=True)
class TitleFit:
    """The page's title that fits the claimed one best.

    `similarity` is 0 to 1, None where there is nothing to compare. `judged`: the claimed title has four words that say
    something, so that a bad fit means another work. `numbers_conflict`: each title has a number that the other lacks.
    `in_text`: the claimed title stands word for word in a heading or early in the main text.
    """

    title: str
    source: str
    similarity: float | None
    judged: bool = False
    numbers_conflict: bool = False
    in_text: bool = False

    @property
    def is_same(self) -> bool:
        """True where the titles are the same after folding, or nearly, and long enough to say so."""
        return self.judged and self.similarity is not None and self.similarity >= SAME

    @property
    def is_other(self) -> bool:
        """True where the page bears another work's title."""
        if self.similarity is None or self.in_text:
            return False
        return (self.judged and self.similarity < OTHER) or (self.numbers_conflict and self.similarity < NEAR)


def fit_title(text: PageText, claimed_title: str, url: str) -> TitleFit:
    """How the page's titles fit `claimed_title` ('' gives a fit without a similarity). `url` gives the site's name."""
    first = text.titles[0] if text.titles else None
    if not claimed_title.strip():
        return TitleFit(first.text if first else "", first.source if first else "", None)
    if first is None:
        return _fit_lines(text, claimed_title)
    site = text.site_name or _site_of(url)
    best, best_title = None, first
    for title in text.titles:
        relation = compare_titles(claimed_title, title.text, site=site)
        if best is None or (relation.similarity, relation.wording) > (best.similarity, best.wording):
            best, best_title = relation, title
        if best.similarity == 1.0:
            break
    if best is None:
        return TitleFit(first.text, first.source, None)
    if text.obstacle is Obstacle.CUT and first.source == "line" and best.similarity < NEAR:
        # The page that bears the title may be one that was not read: what is missing accuses nobody.
        return TitleFit("", "", None, in_text=_stands_in_text(text, claimed_title))
    shown = best_title if best.similarity >= OTHER else first
    return TitleFit(
        title=shown.text,
        source=shown.source,
        similarity=round(best.similarity, 3),
        judged=content_words(claimed_title) >= _ENOUGH_WORDS,
        numbers_conflict=best.numbers_conflict and best.wording >= 0.5,
        in_text=best.similarity < NEAR and not best.numbers_conflict and _stands_in_text(text, claimed_title),
    )


def _fit_lines(text: PageText, claimed_title: str) -> TitleFit:
    """The fit of a page without any title: its lower headings and first lines stand for one."""
    lines = [*text.headings[:_MOST_H2], *text.main[:_FIRST_LINES]]
    scored = [
        (compare_titles(claimed_title, block.text).similarity, block.text)
        for block in lines
        if block.words <= _LONGEST_LINE
    ]
    similarity, line = max(scored, default=(0.0, ""))
    fits = similarity >= NEAR
    return TitleFit(
        title=line if fits else "",
        source="line" if fits else "",
        similarity=round(similarity, 3) if fits else None,
        judged=content_words(claimed_title) >= _ENOUGH_WORDS,
        in_text=not fits and _stands_in_text(text, claimed_title),
    )


def _stands_in_text(text: PageText, claimed_title: str) -> bool:
    """True where a claimed title of four words stands whole in an h2 or near the beginning of the main text.

    In a PDF, whose lines break and run in columns, nearly all of its words on the first page do.
    """
    if content_words(claimed_title) < _ENOUGH_WORDS:
        return False
    if text.media_type == PDF:
        words = set(fold(claimed_title).split())
        opening = set(fold(_HYPHEN.sub("", text.main_text[:_EARLY_CHARS])).split())
        return len(words & opening) >= _NEARLY_ALL * len(words)
    wanted = f" {fold(claimed_title)} "
    second = [block.text for block in text.blocks if block.level == 2 and block.region <= 1][:_MOST_H2]
    return any(wanted in f" {fold(part)} " for part in (*second, text.main_text[:_EARLY_CHARS]))


def _site_of(url: str) -> str:
    """The host's own label («ft» of www.ft.com), which sites put behind their titles."""
    try:
        labels = (urlsplit(url).hostname or "").removeprefix("www.").split(".")
    except ValueError:
        return ""
    return max(labels[:-1], key=len, default="") if len(labels) > 1 else ""
