"""Small pages and answers for tests of reading and judging: written here, about a harbour that does not exist."""

from collections.abc import Mapping

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


def judge(body: bytes | str, status: int = 200, *, title: str = TITLE, is_root: bool = False, **more: str) -> Judgement:
    """The judgement on an answer for a citation that claims `title`; `more` as in `answer`."""
    page = answer(body, status, url=more.get("url", URL), final_url=more.get("final_url", ""))
    return classify(page, Claimed(title=title, is_root=is_root))
