"""The screens of stores: documents, chunks, provenance, and taking a document in."""

import html
import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from sources.core.chunking import hash_of
from sources.models import Chunk, ChunkStore, Source
from tests.desk import HTMX, Desk
from tests.factories import ChunkFactory, ChunkStoreFactory, SourceFactory, SourceVersionFactory
from tests.unit.sources.disturbance import everything

pytestmark = pytest.mark.django_db
TIDES = "# Rise\nThe sea rises.\n\n# Fall\nThe sea falls.\n"


def text_of(answer: Any) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()))


def take_in(desk: Desk, text: str = TIDES, *, role: Role = Role.CURATOR, follow: bool = True, **fields: Any) -> Any:
    fields.setdefault("file", SimpleUploadedFile("tides.md", text.encode()))
    return desk.client(role).post("/chunks/new/", {"store": "harbour", **fields}, follow=follow)


def test_without_stores_the_page_says_how_to_make_one(desk: Desk) -> None:
    assert "No stores yet" in text_of(desk.client().get("/chunks/"))
    assert "/chunks/new/" in desk.client().get("/chunks/").content.decode()
    assert "/chunks/new/" not in desk.client(Role.READER).get("/chunks/").content.decode()


def test_a_file_is_taken_in_and_its_chunks_are_shown(desk: Desk) -> None:
    answer = take_in(desk, doi="10.5555/tides.1", rights="CC BY 4.0", version="2nd")
    store, source = ChunkStore.objects.get(), Source.objects.get()
    assert answer.redirect_chain[-1][0] == f"/stores/{store.pk}/document/?key={hash_of('tides.md')}"
    told = text_of(answer)
    for words in ("2 chunks added", "Lines 1–2", "Lines 4–5", "The sea falls.", "10.5555/tides.1", "CC BY 4.0", "2nd"):
        assert words in told
    assert f"/s/{source.uuid}/" in answer.content.decode()
    assert hash_of("# Rise\nThe sea rises.")[:16] in told
    page = text_of(desk.client(Role.READER).get("/chunks/"))
    assert re.search(r"harbour 1 2 ", page)
    assert "tides" in text_of(desk.client(Role.READER).get(f"/stores/{store.pk}/"))


def test_taken_in_again_it_says_what_is_stale(desk: Desk) -> None:
    take_in(desk)
    assert "0 chunks added, 0 replaced, 0 removed, 2 unchanged." in text_of(take_in(desk))
    answer = take_in(desk, TIDES.replace("falls", "sinks"))
    assert "Cached chunks of tides.md are stale: 1 passage changed or vanished" in text_of(answer)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"store": ""}, "Store : This field is required."),
        ({"file": ""}, "File : This field is required."),
        ({"file": SimpleUploadedFile("a.png", b"\x89PNG\r\n\x1a\n")}, "File : This file is a PNG image"),
        ({"file": SimpleUploadedFile("a.md", b"  \n")}, "File : The file holds no text"),
        ({"doi": "hello"}, "DOI : "),
        ({"url": "javascript:alert(1)"}, "URL of the source : "),
    ],
    ids=["no store", "no file", "an image", "blank", "no DOI", "no address"],
)
def test_a_fault_names_its_field_and_writes_nothing(desk: Desk, fields: dict[str, Any], told: str) -> None:
    answer = take_in(desk, follow=False, **fields)
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert not ChunkStore.objects.exists()


def test_documents_are_searched_and_htmx_gets_them_alone(desk: Desk) -> None:
    store = ChunkStoreFactory(workspace=desk.workspace)
    ChunkFactory(store=store, path="tides.md")
    ChunkFactory(store=store, path="ferries.md")
    answer = desk.client().get(f"/stores/{store.pk}/?q=FERR", headers=HTMX)
    assert "<html" not in answer.content.decode()
    assert "ferries.md" in text_of(answer)
    assert "tides.md" not in text_of(answer)
    assert "No document matches" in text_of(desk.client().get(f"/stores/{store.pk}/?q=zz%01"))
    assert "This store is empty" in text_of(
        desk.client().get(f"/stores/{ChunkStoreFactory(workspace=desk.workspace).pk}/")
    )


def test_a_document_on_a_retracted_source_is_marked_in_list_and_page(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace, retracted=True, retraction_note="Figures invented")
    chunk = ChunkFactory(store__workspace=desk.workspace, source=source)
    client = desk.client()
    assert "Retracted" in text_of(client.get(f"/stores/{chunk.store_id}/"))
    told = text_of(client.get(f"/stores/{chunk.store_id}/document/?key={chunk.path_key}"))
    assert told.count("[RETRACTED]") == 2
    assert "Figures invented" in told


def test_the_provenance_of_a_chunk_is_a_json_file(desk: Desk) -> None:
    take_in(desk, doi="10.5555/tides.1")
    chunk = Chunk.objects.order_by("start_line")[0]
    answer = desk.client(Role.READER).get(f"/chunks/{chunk.pk}/provenance.json")
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == f'attachment; filename="chunk-{chunk.pk}-provenance.json"'
    told = json.loads(answer.content)
    assert told["content_hash"]["value"] == chunk.content_hash
    assert told["identifiers"]["source_doi"] == "10.5555/tides.1"


def test_a_document_is_taken_out(desk: Desk) -> None:
    take_in(desk)
    store, client = ChunkStore.objects.get(), desk.client()
    assert client.post(f"/stores/{store.pk}/remove/", {"key": "no such"}).status_code == 404
    answer = client.post(f"/stores/{store.pk}/remove/", {"key": hash_of("tides.md")}, follow=True)
    assert "tides.md is taken out of harbour: 2 chunks." in text_of(answer)
    assert not Chunk.objects.exists()


@pytest.mark.parametrize("key", ["", "zz", "%01", "9" * 500])
def test_a_document_that_is_not_there_is_not_found(desk: Desk, key: str) -> None:
    store = ChunkStoreFactory(workspace=desk.workspace)
    assert desk.client().get(f"/stores/{store.pk}/document/?key={key}").status_code == 404


@pytest.mark.parametrize("number", [10, 20])
@pytest.mark.parametrize(
    ("screen", "queries"), [("/chunks/", 5), ("/stores/{}/", 6), ("/stores/{}/document/?key={}", 10)]
)
def test_a_screen_costs_the_same_queries_whatever_its_length(
    desk: Desk, number: int, screen: str, queries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    store = ChunkStoreFactory(workspace=desk.workspace)
    for place in range(number):
        ChunkStoreFactory(workspace=desk.workspace)
        ChunkFactory(store=store, path=f"{place}.md")
        source = SourceFactory(workspace=desk.workspace)
        ChunkFactory(store=store, path="a.md", source=source, version=SourceVersionFactory(source=source))
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(queries):
        assert client.get(screen.format(store.pk, hash_of("a.md"))).status_code == 200


def test_a_reader_may_read_alone(desk: Desk) -> None:
    take_in(desk)
    store, before = ChunkStore.objects.get(), everything()
    client = desk.client(Role.READER)
    page = client.get(f"/stores/{store.pk}/document/?key={hash_of('tides.md')}").content.decode()
    assert 'method="post"' not in page.partition("<main")[2].partition("</main>")[0]
    assert client.get("/chunks/new/").status_code == 403
    assert take_in(desk, role=Role.READER, follow=False).status_code == 403
    assert client.post(f"/stores/{store.pk}/remove/", {"key": hash_of("tides.md")}).status_code == 403
    assert everything()["sources.Chunk"] == before["sources.Chunk"]


def test_hostile_text_is_text_everywhere(desk: Desk) -> None:
    hostile = '"><img src=x onerror=alert(1)>{{ 7|add:7 }}'
    store = ChunkStoreFactory(workspace=desk.workspace, name=hostile)
    chunk = ChunkFactory(
        store=store, path=hostile, content=hostile, source_title=hostile, source_url=hostile, source_doi=hostile,
        rights=hostile, source_version=hostile, retracted=True, retraction_note=hostile,
    )  # fmt: skip
    client = desk.client()
    for address in (
        "/chunks/",
        f"/stores/{store.pk}/",
        f"/stores/{store.pk}/document/?key={chunk.path_key}",
        "/chunks/new/",
    ):
        page = client.get(address).content.decode()
        assert "<img src=x" not in page, address
        assert "&lt;img src=x" in page, address
    assert json.loads(client.get(f"/chunks/{chunk.pk}/provenance.json").content)["location"]["source"] == hostile
