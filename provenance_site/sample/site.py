"""What every host answers: a pure function from a request to an `Answer`."""

from collections.abc import Mapping
from typing import assert_never
from urllib.parse import parse_qsl, quote

from provenance_site.sample import doi, search, walls
from provenance_site.sample.answers import Answer
from provenance_site.sample.articles import Article, Kind, article_at
from provenance_site.sample.markup import article_page, headlines, page, paragraphs
from provenance_site.sample.pdf import one_page
from provenance_site.sample.publishers import (
    DOI_HOST,
    HOSTS,
    PUBLISHERS,
    SEARCH_HOST,
    SUFFIX,
    Publisher,
    Unknown,
    publisher_of,
)

__all__ = ["DOI_HOST", "HOSTS", "PUBLISHERS", "SEARCH_HOST", "respond"]

SLOW_S = 2.5
HANG_UP_AFTER = 700

_REDIRECTS: dict[tuple[str, str], tuple[int, str]] = {
    ("harbour-gazette", "/story/4417"): (301, "/news/4417"),
    ("harbour-gazette", "/news/4417"): (301, "/2024/06/night-ferry-returns-after-nine-years"),
    ("ferry-observer", "/articles/2017/island-freight-rates-compared"): (302, "/"),
    ("northwind-research", "/research/2019/small-port-finance-review"): (302, "/error/404.html"),
}
_GONE = {("ferry-observer", "/articles/2018/fare-reform-on-the-outer-islands")}
_BEHIND_CONSENT = {("ferry-observer", "/articles/2024/winter-timetable-consultation")}
_METHOD_NOTE = ("northwind-research", "/files/counting-berths-a-method-note.pdf")
_METHOD_NOTE_LINES = (
    "A berth counts as taken from the first line ashore to the last",
    "line let go. Position reports are read every three minutes; a",
    "ship within forty metres of the quay and slower than half a",
    "knot is taken to be alongside. Gaps of up to one hour are",
    "filled, longer ones are left open and shown as such.",
    "Two observers checked the counts at four ports for a week each.",
    "They agreed with the computed hours within two per cent, except",
    "where boats lay two abreast: there the outer boat was missed.",
)


def respond(host: str, path: str, query: str, headers: Mapping[str, str]) -> Answer:
    """The answer to `GET path?query` with the Host header `host` (`name:port`).

    `query` is the raw query string; `headers` are the request's, names in lower case (a cookie opens the consent form).
    The port of `host` goes into every link that leads to another host. Never raises; an unknown host is 421.
    """
    name, _, digits = host.lower().partition(":")
    port = int(digits) if digits.isascii() and digits.isdigit() else 80
    if name == SEARCH_HOST:
        return search.respond(path, dict(parse_qsl(query)), port=port)
    if name == DOI_HOST:
        return doi.respond(path, port=port)
    publisher = publisher_of(name)
    if publisher is None:
        return Answer.html(f"<!doctype html><title>421</title><p>No site of ours: names end in {SUFFIX}", status=421)
    return _of_publisher(publisher, path if path == "/" else path.rstrip("/") or "/", query, headers, port)


def _of_publisher(publisher: Publisher, path: str, query: str, headers: Mapping[str, str], port: int) -> Answer:
    place = (publisher.slug, path)
    if place in _REDIRECTS:
        status, location = _REDIRECTS[place]
        return Answer.redirect(location, status=status)
    if place in _GONE:
        return walls.gone(publisher)
    if place == _METHOD_NOTE:
        file = one_page("Counting berths: a method note", _METHOD_NOTE_LINES)
        return Answer(200, file, (("Content-Type", "application/pdf"),))
    if place in _BEHIND_CONSENT and "consent=" not in headers.get("cookie", ""):
        return Answer.redirect(f"/consent?continue={quote(path, safe='')}", status=302)
    article = article_at(publisher.host, path)
    if article is not None:
        return _of_article(publisher, article, f"http://{publisher.host}:{port}{article.path}")
    return _of_site(publisher, path, query)


def _of_site(publisher: Publisher, path: str, query: str) -> Answer:
    match path:
        case "/":
            return Answer.html(page(publisher, publisher.name, headlines(publisher)))
        case "/about":
            return Answer.html(page(publisher, f"About {publisher.name}", paragraphs(publisher.about)))
        case "/account" | "/login":
            return walls.sign_in(publisher)
        case section if section in publisher.sections:
            return Answer.html(page(publisher, "All articles", headlines(publisher)))
        case "/robots.txt":
            return Answer(200, b"User-agent: *\nAllow: /\n", (("Content-Type", "text/plain"),))
        case "/consent" if publisher.slug == "ferry-observer":
            return walls.consent(publisher, dict(parse_qsl(query)).get("continue", "/"))
        case "/error/404.html" if publisher.slug == "northwind-research":
            return walls.error_page(publisher)
        case _:
            return _unknown(publisher)


def _unknown(publisher: Publisher) -> Answer:
    match publisher.unknown:
        case Unknown.NOT_FOUND:
            return walls.not_found(publisher, status=404)
        case Unknown.SAYS_SO_WITH_200:
            return walls.not_found(publisher, status=200)
        case Unknown.REFUSED:
            return walls.subscribers_only(publisher)
        case _:
            assert_never(publisher.unknown)


def _of_article(publisher: Publisher, article: Article, url: str) -> Answer:
    text = article_page(publisher, article, url=url)
    match article.kind:
        case Kind.PLAIN | Kind.HIDDEN_OFFER | Kind.THIN:
            return Answer.html(text)
        case Kind.SLOW:
            return Answer(200, text.encode(), Answer.html("").headers, delay_s=SLOW_S)
        case Kind.COLD:
            return Answer(200, text.encode(), Answer.html("").headers, while_cold=walls.unavailable())
        case Kind.LATIN1:
            # Neither header nor page names the encoding, as on pages from before 2000.
            return Answer(200, text.encode("latin-1"), (("Content-Type", "text/html"),))
        case Kind.SHELL:
            return walls.shell(publisher, article, url=url)
        case Kind.PAYWALL | Kind.SUBSCRIBERS:
            return walls.offer(publisher, article, url=url)
        case Kind.REFUSED:
            return walls.subscribers_only(publisher)
        case Kind.CHALLENGE:
            return walls.robot_check()
        case Kind.HANG_UP:
            return Answer(200, text.encode(), Answer.html("").headers, hang_up_after=HANG_UP_AFTER)
        case _:
            assert_never(article.kind)
