"""What pages with status 200 say of themselves: not here, a wall, a paywall, a parked domain; or only seem to."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.growth import assert_linear
from tests.pages import TITLE, URL, answer, html, judge, prose
from validation.core.classify import Claimed, classify

GONE = (Verdict.SOFT_404_GRACEFUL, Cause.SAYS_GONE)
NAVIGATION = "".join(f"<li><a href=/{n}>Section {n} of the paper</a></li>" for n in range(60))


@pytest.mark.parametrize(
    "body",
    [
        html("Page not found | The Gazette", "<p>Sorry, the page you are looking for could not be found.</p>"),
        html("The Gazette", "<h2>Oops! That page can&rsquo;t be found.</h2><p>Try a search?</p>", heading=""),
        html("404", "<p>Nothing here.</p>", heading=""),
        html("Error 404 - The Gazette", "<p>We have moved things around.</p>"),
        html("The Gazette", f"<ul>{NAVIGATION}</ul><h1>We couldn't find that page</h1>", heading=""),
        html("The Gazette: File or directory not found.", "<p>The resource might have been removed.</p>"),
        html("HTTP Status 404 – Not Found", "<p><b>Type</b> Status Report</p><p><b>Message</b> /2024</p>"),
        html("404: This page could not be found", heading="404", main="<h2>This page could not be found.</h2>"),
        html("Error", "<pre>Cannot GET /2024/harbour-survey</pre>", heading=""),
        html("The Gazette", "<p>This article is no longer available.</p>", heading=""),
        html("Seite nicht gefunden – Hafenblatt", "<p>Die angeforderte Seite existiert nicht mehr.</p>"),
        html("Hafenblatt", "<p>Leider konnten wir die gewünschte Seite nicht finden.</p>"),
        html("Page introuvable", "<p>La page que vous recherchez n'existe plus.</p>"),
        html("Le Port", "<p>Désolé, cette page n’est plus disponible.</p>"),
        html("Página no encontrada - El Puerto", ""),
        html("Pagina non trovata", "<p>La pagina richiesta non esiste.</p>"),
        html("Página não encontrada", "<p>O endereço não existe.</p>"),
        html("Pagina niet gevonden", "<p>De pagina die u zoekt bestaat niet.</p>"),
        html("Nie znaleziono strony", ""),
        html("Sidan hittades inte", "<p>Sidan du letar efter finns inte längre.</p>"),
        html("Siden finnes ikke", ""),
        html("Sivua ei löytynyt", ""),
        html("Az oldal nem található", ""),
        html("Stránka nenalezena", ""),
        html("Страница не найдена", "<p>Запрашиваемая страница не существует.</p>"),
        html("Сторінку не знайдено", ""),
        html("Η σελίδα δεν βρέθηκε", ""),
        html("Sayfa bulunamadı", ""),
        html("ページが見つかりません | 港新聞", "<p>お探しのページは削除された可能性があります。</p>"),
        html("页面不存在", "<p>您访问的页面已被删除。</p>"),
        html("페이지를 찾을 수 없습니다", ""),
        html("الصفحة غير موجودة", ""),
        html("Halaman tidak ditemukan", ""),
    ],
)
def test_a_page_that_says_it_is_not_there_is_a_soft_404(body: bytes) -> None:
    judgement = judge(body)
    assert (judgement.verdict, judgement.cause) == GONE
    assert judgement.snippet
    assert judgement.signals[0].name.startswith("not-found-in-")


@pytest.mark.parametrize(
    ("body", "claimed"),
    [
        (html("How to fix a 404 Not Found error: a guide", prose(900)), "How to fix a 404 Not Found error: a guide"),
        (html("How to fix a 404 Not Found error: a guide", prose(120)), "How to fix a 404 Not Found error: a guide"),
        (html("Page not found: the lost pages of a diary", prose(320)), ""),
        (html("Room 404 of the harbour hotel", prose(120)), ""),
        (html(main=f"{prose(300)}<p>Error codes: 404 Not Found means that the page does not exist.</p>"), TITLE),
        (html(main=f"{prose(120)}<template><h1>Page not found</h1></template>"), TITLE),
        (html(main=f"{prose(120)}<div hidden><h2>404</h2><p>Page not found</p></div>"), TITLE),
        (html("Flight not found after storm over the strait", prose(90)), ""),
        (html("Gone", prose(120), heading="Gone"), ""),
    ],
)
def test_an_article_about_missing_pages_is_an_article(body: bytes, claimed: str) -> None:
    assert judge(body, title=claimed).verdict is Verdict.VERIFIED_ACCESSIBLE


@pytest.mark.parametrize(
    "body",
    [
        html("502 Bad Gateway", "<center>nginx</center>"),
        html("Error establishing a database connection", ""),
        html("The Gazette", "<h2>Internal Server Error</h2>", heading=""),
        html("Wartungsarbeiten", "<p>Aufgrund von Wartungsarbeiten sind wir bald zurück.</p>"),
    ],
)
def test_a_page_that_reports_a_fault_of_the_server_proves_nothing(body: bytes) -> None:
    judgement = judge(body)
    assert (judgement.verdict, judgement.cause) == (Verdict.FETCH_FAILED, Cause.SERVER_ERROR)


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (html("Just a moment...", "<p>Checking your browser before accessing gazette.press.</p>"), Cause.BOT_WALL),
        (
            html("Attention Required! | Cloudflare", f"<h2>Sorry, you have been blocked</h2>{prose(100)}"),
            Cause.BOT_WALL,
        ),
        (html("gazette.press", "<p>Please enable JS and disable any ad blocker</p>", heading=""), Cause.BOT_WALL),
        (
            html("Access to this page has been denied", "<p>Press &amp; Hold to confirm you are a human.</p>"),
            Cause.BOT_WALL,
        ),
        (html("Pardon Our Interruption", "<p>As you were browsing something about your browser…</p>"), Cause.BOT_WALL),
        (html("Making sure you're not a bot!", ""), Cause.BOT_WALL),
        (html("Vercel Security Checkpoint", ""), Cause.BOT_WALL),
        (
            html("Sorry...", "<p>Our systems have detected unusual traffic from your computer network.</p>"),
            Cause.BOT_WALL,
        ),
        (html("", "", heading="") + b"<iframe src=/_Incapsula_Resource?x=1></iframe>", Cause.BOT_WALL),
        (html("Check", '<div class="h-captcha"></div>', heading="").replace(b"<nav>", b"<nav hidden>"), Cause.BOT_WALL),
        (html("Too Many Requests", "<p>You appear to be a bot.</p>"), Cause.BOT_WALL),
        (html("请稍候…", ""), Cause.BOT_WALL),
        (html("Access Denied", "<p>You don't have permission to access this on this server.</p>"), Cause.BLOCK_WALL),
        (html("403 Forbidden", "<center>nginx</center>"), Cause.BLOCK_WALL),
        (
            html("Request Rejected", "<p>The requested URL was rejected. Please consult your administrator.</p>"),
            Cause.BLOCK_WALL,
        ),
        (html("The Gazette", "<h2>Zugriff verweigert</h2>", heading=""), Cause.BLOCK_WALL),
        (html("Доступ запрещён", ""), Cause.BLOCK_WALL),
        (html("The Gazette", "<p>This page is not available in your region.</p>", heading=""), Cause.BLOCK_WALL),
        (html("Sign in - The Gazette", "<form><input name=u><input type=password name=p></form>"), Cause.LOGIN_WALL),
        (html("Anmelden | Hafenblatt", "<form><input type=password></form>"), Cause.LOGIN_WALL),
        (html("The Gazette", "<p>You must be logged in to view this page.</p>", heading=""), Cause.LOGIN_WALL),
        (html("Portal", "<form><label>User</label><input type=password></form>"), Cause.LOGIN_WALL),
        (html("ログイン", ""), Cause.LOGIN_WALL),
        (html("Before you continue", "<p>We use cookies and data to measure.</p>"), Cause.CONSENT_WALL),
        (
            html("We value your privacy", "<p>We and our partners store and/or access information.</p>"),
            Cause.CONSENT_WALL,
        ),
    ],
)
def test_a_wall_with_status_200_is_a_wall(body: bytes, cause: Cause) -> None:
    judgement = judge(body)
    assert (judgement.verdict, judgement.cause) == (Verdict.FETCH_FAILED, cause)
    assert judgement.similarity is None


@pytest.mark.parametrize(
    "body",
    [
        html(
            main=f'{prose(300)}<div class="h-captcha"></div>',
            head="<script src=https://token.awswaf.com/sdk.js></script>",
        ),
        html(main=f"{prose(200)}<form class=comments><input type=password></form>"),
        html(main=f"{prose(120)}<div class=cookie-banner><h2>We value your privacy</h2><p>Accept all?</p></div>"),
        html("Access Denied: a history of harbour passes", prose(120)),
        html("Login habits of harbour clerks", prose(120)),
        html(main=prose(120), around="<aside><h3>Log in</h3><input type=password></aside>"),
    ],
)
def test_a_readable_page_with_a_gates_furniture_is_readable(body: bytes) -> None:
    assert judge(body, title="").verdict is Verdict.VERIFIED_ACCESSIBLE


NOT_FREE = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>'


@pytest.mark.parametrize(
    "body",
    [
        html(main=f"{prose(40)}<div class=paywall><p>Subscribe to continue reading.</p></div>", head=NOT_FREE),
        html(main=prose(60), head=NOT_FREE),
        html(main=prose(60), head='<meta property="article:content_tier" content="locked">'),
        html(main=f"{prose(200)}<div><h3>To read the full story</h3><a href=/s>Subscribe now</a></div>"),
        html(main=f"{prose(80)}<p>Dieser Artikel ist für Abonnenten.</p><p>Bereits Abonnent? Anmelden</p>"),
        html(
            main=f"{prose(400)}<p>Il vous reste 70 % de cet article à lire. La suite est réservée aux abonnés.</p>",
            head=NOT_FREE,
        ),
        html(main=f"{prose(90)}<p>Para seguir leyendo, suscríbete.</p>"),
        html(main=f"{prose(90)}<p>この記事は有料会員限定です。</p>"),
    ],
)
def test_a_subscription_offer_in_place_of_the_rest_is_a_stub(body: bytes) -> None:
    judgement = judge(body)
    assert (judgement.verdict, judgement.cause) == (Verdict.PAYWALL_STUB, Cause.PAY_WALL)
    assert judgement.access_note == ""


def test_the_same_offer_at_a_reputable_publisher_is_a_wall_with_its_title_as_evidence() -> None:
    body = html(f"{TITLE} | Financial Times", f"{prose(40)}<p>Subscribe to read.</p>", head=NOT_FREE)
    judgement = judge(body, url="https://www.ft.com/content/1f2e")
    assert (judgement.verdict, judgement.cause) == (Verdict.FETCH_FAILED, Cause.PAY_WALL)
    assert judgement.similarity == 1.0
    assert judgement.access_note == "Financial Times: requires a subscription"


def test_the_sample_sites_publisher_counts_as_reputable() -> None:
    body = html(main=f"{prose(40)}<p>Subscribe to continue reading.</p>", head=NOT_FREE)
    judgement = judge(body, url="http://continental-ledger.sample.localhost:8010/2024/rates")
    assert (judgement.verdict, judgement.access_note) == (
        Verdict.FETCH_FAILED,
        "The Continental Ledger: requires a subscription",
    )


@pytest.mark.parametrize(
    "body",
    [
        html(main=prose(900), head=NOT_FREE),
        html(main=f"{prose(900)}<p>Subscribe to continue reading.</p>"),
        html(main=f"{prose(250)}<template><div class=paywall>Subscribe to continue reading</div></template>"),
        html(main=f"{prose(250)}<div hidden class=paywall>Subscribe to continue reading. Already a subscriber?</div>"),
        html(main=f"<p class=tag>For subscribers only</p><p>Subscribe now</p>{prose(250)}"),
        html(
            main=prose(160),
            around="<footer><p>Subscribe now. Already a subscriber? Read the full article.</p></footer>",
        ),
        html("Subscribe to continue reading: how papers sell", prose(200)),
    ],
)
def test_a_readable_text_is_no_stub_whatever_it_offers(body: bytes) -> None:
    assert judge(body, title="").verdict is Verdict.VERIFIED_ACCESSIBLE


@pytest.mark.parametrize(
    ("body", "final_url"),
    [
        (html("gazette.press is for sale", "<p>This domain is for sale. Make an offer.</p>"), URL),
        (html("gazette.press", "<p>This domain may be for sale by its owner!</p>"), URL),
        (html("gazette.press", "<ul><li>Boats</li></ul><script src=//sedoparking.com/p.js></script>"), URL),
        (html("Gazette.press", prose(80)), "https://www.hugedomains.com/domain_profile.cfm?d=gazette.press"),
        (html("Diese Domain steht zum Verkauf", ""), URL),
    ],
)
def test_a_parked_domain_is_another_work(body: bytes, final_url: str) -> None:
    judgement = judge(body, final_url=final_url)
    assert (judgement.verdict, judgement.cause) == (Verdict.TITLE_SWAPPED, Cause.PARKED)


@pytest.mark.parametrize(
    ("page_title", "claimed", "verdict", "cause"),
    [
        (TITLE, TITLE, Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT),
        (f"{TITLE} | The Gazette", TITLE, Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT),
        ("Harbour surveys, results of the northern quay", TITLE, Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT),
        (TITLE, "Results of the northern quay and its fishing fleet", Verdict.VERIFIED_ACCESSIBLE, Cause.TITLE_DIFFERS),
        (TITLE, "Ten recipes for mountain cheese and bread", Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE),
        (f"{TITLE} 2023", f"{TITLE} 2024", Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE),
        (TITLE, f"{TITLE} 2024", Verdict.VERIFIED_ACCESSIBLE, Cause.TITLE_DIFFERS),
        (TITLE, "Mountain cheese", Verdict.VERIFIED_ACCESSIBLE, Cause.TITLE_DIFFERS),
        (TITLE, "", Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT_UNTITLED),
    ],
)
def test_real_content_is_judged_by_its_title(page_title: str, claimed: str, verdict: Verdict, cause: Cause) -> None:
    judgement = judge(html(page_title, prose(200)), title=claimed)
    assert (judgement.verdict, judgement.cause) == (verdict, cause)
    assert (judgement.similarity is None) == (claimed == "")


def test_a_title_that_stands_in_the_text_under_another_one_is_no_swap() -> None:
    claimed = "Ten recipes for mountain cheese and bread"
    judgement = judge(html("Food supplement of the week", f"<h2>{claimed}</h2>{prose(200)}"), title=claimed)
    assert (judgement.verdict, judgement.cause) == (Verdict.VERIFIED_ACCESSIBLE, Cause.TITLE_DIFFERS)
    assert "title-in-text" in [signal.name for signal in judgement.signals]


def test_the_title_of_a_latin_1_page_without_a_charset_is_compared_with_its_accents() -> None:
    body = f"<title>Résumé de l'été à l'île du port</title>{prose(120)}".encode("latin-1")
    judgement = classify(
        answer(body, headers={"content-type": "text/html"}), Claimed(title="Résumé de l'été à l'île du port")
    )
    assert judgement.title_found == "Résumé de l'été à l'île du port"
    assert judgement.similarity == 1.0


def test_evidence_tells_the_circumstances_beside_the_deciding_signal() -> None:
    judgement = judge(
        html("Results of the northern quay", prose(900), head=NOT_FREE),
        203,
        final_url="https://www.gazette.press/survey",
    )
    assert [signal.name for signal in judgement.signals][1:] == [
        "status",
        "redirected",
        "title-similarity",
        "not-free-by-metadata",
    ]


def test_details_quote_pages_as_all_texts_of_the_desk_do() -> None:
    for body in (html("Page not found | Gazette", ""), html("Ten recipes for mountain cheese and bread", prose(90))):
        said = judge(body)
        told = " ".join([said.detail, *(signal.text for signal in said.signals)])
        assert "“" in told
        assert not {"«", "»"} & set(told)


@pytest.mark.parametrize("piece", ["(", ":", ".", ". ", "。", "|", " | ", "&nbsp;", "a:", "sign in ", "charset=", " "])
def test_a_page_made_to_be_slow_takes_its_share(piece: str) -> None:
    """A page is read beside others: one that took minutes would hold them all up."""

    def judged(text: str) -> None:
        for body in (
            html(title=text, main=prose(200)),
            html(heading=text, main=prose(200)),
            html(main=f"<p>{text}</p>{prose(20)}"),
            html(head=f"<meta content='text/html; charset={text}'>", main=prose(200)),
        ):
            classify(answer(body, headers={"content-type": f"text/html; charset={text[:4_000]}"}), Claimed(title=TITLE))

    assert_linear(judged, piece, 60_000, before="A harbour", after="b")
