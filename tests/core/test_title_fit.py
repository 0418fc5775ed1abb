"""Whose work a page is: near titles that look the same and are not, and pages that bear no title at all."""

import pytest

from sources.core.findings import Cause, Verdict
from tests.pages import TITLE, html, judge, prose

OTHER = "Ten recipes for mountain cheese and bread"


def untitled(main: str, head: str = "") -> str:
    """A page without `<title>` and without an h1."""
    return f"<html><head>{head}</head><body><main>{main}</main></body></html>"


@pytest.mark.parametrize(
    ("claimed", "found", "site", "accepted"),
    [
        ("Harbour survey results 2024", "Harbour survey results 2024 | The Example Daily News", "", True),
        ("Harbour survey results 2024", "Harbour survey results 2023", "", False),
        ("Über die Wirkung der Gezeiten auf Häfen", "Uber die Wirkung der Gezeiten auf Hafen", "", True),
        ("GPT-4 technical report on harbour cranes", "GPT-3 technical report on harbour cranes", "", False),
        ("Gene map APMR2 on 3q26 in harbour seals", "Gene map APMR3 on 18q11 in harbour seals", "", False),
        ("[1706.03762] Tides are all you need at the quay", "Tides are all you need at the quay", "", True),
        (
            "Mending nets by hand: a manual",
            "Mending nets by hand - a manual :: Harbour Library",
            "Harbour Library",
            True,
        ),
    ],
)
def test_near_titles_are_told_apart_by_their_numbers_and_not_by_their_dress(
    claimed: str, found: str, site: str, accepted: bool
) -> None:
    head = f'<meta property="og:site_name" content="{site}">' if site else ""
    judgement = judge(html(found, prose(200), head=head), title=claimed)
    assert (judgement.verdict is Verdict.VERIFIED_ACCESSIBLE) == accepted
    assert accepted or judgement.verdict is Verdict.TITLE_SWAPPED


@pytest.mark.parametrize(
    "body",
    [
        untitled(f"<h2>{TITLE}</h2>{prose(200)}"),
        untitled(f"<h3>{TITLE} | The Gazette</h3>{prose(200)}"),
        untitled(f"<p><b>{TITLE}</b></p>{prose(200)}"),
        untitled(f"<p>By the harbour office</p><p>{TITLE.upper()}</p>{prose(200)}"),
        untitled(f"<p>This is the report “{TITLE}”, printed in summer.</p>{prose(200)}"),
        untitled(prose(200), f'<meta property="og:title" content="{TITLE}">'),
    ],
)
def test_a_page_without_a_title_of_its_own_is_the_work_where_its_first_lines_say_so(body: str) -> None:
    judgement = judge(body)
    assert (judgement.verdict, judgement.cause) == (Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT)


def test_a_page_that_bears_neither_a_title_nor_the_claimed_one_is_for_a_person() -> None:
    judgement = judge(untitled(prose(200)), title=OTHER)
    assert (judgement.verdict, judgement.cause) == (Verdict.TITLE_SWAPPED, Cause.OTHER_TITLE)
    assert judgement.signals[0].name == "title-nowhere"
    assert judgement.detail


def test_a_title_of_two_words_accuses_no_page_without_one() -> None:
    judgement = judge(untitled(prose(200)), title="Mountain cheese")
    assert (judgement.verdict, judgement.cause) == (Verdict.VERIFIED_ACCESSIBLE, Cause.TITLE_DIFFERS)


def test_real_content_without_a_title_is_accessible_where_none_is_claimed() -> None:
    assert judge(untitled(prose(200)), title="").verdict is Verdict.VERIFIED_ACCESSIBLE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("उत्तरी घाट के बंदरगाह का सर्वेक्षण", "पहाड़ी पनीर बनाने की दस विधियाँ"),
        ("উত্তর ঘাটের বন্দর জরিপের ফলাফল", "পাহাড়ি পনির তৈরির দশটি প্রণালী"),
        ("ผลสำรวจท่าเรือฝั่งเหนือประจำปี", "สูตรขนมปังและชีสจากภูเขา"),
        ("نتائج مسح رصيف الميناء الشمالي", "عشر وصفات لجبن الجبال والخبز"),
        ("北码头港口调查结果报告", "山地奶酪与面包的十种做法"),
    ],
)
def test_titles_of_other_scripts_are_compared_by_words_and_not_by_loose_letters(one: str, other: str) -> None:
    assert judge(html(one, prose(200)), title=one).similarity == 1.0
    assert judge(html(one, prose(200)), title=other).verdict is Verdict.TITLE_SWAPPED


def test_persian_and_arabic_keyboards_write_one_title() -> None:
    assert judge(html("گزارش نهایی بندر شمالی کشور", prose(200)), title="گزارش نهايي بندر شمالي كشور").similarity == 1.0
