"""Whether a site gives one page for every address: a made-up neighbour of the cited page is compared with it.

The strongest sign of a «not found» that says nothing of itself; it costs a request, so it is asked for only where it
can change the verdict.
"""

import re
from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlsplit

from sources.core.findings import Cause, Verdict
from sources.core.similarity import fold
from validation.core import gates, soft404
from validation.core.classify import Judgement
from validation.core.fetching import FetchResult, Page
from validation.core.reading import PageText, read_page
from validation.core.sniffing import HTML

SAME_TEXT = 0.95
_SHORT = 150  # words of main text; the longest not-found pages are shorter (see `soft404`)
_COMPARABLE = 20  # visible words; fewer are alike by chance («ok»), and an empty page is like every other
_MOST_WORDS = 4_000
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_IN_QUESTION = frozenset({Cause.TITLE_DIFFERS, Cause.OTHER_TITLE, Cause.LITTLE_TEXT})


@dataclass(frozen=True, slots=True)
class Likeness:
    """What of a page is compared: its folded title, the words of its main text, those of all its visible text.

    `shell` is what shows that a script fills the page, '' where nothing does: such pages are alike before it runs.
    """

    title: str
    main: Counter[str]
    visible: Counter[str]
    shell: str = ""


@dataclass(slots=True)
class Sibling:
    """A made-up address and, once it was `asked`, what it showed; None where it showed no page."""

    url: str
    asked: bool = False
    shown: Likeness | None = None


def is_worth_asking(result: FetchResult, judgement: Judgement) -> bool:
    """True where a page may be the site's answer to everything: short, under another title, or like its front page.

    False for a cited front page, which may well be what the site gives for every address, for shells that a script
    fills (they are alike by design), and for hosts that only pass on (DOI resolvers, short links, archives).
    """
    if not isinstance(result, Page) or not 200 <= result.status < 300 or judgement.media_type != HTML:
        return False
    if soft404.is_root_url(result.requested_url) or soft404.passes_on(result.requested_url):
        return False
    if judgement.cause in _IN_QUESTION:
        return True
    if judgement.verdict is not Verdict.VERIFIED_ACCESSIBLE:
        return False
    return (judgement.word_count or 0) < _SHORT or _bears_the_sites_name(judgement.title_found, result.final_url)


def directory_of(url: str) -> str:
    """The key under which one made-up neighbour serves all pages: scheme, host, directory and kind of file."""
    parts = urlsplit(url)
    directory, _, last = parts.path.rstrip("/").rpartition("/")
    return f"{parts.scheme}://{parts.netloc}{directory}/*{_extension(last)}"


def made_up_neighbour(url: str, token: str) -> str:
    """An address beside `url` (same host, directory, kind of file) that nobody has published. `token`: random letters.

    Servers treat files by their extension and folders by their slash, so both stay; the query goes.
    """
    parts = urlsplit(url)
    directory, _, last = parts.path.rstrip("/").rpartition("/")
    slash = "/" if parts.path.endswith("/") else ""
    return f"{parts.scheme}://{parts.netloc}{directory}/{token}{_extension(last)}{slash}"


def likeness_of(result: FetchResult) -> Likeness | None:
    """What is compared of an answer; None where it is no page that was found, or shows too little."""
    if not isinstance(result, Page) or not 200 <= result.status < 300:
        return None
    text = read_page(result)
    if text.visible_words < _COMPARABLE:
        return None
    return Likeness(
        title=fold(text.document_title),
        main=_words(text.main_text),
        visible=_words(_all_text(text)),
        shell=gates.script_shell(text) or "",
    )


def is_same_page(one: Likeness, other: Likeness) -> bool:
    """True where the titles are equal and both the main and all visible texts have 95 % of their words in common.

    The title counts, since sites that a script fills send one text under each page's own title; the main text counts
    by itself, since a large menu makes any two pages of a site alike.
    """
    if one.title != other.title:
        return False
    return _shared(one.main, other.main) >= SAME_TEXT and _shared(one.visible, other.visible) >= SAME_TEXT


def _shared(one: Counter[str], other: Counter[str]) -> float:
    amount = one.total() + other.total()
    return 2 * (one & other).total() / amount if amount else 1.0


def _words(text: str) -> Counter[str]:
    return Counter(fold(text).split()[:_MOST_WORDS])


def _all_text(text: PageText) -> str:
    return "\n".join(block.text for block in text.blocks)


def _bears_the_sites_name(title: str, url: str) -> bool:
    """True where a page's whole title is its host's own label: «The Harbour Gazette» at harbour-gazette.org."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    label = host.rpartition(".")[0].rpartition(".")[2].replace("-", "")
    if len(title) > 2 * len(label) + 10:  # most titles; folding one takes longer than all else here
        return False
    name = fold(title).removeprefix("the ").replace(" ", "")
    return bool(label) and name == label


def _extension(last: str) -> str:
    found = _EXTENSION.search(last)
    return found.group() if found else ""
