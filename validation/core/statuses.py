"""What a status says, and what a refusal really is: the body of a 403 names the wall more exactly than its number."""

from sources.core.findings import Cause, Verdict
from validation.core import gates, soft404
from validation.core.facts import Facts
from validation.core.reading import PageText
from validation.core.rulings import Ruling, wall
from validation.core.statements import sentences, statements


def ruling_by_status(page: Facts, text: PageText) -> Ruling | None:
    """A ruling from a status that is not a success with content; None for the other 2xx.

    404 and 410 are the only ones that say «not here» (RFC 9110, 15.5.5 and 15.5.11). 401, 402, 403 and 451 are walls:
    a fabricated path on a reputable host answers 403 too. Everything else proves nothing.
    """
    status, said = page.status, _headline(text)
    match status:
        case 204 | 205:
            return Ruling(Verdict.THIN, Cause.EMPTY, "no-content", detail=f"HTTP {status}")
        case _ if 200 <= status <= 299:
            return None
        case 404:
            cause = Cause.DOI_NOT_REGISTERED if soft404.unregistered_doi(page.final_url, status) else Cause.NOT_FOUND
            return Ruling(Verdict.HARD_404, cause, "status", said)
        case 410:
            return Ruling(Verdict.HARD_404, Cause.GONE, "status", said)
        case 402:
            return wall(Cause.PAY_WALL, "status", said, "HTTP 402")
        case 451:
            return wall(Cause.LEGAL_WALL, "status", said, "HTTP 451")
        case 406:
            return Ruling(Verdict.FETCH_FAILED, Cause.NEGOTIATION, "status", said, "HTTP 406")
        case 401 | 403 | 405 | 429 | 503:
            return _by_blocking_status(page, text, said)
        case 420:
            return Ruling(Verdict.FETCH_FAILED, Cause.RATE_LIMITED, "status", said, "HTTP 420")
        case 408 | 425:
            return Ruling(Verdict.FETCH_FAILED, Cause.SERVER_ERROR, "status", said, f"HTTP {status}")
        case _ if 500 <= status <= 599:
            return Ruling(Verdict.FETCH_FAILED, Cause.SERVER_ERROR, "status", said, f"HTTP {status}")
        case _:
            return Ruling(Verdict.FETCH_FAILED, Cause.UNEXPECTED_STATUS, "status", said, f"HTTP {status}")


def _by_blocking_status(page: Facts, text: PageText, said: str) -> Ruling:
    """What a refusal really is: the body names the wall more exactly than the status does."""
    status, detail = page.status, f"HTTP {page.status}"
    if mark := page.mark_of("challenge"):
        return wall(Cause.BOT_WALL, "challenge-script", mark, detail)
    named = _first_wall(text)
    match status:
        case 429:  # its own page often says «you look like a robot»; waiting is what helps
            return Ruling(Verdict.FETCH_FAILED, Cause.RATE_LIMITED, "status", said, detail)
        case _ if named is not None and named.cause is Cause.BOT_WALL:
            return wall(Cause.BOT_WALL, named.rule, named.text, detail)
        case 503 if page.retry_after_s:  # RFC 9110, 15.6.4: overloaded, and it says for how long
            return Ruling(Verdict.FETCH_FAILED, Cause.RATE_LIMITED, "status", said, detail)
        case 503:
            return Ruling(Verdict.FETCH_FAILED, Cause.SERVER_ERROR, "status", said, detail)
        case 405:
            return Ruling(Verdict.FETCH_FAILED, Cause.UNEXPECTED_STATUS, "status", said, detail)
        case 401:
            return wall(Cause.LOGIN_WALL, "status", said, detail)
        case _:
            named = named or gates.login_form(text) or gates.paywall(text)
            return wall(named.cause if named is not None else Cause.BLOCK_WALL, "status", said, detail)


def _first_wall(text: PageText) -> Ruling | None:
    for one in statements(text):
        if ruling := gates.wall_in_statement(one, text, ""):
            return ruling
    for sentence, folded in sentences(text):
        if ruling := gates.challenge_in_sentence(sentence, folded, text, ""):
            return ruling
    return None


def _headline(text: PageText) -> str:
    """The first thing that an error page says."""
    return text.document_title or next((block.text for block in text.headings), "") or text.main_text
