"""Walls: bot checks, refusals, logins, consent forms and paywalls, under whatever status they hide.

A widget's mark alone proves nothing (articles embed captchas and challenge scripts); it counts with a blocking status,
or on a page that says next to nothing else.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from sources.core.findings import Cause
from sources.core.similarity import fold
from validation.core.facts import MarkOf
from validation.core.phrases import first_in, phrase_book
from validation.core.reading import PageText
from validation.core.rulings import Ruling, wall
from validation.core.statements import Statement, heads, is_a_text

_LIMITS = {"title": 250, "part": 110, "h1": 150, "heading": 80, "line": 40}
_SAID_LIMIT = 160
_MARK_LIMIT = 60  # words of main text beside a challenge script
_WIDGET_LIMIT = 15  # visible words beside a captcha widget
_LOGIN_FORM_LIMIT = 80
_GROUPS = (
    ("bot_challenge", Cause.BOT_WALL),
    ("blocked", Cause.BLOCK_WALL),
    ("login", Cause.LOGIN_WALL),
    ("consent", Cause.CONSENT_WALL),
)
_CODES = {401: Cause.LOGIN_WALL, 402: Cause.PAY_WALL, 403: Cause.BLOCK_WALL, 429: Cause.BOT_WALL, 451: Cause.LEGAL_WALL}
_LOGIN_SEGMENT = re.compile(
    r"(?:log|sign)[-_]?(?:in|on)|logon|sso|saml2?|oauth2?|authorize|openid(?:-connect)?|cas|shibboleth|wayf|idp|auth|authenticate"
    r"|account-?login|user-?login|members?-?login|anmelden|connexion|iniciar-?sesion|accedi|inloggen|servicelogin|checkpoint",
    re.IGNORECASE,
)
_LOGIN_HOST = re.compile(
    r"^(?:login|signin|sso|auth|idp|accounts?|passport|wayf|shibboleth|openathens|identity)\.", re.IGNORECASE
)
_CONSENT_SEGMENT = re.compile(
    r"(?:cookie|gdpr|privacy)?[-_]?(?:consent|cookiewall|cookie-wall|privacy-?gate|privacygate|collectconsent)"
    r"|cookie[-_]?(?:check|notice|choices)|age-?(?:gate|verification|check)",
    re.IGNORECASE,
)
_CONSENT_HOST = re.compile(r"^(?:[\w-]+\.)?(?:consent|privacygate|myprivacy|cmp)\.", re.IGNORECASE)
_BLOCK_SEGMENT = re.compile(
    r"captcha|challenge-?page|blocked|access-?denied|bot-?check|sorry|distil_r_(?:blocked|captcha)", re.IGNORECASE
)

# Paywalls: how much main text may stand before the offer, by how sure the sign is.
_STRUCTURED_LIMIT = 300
_CUT_LIMIT = 450
_ALONE_LIMIT = 150
_REST_LIMIT = 750
_SURE_TIERS = frozenset(
    {"locked", "paid", "premium", "subscriber", "subscribers", "subscription", "members", "paywall"}
)
_TAIL = 80  # words of prose that may follow an offer: teasers, a footer, an author's note
_LONGEST_OFFER = 90


def wall_by_header(status: int, headers: Mapping[str, str], *, is_blank: bool) -> Ruling | None:
    """A ruling from status and headers alone, whatever the page says. `headers` have lower-case names.

    `cf-mitigated: challenge` is the mark that Cloudflare documents; AWS WAF answers 202 or 405 with its own header;
    999 is a refusal that one network made up; a 202 without a body is a challenge's waiting answer.
    """
    if "challenge" in headers.get("cf-mitigated", "").lower():
        return wall(Cause.BOT_WALL, "cf-mitigated", headers["cf-mitigated"])
    if action := headers.get("x-amzn-waf-action", ""):
        return wall(Cause.BOT_WALL, "x-amzn-waf-action", action)
    if status == 999:
        return wall(Cause.BOT_WALL, "status-999", detail="HTTP 999")
    if status == 202 and is_blank:
        return wall(Cause.BOT_WALL, "empty-202", detail="HTTP 202 without a page")
    return None


def wall_in_statement(one: Statement, text: PageText, excuse: str) -> Ruling | None:
    """A ruling where a title or heading says that this is a bot check, a refusal, a login or a consent form.

    `excuse` is the folded claimed title: a work called «Access Denied» may say so.
    """
    words = text.word_count
    if one.code in _CODES and not one.bare and words <= _LIMITS[one.place]:
        return wall(_CODES[one.code], f"status-in-{one.place}", one.text)
    for name, cause in _GROUPS:
        group = phrase_book().groups[name]
        strong = cause in {Cause.BOT_WALL, Cause.BLOCK_WALL}
        phrase = one.bare or one.folded if heads(group, one, words, _LIMITS) else ""
        if not phrase and strong and words <= _LIMITS["part"]:
            phrase = group.said_in(one.folded)
        if not phrase or phrase in excuse:
            continue
        if not strong and one.place == "line" and not _says_little(text):
            continue  # «Log in» and «Your privacy» stand in a corner of every page
        if not strong and one.place in {"heading", "line"} and is_a_text(text):
            continue
        return wall(cause, f"{name.replace('_', '-')}-in-{one.place}", one.text)
    return None


def challenge_in_sentence(sentence: str, folded: str, text: PageText, excuse: str) -> Ruling | None:
    """The same for a sentence of a page with little text: bot checks and refusals."""
    return _wall_in_sentence(_GROUPS[:2], sentence, folded, text, excuse)


def door_in_sentence(sentence: str, folded: str, text: PageText, excuse: str) -> Ruling | None:
    """The same for logins and consent forms."""
    return _wall_in_sentence(_GROUPS[2:], sentence, folded, text, excuse)


def _wall_in_sentence(
    groups: tuple[tuple[str, Cause], ...], sentence: str, folded: str, text: PageText, excuse: str
) -> Ruling | None:
    if text.word_count > _SAID_LIMIT:
        return None
    for name, cause in groups:
        phrase = phrase_book().groups[name].said_in(folded)
        if phrase and phrase not in excuse:
            return wall(cause, f"{name.replace('_', '-')}-in-text", sentence)
    return None


def wall_by_mark(text: PageText, mark_of: MarkOf) -> Ruling | None:
    """A ruling where a page that says next to nothing carries a challenge script or a captcha."""
    if text.word_count <= _MARK_LIMIT and (mark := mark_of("challenge")):
        return wall(Cause.BOT_WALL, "challenge-script", mark)
    if text.visible_words <= _WIDGET_LIMIT and (widget := mark_of("widget")):
        return wall(Cause.BOT_WALL, "captcha-widget", widget)
    return None


def login_form(text: PageText) -> Ruling | None:
    """A ruling where a page is hardly more than a form that asks for a password."""
    if is_a_text(text):
        return None
    if text.password_fields and max(text.word_count, text.loose_words) <= _LOGIN_FORM_LIMIT:
        return wall(Cause.LOGIN_WALL, "password-field", text.document_title)
    return None


def wall_by_address(requested_url: str, final_url: str) -> Ruling | None:
    """A ruling where redirects led to a login, a consent form or a bot check that the cited URL does not name."""
    if requested_url == final_url:
        return None
    tests = (
        (_CONSENT_HOST, _CONSENT_SEGMENT, Cause.CONSENT_WALL, "redirect-to-consent"),
        (_LOGIN_HOST, _LOGIN_SEGMENT, Cause.LOGIN_WALL, "redirect-to-login"),
        (None, _BLOCK_SEGMENT, Cause.BOT_WALL, "redirect-to-check"),
    )
    asked_host, asked_path = _address(requested_url)
    host, path = _address(final_url)
    for host_test, segment_test, cause, rule in tests:
        by_host = host_test is not None and host_test.search(host) and not host_test.search(asked_host)
        segment = next((part for part in path if segment_test.fullmatch(part.partition(".")[0])), None)
        asked = any(segment_test.fullmatch(part.partition(".")[0]) for part in asked_path)
        if by_host or (segment is not None and not asked):
            return wall(cause, rule, final_url)
    return None


def paywall(text: PageText) -> Ruling | None:
    """A ruling (cause pay-wall) where a subscription stands between the reader and the rest of the text.

    Structured data that says «not free» decides on a short text. Else a sentence must say, in the open and where the
    text stops, that reading on costs a subscription. Long text is readable whatever it offers, and so is a metered
    page that shows its whole text together with the meter's message.
    """
    words = text.word_count
    if words > _REST_LIMIT:
        return None
    structured = text.free is False or text.content_tier in _SURE_TIERS
    offers = _offers(text, structured=structured)
    backed = structured or bool(offers.offer) or offers.gated
    if structured and text.prose_words <= _STRUCTURED_LIMIT:
        what = offers.cut or offers.offer or text.content_tier or "isAccessibleForFree: false"
        return wall(Cause.PAY_WALL, "not-free-by-metadata", what)
    if text.content_tier == "metered" and text.prose_words > _STRUCTURED_LIMIT:
        return None
    if offers.rest and backed:
        return wall(Cause.PAY_WALL, "rest-is-withheld", offers.rest)
    if offers.cut and (words <= _ALONE_LIMIT or (words <= _CUT_LIMIT and backed)):
        return wall(Cause.PAY_WALL, "text-cut-by-offer", offers.cut)
    if offers.offer and structured and words <= _CUT_LIMIT:
        return wall(Cause.PAY_WALL, "offer-after-text", offers.offer)
    return None


@dataclass(frozen=True, slots=True)
class _Offers:
    """Blocks at the end of the text: one that says how much is withheld, one that cuts the text, one that offers.

    `gated`: one of them stands in a box named like a gate.
    """

    rest: str
    cut: str
    offer: str
    gated: bool


def _offers(text: PageText, *, structured: bool) -> _Offers:
    """What follows the main text; only blocks count after which hardly any prose comes."""
    book = phrase_book()
    inside = set(map(id, text.main))
    rest, cut, offer, gated, after = "", "", "", False, 0
    for block in reversed(text.blocks):
        # What a side bar offers is no gate, unless the box is named like one or the page says that it is not free.
        if block.region > 1 or (block.region == 1 and not (block.gate or structured)):
            continue
        if block.words <= _LONGEST_OFFER:
            folded = fold(block.text)
            withheld = first_in(book.rest, folded) != ""
            if withheld or first_in(book.cut, folded):
                rest, cut = block.text if withheld else rest, block.text
                gated = gated or block.gate
                continue
            if first_in(book.offer, folded):
                offer, gated = offer or block.text, gated or block.gate
                continue
        if id(block) in inside and not block.gate and block.words >= 12:
            after += block.words
            if after > _TAIL:
                break
    return _Offers(rest, cut, offer, gated)


def script_shell(text: PageText) -> str | None:
    """What shows that a page with little text waits for a script to fill it, None where nothing does."""
    shell = phrase_book().groups["shell"]
    if shell.said_in(fold(text.noscript)):
        return text.noscript
    for block in text.blocks:
        folded = fold(block.text)
        if folded in shell.whole or shell.said_in(folded):
            return block.text
    if text.app_root or (text.scripts and text.visible_words <= _WIDGET_LIMIT):
        return f"{text.scripts} scripts, {text.visible_words} words"
    return None


def _says_little(text: PageText) -> bool:
    return text.password_fields > 0 or text.visible_words <= _LIMITS["line"]


def _address(url: str) -> tuple[str, list[str]]:
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").lower(), [part for part in parts.path.split("/") if part]
    except ValueError:
        return "", []
