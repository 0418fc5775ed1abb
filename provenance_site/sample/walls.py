"""Pages that stand before a page, or instead of one: offers, checks, consent, shells, and what says "not found"."""

from html import escape

from provenance_site.sample.answers import Answer
from provenance_site.sample.articles import Article
from provenance_site.sample.markup import UTF8, article_meta, byline, page, paragraphs
from provenance_site.sample.publishers import Publisher


def offer(publisher: Publisher, article: Article, *, url: str) -> Answer:
    """Status 200 and the right title, but only the first sentences and a subscription offer."""
    body = (
        paragraphs(*article.paragraphs)
        + '\n<div class="paywall"><h2>Subscribe to continue reading</h2>'
        + paragraphs(
            "This article is for subscribers only. Choose a plan from 4.90 a month and cancel at any time.",
            "Already a subscriber? Sign in.",
        )
        + "</div>"
    )
    meta = article_meta(publisher, article, url=url, is_free=False)
    return Answer.html(page(publisher, article.title, body, byline=byline(article), meta=meta))


def subscribers_only(publisher: Publisher) -> Answer:
    """403 for whoever is no subscriber: the same for every path, so it proves no article."""
    body = paragraphs(
        f"This article is for subscribers of the {publisher.name} only.",
        "Subscribe to continue reading: a subscription starts at 9.90 a month.",
    )
    return Answer.html(page(publisher, "Subscribers only", body), status=403)


def robot_check() -> Answer:
    """403 from the shield before a site, with the header that marks a challenge; no word of the site itself."""
    text = (
        f'<!doctype html><html lang="en"><head>{UTF8}<title>Just a moment...</title></head><body>'
        "<h1>Checking your browser</h1><p>Verifying that you are not a robot. This may take a few seconds.</p>"
        "<noscript>Enable JavaScript and cookies to continue</noscript></body></html>"
    )
    return Answer.html(text, status=403, headers=(("cf-mitigated", "challenge"), ("Retry-After", "3600")))


def consent(publisher: Publisher, back_to: str) -> Answer:
    """The form that a visitor without a cookie is sent to."""
    body = (
        paragraphs(
            "We and our partners store cookies on your device to measure how our pages are used.",
            "Choose whether you accept this. You can change your mind at any time.",
        )
        + f'\n<form method="post" action="/consent"><input type="hidden" name="continue" value="{escape(back_to)}">'
        + "<button>Accept all</button> <button>Reject all</button></form>"
    )
    return Answer.html(page(publisher, "Before you continue", body))


def sign_in(publisher: Publisher) -> Answer:
    """A form for people with an account."""
    body = (
        '<form method="post"><label>User <input name="user"></label> '
        '<label>Password <input name="password" type="password"></label> <button>Sign in</button></form>'
    )
    return Answer.html(page(publisher, "Sign in", body))


def shell(publisher: Publisher, article: Article, *, url: str) -> Answer:
    """What a page looks like that only a script would fill."""
    meta = article_meta(publisher, article, url=url)
    text = (
        f'<!doctype html><html lang="en"><head>{meta}<title>{escape(article.title)} | {publisher.name}</title></head>'
        '<body><div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript>'
        '<script src="/assets/app.js" type="module"></script></body></html>'
    )
    return Answer.html(text)


def not_found(publisher: Publisher, *, status: int) -> Answer:
    """The site's page for what it does not have; with status 200 it is the trap that link checkers fall into."""
    body = paragraphs(
        "Sorry, we could not find the page that you are looking for. It may have been moved or removed.",
        "Go to the front page or try our search.",
    )
    return Answer.html(page(publisher, "Page not found", body), status=status)


def gone(publisher: Publisher) -> Answer:
    """410: the site remembers that it removed the page."""
    return Answer.html(page(publisher, "This page was removed", paragraphs("It will not come back.")), status=410)


def error_page(publisher: Publisher) -> Answer:
    """The page that a redirect for missing reports ends on; its status is 200."""
    body = paragraphs("Something is missing here. Please use the menu above to find our insights and reports.")
    return Answer.html(page(publisher, "Oops!", body))


def unavailable() -> Answer:
    """503 from a server that is just waking up, with the request to come back in a second (RFC 9110 10.2.3)."""
    return Answer.html(
        '<!doctype html><html lang="en"><head><title>Service unavailable</title></head>'
        "<body><h1>503</h1></body></html>",
        status=503,
        headers=(("Retry-After", "1"),),
    )
