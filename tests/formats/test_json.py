"""CSL-JSON and Zotero's JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.files import failed, names, one, read, sources
from tests.growth import assert_linear


def csl(**fields: Any) -> str:
    return json.dumps([{"id": "k1", "type": "book", "title": "T", **fields}])


def test_a_csl_item_is_read() -> None:
    record = one(
        csl(
            type="article-journal",
            author=[
                {"family": "Gogh", "given": "V.", "non-dropping-particle": "van"},
                {"literal": "World Health Organization"},
            ],
            issued={"date-parts": [["2019", 3, "4"]]},
            DOI="https://doi.org/10.1234/A",
            URL="https://a.example/1",
            page="1-20",
            note="PMID: 123\nwords",
            keyword="boats, trade",
            genre="essay",
        ),
        as_format="csl_json",
    )
    assert [str(author) for author in record.authors] == ["van Gogh, V.", "World Health Organization"]
    assert names(record) == ["doi:10.1234/a", "pmid:123", "url:https://a.example/1"]
    assert (record.ref, record.published_date, record.tags) == ("k1", "2019-03-04", ("boats", "trade"))
    assert ("genre", "essay") in record.details


@pytest.mark.parametrize(
    ("issued", "date"),
    [
        ({"date-parts": [[]]}, ""),
        ({"date-parts": [[None]]}, ""),
        ({"date-parts": []}, ""),
        ({"date-parts": [[2019, None]]}, "2019"),
        ({"date-parts": [[2019, 13]]}, "2019"),
        ({"raw": "4 March 2019"}, "2019-03-04"),
        ({"literal": "circa 1850"}, "1850"),
        ({"date-parts": [[2019, 3], [2020, 1]]}, "2019-03"),
        ("2019-03", "2019-03"),
        ([], ""),
        ({"date-parts": "2019"}, ""),
    ],
)
def test_csl_dates_of_every_shape_are_read(issued: Any, date: str) -> None:
    assert one(csl(issued=issued), as_format="csl_json").published_date == date


@pytest.mark.parametrize("value", [None, 3, 2.0, True, [], {}, [None], {"a": [1]}])
def test_values_of_the_wrong_kind_do_no_harm(value: Any) -> None:
    fields = (
        "author",
        "editor",
        "issued",
        "DOI",
        "URL",
        "ISBN",
        "keyword",
        "note",
        "page",
        "status",
        "container-title",
    )
    assert one(csl(**dict.fromkeys(fields, value)), as_format="csl_json").title == "T"


def test_a_script_in_a_title_stays_text() -> None:
    assert one(csl(title="<script>alert(1)</script>"), as_format="csl_json").title == "<script>alert(1)</script>"


def test_the_status_retracted_states_it() -> None:
    assert one(csl(status="retracted"), as_format="csl_json").retracted is True


@pytest.mark.parametrize(
    "broken",
    ['{"title": }', '{"title": "x" "y"}', '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "{x}", '{"title": tru}'],
)
def test_a_broken_object_costs_only_itself(broken: str) -> None:
    text = f'[\n{{"type": "book", "title": "A"}},\n{broken},\n{{"type": "book", "title": "B"}}\n]'
    items = read(text, as_format="csl_json")
    assert [record.title for record in sources(items)] == ["A", "B"]
    (error,) = failed(items)
    assert error.line == 3


def test_a_file_that_ends_in_the_middle_is_read_up_to_there() -> None:
    items = read('[{"type": "book", "title": "A"}, {"type": "book", "tit', as_format="csl_json")
    assert (len(sources(items)), len(failed(items))) == (1, 1)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_json_with_a_mark_is_read(codec: str) -> None:
    assert one(csl(title="Häfen").encode(codec), as_format="csl_json").title == "Häfen"


def zotero(**fields: Any) -> str:
    item = {"itemType": "journalArticle", "title": "T", "citationKey": "k1", **fields}
    return json.dumps({"config": {"items": "no list"}, "items": [item]}, indent=1)


def test_a_zotero_item_is_read() -> None:
    record = one(
        zotero(
            creators=[
                {"creatorType": "author", "lastName": "Müller", "firstName": "Jörg"},
                {"creatorType": "author", "name": "World Health Organization"},
                {"creatorType": "editor", "lastName": "Ed", "firstName": "Itor"},
                {"creatorType": "translator", "lastName": "Trans", "firstName": "Lator"},
            ],
            date="2019-03-04",
            DOI="10.1234/a",
            extra=["PMID: 123"],
            tags=[{"tag": "boats"}],
            publicationTitle="Journal",
        ),
        as_format="zotero_json",
    )
    assert [str(author) for author in record.authors] == ["Müller, Jörg", "World Health Organization"]
    assert names(record) == ["doi:10.1234/a", "pmid:123"]
    assert (record.ref, record.kind, record.container_title) == ("k1", "article-journal", "Journal")
    assert ("translator", "Trans, Lator") in record.details


def test_a_list_of_the_web_interface_is_read_and_its_attachments_are_told() -> None:
    text = json.dumps(
        [
            {"key": "A", "data": {"key": "A", "itemType": "book", "title": "T", "ISBN": "978-3-16-148410-0"}},
            {"key": "B", "data": {"key": "B", "itemType": "attachment", "title": "PDF"}},
        ]
    )
    items = read(text, as_format="zotero_json")
    assert names(sources(items)[0]) == ["isbn:9783161484100"]
    assert "attachment" in failed(items)[0].message


@pytest.mark.parametrize("piece", [',{"', ",{x}", ",{]", "[", "x\n", '{"a":', "\\"])
def test_hostile_json_takes_linear_time(piece: str) -> None:
    assert_linear(lambda text: read(text, as_format="csl_json"), piece, 40_000, before='[{"type":"book"},', after="]")


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["title", "author", "issued", "DOI", "ISBN", "URL", "note", "keyword"]), _ANYTHING)
)
def test_any_csl_object_is_a_row_or_an_error(fields: dict[str, Any]) -> None:
    read(json.dumps([{"type": "book", **fields}]), as_format="csl_json")
