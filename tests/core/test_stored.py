"""A stored reading is judged like the page it was made from, and stays small."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.findings import Cause, Verdict
from tests.pages import TITLE, answer, html, prose
from validation.core import stored
from validation.core.classify import Claimed, Judgement, classify, judge
from validation.core.fetching import Failure, FetchResult

_LINKS = "".join(
    f"<li><a href=/{number}>Another piece about the harbour, part {number}</a></li>" for number in range(300)
)
_OFFER = "<div class=paywall><p>Subscribe to continue reading this article.</p></div>"
_NOT_FREE = '<script type="application/ld+json">{"@type": "Article", "isAccessibleForFree": false}</script>'
PAGES: dict[str, FetchResult] = {
    "article": answer(html(main=prose(600))),
    "long article": answer(html(main=prose(6_000), around=f"<aside><ul>{_LINKS}</ul></aside>")),
    "other article": answer(html("The ferry timetable changes in autumn", prose(400))),
    "title in the text": answer(html("Weekly paper", f"<h2>{TITLE}</h2>{prose(300)}")),
    "not found": answer(html("Page not found", "<p>The page you are looking for has moved.</p>")),
    "not found among links": answer(html("Oops", f"<p>Page not found</p><ul>{_LINKS}</ul>")),
    "server's fault": answer(html("500 Internal Server Error", "")),
    "bot check": answer(
        html("Just a moment...", "<p>Checking your browser.</p><script>window._cf_chl_opt={}</script>")
    ),
    "challenge script": answer(b"<html><script>window._cf_chl_opt={}</script><p>Please wait"),
    "captcha": answer(b"<html><form><div class=g-recaptcha></div></form>"),
    "login": answer(html("Log in", "<form><input name=user><input type=password></form>")),
    "paywall": answer(html(main=prose(120) + _OFFER, head=_NOT_FREE)),
    "offer under a cut text": answer(html(main=prose(100) + _OFFER)),
    "parked": answer(b"<html><title>gazette.press</title><script src=//sedoparking.com/x.js></script>"),
    "shell": answer(html(main="", heading="", head="<script src=/a.js></script>", around='<div id="root"></div>')),
    "no script": answer(b"<html><noscript>You need to enable JavaScript to run this app.</noscript><p>Harbour"),
    "empty": answer(b""),
    "blank": answer(b"  \n "),
    "refused": answer(html("Access denied", "<p>You have been blocked.</p>"), 403),
    "refused at length": answer(html(main=prose(400)), 403),
    "dead": answer(html("404"), 404),
    "challenge header": answer(html(), headers={"cf-mitigated": "challenge"}),
    "sent to the root": answer(html(main=prose(200)), final_url="https://gazette.press/"),
    "sent to a login": answer(html(main=prose(200)), final_url="https://gazette.press/login?next=/"),
    "table": answer("year,ships\n" + "2024,17\n" * 60, headers={"content-type": "text/csv"}),
    "document": answer(b"%PDF-1.4 /Title (Harbour survey results of the northern quay)"),
    "image": answer(b"\x89PNG\r\n\x1a\n\x00\x00"),
    "script without spaces": answer(html("港口的历史", f"<p>{'港口的历史与地图' * 900}</p>")),
    "one endless line": answer("harbour " * 5_000, headers={"content-type": "text/plain"}),
    "no bytes a database takes": answer("quay \x00 wall\n" * 80, headers={"content-type": "text/plain"}),
    "failure": Failure("https://gazette.press/a", Cause.DEADLINE, "10 s"),
    "failure with a body": Failure("https://gazette.press/a", Cause.UNDECODABLE, "gzip", body=html(main=prose(80))),
    "no such name": Failure("https://gazette.press/a", Cause.DOMAIN_GONE, "no such name"),
}
CLAIMS = (Claimed(), Claimed(title=TITLE), Claimed(title="Minutes of the parish council about the new bells"))


def again(result: FetchResult, claimed: Claimed) -> tuple[Judgement, Judgement, int]:
    """The judgement on a page, the one on its reading after storage, and the stored size in bytes."""
    said = classify(result, claimed)
    assert said.read is not None
    reading = json.loads(json.dumps(stored.pack(said.read)))
    assert stored.judged_as(reading) == (said.verdict, said.cause)
    facts = stored.unpack(reading)
    assert facts is not None
    return said, judge(facts, claimed), stored.size_of(reading)


@pytest.mark.parametrize("name", PAGES)
def test_a_stored_reading_is_judged_like_its_page(name: str) -> None:
    for claimed in CLAIMS:
        said, stored_said, size = again(PAGES[name], claimed)
        assert stored_said == said
        assert size <= stored.MAX_BYTES


def test_the_pages_are_of_many_kinds() -> None:
    judged = [classify(page, Claimed(title=TITLE)) for page in PAGES.values()]
    assert {one.verdict for one in judged} == set(Verdict) - {
        Verdict.VERIFIED_GATED,
        Verdict.VERIFIED_VIA_REPUBLISH,
        Verdict.HALLUCINATED_PATTERN,
    }
    assert len({one.cause for one in judged}) >= 15


def test_a_reading_of_a_later_form_is_not_guessed_at() -> None:
    assert stored.unpack({"v": stored.FORMAT + 1, "judged": ["thin", "empty"]}) is None


def test_what_no_database_takes_is_not_stored() -> None:
    said = classify(answer("a\x00b " * 60, headers={"content-type": "text/plain"}), Claimed())
    assert said.read is not None
    assert "\\u0000" not in json.dumps(stored.pack(said.read))


def test_a_headline_that_is_no_text_is_read_as_far_as_it_is() -> None:
    data = '<script type="application/ld+json">{"headline": "Harbour\\u0000 \\ud83d survey"}</script>'
    assert classify(answer(html("", prose(300), head=data)), Claimed()).title_found == "Harbour ? survey"


@pytest.mark.parametrize("text", ["Hafen " * 200_000, "港" * 600_000, "<p>".join(["ö" * 700] * 400)])
def test_the_largest_page_stays_under_the_cap(text: str) -> None:
    titles = "".join(f'<meta property="og:title" content="{"Ж" * 3_000}">' for _ in range(3))
    _, _, size = again(answer(html("Ж" * 3_000, text, head=titles)), Claimed())
    assert size <= stored.MAX_BYTES


_WORDS = st.sampled_from(
    ["harbour", "page not found", "subscribe to continue reading", "log in", "quay", "404", "港口"]
)
_PARTS = st.tuples(st.sampled_from(["p", "h1", "h2", "li", "a", "nav", "aside", "button", "div class=paywall"]), _WORDS)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_PARTS, st.integers(1, 40)), max_size=25), st.sampled_from([200, 403, 503]))
def test_any_page_made_of_such_parts_is_judged_alike(parts: list[tuple[tuple[str, str], int]], status: int) -> None:
    body = "".join(f"<{tag}>{(words + ' ') * count}</{tag.split()[0]}>" for (tag, words), count in parts)
    said, stored_said, _ = again(answer(f"<html><body>{body}", status), Claimed(title=TITLE))
    assert (stored_said.verdict, stored_said.cause) == (said.verdict, said.cause)


def test_a_page_keeps_no_more_than_the_beginning_of_its_text() -> None:
    said = classify(answer(html(main=prose(9_000))), Claimed())
    assert said.read is not None
    assert stored.size_of(stored.pack(said.read)) < 6_000
