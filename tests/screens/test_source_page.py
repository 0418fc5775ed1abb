"""A source's page: the form of its metadata, and what hangs on it."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from sources.core.fingerprint import fingerprint
from sources.models import Source
from tests.desk import Desk
from tests.factories import (
    ChunkFactory,
    ChunkStoreFactory,
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    SourceFactory,
    SourceVersionFactory,
    TagFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(desk: Desk) -> Source:
    made: Source = SourceFactory(
        workspace=desk.workspace,
        title="Harbour survey of the northern quay",
        authors="Quayle, A.; Harbour Office",
        published_date="2024",
        bibliography={"kind": "report", "volume": "7", "abstract": "Kept."},
    )
    made.tags.add(TagFactory(workspace=desk.workspace, name="tax, & fees"))
    return made


def form_of(desk: Desk, source: Source) -> dict[str, str]:
    """What the page's form holds, as a browser would send it."""
    page = BeautifulSoup(desk.client().get(f"/s/{source.uuid}/edit/").content, "lxml")
    form = page.select_one("main form")
    assert form is not None
    data = {str(box["name"]): str(box.get("value", "")) for box in form.select("input[name]")}
    # A browser drops the first line end of a text area, which Django writes there for that reason.
    data |= {str(box["name"]): box.get_text().removeprefix("\n") for box in form.select("textarea")}
    data |= {str(box["name"]): str(box.select_one("option[selected]")["value"]) for box in form.select("select")}  # type: ignore[index]
    return data


def save(desk: Desk, source: Source, role: Role = Role.CURATOR, **typed: str) -> Any:
    answer = desk.client(role).post(f"/s/{source.uuid}/edit/", {**form_of(desk, source), **typed})
    source.refresh_from_db()
    return answer


def test_saving_an_untouched_form_changes_nothing(desk: Desk, source: Source) -> None:
    before = Source.objects.values().get(pk=source.pk)
    assert save(desk, source).status_code == 302
    assert Source.objects.values().get(pk=source.pk) == before
    assert not ChangeSet.objects.exists()


def test_metadata_is_edited_with_authors_in_both_forms_and_taken_back(desk: Desk, source: Source) -> None:
    before = Source.objects.values().get(pk=source.pk)
    save(
        desk,
        source,
        title="Harbour survey of the southern quay",
        authors="Quayle, Ada (0000-0002-1825-0097)\nHarbour Office",
        published_date="2024-04-25",
        volume="",
        pages="7-9",
        tags="tax, & fees\nharbour",
        sensitivity="internal_only",
    )
    assert source.author_list == [
        {"family": "Quayle", "given": "Ada", "orcid": "0000-0002-1825-0097"},
        {"family": "Harbour Office"},
    ]
    assert source.authors == "Quayle, Ada; Harbour Office"
    assert source.bibliography == {"kind": "report", "pages": "7-9", "abstract": "Kept."}
    assert sorted(source.tags.values_list("name", flat=True)) == ["harbour", "tax, & fees"]
    assert (source.sensitivity, source.row_version) == ("internal_only", 2)
    client = desk.client()
    client.post(f"/changes/{ChangeSet.objects.get().uuid}/undo/")
    after = Source.objects.values().get(pk=source.pk)
    assert after == before | {"row_version": 3}
    assert list(source.tags.values_list("name", flat=True)) == ["tax, & fees"]


@pytest.mark.parametrize(
    "typed", [{"title": "Another title of four words"}, {"published_date": "1999"}, {"authors": "Moss, B."}]
)
def test_the_fingerprint_follows_title_date_and_authors(desk: Desk, source: Source, typed: dict[str, Any]) -> None:
    save(desk, source, **typed)
    author = source.authors.split(";")[0]
    assert source.fingerprint == fingerprint(
        title=source.title, published_date=source.published_date, first_author=author
    )
    assert source.fingerprint


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("published_date", "2024-02-30"),
        ("published_date", "24-1"),
        ("published_date", "0000"),
        ("classification", "cosmic"),
        ("kind", "two words"),
        ("tags", "t" * 101),
    ],
)
def test_what_cannot_be_is_refused_beside_its_field(desk: Desk, source: Source, field: str, value: str) -> None:
    typed: dict[str, Any] = {field: value}
    answer = save(desk, source, **typed)
    assert answer.status_code == 422
    assert "note-error" in answer.content.decode()
    assert source.row_version == 1


def test_a_stale_form_overwrites_nothing_and_keeps_what_was_typed(desk: Desk, source: Source) -> None:
    mine = form_of(desk, source)
    save(desk, source, role=Role.EDITOR, publisher="Quay Press")
    answer = desk.client().post(f"/s/{source.uuid}/edit/", {**mine, "publisher": "Gulf Press"})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Gulf Press" in page
    assert "Quay Press" in page
    assert str(desk.person(Role.EDITOR)) in page
    source.refresh_from_db()
    assert source.publisher == "Quay Press"


def test_a_reader_has_no_form(desk: Desk, source: Source) -> None:
    reader = desk.client(Role.READER)
    assert f"/s/{source.uuid}/edit/" not in reader.get(f"/s/{source.uuid}/").content.decode()
    assert reader.get(f"/s/{source.uuid}/edit/").status_code == 403
    assert reader.post(f"/s/{source.uuid}/edit/", {"row_version": 1}).status_code == 403


def test_the_parts_show_what_hangs_on_the_source(desk: Desk, source: Source) -> None:
    SourceVersionFactory(source=source, sha256="cd" * 32, title="As fetched")
    project = ProjectFactory(workspace=desk.workspace, name="Quay memo")
    observation = ObservationFactory(project=project, body="<b>Boats rose.</b>")
    ObservationSourceFactory(observation=observation, source=source)
    ChunkFactory.create_batch(3, store=ChunkStoreFactory(workspace=desk.workspace, name="harbour store"), source=source)
    save(desk, source, rights="CC0")
    told = {
        "versions": ["cdcdcdcd", "As fetched"],
        "observations": ["&lt;b&gt;Boats rose.", "Quay memo"],
        "chunks": ["harbour store", ">3<"],
        "edits": ["Rights", "CC0", "Undo the whole edit"],
        "nonsense": ["About the source"],
    }
    for part, words in told.items():
        page = desk.client().get(f"/s/{source.uuid}/?part={part}").content.decode()
        for word in words:
            assert word in page, (part, word)


@pytest.mark.parametrize("part", ["versions", "observations", "edits"])
@pytest.mark.parametrize("number", [10, 20])
def test_a_part_costs_the_same_queries_whatever_its_length(
    desk: Desk, source: Source, part: str, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    for at in range(number):
        SourceVersionFactory(source=source)
        ObservationSourceFactory(observation=ObservationFactory(project=project), source=source)
        save(desk, source, rights=f"Rights {at}")
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(14):
        assert client.get(f"/s/{source.uuid}/?part={part}").status_code == 200


def test_a_merged_source_leads_to_the_one_it_went_into(desk: Desk, source: Source) -> None:
    middle = SourceFactory(workspace=desk.workspace, merged_into=source)
    first = SourceFactory(workspace=desk.workspace, merged_into=middle)
    answer = desk.client().get(f"/s/{first.uuid}/")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/s/{source.uuid}/")


@pytest.mark.parametrize("deed", ["edit", "remove"])
def test_what_was_merged_is_neither_edited_nor_removed_and_leads_on(desk: Desk, deed: str) -> None:
    winner = SourceFactory(workspace=desk.workspace)
    merged = SourceFactory(workspace=desk.workspace, merged_into=winner)
    client = desk.client()
    for answer in (client.get(f"/s/{merged.uuid}/{deed}/"), client.post(f"/s/{merged.uuid}/{deed}/")):
        assert answer.headers["Location"] == f"/s/{merged.uuid}/"
    assert client.get(f"/s/{merged.uuid}/{deed}/", follow=True).redirect_chain[-1][0] == f"/s/{winner.uuid}/"
    assert Source.objects.filter(pk=merged.pk).exists()


def test_a_source_without_address_and_identifier_says_so(desk: Desk) -> None:
    nameless = SourceFactory(
        workspace=desk.workspace,
        title="A map",
        identifier_type="none",
        identifier_value="",
        canonical_key="",
        request_url="",
    )
    page = desk.client().get(f"/s/{nameless.uuid}/").content.decode()
    assert "No address and no identifier" in page
    assert "none none" not in page
