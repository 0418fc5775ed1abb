"""The sample search engine answers as SearXNG does and finds what a search engine would."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.sample.publishers import SEARCH_HOST
from provenance_site.sample.search import LIMIT, find
from provenance_site.sample.site import respond


def search(question: str) -> dict[str, Any]:
    answer = respond(f"{SEARCH_HOST}:8010", "/search", urlencode({"q": question, "format": "json"}), {})
    assert answer.status == 200
    assert answer.header("Content-Type").startswith("application/json")
    return dict(json.loads(answer.body))


def paths(question: str) -> list[str]:
    return [article.path for article in find(question)]


def test_an_answer_has_the_fields_of_searxng() -> None:
    found = search('"Storm gates pass their first full test"')
    assert found["query"] == '"Storm gates pass their first full test"'
    (first,) = found["results"]
    assert first["url"] == "http://harbour-gazette.sample.localhost:8010/2024/09/storm-gates-pass-first-test"
    assert first["title"] == "Storm gates pass their first full test"
    assert first["content"]
    assert first["engine"]


def test_a_moved_article_is_found_at_its_new_address() -> None:
    assert paths('"Timetable planning for tidal ports: a working method" site:ferry-observer.sample.localhost') == [
        "/library/timetable-planning-for-tidal-ports"
    ]
    assert paths('"What a lighthouse keeper\'s log tells about fog"') == [
        "/features/what-a-lighthouse-keepers-log-tells-about-fog"
    ]


def test_a_title_with_its_author_is_found() -> None:
    assert paths('"The tide mill at Dunnow turns again" "Idris Calloway"') == [
        "/features/the-tide-mill-at-dunnow-turns-again"
    ]


def test_a_site_may_be_named_with_its_port_or_with_www() -> None:
    expected = ["/2024/09/storm-gates-pass-first-test"]
    assert paths("storm gates first full test site:harbour-gazette.sample.localhost:8010") == expected
    assert paths("storm gates first full test site:www.harbour-gazette.sample.localhost") == expected


def test_another_site_has_no_such_article() -> None:
    assert paths('"Storm gates pass their first full test" site:quayside-blog.sample.localhost') == []


def test_a_phrase_that_stands_nowhere_counts_as_words() -> None:
    """The trap of the 2019 survey: what is offered for it is another year's."""
    assert paths('"Dredging survey of the inner basin, 2019 results"')[0] == "/tables/dredging-survey-inner-basin-2024"


def test_a_reputable_publishers_page_is_known_although_it_refuses_visitors() -> None:
    assert paths('"Port fees rise across the continent"') == ["/markets/2024/port-fees-rise-across-the-continent"]


@pytest.mark.parametrize(
    "title",
    [
        "Harbour bonds outperform every other municipal paper",
        "Pilot boats go electric in a two-year trial",
        "Fare reform on the outer islands",
        "Island freight rates compared",
        "Small port finance review",
        "Winter timetable consultation draws 1,900 answers",
        "Ballast water rules and the small operator",
        "A short history of the harbour bell",
        "The last eel weir on the estuary",
        "Coastal freight outlook 2025",
        "A unified theory of mooring line fatigue in small craft",
    ],
)
def test_what_should_stay_lost_is_not_found(title: str) -> None:
    assert paths(f'"{title}"') == []


def test_an_empty_question_is_refused_as_searxng_does() -> None:
    answer = respond(SEARCH_HOST, "/search", "q=&format=json", {})
    assert (answer.status, json.loads(answer.body)) == (400, {"error": "No query"})


def test_a_person_gets_a_page() -> None:
    answer = respond(SEARCH_HOST, "/search", "q=%3Cb%3E+herring+tables", {})
    assert answer.header("Content-Type").startswith("text/html")
    assert b"<b>" not in answer.body


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_question_gets_an_answer_of_at_most_ten(question: str) -> None:
    assert len(find(question)) <= LIMIT
