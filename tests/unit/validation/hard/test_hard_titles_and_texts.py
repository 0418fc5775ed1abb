"""Whose page it is and what it says: soft 404s, stubs, shells, swaps, patterns, recoveries, from the wire on."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.fakes.hardnet import AS_HTML, HOST, PATH, TITLE, article, by_path, found, missing, page, told
from tests.fakes.loopback import reply
from tests.fakes.providers import FakeSearch
from tests.pages import html, prose

ACCESSIBLE = (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)
NOT_FREE = '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script>'


def at_path(body: bytes) -> dict[str, bytes]:
    return {PATH: page(body)}


SAYS_GONE = {
    "22-title": html(
        "Page not found | Gazette", "<p>We could not find what you were looking for.</p>", heading="Sorry"
    ),
    "heading": html("The Gazette", "<p>Try the search.</p>", heading="404 - Page not found"),
    "sentence": html("The Gazette", "<p>Sorry, the page you requested could not be found.</p>", heading=""),
    "german": html("Seite nicht gefunden", "<p>Die Seite gibt es nicht.</p>"),
    "french": html("Page introuvable", "<p>La page demandée n'existe pas.</p>"),
    "spanish": html("Página no encontrada", "<p>Lo sentimos.</p>"),
    "japanese": html("ページが見つかりません", "<p>お探しのページは見つかりませんでした。</p>"),
    "article-is-gone": html("The Gazette", "<p>This article is no longer available.</p>", heading="Not available"),
}


@pytest.mark.parametrize("body", SAYS_GONE.values(), ids=SAYS_GONE)
def test_22_a_page_that_says_that_it_is_not_there_is_believed(body: bytes) -> None:
    assert told(by_path(at_path(body))).said == (Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE)


ABOUT = {
    "23-guide": ("How to fix a 404 Not Found error: a guide", 1_500),
    "changelog": ("Page not found and other tales of the web", 900),
    "number": ("Flight 404 to the northern islands", 400),
    "access-denied": ("Access denied: a history of the harbour gate", 500),
}


@pytest.mark.parametrize(("title", "words"), ABOUT.values(), ids=ABOUT)
def test_23_an_article_about_errors_is_an_article(title: str, words: int) -> None:
    body = html(title, prose(words) + "<p>The server said: 404 Not Found, the page you requested was not found.</p>")
    assert told(by_path(at_path(body)), title=title).said == ACCESSIBLE


def test_23_a_long_page_that_mentions_a_missing_page_in_its_side_bar_is_an_article() -> None:
    body = article(words=900, around="<aside><h3>Page not found?</h3><p>Report a broken link here.</p></aside>")
    assert told(by_path(at_path(body))).said == ACCESSIBLE


def test_25_two_sentences_and_an_offer_are_a_stub() -> None:
    body = html(TITLE, "<p>The survey counted boats.</p><p class=paywall>Subscribe to read on.</p>", head=NOT_FREE)
    seen = told(by_path(at_path(body)))
    assert seen.said == (Verdict.PAYWALL_STUB, Cause.PAY_WALL)
    assert seen.evidence.similarity == 1.0


HIDDEN = {
    "26-template": "<template><div class=paywall><p>Subscribe to continue reading this article.</p></div></template>",
    "hidden": "<div hidden class=paywall><p>Subscribe to continue reading this article.</p></div>",
    "display-none": '<div style="display:none"><p>Subscribe to continue reading this article.</p></div>',
    "noscript": "<noscript><p>Subscribe to continue reading this article.</p></noscript>",
    "script": "<script>var t = '<p>Subscribe to continue reading this article.</p>'</script>",
    "footer-offer": "<p>Subscribe to our newsletter for more.</p>",
}


@pytest.mark.parametrize("around", HIDDEN.values(), ids=HIDDEN)
def test_26_an_offer_that_nobody_sees_is_no_paywall(around: str) -> None:
    assert told(by_path(at_path(article(words=900, around=around)))).said == ACCESSIBLE


def test_a_long_text_that_is_marked_as_not_free_is_readable() -> None:
    assert told(by_path(at_path(article(words=1_200, head=NOT_FREE)))).said == ACCESSIBLE


SHELLS = {
    "29-root": "<div id=root></div><script src=/app.js></script>",
    "app": "<div id=app><p>Loading...</p></div><script type=module src=/main.js></script>",
    "needs-javascript": "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>"
    "<script src=/app.js></script>",
}


@pytest.mark.parametrize("inside", SHELLS.values(), ids=SHELLS)
def test_29_a_shell_that_a_script_would_fill_is_thin(inside: str) -> None:
    body = f'<html><head><title>{TITLE}</title><meta property="og:title" content="{TITLE}"></head><body>{inside}'
    seen = told(page(body.encode()))
    assert seen.said == (Verdict.THIN, Cause.JS_SHELL)
    assert len(seen.requests) == 1


SWAPPED = {
    "other-work": ("Ten simple rules for reproducible research", "Macroscopic quantum tunnelling in loops"),
    "other-year": ("Harbour survey results 2024", "Harbour survey results 2023"),
    "other-number": ("GPT-4 Technical Report of the harbour", "GPT-3 Technical Report of the harbour"),
}


@pytest.mark.parametrize(("claimed", "shown"), SWAPPED.values(), ids=SWAPPED)
def test_36_another_work_under_the_address_is_told(claimed: str, shown: str) -> None:
    assert told(by_path(at_path(article(shown))), title=claimed).said == (Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE)


SAME = {
    "site-suffix": (TITLE, f"{TITLE} | The Example Daily News"),
    "site-prefix": (TITLE, f"The Gazette: {TITLE}"),
    "37-hyphen": ("Harbour-survey results for 2024", "Harbour survey results for 2024"),
    "37-subtitle": ("Harbour survey results 2024", "Harbour survey results 2024: what the divers found"),
    "accents": ("Über die Wirkung des Hafens auf Städte", "Uber die Wirkung des Hafens auf Stadte"),
    "ligature": ("The ﬁnal report on the northern quay", "The final report on the northern quay"),
    "quotes": ("The “best” harbour’s survey results", 'The "best" harbour\'s survey results'),
    "case": ("HARBOUR SURVEY RESULTS 2024", "Harbour survey results 2024"),
    "entity": ("Fish & ships in the harbour survey", "Fish &amp; ships in the harbour survey"),
}


@pytest.mark.parametrize(("claimed", "shown"), SAME.values(), ids=SAME)
def test_37_a_small_difference_in_the_title_is_no_swap(claimed: str, shown: str) -> None:
    seen = told(by_path(at_path(article(shown))), title=claimed)
    assert seen.said[0] is Verdict.VERIFIED_ACCESSIBLE


PARKED = {
    "for-sale": html("gazette.press is for sale", "<p>This domain is for sale. Buy this domain today.</p>"),
    "parking-script": html(
        "gazette.press", "<script src=https://sedoparking.com/x.js></script><p>Related searches</p>"
    ),
}


@pytest.mark.parametrize("body", PARKED.values(), ids=PARKED)
def test_a_parked_domain_is_not_the_work(body: bytes) -> None:
    assert told(page(body)).said == (Verdict.TITLE_SWAPPED, Cause.PARKED)


PATTERNS = [
    "https://doi.org/10.xxxx/abc",
    "https://doi.org/10.12/abc",
    "https://arxiv.org/abs/2613.99999",
    "https://example.com/report",
    "https://your-domain.org/report",
    "https://www.gartner.com/en/documents/1234567",
    "https://gazette.press/XXXXX",
    "https://gazette.press/path/to/article",
]


@pytest.mark.parametrize("address", PATTERNS)
def test_35_an_address_that_cannot_be_is_told_without_a_request(address: str) -> None:
    seen = told(found(), addresses=[address])
    assert seen.said[0] is Verdict.HALLUCINATED_PATTERN
    assert not seen.requests


@pytest.mark.parametrize("path", ["/doi/10.5555/3295222.3295349", "/doi/10.1234/harbour.2024"])
def test_35_a_test_prefix_is_only_a_hint_and_is_fetched(path: str) -> None:
    seen = told(found(), host="dl.acm.org", paths=[path])
    assert seen.said == ACCESSIBLE
    assert seen.targets == [path]


def test_57_a_similar_but_other_article_is_not_taken_for_the_lost_one() -> None:
    other = "How we built the real demo for our fake CSS API client"
    search = FakeSearch([(f"http://{HOST}:{{port}}/other", other)])
    seen = told(by_path({"/other": found(other)}), title="CSS: A search engine in CSS", search=search)
    assert seen.said == (Verdict.HARD_404, Cause.NOT_FOUND)
    assert "candidate-refused" in seen.signals


def test_a_lost_article_is_found_again_at_its_new_address() -> None:
    search = FakeSearch([(f"http://{HOST}:{{port}}/archive/harbour", TITLE)])
    seen = told(by_path({"/archive/harbour": found()}), search=search)
    assert seen.said == (Verdict.VERIFIED_VIA_REPUBLISH, Cause.RECOVERED_BY_SEARCH)


def test_a_new_address_that_is_itself_a_soft_404_recovers_nothing() -> None:
    search = FakeSearch([(f"http://{HOST}:{{port}}/archive/harbour", TITLE)])
    gone = page(html("Page not found", "<p>Sorry.</p>"))
    assert told(by_path({"/archive/harbour": gone}), search=search).said == (Verdict.HARD_404, Cause.NOT_FOUND)


def test_a_server_error_page_with_status_200_says_nothing_of_the_work() -> None:
    body = html("500 Internal Server Error", "<p>Something went wrong.</p>")
    assert told(page(body)).said == (Verdict.FETCH_FAILED, Cause.SERVER_ERROR)


def test_without_a_claimed_title_real_content_is_accessible() -> None:
    seen = told(by_path(at_path(article())), title="")
    assert seen.said == (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT_UNTITLED)
    assert seen.targets == [PATH]


def test_a_front_page_shown_for_a_deep_link_is_seen_through_without_a_claimed_title() -> None:
    front = page(html("The Gazette", prose(300), heading="Headlines"))
    seen = told(front, title="")
    assert seen.said == (Verdict.SOFT_404_GRACEFUL, Cause.CATCH_ALL)


@pytest.mark.parametrize("title", ["", TITLE])
def test_a_404_with_a_whole_article_on_it_is_still_a_404(title: str) -> None:
    assert told(reply(article(), AS_HTML, status="404 Not Found"), title=title).said == (
        Verdict.HARD_404,
        Cause.NOT_FOUND,
    )


def test_a_missing_page_beside_a_missing_search_engine_stays_missing() -> None:
    assert told(missing(), search=FakeSearch(down="no answer")).said == (Verdict.HARD_404, Cause.NOT_FOUND)
