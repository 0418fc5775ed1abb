"""Small pages and answers for tests of reading and judging: written here, about a harbour that does not exist."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from validation.core.classify import Claimed, Judgement, classify
from validation.core.fetching import Page

TITLE = "Harbour survey results of the northern quay"
URL = "https://gazette.press/2024/harbour-survey"
_SENTENCES = (
    "The harbour office measured the northern quay in spring and found the granite sound",
    "Divers looked at each of the forty piles and noted where the river had taken sand away",
    "The council asked for a second opinion before it would pay for new fenders",
    "Fishermen say that the tide runs faster since the old breakwater was cut back",
    "An engineer from the coast reads the gauges twice a day and writes them into a book",
    "The survey was printed in summer and can be read in the town hall without a fee",
)


def prose(words: int) -> str:
    """Paragraphs of running text with at least `words` words."""
    paragraphs: list[str] = []
    count = 0
    while count < words:
        sentence = _SENTENCES[len(paragraphs) % len(_SENTENCES)]
        paragraphs.append(f"<p>{sentence}.</p>")
        count += len(sentence.split())
    return "".join(paragraphs)


def html(title: str = TITLE, main: str = "", *, head: str = "", heading: str | None = None, around: str = "") -> bytes:
    """A page with a title, an h1 (the title unless another is given, '' for none) and a main part."""
    h1 = title if heading is None else heading
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head><body>"
        f"<nav><a href=/>Home</a> <a href=/login>Log in</a> <a href=/subscribe>Subscribe</a></nav>"
        f"<main>{f'<h1>{h1}</h1>' if h1 else ''}{main}</main>{around}"
        f"<footer><p>The Gazette, daily since the harbour was built, all rights are reserved.</p></footer>"
        f"</body></html>"
    ).encode()


def answer(
    body: bytes | str,
    status: int = 200,
    *,
    headers: Mapping[str, str] | None = None,
    url: str = URL,
    final_url: str = "",
) -> Page:
    """An answer with `body`; `final_url` where redirects led elsewhere."""
    data = body.encode() if isinstance(body, str) else body
    return Page(url, final_url or url, status, headers or {"content-type": "text/html; charset=utf-8"}, data)


def judge(body: bytes | str, status: int = 200, *, title: str = TITLE, **more: str) -> Judgement:
    """The judgement on an answer for a citation that claims `title`; `more` as in `answer`."""
    page = answer(body, status, url=more.get("url", URL), final_url=more.get("final_url", ""))
    return classify(page, Claimed(title=title))


DATA = Path(__file__).parent / "data"
_FURNITURE = {
    "{menu}": "<ul>" + "".join(f"<li><a href=/{n}>Department {n} of the town</a></li>" for n in range(40)) + "</ul>",
    "{search}": "<form role=search><input name=q><button>Search</button></form>",
    "{cookies}": "<div class=cookie-notice><p>This site uses cookies to count its readers. Do you agree?</p></div>",
    "{teasers}": "<h2>Latest news</h2>"
    + "".join(
        f"<article><h3><a href=/{n}>Fishermen count their boats for the {n}th time</a></h3><p>{teaser}</p></article>"
        for n, teaser in enumerate(
            (
                "The council will meet again in autumn to decide what the old ferry may still cost the town.",
                "A storm took the roof of the net store, and neighbours had it back within a day and a night.",
                "Children of the island school have painted the lighthouse keeper and his dog on the long wall.",
                "The new crane is late because its feet do not fit the rails that were laid before the war.",
                "Six boats won the race round the outer mole although the wind turned twice in the last hour.",
            )
            * 3
        )
    ),
}


def told_pages(name: str, group: str) -> dict[str, str | bytes]:
    """The pages of a group in `data/pages/<name>.yaml`, by name.

    Each is `raw` text, or a `title`, `heading`, `main`, `head` and `around` for `html`; with `bare` in a frame without
    navigation, as old templates are. `{menu}`, `{search}`, `{cookies}`, `{teasers}` and `{prose 90}` stand for
    furniture that sites hang around their text.
    """
    told = yaml.safe_load((DATA / "pages" / f"{name}.yaml").read_text(encoding="utf-8"))[group]
    return {key: _told(page) for key, page in told.items()}


def _told(page: dict[str, Any]) -> str | bytes:
    parts = {key: _furnished(text) for key, text in page.items() if isinstance(text, str)}
    if "raw" in parts:
        return parts["raw"]
    if page.get("bare"):
        head = f"<head><title>{parts['title']}</title>{parts.get('head', '')}</head>"
        return f"<html>{head}<body><div id=content>{parts['main']}</div></body></html>"
    return html(**parts)


def _furnished(text: str) -> str:
    for mark, furniture in _FURNITURE.items():
        text = text.replace(mark, furniture)
    return re.sub(r"\{prose (\d+)\}", lambda found: prose(int(found.group(1))), text)
