"""The sources table as the master sheet: facets, search, sorting, columns, saved views."""

import re
from typing import Any

import pytest
from bs4 import BeautifulSoup
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from sources.core.findings import Verdict
from sources.core.identifiers import identify
from sources.core.kinds import IdentifierType
from sources.models import SavedView, Source
from tests.desk import HTMX, Desk
from tests.factories import (
    CatalogEntryFactory,
    CitationFactory,
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    SavedViewFactory,
    SectionFactory,
    SourceAliasFactory,
    SourceFactory,
    TagFactory,
)
from tests.unit.sources.findings import apply

pytestmark = pytest.mark.django_db


def titles(desk: Desk, query: str = "") -> list[str]:
    page = desk.client().get(f"/sources/?{query}", headers=HTMX)
    assert page.status_code == 200
    return [cell.get_text() for cell in BeautifulSoup(page.content, "lxml").select("tbody .cell-title")]


def counts(desk: Desk, query: str = "") -> dict[tuple[str, str], int]:
    page = BeautifulSoup(desk.client().get(f"/sources/?{query}", headers=HTMX).content, "lxml")
    return {
        (str(box["name"]), str(box["value"])): int(box.find_next("b").get_text().replace(",", ""))  # type: ignore[union-attr]
        for box in page.select(".facets input[type=checkbox]")
    }


def source(desk: Desk, title: str, **more: Any) -> Source:
    made: Source = SourceFactory(workspace=desk.workspace, title=title, **more)
    return made


def test_every_facet_narrows_by_what_it_counts(desk: Desk) -> None:
    tagged = source(desk, "Alpha", authority="official", classification="public", publisher="Quay Press", host="a.org")
    tagged.tags.add(TagFactory(workspace=desk.workspace, name="tax, & fees"))
    apply(tagged, Verdict.VERIFIED_ACCESSIBLE)
    source(desk, "Beta", sensitivity="internal_only", retracted=True, host="b.org")
    cited = source(desk, "Gamma")
    project = ProjectFactory(workspace=desk.workspace)
    section = SectionFactory(project=project)
    CitationFactory(entry=CatalogEntryFactory(project=project, source=cited), section=section)
    observation = ObservationFactory(project=project)
    ObservationSourceFactory(observation=observation, source=cited)
    ObservationSourceFactory(observation=observation, source=cited, relationship="inferred")
    for one, number in counts(desk, f"project={project.uuid}").items():
        if one[0] == "section":
            assert (one[1], number) == (str(section.pk), 1)
    found = counts(desk)
    assert found["observed", "true"] == 1
    assert found["tag", "tax, & fees"] == 1
    assert found["publisher", "Quay Press"] == 1
    assert found["host", "b.org"] == 1
    assert found["project", str(project.uuid)] == 1
    assert {name for name, _ in found} >= {
        "disposition", "verdict", "identifier_type", "authority", "classification", "sensitivity", "retracted",
    }  # fmt: skip
    for (name, value), number in found.items():
        page = desk.client().get("/sources/", {name: value}, headers=HTMX).content
        shown = BeautifulSoup(page, "lxml").select("tbody .cell-title")
        assert len(shown) == number, (name, value)


def test_a_facet_keeps_the_numbers_of_its_other_values_and_takes_on_those_of_other_facets(desk: Desk) -> None:
    for title, authority, retracted in (("A", "official", True), ("B", "official", False), ("C", "primary", False)):
        source(desk, title, authority=authority, retracted=retracted)
    found = counts(desk, "authority=official")
    assert (found["authority", "official"], found["authority", "primary"]) == (2, 1)
    assert (found["retracted", "true"], found["retracted", "false"]) == (1, 1)
    assert titles(desk, "authority=official&authority=primary&retracted=false") == ["B", "C"]


@pytest.mark.parametrize(
    "query",
    ["q=harb", "q=SURVEY", "q=Quayle", "q=gulf", "q=10.5555/harbour.7", "q=doi:10.5555/HARBOUR.7", "q=%20harbour%20 "],
)
def test_search_finds_by_words_and_by_identifier(desk: Desk, query: str) -> None:
    identity = identify("10.5555/harbour.7")
    source(
        desk,
        "Harbour survey",
        authors="Quayle, A.",
        publisher="Gulf Press",
        identifier_type=IdentifierType.DOI,
        identifier_value=identity.value,
        canonical_key=identity.key,
    )
    source(desk, "Ferry timetable", identifier_value="https://ferry.example/times")
    assert titles(desk, query) == ["Harbour survey"]


def test_search_finds_a_source_by_another_spelling_of_its_address(desk: Desk, other_desk: Desk) -> None:
    wanted = source(desk, "Harbour survey")
    variant = identify("https://old.harbour.org/survey")
    SourceAliasFactory(source=wanted, workspace=desk.workspace, canonical_key=variant.key)
    SourceAliasFactory(source=SourceFactory(workspace=other_desk.workspace), canonical_key=variant.key)
    assert titles(desk, "q=http://old.harbour.org/survey/") == ["Harbour survey"]


@pytest.mark.parametrize("query", ["%", "_", "'", '"', "\\", "a & ! |", ":*", "(", "\x01", "<->", "a" * 500, "日本"])
def test_signs_of_search_languages_are_only_letters(desk: Desk, query: str) -> None:
    source(desk, "Harbour survey")
    page = desk.client().get("/sources/", {"q": query})
    assert page.status_code == 200


def test_a_merged_source_is_nowhere_in_the_table(desk: Desk) -> None:
    winner = source(desk, "Winner")
    source(desk, "Loser", merged_into=winner)
    assert titles(desk) == ["Winner"]
    assert "1 source<" in desk.client().get("/sources/").content.decode()


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("title", ["apple", "Banana", "cherry"]),
        ("-title", ["cherry", "Banana", "apple"]),
        ("published_date", ["cherry", "apple", "Banana"]),
        ("used_in", ["apple", "Banana", "cherry"]),
        ("-used_in", ["cherry", "Banana", "apple"]),
        ("tags", ["apple", "Banana", "cherry"]),
        ("-retraction_note", ["apple", "Banana", "cherry"]),
    ],
)
def test_the_table_is_sorted_by(desk: Desk, sort: str, expected: list[str]) -> None:
    for title, date in (("apple", "2001"), ("Banana", "2002"), ("cherry", "2000")):
        made = source(desk, title, published_date=date)
        if title == "cherry":
            CatalogEntryFactory(source=made, project=ProjectFactory(workspace=desk.workspace))
    assert titles(desk, f"columns=used_in&sort={sort}") == expected


def test_pages_hold_each_source_once(desk: Desk) -> None:
    for number in range(103):
        source(desk, f"Source {number:03d}")
    seen = [title for page in (1, 2, 3) for title in titles(desk, f"page={page}")]
    assert seen == [f"Source {number:03d}" for number in range(103)]
    assert titles(desk, "page=99") == titles(desk, "page=3")


@pytest.mark.parametrize("number", [10, 20])
def test_all_columns_and_all_filters_cost_the_same_queries_whatever_the_length(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    tag = TagFactory(workspace=desk.workspace, name="tax")
    for _ in range(number):
        made = source(desk, "Harbour", retracted=True)
        made.tags.add(tag)
        CatalogEntryFactory(project=project, source=made)
    client = desk.client()
    client.get("/")
    query = f"q=harbour&retracted=true&tag=tax&project={project.uuid}&columns=tags&columns=used_in&columns=observed_in"
    with django_assert_num_queries(18):
        assert len(client.get(f"/sources/?{query}").context["table"].page.object_list) == number


# -- columns and views -------------------------------------------------------------------------------------------------


def test_a_person_keeps_columns_of_their_own(desk: Desk) -> None:
    source(desk, "Harbour", rights="CC BY 4.0")
    client = desk.client()
    client.post("/sources/columns/", {"columns": ["rights", "nonsense"], "query": "q=harbour&page=3&evil=1"})
    assert "CC BY 4.0" in client.get("/sources/").content.decode()
    assert "CC BY 4.0" not in desk.client(Role.EDITOR).get("/sources/").content.decode()
    client.post("/sources/columns/", {"usual": "1", "columns": ["rights"]})
    assert "CC BY 4.0" not in client.get("/sources/").content.decode()


def test_a_view_keeps_filter_order_and_columns_but_nothing_else(desk: Desk) -> None:
    client = desk.client()
    query = "q=harbour&verdict=thin&sort=-title&page=4&select=all&owner__password=x"
    answer = client.post("/sources/views/", {"name": " Thin  ones ", "query": query, "columns": ["rights"]})
    view = SavedView.objects.get()
    assert (view.name, view.is_shared) == ("Thin ones", False)
    assert set(re.split("[=&]", view.query)) == {
        "q",
        "harbour",
        "verdict",
        "thin",
        "sort",
        "-title",
        "columns",
        "rights",
    }
    assert answer.headers["Location"].startswith("/sources/?")
    client.post("/sources/views/", {"name": "Thin ones", "query": "q=quay"})
    assert SavedView.objects.get().query == "q=quay"


def test_a_view_is_seen_by_others_only_when_it_is_shared(desk: Desk, other_desk: Desk) -> None:
    mine = SavedViewFactory(workspace=desk.workspace, owner=desk.person(), name="Mine")
    SavedViewFactory(workspace=other_desk.workspace, owner=other_desk.person(), name="Foreign", is_shared=True)
    other = desk.client(Role.EDITOR)
    assert "Mine" not in other.get("/sources/views/").content.decode()
    desk.client().post(f"/sources/views/{mine.pk}/", {"name": "Ours", "is_shared": "on"})
    page = other.get("/sources/views/").content.decode()
    assert "Ours" in page
    assert "Foreign" not in page
    assert other.post(f"/sources/views/{mine.pk}/", {"name": "Stolen"}).status_code == 403
    assert other.post(f"/sources/views/{mine.pk}/delete/").status_code == 403
    assert desk.client(Role.ADMIN).post(f"/sources/views/{mine.pk}/delete/").status_code == 302
    assert not SavedView.objects.filter(pk=mine.pk).exists()


@pytest.mark.parametrize(("name", "query"), [("", "q=a"), ("n" * 101, "q=a"), ("long", "q=" + "a" * 5000)])
def test_a_view_that_cannot_be_kept_says_why(desk: Desk, name: str, query: str) -> None:
    client = desk.client()
    page = client.post("/sources/views/", {"name": name, "query": query}, follow=True).content.decode()
    assert "note-error" in page
    assert not SavedView.objects.exists()


def test_a_reader_keeps_views_but_shares_none(desk: Desk) -> None:
    reader = desk.client(Role.READER)
    assert reader.post("/sources/views/", {"name": "Mine", "query": "q=a"}).status_code == 302
    assert reader.post("/sources/views/", {"name": "All", "query": "q=a", "is_shared": "on"}).status_code == 403
