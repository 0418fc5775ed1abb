"""Each sample page answers as the kind of page that it stands for."""

import json
import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest

from provenance_site.sample.answers import Answer
from provenance_site.sample.articles import Article, Kind, articles
from provenance_site.sample.publishers import HOSTS, PUBLISHERS, SUFFIX, Publisher
from provenance_site.sample.site import respond

PORT = 8010
READABLE = [a for a in articles() if a.kind in {Kind.PLAIN, Kind.SLOW, Kind.COLD, Kind.HIDDEN_OFFER}]
OFFERS = [a for a in articles() if a.kind in {Kind.PAYWALL, Kind.SUBSCRIBERS}]


class _Reader(HTMLParser):
    """What a person sees of a page: title, links, and the words outside of scripts, templates and hidden parts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.title, self.links, self.words, self._closed = "", list[str](), list[str](), list[str]()
        self._in_title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag in {"script", "style", "template", "noscript"} or "hidden" in names:
            self._closed.append(tag)
        self._in_title = tag == "title"
        self.links += [str(names[name]) for name in ("href", "action") if names.get(name)]

    def handle_endtag(self, tag: str) -> None:
        if self._closed and tag == self._closed[-1]:
            self._closed.pop()
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._closed:
            self.words += data.split()


def ask(host: str, path: str, query: str = "", **headers: str) -> Answer:
    return respond(f"{host}:{PORT}", path, query, headers)


def read(answer: Answer) -> _Reader:
    return _Reader(answer.body.decode())


def named(slug: str) -> str:
    return slug + SUFFIX


def ids(article: Article) -> str:
    return article.path


def test_there_are_a_few_dozen_articles_of_eight_publishers() -> None:
    assert len(articles()) >= 30
    assert {article.host for article in articles()} == {publisher.host for publisher in PUBLISHERS}
    assert len(PUBLISHERS) == 8


def test_every_host_lies_below_localhost_and_answers() -> None:
    for host in HOSTS:
        assert host.endswith(".sample.localhost")
        assert ask(host, "/").status in {200, 404}


def test_another_host_is_not_ours() -> None:
    assert ask("harbour-gazette.example", "/").status == 421
    assert respond("", "/", "", {}).status == 421


@pytest.mark.parametrize("article", READABLE, ids=ids)
def test_a_readable_article_has_its_title_its_metadata_and_enough_text(article: Article) -> None:
    answer = ask(article.host, article.path)
    page = read(answer)
    assert (answer.status, answer.header("Content-Type")) == (200, "text/html; charset=utf-8")
    assert page.title.startswith(f"{article.title} | ")
    assert 150 <= len(page.words) <= 450
    assert article.date[:4] in answer.body.decode()


@pytest.mark.parametrize("article", OFFERS, ids=ids)
def test_an_offer_shows_the_title_and_little_else(article: Article) -> None:
    answer = ask(article.host, article.path)
    page = read(answer)
    assert answer.status == 200
    assert page.title.startswith(article.title)
    assert "Subscribe to continue reading" in " ".join(page.words)
    assert len(page.words) < 120
    facts = json.loads(re.findall(r'ld\+json">(.*?)</script>', answer.body.decode())[0])
    assert facts["isAccessibleForFree"] is False


def test_the_hidden_offer_is_not_what_a_person_sees() -> None:
    (article,) = [a for a in articles() if a.kind is Kind.HIDDEN_OFFER]
    answer = ask(article.host, article.path)
    assert b"Subscribe to continue reading" in answer.body
    assert "Subscribe" not in read(answer).words


@pytest.mark.parametrize("article", [a for a in articles() if a.kind is Kind.CHALLENGE], ids=ids)
def test_a_robot_check_says_nothing_of_the_article(article: Article) -> None:
    answer = ask(article.host, article.path)
    assert (answer.status, answer.header("cf-mitigated")) == (403, "challenge")
    assert read(answer).title == "Just a moment..."
    assert article.title not in answer.body.decode()


def test_the_ledger_refuses_real_and_invented_articles_alike() -> None:
    real = ask(named("continental-ledger"), "/markets/2024/port-fees-rise-across-the-continent")
    invented = ask(named("continental-ledger"), "/markets/2023/harbour-bonds-outperform-municipal-paper")
    assert real.status == 403
    assert real == invented


def test_the_ledger_shows_its_front_page() -> None:
    answer = ask(named("continental-ledger"), "/")
    assert answer.status == 200
    assert "Port fees rise across the continent" in answer.body.decode()


def test_the_gazette_says_not_found_with_status_200() -> None:
    answer = ask(named("harbour-gazette"), "/2022/02/pilot-boats-go-electric")
    assert answer.status == 200
    assert read(answer).title == "Page not found | Harbour Gazette"


def test_other_sites_say_not_found_with_404() -> None:
    answer = ask(named("open-almanac"), "/archive/dredging-survey-inner-basin-2019")
    assert answer.status == 404
    assert read(answer).title == "Page not found | Open Almanac"


def test_a_removed_article_is_gone() -> None:
    assert ask(named("ferry-observer"), "/articles/2018/fare-reform-on-the-outer-islands").status == 410


def test_an_old_island_article_leads_to_the_front_page() -> None:
    answer = ask(named("ferry-observer"), "/articles/2017/island-freight-rates-compared")
    assert (answer.status, answer.header("Location")) == (302, "/")


def test_an_old_report_leads_to_an_error_page_with_status_200() -> None:
    answer = ask(named("northwind-research"), "/research/2019/small-port-finance-review")
    assert (answer.status, answer.header("Location")) == (302, "/error/404.html")
    assert ask(named("northwind-research"), "/error/404.html").status == 200


def test_a_story_number_leads_over_two_redirects_to_the_article() -> None:
    path, statuses = "/story/4417", []
    while (answer := ask(named("harbour-gazette"), path)).status != 200:
        statuses.append(answer.status)
        path = answer.header("Location")
    assert statuses == [301, 301]
    assert read(answer).title.startswith("Night ferry returns")


def test_the_consultation_leads_to_a_consent_form_that_names_it() -> None:
    path = "/articles/2024/winter-timetable-consultation"
    answer = ask(named("ferry-observer"), path)
    target = urlsplit(answer.header("Location"))
    assert (answer.status, target.path) == (302, "/consent")
    form = ask(named("ferry-observer"), target.path, target.query)
    assert read(form).title.startswith("Before you continue")
    assert path in form.body.decode()


def test_a_name_in_the_consent_form_cannot_break_out_of_it() -> None:
    form = ask(named("ferry-observer"), "/consent", "continue=%22%3E%3Cscript%3E")
    assert b"<script>" not in form.body


def test_a_latin1_page_names_no_encoding() -> None:
    (article,) = [a for a in articles() if a.kind is Kind.LATIN1]
    answer = ask(article.host, article.path)
    assert answer.header("Content-Type") == "text/html"
    assert b"charset" not in answer.body
    assert article.title in answer.body.decode("latin-1")
    with pytest.raises(UnicodeDecodeError):
        answer.body.decode("utf-8")


def test_the_shell_shows_no_word_without_its_script() -> None:
    (article,) = [a for a in articles() if a.kind is Kind.SHELL]
    answer = ask(article.host, article.path)
    assert read(answer).words == []
    assert article.title in answer.body.decode()


def test_the_thin_page_has_its_title_and_a_few_words() -> None:
    (article,) = [a for a in articles() if a.kind is Kind.THIN]
    page = read(ask(article.host, article.path))
    assert page.title.startswith(article.title)
    assert len(page.words) < 50


def test_the_bell_is_cut_off_before_its_end() -> None:
    (article,) = [a for a in articles() if a.kind is Kind.HANG_UP]
    answer = ask(article.host, article.path)
    assert answer.hang_up_after is not None
    assert 0 < answer.hang_up_after < len(answer.body)


def test_the_cold_page_first_asks_to_come_back_in_a_second() -> None:
    (article,) = [a for a in articles() if a.kind is Kind.COLD]
    cold = ask(article.host, article.path).while_cold
    assert cold is not None
    assert (cold.status, cold.header("Retry-After")) == (503, "1")


def test_the_slow_page_takes_two_to_three_seconds() -> None:
    (article,) = [a for a in articles() if a.kind is Kind.SLOW]
    assert 2 <= ask(article.host, article.path).delay_s <= 3


def test_the_method_note_is_a_pdf_whose_table_points_at_its_objects() -> None:
    answer = ask(named("northwind-research"), "/files/counting-berths-a-method-note.pdf")
    body = answer.body
    assert answer.header("Content-Type") == "application/pdf"
    assert body.startswith(b"%PDF-1.4")
    assert b"/Title (Counting berths: a method note)" in body
    table = int(body.split(b"startxref\n")[1].split(b"\n")[0])
    assert body[table:].startswith(b"xref")
    offsets = [int(line[:10]) for line in body[table:].split(b"\n")[3:9]]
    assert [body[offset:].split(b" ")[0] for offset in offsets] == [b"1", b"2", b"3", b"4", b"5", b"6"]


def test_spellings_of_an_address_give_the_same_page() -> None:
    path = "/2024/09/storm-gates-pass-first-test"
    page = ask(named("harbour-gazette"), path)
    assert ask(named("harbour-gazette"), f"{path}/", "utm_source=letter") == page
    assert ask("www." + named("harbour-gazette"), path) == page
    assert ask(named("HARBOUR-GAZETTE"), path) == page


@pytest.mark.parametrize("publisher", PUBLISHERS, ids=lambda p: p.slug)
def test_every_link_of_a_front_page_leads_somewhere(publisher: Publisher) -> None:
    start = f"http://{publisher.host}/"
    walls = {a.path for a in articles() if a.kind in {Kind.REFUSED, Kind.CHALLENGE}}
    for link in set(read(ask(publisher.host, "/")).links):
        target = urlsplit(urljoin(start, link))
        answer = ask(str(target.hostname), target.path)
        assert answer.status == 200 or target.path in walls, link
        assert b"<title>Page not found" not in answer.body, link


@pytest.mark.parametrize("publisher", PUBLISHERS, ids=lambda p: p.slug)
def test_every_publisher_lets_robots_in(publisher: Publisher) -> None:
    assert b"Allow: /" in ask(publisher.host, "/robots.txt").body
