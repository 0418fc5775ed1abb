"""What a status, a header, a redirect or a failure says, and that every answer gets a verdict."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.findings import Cause, Hop, Verdict
from tests.pages import TITLE, URL, answer, html, judge, prose
from validation.core.classify import RULES_VERSION, Claimed, classify
from validation.core.fetching import Failure, Page
from validation.core.phrases import phrase_book

FAILED = Verdict.FETCH_FAILED
NOT_FOUND_BODY = html("404 Not Found", "<p>The requested URL was not found on this server.</p>")
SHORT_BODY = html("Sorry", "<p>Nothing to read.</p>")


@pytest.mark.parametrize(
    ("status", "verdict", "cause"),
    [
        (404, Verdict.HARD_404, Cause.NOT_FOUND),
        (410, Verdict.HARD_404, Cause.GONE),
        (401, FAILED, Cause.LOGIN_WALL),
        (402, FAILED, Cause.PAY_WALL),
        (403, FAILED, Cause.BLOCK_WALL),
        (405, FAILED, Cause.UNEXPECTED_STATUS),
        (406, FAILED, Cause.NEGOTIATION),
        (408, FAILED, Cause.SERVER_ERROR),
        (418, FAILED, Cause.UNEXPECTED_STATUS),
        (420, FAILED, Cause.RATE_LIMITED),
        (425, FAILED, Cause.SERVER_ERROR),
        (429, FAILED, Cause.RATE_LIMITED),
        (451, FAILED, Cause.LEGAL_WALL),
        (500, FAILED, Cause.SERVER_ERROR),
        (503, FAILED, Cause.SERVER_ERROR),
        (530, FAILED, Cause.SERVER_ERROR),
        (999, FAILED, Cause.BOT_WALL),
        (304, FAILED, Cause.UNEXPECTED_STATUS),
        (204, Verdict.THIN, Cause.EMPTY),
    ],
)
def test_a_status_has_its_verdict(status: int, verdict: Verdict, cause: Cause) -> None:
    judgement = judge(SHORT_BODY, status)
    assert (judgement.verdict, judgement.cause) == (verdict, cause)
    assert judgement.similarity is None or not cause.is_wall


def test_a_403_is_neither_proof_of_existence_nor_of_death() -> None:
    judgement = judge(html("Forbidden", "<p>You do not have permission to view this.</p>"), 403)
    assert judgement.verdict is FAILED
    assert judgement.cause.is_wall


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (403, {"cf-mitigated": "challenge"}, html("Just a moment...", "")),
        (429, {"cf-mitigated": "challenge"}, html("Just a moment...", "")),
        (200, {"cf-mitigated": "challenge"}, html(main=prose(200))),
        (202, {"x-amzn-waf-action": "challenge"}, b""),
        (405, {"x-amzn-waf-action": "captcha"}, html("Human Verification", "")),
        (202, {}, b""),
        (503, {}, html("Just a moment...", "<script>window._cf_chl_opt={}</script>")),
        (403, {}, b"<html><script src=https://ct.captcha-delivery.com/c.js></script></html>"),
        (
            405,
            {},
            html("Pardon Our Interruption", "<p>As you were browsing, something made us think you were a bot.</p>"),
        ),
        (401, {}, b"<html><script>window._cf_chl_opt={}</script>"),
    ],
)
def test_a_bot_check_is_a_wall_under_any_status(status: int, headers: dict[str, str], body: bytes) -> None:
    judgement = classify(answer(body, status, headers={"content-type": "text/html", **headers}), Claimed(title=TITLE))
    assert (judgement.verdict, judgement.cause) == (FAILED, Cause.BOT_WALL)
    assert judgement.similarity is None


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (html("Sign in", "<form><input type=password></form>"), Cause.LOGIN_WALL),
        (html("Members", "<form><input type=password></form>"), Cause.LOGIN_WALL),
        (html(main="<p>Subscribe to continue reading.</p>"), Cause.PAY_WALL),
    ],
)
def test_the_page_of_a_403_names_the_wall(body: bytes, cause: Cause) -> None:
    assert judge(body, 403).cause is cause


def test_a_404_that_carries_a_challenge_script_stays_a_404() -> None:
    body = html("Page not found", "<script src=/cdn-cgi/challenge-platform/h/b/scripts/jsd/main.js></script>")
    assert judge(body, 404).verdict is Verdict.HARD_404


def test_the_resolver_of_dois_says_when_a_doi_is_not_registered() -> None:
    judgement = judge(NOT_FOUND_BODY, 404, url="https://doi.org/10.1000/nothing")
    assert (judgement.verdict, judgement.cause) == (Verdict.HARD_404, Cause.DOI_NOT_REGISTERED)


def test_a_publishers_404_behind_a_doi_is_a_404_of_the_publisher() -> None:
    judgement = judge(NOT_FOUND_BODY, 404, url="https://doi.org/10.1000/x", final_url="https://gazette.press/10.1000/x")
    assert judgement.cause is Cause.NOT_FOUND


def test_a_known_publishers_wall_carries_its_access_note() -> None:
    judgement = judge(html("Access denied", ""), 403, url="https://www.wsj.com/articles/harbour")
    assert (judgement.cause, judgement.access_note) == (Cause.BLOCK_WALL, "WSJ: requires a subscription")


@pytest.mark.parametrize("cause", [Cause.DEADLINE, Cause.TLS, Cause.DNS, Cause.REDIRECT_LOOP, Cause.BLOCKED_ADDRESS])
def test_a_failure_keeps_its_cause(cause: Cause) -> None:
    judgement = classify(Failure(URL, cause, detail="as seen"), Claimed(title=TITLE))
    assert (judgement.verdict, judgement.cause, judgement.detail) == (FAILED, cause, "as seen")
    assert judgement.signals[0].text == "as seen"


def test_a_domain_that_is_gone_is_dead() -> None:
    assert classify(Failure(URL, Cause.DOMAIN_GONE), Claimed()).verdict is Verdict.HARD_404


def test_a_page_cut_off_by_the_deadline_keeps_its_title_as_evidence() -> None:
    failure = Failure(URL, Cause.DEADLINE, body=html(main=prose(80))[:400])
    assert classify(failure, Claimed()).title_found == TITLE


@pytest.mark.parametrize(
    ("asked", "came", "cause"),
    [
        (URL, "https://gazette.press/", Cause.REDIRECT_TO_ROOT),
        (URL, "https://gazette.press/en/", Cause.REDIRECT_TO_ROOT),
        (URL, "https://gazette.press/index.html", Cause.REDIRECT_TO_ROOT),
        (URL, "https://other.press", Cause.REDIRECT_TO_ROOT),
        ("https://gazette.press/?p=17", "https://gazette.press/", Cause.REDIRECT_TO_ROOT),
        (URL, "https://gazette.press/error/404.html", Cause.REDIRECT_TO_ERROR),
        (URL, "https://gazette.press/not-found", Cause.REDIRECT_TO_ERROR),
        (URL, "https://gazette.press/en/pagenotfound.aspx", Cause.REDIRECT_TO_ERROR),
        (URL, "https://gazette.press/errors.aspx?aspxerrorpath=/2024", Cause.REDIRECT_TO_ERROR),
    ],
)
def test_being_sent_away_is_a_soft_404(asked: str, came: str, cause: Cause) -> None:
    judgement = judge(html("The Gazette", prose(300)), url=asked, final_url=came)
    assert (judgement.verdict, judgement.cause) == (Verdict.SOFT_404_GRACEFUL, cause)
    assert judgement.snippet == came


@pytest.mark.parametrize(
    ("asked", "came"),
    [
        ("http://gazette.press", "https://www.gazette.press/en/"),
        ("https://gazette.press/de", "https://gazette.press/"),
        (URL, "https://www.gazette.press/2024/harbour-survey/"),
        (URL, "https://gazette.press/guide/error-handling.html"),
        ("https://gazette.press/docs/errors", "https://gazette.press/v2/docs/errors"),
        ("https://bit.ly/3xyz", "https://gazette.press/"),
        (URL, URL + "#survey"),
    ],
)
def test_an_ordinary_redirect_is_no_soft_404(asked: str, came: str) -> None:
    assert judge(html(main=prose(300)), url=asked, final_url=came, title="").verdict is Verdict.VERIFIED_ACCESSIBLE


def test_a_front_page_that_bears_the_claimed_title_is_the_work() -> None:
    judgement = judge(html(main=prose(300)), final_url="https://harbour-survey.press/")
    assert judgement.verdict is Verdict.VERIFIED_ACCESSIBLE


def test_a_cited_front_page_may_lead_to_a_front_page() -> None:
    judgement = judge(html("Front", prose(300)), url="https://a.press/home", final_url="https://a.press/", title="")
    assert judgement.verdict is Verdict.VERIFIED_ACCESSIBLE


@pytest.mark.parametrize(
    ("came", "cause"),
    [
        ("https://gazette.press/login?next=/2024", Cause.LOGIN_WALL),
        ("https://login.gazette.press/", Cause.LOGIN_WALL),
        ("https://gazette.press/consent?continue=/2024", Cause.CONSENT_WALL),
        ("https://consent.portal.press/m?continue=x", Cause.CONSENT_WALL),
        ("https://gazette.press/captcha", Cause.BOT_WALL),
    ],
)
def test_being_sent_to_a_wall_is_a_wall(came: str, cause: Cause) -> None:
    judgement = judge(html("Welcome", prose(60)), final_url=came)
    assert (judgement.verdict, judgement.cause) == (FAILED, cause)


@pytest.mark.parametrize("body", [b"", b"   \n", b"\x00\x00"])
def test_an_empty_answer_is_thin(body: bytes) -> None:
    assert judge(body).verdict is Verdict.THIN


def test_an_application_that_only_a_script_would_fill_is_thin() -> None:
    body = html(main="", head="<script src=/app.js></script>", heading="", around='<div id="root"></div>')
    judgement = judge(body)
    assert (judgement.verdict, judgement.cause) == (Verdict.THIN, Cause.JS_SHELL)


def test_a_page_of_a_few_words_is_thin_and_says_how_many() -> None:
    judgement = judge(html(main="<p>The survey is finished and will be printed.</p>"))
    assert (judgement.verdict, judgement.cause) == (Verdict.THIN, Cause.LITTLE_TEXT)
    assert "words" in judgement.detail


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"%PDF-1.7\n" + b"\xe2\xe3\xcf\xd3" * 50, "application/octet-stream"),
        (b"%PDF-1.4 /Title (Harbour survey results of the northern quay)", "application/pdf"),
        (b"%PDF-1.4 /Title (Microsoft Word - final2.doc)", "text/html"),
        (b"PK\x03\x04\x14\x00word/document.xml", "application/octet-stream"),
        (b"year;piles;sound\n" + b"2024;40;38\n" * 60, "text/csv"),
        (prose(80).replace("<p>", "").replace("</p>", "\n").encode(), "text/plain"),
    ],
)
def test_a_document_is_accessible_whatever_its_label_says(body: bytes, content_type: str) -> None:
    judgement = classify(answer(body, headers={"content-type": content_type}), Claimed(title=TITLE))
    assert judgement.verdict is Verdict.VERIFIED_ACCESSIBLE


def test_a_pdf_of_another_work_is_swapped() -> None:
    body = b"%PDF-1.4 /Title (Annual accounts of a mountain railway company)"
    assert judge(body).verdict is Verdict.TITLE_SWAPPED


def test_an_image_is_for_a_person_to_judge() -> None:
    judgement = judge(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    assert (judgement.verdict, judgement.media_type) == (Verdict.THIN, "image/png")


def test_the_rules_and_their_phrases_have_one_version() -> None:
    assert phrase_book().rules_version == RULES_VERSION


_PIECES = st.sampled_from(
    b"<html> <title> 404 Not Found </title> <h1> <p> <div\tid=root> <!-- \xff\xfe \x00 <script> %PDF- { "
    b'"isAccessibleForFree":false <meta\tcharset=utf-7> sign in <input\ttype=password>'.split(b" ")
)


@settings(max_examples=60, deadline=None)
@given(
    body=st.one_of(st.binary(max_size=300), st.lists(_PIECES, max_size=25).map(b"".join)),
    status=st.integers(min_value=100, max_value=1_000),
    headers=st.dictionaries(
        st.sampled_from(["content-type", "cf-mitigated", "x-amzn-waf-action", "server"]),
        st.text(max_size=30),
        max_size=3,
    ),
    urls=st.tuples(st.text(max_size=40), st.one_of(st.text(max_size=40), st.just("http://[broken/404"))),
    title=st.text(max_size=40),
)
def test_every_answer_gets_a_verdict(
    body: bytes, status: int, headers: dict[str, str], urls: tuple[str, str], title: str
) -> None:
    page = Page(urls[0], urls[1], status, headers, body, hops=(Hop(urls[0], status),))
    judgement = classify(page, Claimed(title=title))
    assert judgement == classify(page, Claimed(title=title))
    assert judgement.signals
    assert len(judgement.snippet) <= 300
    assert judgement.similarity is None or 0.0 <= judgement.similarity <= 1.0
    if not 200 <= status <= 299:
        assert not judgement.verdict.is_verified
