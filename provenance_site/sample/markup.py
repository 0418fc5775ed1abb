"""Pages as HTML: one layout a publisher, filled with escaped text."""

import json
from datetime import date
from functools import lru_cache
from html import escape
from pathlib import Path
from string import Template

from provenance_site.sample.articles import Article, Kind, articles
from provenance_site.sample.publishers import Publisher

LAYOUTS = Path(__file__).parent / "layouts"
UTF8 = '<meta charset="utf-8">'


@lru_cache
def _layout(slug: str) -> Template:
    return Template((LAYOUTS / f"{slug}.html").read_text(encoding="utf-8"))


def page(
    publisher: Publisher, headline: str, body: str, *, byline: str = "", meta: str = UTF8, language: str = "en"
) -> str:
    """A whole page of `publisher`. `body` and `meta` are HTML, `headline` and `byline` plain text."""
    title = publisher.name if headline == publisher.name else f"{headline} | {publisher.name}"
    return _layout(publisher.slug).substitute(
        language=language,
        meta=meta,
        page_title=escape(title, quote=False),
        headline=escape(headline, quote=False),
        byline=escape(byline, quote=False),
        body=body,
    )


def paragraphs(*texts: str) -> str:
    """Plain texts as HTML paragraphs."""
    return "\n".join(f"<p>{escape(text, quote=False)}</p>" for text in texts)


def article_page(publisher: Publisher, article: Article, *, url: str) -> str:
    """The article as its publisher lays it out; `url` is its own address, for the machine-readable part."""
    parts = [paragraphs(*article.paragraphs)]
    if article.table:
        head, *rows = article.table
        lines = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
        lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
        parts.append("<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>")
    if article.kind is Kind.HIDDEN_OFFER:
        parts.append(_HIDDEN_OFFER)
    latin1 = article.kind is Kind.LATIN1
    return page(
        publisher,
        article.title,
        "\n".join(parts),
        byline=byline(article),
        meta=article_meta(publisher, article, url=url, charset="" if latin1 else UTF8),
        language="fr" if latin1 else "en",
    )


def byline(article: Article) -> str:
    """`By Mara Lindqvist, 25 April 2024`; French where the article is."""
    day = date.fromisoformat(article.date)
    names = article.authors.replace("; ", " and ")
    if article.kind is Kind.LATIN1:
        return f"{names}, le {day:%d/%m/%Y}"
    return f"By {names}, {day.day} {day:%B %Y}"


def article_meta(publisher: Publisher, article: Article, *, url: str, charset: str = UTF8, is_free: bool = True) -> str:
    """The machine-readable part of an article's head, in the fashion of its kind of site."""
    lines = [charset] if charset else []
    if publisher.slug == "tidewater-journal":
        lines += [_meta("name", "citation_title", article.title), _meta("name", "citation_doi", article.doi)]
        lines += [_meta("name", "citation_author", author) for author in article.authors.split("; ")]
        lines.append(_meta("name", "citation_publication_date", article.date.replace("-", "/")))
    elif publisher.slug == "open-almanac":
        lines += [_meta("name", "dc.title", article.title), _meta("name", "dc.date", article.date)]
    else:
        lines += [
            _meta("property", "og:title", article.title),
            _meta("property", "og:site_name", publisher.name),
            _meta("property", "og:type", "article"),
            _meta("property", "og:url", url),
            _meta("property", "article:published_time", f"{article.date}T06:00:00Z"),
        ]
        facts = {
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": article.title,
            "author": [{"@type": "Person", "name": name} for name in article.authors.split("; ")],
            "datePublished": article.date,
            "isAccessibleForFree": is_free,
        }
        # "<" is escaped so that no headline can close the element.
        text = json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")
        lines.append(f'<script type="application/ld+json">{text}</script>')
    return "\n".join(lines)


def headlines(publisher: Publisher) -> str:
    """The list of a front page: every article that the publisher would announce, newest first."""
    own = sorted((a for a in articles() if a.host == publisher.host), key=lambda a: a.date, reverse=True)
    items = "\n".join(
        f'<li><a href="{escape(article.path)}">{escape(article.title)}</a> <span>{escape(byline(article))}</span></li>'
        for article in own
    )
    return f"<ul>\n{items}\n</ul>"


def _meta(key: str, name: str, content: str) -> str:
    return f'<meta {key}="{name}" content="{escape(content)}">'


# What many free pages carry along unseen: a judge must read what a person sees.
_HIDDEN_OFFER = (
    '<div class="paywall" hidden><h2>Subscribe to continue reading</h2>'
    "<p>This article is for subscribers only. You have no free articles left this month.</p></div>"
    "<template><p>Already a subscriber? Sign in to read on.</p></template>"
)
