"""The verdict on one fetch: a pure, total function from what the network did to a judgement with its evidence.

`classify` reads and judges; `judge` judges what was read before, so that new rules reach old evidence without a fetch.
Order (each step only where the ones before said nothing): failure; walls that headers show; the status; where the
redirects led; what the page says of itself (wall, not found, error, parked); a paywall; too little text; the title.
A wall comes out as fetch-failed with a `…-wall` cause, since it proves neither that the page exists nor that it does
not; whether a witness lifts it to verified-gated is decided outside. The same holds for a paywall-stub with a DOI.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from sources.core.findings import Cause, Signal, Verdict
from sources.core.similarity import fold
from validation.core import archives, gates, soft404
from validation.core.facts import Facts, facts_of
from validation.core.fetching import Failure, FetchResult, Page
from validation.core.publishers import Publisher, gated_publisher
from validation.core.reading import PageText, read_body
from validation.core.rulings import Ruling, clipped, quoted
from validation.core.sniffing import DOCUMENTS, JSON
from validation.core.statements import is_a_text, sentences, statements
from validation.core.statuses import ruling_by_status
from validation.core.titles import NEAR, OTHER, SAME, TitleFit, fit_title

# Raised with every change of a rule, a limit, a phrase or a publisher that may change a verdict, so that old verdicts
# are judged again (the phrases bear it too). A test keeps a hash of all of them beside it: `tests/data/rules.yaml`.
RULES_VERSION: str = "2"

_LONGEST_MESSAGE = 250  # words of main text; a longer page is a text, whatever its headings say
_THIN = 50  # words of main text
_DATA_BYTES = 200  # a data file (CSV, JSON) of this size is one, though it has few words
_HIDES_THE_WORK = frozenset({Cause.SAYS_GONE, Cause.SERVER_ERROR, Cause.PARKED})
_DEAD_CAUSES = frozenset({Cause.DOMAIN_GONE, Cause.DOI_NOT_REGISTERED, Cause.NOT_FOUND, Cause.GONE})
_HEADS: tuple[tuple[Callable[..., Ruling | None], ...], ...] = (
    (gates.wall_in_statement, soft404.missing_in_statement, soft404.parked_in_statement),
    (soft404.error_in_statement,),
)
_LINES: tuple[tuple[Callable[..., Ruling | None], ...], ...] = (
    (gates.challenge_in_sentence,),
    (soft404.missing_in_sentence, soft404.parked_in_sentence, gates.door_in_sentence),
    (soft404.error_in_sentence,),
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """What the citation says of the work; '' where it says nothing."""

    title: str = ""
    publisher: str = ""
    author: str = ""
    published_date: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with what decided it.

    `similarity` is 0 to 1, None where no title was claimed, none was found, or another page hid the work. `snippet` is
    the text that decided (at most 300 characters). `word_count` counts the words of the main text, None where nothing
    was read. `detail` refines the cause for a person; `access_note` is the publisher's where a known one has a wall.
    """

    verdict: Verdict
    cause: Cause
    signals: tuple[Signal, ...] = ()
    title_found: str = ""
    similarity: float | None = None
    snippet: str = ""
    word_count: int | None = None
    media_type: str = ""
    detail: str = ""
    access_note: str = ""
    read: "Read | None" = field(default=None, repr=False, compare=False)
    kept: "Kept | None" = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of the page under a judgement by who stores it: its digest ('' where nothing was read), lower-case
    hex SHA-256 of the decoded body, and the reading in the form of `stored`.
    """

    sha256: str
    reading: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class FailedFetch:
    """What the rules see of a fetch that brought no answer: why, and what the body that came with it says."""

    cause: Cause
    detail: str = ""
    title: str = ""
    word_count: int | None = None
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """What a judgement was made on, and what it was, before any witness or search had a say in it."""

    facts: Facts | FailedFetch
    verdict: Verdict
    cause: Cause


def classify(result: FetchResult, claimed: Claimed) -> Judgement:
    """The verdict on `result` for a citation that claims `claimed`. Never raises; same input, same output."""
    match result:
        case Failure():
            return judge(_failed_fetch(result), claimed)
        case Page():
            return judge(facts_of(result), claimed)
        case _:
            assert_never(result)


def judge(facts: Facts | FailedFetch, claimed: Claimed) -> Judgement:
    """The verdict on what was read, now or long ago. Never raises; same input, same output."""
    match facts:
        case FailedFetch():
            judgement = _of_failure(facts)
        case Facts():
            judgement = _of_page(facts, claimed)
        case _:
            assert_never(facts)
    return replace(judgement, read=Read(facts, judgement.verdict, judgement.cause))


def _failed_fetch(failure: Failure) -> FailedFetch:
    if not failure.body:
        return FailedFetch(failure.cause, clipped(failure.detail))
    text = read_body(failure.body, {})
    return FailedFetch(failure.cause, clipped(failure.detail), clipped(text.title), text.word_count, text.media_type)


def _of_failure(failure: FailedFetch) -> Judgement:
    verdict = Verdict.HARD_404 if failure.cause in _DEAD_CAUSES else Verdict.FETCH_FAILED
    return Judgement(
        verdict,
        failure.cause,
        signals=(Signal("failure", failure.detail),),
        title_found=failure.title,
        word_count=failure.word_count,
        media_type=failure.media_type,
        snippet=failure.detail,
        detail=failure.detail,
    )


def _of_page(page: Facts, claimed: Claimed) -> Judgement:
    text = page.text
    ruling = gates.wall_by_header(page.status, page.headers, is_blank=page.is_blank)
    ruling = ruling or archives.captured_error(page.final_url, page.headers, text) or ruling_by_status(page, text)
    if ruling is not None:
        return _judgement(page, text, ruling, TitleFit(text.title, "", None))
    fit = fit_title(text, claimed.title, page.final_url)
    ruling = _by_address(page, fit)
    if ruling is None and (text.is_html or text.blocks) and text.media_type not in DOCUMENTS:
        ruling = _by_message(page, text, claimed) or _by_paywall(page, text)
    if ruling is not None:
        return _judgement(page, text, ruling, fit)
    return _judgement(page, text, _by_amount(page, text) or _by_title(text, claimed, fit), fit)


def _by_address(page: Facts, fit: TitleFit) -> Ruling | None:
    """Where the redirects led. A page that bears the claimed title is the work wherever it stands."""
    if fit.is_same:
        return None
    return gates.wall_by_address(page.requested_url, page.final_url) or soft404.sent_away(
        page.requested_url, page.final_url
    )


def _by_message(page: Facts, text: PageText, claimed: Claimed) -> Ruling | None:
    """What the page says of itself: in titles and headings, then by its source, then in a short page's sentences."""
    if ruling := soft404.parked_by_source(text, page.mark_of, page.final_url):
        return ruling
    excuse = fold(claimed.title)
    if text.word_count > _LONGEST_MESSAGE:
        return soft404.missing_on_full_page(text, excuse)
    said = list(statements(text))
    # «Something went wrong» stands over many a message that goes on to say what: faults are looked for last.
    for tests in _HEADS:
        for one in said:
            for test in tests:
                if ruling := test(one, text, excuse):
                    return ruling
    if ruling := gates.wall_by_mark(text, page.mark_of):
        return ruling
    # Surest first: a wall tells why nothing else is there, a fault of the server says nothing of the work.
    lines = [] if is_a_text(text) else list(sentences(text))
    for tests in _LINES:
        for sentence, folded in lines:
            for test in tests:
                if ruling := test(sentence, folded, text, excuse):
                    return ruling
    return gates.login_form(text)


def _by_paywall(page: Facts, text: PageText) -> Ruling | None:
    """A subscription offer: a wall at a reputable publisher's, a stub anywhere else."""
    ruling = gates.paywall(text)
    if ruling is None or _publisher(page) is not None:
        return ruling
    return Ruling(Verdict.PAYWALL_STUB, Cause.PAY_WALL, ruling.rule, ruling.text)


def _by_amount(page: Facts, text: PageText) -> Ruling | None:
    """Thin, where there is too little to judge; None where there is enough, or where the file is a document."""
    if page.is_blank:
        return Ruling(Verdict.THIN, Cause.EMPTY, "empty-body", detail="no bytes")
    if text.media_type in DOCUMENTS:
        return None
    if not text.is_html and not text.blocks:
        return Ruling(Verdict.THIN, Cause.LITTLE_TEXT, "no-text", detail=f"a file of type {text.media_type}")
    if max(text.word_count, text.loose_words) >= _THIN:
        return None
    if text.media_type in {"text/csv", JSON} and page.byte_count >= _DATA_BYTES:
        return None
    amount = f"{text.word_count} words"
    shell = gates.script_shell(text)
    if shell is not None:
        return Ruling(Verdict.THIN, Cause.JS_SHELL, "script-shell", shell, amount)
    if text.visible_words == 0:
        return Ruling(Verdict.THIN, Cause.EMPTY, "no-visible-text", detail="no visible text")
    return Ruling(Verdict.THIN, Cause.LITTLE_TEXT, "little-text", text.main_text or text.title, amount)


def _by_title(text: PageText, claimed: Claimed, fit: TitleFit) -> Ruling:
    """Real content: whose it is. Only a title of four telling words, or a differing number, shows another work."""
    if not claimed.title.strip():
        return Ruling(Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT_UNTITLED, "content", fit.title)
    if fit.similarity is None:
        return _by_text_alone(text, fit)
    if fit.is_other:
        rule = "number-differs" if fit.similarity >= OTHER else "other-title"
        return Ruling(Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE, rule, fit.title, f"found {quoted(fit.title)}")
    if fit.similarity >= SAME:
        return Ruling(Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT, "title-fits", fit.title)
    if fit.similarity >= NEAR:
        return Ruling(Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT, "title-near", fit.title)
    return Ruling(Verdict.VERIFIED_ACCESSIBLE, Cause.TITLE_DIFFERS, "title-differs", fit.title)


def _by_text_alone(text: PageText, fit: TitleFit) -> Ruling:
    """A page that bears no title at all: the claimed one must stand in its text, or a person looks.

    Files of data have no place for a title, so nothing is held against them.
    """
    if fit.in_text or not text.is_html:
        return Ruling(Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT, "title-not-compared", text.media_type)
    if fit.judged:
        said = "the page bears no title, and its first lines not the claimed one"
        return Ruling(Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE, "title-nowhere", text.main_text, said)
    return Ruling(Verdict.VERIFIED_ACCESSIBLE, Cause.TITLE_DIFFERS, "no-title-on-page", text.main_text, "no title")


def _judgement(page: Facts, text: PageText, ruling: Ruling, fit: TitleFit) -> Judgement:
    publisher = _publisher(page) if ruling.cause.is_wall else None
    # A bot check, a login or a «not found» shows its own title; comparing that would accuse an honest citation.
    hidden = ruling.cause in _HIDES_THE_WORK or (ruling.cause.is_wall and ruling.cause is not Cause.PAY_WALL)
    similarity = None if hidden else fit.similarity
    return Judgement(
        verdict=ruling.verdict,
        cause=ruling.cause,
        signals=(ruling.signal, *_circumstances(page, text, fit, similarity)),
        title_found=clipped(fit.title),
        similarity=similarity,
        snippet=clipped(ruling.text),
        word_count=text.word_count if text.is_html or text.blocks else None,
        media_type=text.media_type,
        detail=ruling.detail,
        access_note=publisher.access_note if publisher else "",
    )


def _circumstances(page: Facts, text: PageText, fit: TitleFit, similarity: float | None) -> Iterator[Signal]:
    """What else was noticed: it decided nothing, and a person who looks at the evidence wants to know it."""
    if page.status != 200:
        yield Signal("status", f"HTTP {page.status}")
    if page.final_url != page.requested_url:
        yield Signal("redirected", clipped(page.final_url))
    if similarity is not None and similarity < SAME:
        yield Signal("title-similarity", f"{similarity:.2f} with “{clipped(fit.title)}”")
    if fit.in_text:
        yield Signal("title-in-text", "the claimed title stands in the text")
    if text.free is False:
        yield Signal("not-free-by-metadata", "isAccessibleForFree: false")
    if text.obstacle is not None:
        yield Signal(text.obstacle, text.obstacle.explanation)
    if page.truncated:
        yield Signal("truncated", f"read up to {page.byte_count} bytes")


def _publisher(page: Facts) -> Publisher | None:
    return gated_publisher(page.final_url) or gated_publisher(page.requested_url)
