"""The search engine: answers in SearXNG's JSON over the articles that robots may see, by simple word match."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from html import escape

from provenance_site.sample.answers import Answer
from provenance_site.sample.articles import Article, articles

LIMIT = 10
# Below this share of the asked words a page is no answer: one shared word must not make "recovered" sources.
SMALLEST_SHARE = 2 / 3
_SMALL_WORDS = frozenset(
    {"a", "and", "as", "at", "by", "for", "from", "how", "in", "is", "of", "on", "or", "the", "to", "what", "with"}
)


def respond(path: str, query: Mapping[str, str], *, port: int) -> Answer:
    """`GET /search?q=…&format=json`; without `format` a page for people; an empty `q` is refused as SearXNG does."""
    if path not in {"/", "/search"}:
        return Answer.json({"error": "Not Found"}, status=404)
    question = query.get("q", "").strip()
    as_json = query.get("format") == "json"
    if not question:
        return Answer.json({"error": "No query"}, status=400) if as_json else Answer.html(_form("", ""))
    found = find(question)
    if as_json:
        return Answer.json(
            {
                "query": question,
                "number_of_results": len(found),
                "results": [_result(article, place, port) for place, article in enumerate(found, start=1)],
                "answers": [],
                "corrections": [],
                "infoboxes": [],
                "suggestions": [],
                "unresponsive_engines": [],
            }
        )
    items = "".join(f'<li><a href="{escape(_url(a, port))}">{escape(a.title)}</a></li>' for a in found)
    return Answer.html(_form(question, f"<ol>{items}</ol>"))


def find(question: str) -> tuple[Article, ...]:
    """At most ten articles, best first.

    `site:host` keeps that host and names below it, several with OR between them any of them; `-site:host` leaves it
    out. "Quoted phrases" must stand in the text; where no page has them all,
    they count as plain words, as the large engines do.
    """
    named = [
        (minus, site.partition(":")[0].lower()) for minus, site in re.findall(r"(?:^|(?<=\s))(-?)site:(\S+)", question)
    ]
    sites, unwanted = [site for minus, site in named if not minus], [site for minus, site in named if minus]
    rest = re.sub(r"-?\bsite:\S+|\bOR\b", " ", question)
    phrases = [phrase for phrase in (_words(text) for text in re.findall(r'"([^"]+)"', rest)) if phrase]
    words = set(_words(rest))
    asked = words - _SMALL_WORDS or words
    if not asked:
        return ()
    allowed = [
        article
        for article in articles()
        if article.kind.is_in_search
        and (not sites or any(_is_under(article.host, site) for site in sites))
        and not any(_is_under(article.host, site) for site in unwanted)
    ]
    exact = [a for a in allowed if phrases and all(_has(a, phrase) for phrase in phrases)]
    scored = [(_share(asked, a), a) for a in exact or allowed]
    kept = sorted(((s, a) for s, a in scored if s[0] >= SMALLEST_SHARE), key=lambda pair: pair[0], reverse=True)
    return tuple(article for _, article in kept[:LIMIT])


def _share(asked: set[str], article: Article) -> tuple[float, float]:
    title, text = _indexed(article)
    return len(asked & set(text)) / len(asked), len(asked & set(title)) / len(asked)


def _has(article: Article, phrase: tuple[str, ...]) -> bool:
    return f" {' '.join(phrase)} " in f" {' '.join(_indexed(article)[1])} "


@lru_cache
def _indexed(article: Article) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _words(article.title), _words(f"{article.text} {article.authors}")


def _words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return tuple(re.findall(r"[^\W_]+", "".join(c for c in plain if not unicodedata.combining(c))))


def _is_under(host: str, site: str) -> bool:
    return host == site.removeprefix("www.") or host.endswith(f".{site}")


def _url(article: Article, port: int) -> str:
    return f"http://{article.host}:{port}{article.path}"


def _result(article: Article, place: int, port: int) -> dict[str, object]:
    return {
        "url": _url(article, port),
        "title": article.title,
        "content": article.paragraphs[0][:160],
        "engine": "harbour index",
        "engines": ["harbour index"],
        "category": "general",
        "positions": [place],
        "score": 1 / place,
        "publishedDate": f"{article.date}T06:00:00",
    }


def _form(question: str, results: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sample search</title></head><body>'
        f'<form action="/search"><input name="q" aria-label="Search" value="{escape(question)}">'
        "<button>Search</button></form>"
        f"{results}</body></html>"
    )
