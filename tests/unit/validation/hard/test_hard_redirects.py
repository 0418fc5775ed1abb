"""Redirects of every sort: where they lead decides, not that they were there."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.fakes.hardnet import AS_HTML, HOST, PATH, TITLE, Answering, article, by_path, found, missing, page, told
from tests.fakes.loopback import Reply, Request, head, redirect, reply
from tests.pages import html, prose

FAILED = Verdict.FETCH_FAILED
ACCESSIBLE = (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)
FRONT = page(html("The Gazette", prose(300), heading="Headlines"))
OOPS = page(html("Oops", prose(60), heading="Something went missing"))


def leading(location: str | bytes, status: str = "302 Found", end: bytes | None = None, *headers: str) -> Answering:
    """The cited page leads to `location`; whatever is there answers `end` (the article where not given)."""

    def answer(request: Request) -> Reply:
        if request.target == PATH:
            return redirect(location, status, *headers)
        return found() if end is None else end

    return answer


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
@pytest.mark.parametrize("location", ["/2025/moved", "moved", "../2025/moved", "?page=2", "//gazette.press:{port}/x"])
def test_a_redirect_of_any_kind_is_followed_to_the_work(status: str, location: str) -> None:
    def answer(request: Request) -> Reply:
        if request.target == PATH:
            return redirect(location.replace("{port}", request.headers["host"].rpartition(":")[2]), status)
        return found()

    seen = told(answer)
    assert seen.said == ACCESSIBLE
    assert [hop.status for hop in seen.evidence.hops] == [int(status[:3]), 200]
    assert seen.evidence.final_url != seen.evidence.requested_url


LOCATIONS = {
    "raw-utf-8": ("/2025/größe".encode(), "/2025/gr%C3%B6%C3%9Fe"),
    "raw-latin-1": ("/2025/größe".encode("latin-1"), "/2025/gr%C3%B6%C3%9Fe"),
    "escaped": (b"/2025/gr%C3%B6%C3%9Fe", "/2025/gr%C3%B6%C3%9Fe"),
    "blank-inside": (b"/2025/a b", "/2025/a%20b"),
    "blanks-around": (b"  /2025/a  ", "/2025/a"),
    "fragment": (b"/2025/a#part-2", "/2025/a"),
    "dot-segments": (b"/2025/./b/../a", "/2025/a"),
    "encoded-slash": (b"/2025/a%2Fb", "/2025/a%2Fb"),
    "semicolons": (b"/2025/a;b=1?c;d", "/2025/a;b=1?c;d"),
    "second-address-inside": (b"/go?to=https%3A%2F%2Fb.org%2F", "/go?to=https%3A%2F%2Fb.org%2F"),
}


@pytest.mark.parametrize(("location", "sent"), LOCATIONS.values(), ids=LOCATIONS)
def test_a_location_is_sent_as_it_is_meant(location: bytes, sent: str) -> None:
    seen = told(leading(location))
    assert seen.said == ACCESSIBLE
    assert seen.targets[1] == sent


def test_a_trailing_slash_added_by_the_server_is_the_same_page() -> None:
    seen = told(by_path({PATH: redirect(f"{PATH}/", "301 M"), f"{PATH}/": found()}))
    assert seen.said == ACCESSIBLE
    assert "redirected" in seen.signals


def test_a_move_to_another_host_is_the_same_page() -> None:
    def answer(request: Request) -> Reply:
        host, _, port = request.headers["host"].rpartition(":")
        return found() if host == "www.gazette.press" else redirect(f"http://www.gazette.press:{port}{PATH}", "301 M")

    assert told(answer, also_hosts=["www.gazette.press"]).said == ACCESSIBLE


ROOTS = ["/", "/index.html", "/en/", "/de-ch/home", "/?ref=gone", "/default.aspx", "http://gazette.press:{port}"]


@pytest.mark.parametrize("location", ROOTS)
def test_16_a_deep_link_that_is_sent_to_the_front_page_is_gone(location: str) -> None:
    def answer(request: Request) -> Reply:
        port = request.headers["host"].rpartition(":")[2]
        return redirect(location.replace("{port}", port)) if request.target == PATH else FRONT

    assert told(answer).said == (Verdict.SOFT_404_GRACEFUL, Cause.REDIRECT_TO_ROOT)


def test_a_front_page_that_bears_the_cited_title_is_the_work() -> None:
    assert told(leading("/")).said == ACCESSIBLE


def test_a_cited_front_page_that_leads_to_its_language_is_fine() -> None:
    front = page(html("The Gazette of the harbour", prose(300)))
    seen = told(by_path({"/": redirect("/en/"), "/en/": front}), paths=["/"], title="The Gazette of the harbour")
    assert seen.said == ACCESSIBLE


ERRORS = [
    "/error/404.html",
    "/404",
    "/404.aspx?aspxerrorpath=/x",
    "/not-found",
    "/errors/notfound.php",
    "/page-not-found/",
    "/oops",
    "/index.php?error=404",
    "/seite-nicht-gefunden",
    "/fr/page-introuvable",
    "/es/pagina-no-encontrada.html",
]


@pytest.mark.parametrize("location", ERRORS)
def test_20_a_redirect_to_an_error_page_is_gone(location: str) -> None:
    verdict, cause = told(leading(location, "302 F", OOPS)).said
    assert verdict is Verdict.SOFT_404_GRACEFUL
    assert cause in {Cause.REDIRECT_TO_ERROR, Cause.SAYS_GONE, Cause.REDIRECT_TO_ROOT}


def test_20_an_article_about_error_handling_is_no_error_page() -> None:
    title = "A guide to error handling in servers"
    seen = told(leading("/en/guide/error-handling.html", end=found(title)), title=title)
    assert seen.said == ACCESSIBLE


@pytest.mark.parametrize(("end", "cause"), [("404 N", Cause.NOT_FOUND), ("410 Gone", Cause.GONE)])
@pytest.mark.parametrize("how", ["redirect", "meta", "header"])
def test_14_28_what_stands_at_the_end_decides(end: str, cause: Cause, how: str) -> None:
    firsts: dict[str, Reply] = {
        "redirect": redirect("/gone"),
        "meta": page(b'<meta http-equiv=refresh content="0; url=/gone">'),
        "header": page(b"<p>moved", "Refresh: 3;url=/gone"),
    }
    pages = {PATH: firsts[how], "/gone": missing(end), "/warm": found()}
    seen = told(by_path(pages), paths=["/warm", PATH])
    assert seen.said == (Verdict.HARD_404, cause)


def test_14_a_410_is_gone_for_good() -> None:
    assert told(missing("410 Gone")).said == (Verdict.HARD_404, Cause.GONE)


REFRESHES = {
    "28-meta": b'<meta http-equiv="refresh" content="0; url=/next">',
    "single-quotes": b"<meta http-equiv='refresh' content='0;URL=/next'>",
    "no-url-word": b'<meta http-equiv="refresh" content="0; /next">',
    "comma": b'<meta http-equiv="refresh" content="0, url=/next">',
    "quotes-inside": b'<meta http-equiv="refresh" content="1; url=\'/next\'">',
    "upper-case": b'<META HTTP-EQUIV="REFRESH" CONTENT="0; URL=/next">',
    "ten-seconds": b'<p>We have moved.<meta http-equiv="refresh" content="10; url=/next">',
    "content-first": b'<meta content="0; url=/next" http-equiv="refresh">',
}


@pytest.mark.parametrize("element", REFRESHES.values(), ids=REFRESHES)
def test_28_a_meta_refresh_is_followed_through_a_chain(element: bytes) -> None:
    pages = {PATH: page(element), "/next": page(b"<p>on", "Refresh: 0; url=/last"), "/last": found()}
    seen = told(by_path(pages))
    assert seen.said == ACCESSIBLE
    assert seen.targets == [PATH, "/next", "/last"]


NOT_A_REFRESH = {
    "in-a-comment": b'<!-- <meta http-equiv="refresh" content="0; url=/gone"> -->',
    "in-a-script": b'<script>var x = \'<meta http-equiv="refresh" content="0; url=/gone">\'</script>',
    "in-noscript": b'<noscript><meta http-equiv="refresh" content="0; url=/gone"></noscript>',
    "after-five-minutes": b'<meta http-equiv="refresh" content="300; url=/gone">',
    "reloads-itself": b'<meta http-equiv="refresh" content="5">',
    "to-a-script": b'<meta http-equiv="refresh" content="0; url=javascript:alert(1)">',
}


@pytest.mark.parametrize("element", NOT_A_REFRESH.values(), ids=NOT_A_REFRESH)
def test_what_only_looks_like_a_refresh_is_not_followed(element: bytes) -> None:
    seen = told(by_path({PATH: page(element + article())}))
    assert seen.said == ACCESSIBLE
    assert seen.targets == [PATH]


LOOPS: dict[str, tuple[Answering, int]] = {
    "32-to-itself": (lambda _: redirect(PATH, "301 M"), 1),
    "two-pages": (by_path({PATH: redirect("/b"), "/b": redirect(PATH)}), 2),
    "ever-deeper": (lambda request: redirect(f"{request.target}/x"), 11),
    "refreshes": (
        by_path({PATH: page(b"<p>", "Refresh: 0; url=/b"), "/b": page(b"<p>", f"Refresh: 0; url={PATH}")}),
        2,
    ),
    "same-cookie-again": (lambda _: redirect(PATH, "302 F", "Set-Cookie: seen=1"), 2),
    "cookie-that-counts": (
        lambda request: redirect(PATH, "302 F", f"Set-Cookie: n={len(request.headers.get('cookie', '')) * 'x'}x"),
        11,
    ),
}


@pytest.mark.parametrize(("answer", "requests"), LOOPS.values(), ids=LOOPS)
def test_32_a_true_loop_ends(answer: Answering, requests: int) -> None:
    seen = told(answer)
    assert seen.said == (FAILED, Cause.REDIRECT_LOOP)
    assert len(seen.requests) <= requests


COOKIES: dict[str, str] = {
    "plain": "Set-Cookie: seen=1; Path=/",
    "until-the-session-ends": "Set-Cookie: seen=1; HttpOnly; SameSite=Lax",
    "for-an-hour": "Set-Cookie: seen=1; Max-Age=3600",
}


@pytest.mark.parametrize("cookie", COOKIES.values(), ids=COOKIES)
def test_a_site_that_redirects_to_itself_until_its_cookie_comes_back_is_no_loop(cookie: str) -> None:
    seen = told(lambda r: found() if "seen=1" in r.headers.get("cookie", "") else redirect(PATH, "302 F", cookie))
    assert seen.said == ACCESSIBLE
    assert len(seen.requests) == 2


def test_a_chain_of_ten_redirects_is_followed() -> None:
    def answer(request: Request) -> Reply:
        step = int(request.target.removeprefix("/s") or 0)
        return found() if step == 10 else redirect(f"/s{step + 1}")

    assert told(answer, paths=["/s0"]).said == ACCESSIBLE


NOWHERE: dict[str, bytes] = {
    "300-without-a-place": page(article(), status="300 Multiple Choices"),
    "301-without-a-place": page(b"<p>Moved", status="301 Moved"),
    "302-with-an-empty-place": head("HTTP/1.1 302 F", "Location: ", "Content-Length: 0"),
    "305": reply(status="305 Use Proxy"),
    "306": reply(status="306 Unused"),
}


@pytest.mark.parametrize("answer", NOWHERE.values(), ids=NOWHERE)
def test_a_redirect_without_a_place_to_go_proves_nothing(answer: bytes) -> None:
    assert told(answer).said == (FAILED, Cause.UNEXPECTED_STATUS)


ELSEWHERE: dict[str, tuple[str, Cause]] = {
    "54-metadata-service": ("http://169.254.169.254/latest/meta-data/", Cause.BLOCKED_ADDRESS),
    "54-mapped": ("http://[::ffff:10.0.0.1]/", Cause.BLOCKED_ADDRESS),
    "54-site-local": ("http://[fec0::1]/", Cause.BLOCKED_ADDRESS),
    "54-link-local": ("http://[fe90::1]/", Cause.BLOCKED_ADDRESS),
    "54-carrier-grade": ("http://100.64.0.7/", Cause.BLOCKED_ADDRESS),
    "54-this-machine": ("http://127.0.0.1:8181/", Cause.BLOCKED_ADDRESS),
    "54-localhost": ("http://localhost:8181/", Cause.BLOCKED_ADDRESS),
    "54-zero": ("http://0.0.0.0/", Cause.BLOCKED_ADDRESS),
    "54-decimal": ("http://2130706433/", Cause.UNUSABLE_URL),
    "54-octal": ("http://0177.0.0.1/", Cause.UNUSABLE_URL),
    "file": ("file:///etc/hosts", Cause.UNUSABLE_URL),
    "ftp": ("ftp://gazette.press/x", Cause.UNUSABLE_URL),
    "app": ("gazette://article/7", Cause.UNUSABLE_URL),
    "mail": ("mailto:desk@gazette.press", Cause.UNUSABLE_URL),
    "another-service": ("http://gazette.press:25/", Cause.UNUSABLE_URL),
}


@pytest.mark.parametrize(("location", "cause"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_54_a_redirect_to_where_no_reader_could_go_is_not_followed(location: str, cause: Cause) -> None:
    seen = told(leading(location))
    assert seen.said == (FAILED, cause)
    assert seen.targets == [PATH]


def test_18_a_site_that_shows_its_front_page_at_every_address_shows_nothing() -> None:
    seen = told(FRONT, title=TITLE)
    assert seen.said == (Verdict.SOFT_404_GRACEFUL, Cause.CATCH_ALL)
    assert "same-page-at-made-up-address" in seen.signals


def test_18_the_front_page_of_such_a_site_is_fine_when_it_is_cited() -> None:
    seen = told(page(html("The Gazette of the harbour", prose(300))), paths=["/"], title="The Gazette of the harbour")
    assert seen.said == ACCESSIBLE
    assert seen.targets == ["/"]


def test_18_a_made_up_address_is_asked_once_for_a_directory() -> None:
    seen = told(FRONT, paths=["/2024/a", "/2024/b", "/2024/c", "/2023/d", "/2024/e.html"])
    assert {one.cause for one in seen.findings} == {Cause.CATCH_ALL}
    assert len(seen.requests) == 5 + 3


def test_18_a_made_up_address_is_asked_only_where_it_can_change_the_verdict() -> None:
    paths = [PATH, "/2024/gone", "/2024/wall", "/2024/shell", "/2024/says-so"]
    pages = {
        PATH: found(),
        "/2024/wall": missing("403 F"),
        "/2024/shell": page(b"<div id=root></div><script src=/app.js></script>"),
        "/2024/says-so": page(html("Page not found", "<p>Sorry.</p>")),
    }
    seen = told(by_path(pages), paths=paths)
    assert set(seen.targets) == set(paths)


def test_18_a_site_with_real_error_pages_keeps_its_verdict() -> None:
    other = page(html("Harbour dues and tariffs for small boats", prose(300)))
    seen = told(by_path({PATH: other}))
    assert seen.said == (Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE)
    assert len(seen.requests) == 2


def test_18_a_short_page_that_is_not_the_sites_answer_to_everything_stays() -> None:
    def answer(request: Request) -> Reply:
        return found(words=80) if request.target == PATH else page(html("Welcome", prose(80)))

    assert told(answer).said == ACCESSIBLE


def test_18_a_redirect_of_everything_to_one_page_is_seen_through() -> None:
    def answer(request: Request) -> Reply:
        return FRONT if request.target == "/start/welcome" else redirect("/start/welcome")

    assert told(answer).said == (Verdict.SOFT_404_GRACEFUL, Cause.CATCH_ALL)


def test_18_a_page_that_a_script_fills_is_thin_and_not_dead_when_all_addresses_show_its_shell() -> None:
    text = "<noscript>Please enable JavaScript to use this app.</noscript>"
    seen = told(page(html("The Gazette", prose(200) + text, heading="Headlines")))
    assert seen.said == (Verdict.THIN, Cause.JS_SHELL)


def test_a_failed_look_at_a_made_up_address_says_nothing() -> None:
    def answer(request: Request) -> Reply:
        return page(html("Harbour dues and tariffs for small boats", prose(300))) if request.target == PATH else b""

    assert told(answer).said == (Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE)


def test_the_hops_are_kept_in_order_with_their_addresses() -> None:
    seen = told(
        by_path({PATH: redirect("/b", "301 M"), "/b": redirect("/c", "307 T"), "/c": reply(article(), AS_HTML)})
    )
    assert [(hop.url.partition(HOST)[2].partition("/")[2], hop.status) for hop in seen.evidence.hops] == [
        ("2024/harbour-survey", 301),
        ("b", 307),
        ("c", 200),
    ]
