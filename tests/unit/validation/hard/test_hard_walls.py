"""Walls under every status: they prove nothing alone, a second witness lifts them, a widget in an article is none."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.fakes.hardnet import AS_HTML, PATH, TITLE, Told, article, by_path, missing, page, told
from tests.fakes.loopback import Request, redirect, reply
from tests.fakes.providers import FakeHandles, FakeSearch
from tests.pages import html, prose

FAILED = Verdict.FETCH_FAILED
REPUTABLE = "www.wsj.com"
WITNESS = f"http://{REPUTABLE}:{{port}}{PATH}"
DOI = "10.1016/j.harbour.2024.01.001"

NOT_FREE = '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script>'
JUST_A_MOMENT = html("Just a moment...", "<p>Checking your browser before accessing gazette.press.</p>")
CLOUDFLARE = "cf-mitigated: challenge"
CHALLENGES = {
    "06-cloudflare-403": page(JUST_A_MOMENT, CLOUDFLARE, status="403 Forbidden"),
    "cloudflare-429": page(JUST_A_MOMENT, CLOUDFLARE, status="429 Too Many Requests"),
    "cloudflare-503": page(JUST_A_MOMENT, CLOUDFLARE, status="503 Service Unavailable"),
    "cloudflare-429-with-an-hour": page(JUST_A_MOMENT, CLOUDFLARE, "Retry-After: 3600", status="429 T"),
    "cloudflare-200": page(html("Just a moment...", "<script>window._cf_chl_opt={}</script>")),
    "cloudflare-without-its-header": page(
        html("Just a moment...", "<script>window._cf_chl_opt={}</script>"), status="403 F"
    ),
    "08-aws-202-challenge": reply(b"", "x-amzn-waf-action: challenge", AS_HTML, status="202 Accepted"),
    "08-aws-405-captcha": page(html("Human Verification", ""), "x-amzn-waf-action: captcha", status="405 M"),
    "empty-202": reply(b"", AS_HTML, status="202 Accepted"),
    "made-up-999": page(html("", "<script>location='/authwall'</script>"), status="999 Request denied"),
    "datadome-403": page(b"<html><script src=https://ct.captcha-delivery.com/c.js></script></html>", status="403 F"),
    "interruption-200": page(
        html("Pardon Our Interruption", "<p>As you were browsing, something made us think you were a bot.</p>")
    ),
    "robot-check-503": page(html("Robot Check", "<p>Enter the characters you see below.</p>"), status="503 S"),
}


@pytest.mark.parametrize("answer", CHALLENGES.values(), ids=CHALLENGES)
def test_a_bot_check_without_a_witness_is_told_as_a_wall(answer: bytes) -> None:
    seen = told(answer)
    assert seen.said == (FAILED, Cause.BOT_WALL)
    assert "no-witness" in seen.signals
    assert seen.evidence.similarity is None


@pytest.mark.parametrize("answer", CHALLENGES.values(), ids=CHALLENGES)
def test_a_bot_check_with_a_witness_at_a_known_publisher_is_gated(answer: bytes) -> None:
    seen = told(answer, host=REPUTABLE, search=FakeSearch([(WITNESS, TITLE)]))
    assert seen.said == (Verdict.VERIFIED_GATED, Cause.BOT_WALL)
    assert seen.evidence.access_note == "WSJ: requires a subscription"


def test_a_search_hit_alone_does_not_lift_an_unknown_publishers_wall() -> None:
    search = FakeSearch([(f"http://gazette.press:{{port}}{PATH}", TITLE)])
    assert told(missing("403 Forbidden"), search=search).said == (FAILED, Cause.BLOCK_WALL)


def test_a_made_up_path_at_a_known_publisher_stays_unproved() -> None:
    search = FakeSearch([(f"http://{REPUTABLE}:{{port}}/another-article", "Harbour ferry timetable changes")])
    seen = told(missing("403 Forbidden"), host=REPUTABLE, search=search)
    assert seen.said == (FAILED, Cause.BLOCK_WALL)


WALLS = {
    "15-451": (page(html("Unavailable", "<p>Withheld after a court order.</p>"), status="451 U"), Cause.LEGAL_WALL),
    "401-basic": (
        page(html("Unauthorized", ""), 'WWW-Authenticate: Basic realm="x"', status="401 U"),
        Cause.LOGIN_WALL,
    ),
    "402": (page(html("Payment Required", ""), status="402 Payment Required"), Cause.PAY_WALL),
    "403-plain": (missing("403 Forbidden"), Cause.BLOCK_WALL),
    "403-login-form": (page(html("Members", "<form><input type=password></form>"), status="403 F"), Cause.LOGIN_WALL),
    "200-login-form": (page(html("Sign in", "<form><input type=password></form>")), Cause.LOGIN_WALL),
    "200-refusal": (
        page(html("Access Denied", "<p>You don't have permission to access this server.</p>")),
        Cause.BLOCK_WALL,
    ),
    "200-consent": (
        page(html("Before you continue", "<p>We value your privacy. Accept all cookies to continue.</p>")),
        Cause.CONSENT_WALL,
    ),
}


@pytest.mark.parametrize(("answer", "cause"), WALLS.values(), ids=WALLS)
def test_a_wall_has_its_cause_and_needs_a_witness(answer: bytes, cause: Cause) -> None:
    assert told(answer).said == (FAILED, cause)
    lifted = told(answer, host=REPUTABLE, search=FakeSearch([(WITNESS, TITLE)]))
    assert lifted.said == (Verdict.VERIFIED_GATED, cause)


LED_AWAY = {
    "30-consent-path": (f"/consent?continue={PATH}", Cause.CONSENT_WALL),
    "consent-host": (f"http://consent.gazette.press:{{port}}/x?continue={PATH}", Cause.CONSENT_WALL),
    "login-path": (f"/login?next={PATH}", Cause.LOGIN_WALL),
    "login-page-with-extension": ("/account/signin.aspx", Cause.LOGIN_WALL),
    "login-host": ("http://login.gazette.press:{port}/start", Cause.LOGIN_WALL),
    "sso": ("/sso/saml2?x=1", Cause.LOGIN_WALL),
    "captcha-path": ("/captcha/index", Cause.BOT_WALL),
    "age-gate": ("/age-gate", Cause.CONSENT_WALL),
}


@pytest.mark.parametrize(("location", "cause"), LED_AWAY.values(), ids=LED_AWAY)
def test_a_redirect_to_a_gate_is_the_gates_wall(location: str, cause: Cause) -> None:
    body = page(html("Before you continue", prose(200), heading="Welcome"))

    def dispatch(request: Request) -> bytes:
        if request.target == PATH:
            port = request.headers["host"].rpartition(":")[2]
            return redirect(location.replace("{port}", port))
        return body

    seen = told(dispatch, also_hosts=["consent.gazette.press", "login.gazette.press"])
    assert seen.said == (FAILED, cause)


def test_an_article_about_logins_that_lies_under_login_is_an_article() -> None:
    assert told(page(article()), paths=["/login/harbour-survey"]).said[0] is Verdict.VERIFIED_ACCESSIBLE


WIDGETS = {
    "09-captcha-widget": "<div class=h-captcha data-sitekey=x></div><script src=https://js.hcaptcha.com/1/api.js></script>",
    "09-aws-script": "<script src=https://abc.edge.sdk.awswaf.com/abc/challenge.js></script>",
    "recaptcha": "<script src=https://www.google.com/recaptcha/api.js></script><div class=g-recaptcha></div>",
    "turnstile": "<script src=https://challenges.cloudflare.com/turnstile/v0/api.js></script>",
    "cloudflare-analytics": "<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>",
    "cookie-banner": "<div id=onetrust-banner-sdk><p>We use cookies. Accept all cookies to continue.</p></div>",
    "login-dialog": "<div hidden><h2>Sign in</h2><form><input type=password></form></div>",
}


@pytest.mark.parametrize("widget", WIDGETS.values(), ids=WIDGETS)
def test_a_widget_in_a_real_article_is_no_wall(widget: str) -> None:
    assert told(page(article(words=1_200, around=widget))).said == (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)


def doi(answer: bytes, *, registered: bool, title: str = TITLE) -> Told:
    """A DOI whose resolver leads to a publisher that gives `answer`."""
    handles = FakeHandles({DOI: "https://publisher.press/harbour"} if registered else {})
    return told(
        by_path({f"/{DOI}": redirect("/landing"), "/landing": answer}),
        title=title,
        handles=handles,
        addresses=[f"https://doi.org/{DOI}"],
        host="agency.press",
        reroute=lambda url: url.replace("https://doi.org", "http://agency.press:{port}"),
    )


def test_33_a_registered_doi_whose_publisher_blocks_is_gated_by_its_record() -> None:
    seen = doi(missing("403 Forbidden"), registered=True)
    assert seen.said == (Verdict.VERIFIED_GATED, Cause.BLOCK_WALL)
    assert "witness-doi-record" in seen.signals


def test_33_a_doi_without_a_record_stays_behind_its_wall() -> None:
    assert doi(missing("403 Forbidden"), registered=False).said == (FAILED, Cause.BLOCK_WALL)


def test_a_registered_doi_whose_landing_page_is_gone_is_dead_but_registered() -> None:
    assert doi(missing(), registered=True).said == (Verdict.HARD_404, Cause.NOT_FOUND)


def test_a_dead_doi_without_a_record_is_told_as_not_registered() -> None:
    assert doi(missing(), registered=False).said == (Verdict.HARD_404, Cause.DOI_NOT_REGISTERED)


def test_36_a_registered_doi_of_another_paper_is_swapped() -> None:
    other = page(article("Macroscopic quantum tunnelling in superconducting loops"))
    seen = doi(other, registered=True, title="Ten simple rules for reproducible harbour research")
    assert seen.said == (Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE)


def test_a_subscription_offer_is_a_stub_at_an_unknown_publisher_and_gated_with_a_record() -> None:
    offer = page(html(TITLE, "<p>The survey counted boats.</p><p>Subscribe to continue reading.</p>", head=NOT_FREE))
    assert told(offer).said == (Verdict.PAYWALL_STUB, Cause.PAY_WALL)
    assert doi(offer, registered=True).said == (Verdict.VERIFIED_GATED, Cause.PAY_WALL)
    own_title = told(offer, host=REPUTABLE)
    assert own_title.said == (Verdict.VERIFIED_GATED, Cause.PAY_WALL)
    assert "witness-own-title" in own_title.signals
