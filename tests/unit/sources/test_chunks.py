"""Documents in stores: taken in, changed, shrunk; their source, their version, their lineage and their payload."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext

from lineage.core.relations import EntityState, Relation
from lineage.models import Edge, Entity
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.chunking import hash_of
from sources.core.payload import payload
from sources.models import Chunk, ChunkStore, Source, SourceVersion
from sources.queries.chunks import chunks_of, documents_of, provenance_of, stores_of
from sources.services import chunks
from sources.services.chunks import About, IngestRefused
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ChunkFactory, ChunkStoreFactory, SourceFactory
from tests.unit.sources.disturbance import everything, faults_until_done

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(days=1)
TIDES = "# Rise\n\nThe sea rises.\n\n# Fall\n\nThe sea falls.\n\n# Rest\n\nThe sea rests.\n"
DOI = "10.5555/tides.1"


def taken_in(
    desk: Desk, text: str | bytes = TIDES, *, name: str = "tides.md", at: Any = NOW, **about: str
) -> chunks.Ingested:
    return chunks.ingest_file(
        workspace_id=desk.workspace.pk,
        store="harbour.db",
        name=name,
        data=text.encode() if isinstance(text, str) else text,
        about=About(**about),
        by=desk.person(),
        channel=Channel.PAGE,
        at=at,
    )


def numbers(done: chunks.Ingested) -> tuple[int, int, int, int, int]:
    return done.unchanged, done.added, done.replaced, done.removed, done.described


def stored() -> list[tuple[str, int | None]]:
    return [(row.content.splitlines()[-1], row.start_line) for row in Chunk.objects.order_by("start_line")]


def test_a_file_becomes_chunks_with_hash_lines_and_the_stem_for_a_title(desk: Desk) -> None:
    done = taken_in(desk, name="notes/tides.md")
    assert numbers(done) == (0, 3, 0, 0, 0)
    assert done.warning == ""
    assert stored() == [("The sea rises.", 1), ("The sea falls.", 5), ("The sea rests.", 9)]
    first = Chunk.objects.order_by("start_line")[0]
    assert (first.store.name, first.path, first.source_title, first.end_line) == (
        "harbour",
        "notes/tides.md",
        "tides",
        3,
    )
    assert first.content_hash == hash_of("# Rise\n\nThe sea rises.")
    assert (first.source, first.source_doi, first.source_url, first.rights) == (None, "", "", "")


def test_the_same_file_again_writes_nothing(desk: Desk) -> None:
    taken_in(desk, doi=DOI)
    before = everything()
    done = taken_in(desk, doi=f"https://doi.org/{DOI.upper()}", at=LATER)
    assert numbers(done) == (3, 0, 0, 0, 0)
    assert everything() == before


def test_a_changed_passage_is_replaced_with_a_new_time_and_a_warning(desk: Desk) -> None:
    taken_in(desk)
    old = Chunk.objects.get(content__endswith="falls.")
    done = taken_in(desk, TIDES.replace("falls", "sinks"), at=LATER)
    assert numbers(done) == (2, 0, 1, 0, 0)
    assert "Cached chunks of tides.md are stale: 1 passage changed or vanished" in done.warning
    new = Chunk.objects.get(content__endswith="sinks.")
    assert (new.pk, new.indexed_at) == (old.pk, LATER)
    assert set(Chunk.objects.exclude(pk=new.pk).values_list("indexed_at", flat=True)) == {NOW}
    assert old.entity is not None
    assert new.entity is not None
    old.entity.refresh_from_db()
    assert (old.entity.state, new.entity.state) == (EntityState.SUPERSEDED, EntityState.CURRENT)
    assert Edge.objects.get(relation=Relation.SUPERSEDES).from_entity == new.entity


def test_what_vanished_is_removed_and_leaves_a_tombstone(desk: Desk) -> None:
    taken_in(desk)
    gone = Chunk.objects.get(content__endswith="rests.").entity
    done = taken_in(desk, TIDES.partition("# Rest")[0])
    assert numbers(done) == (2, 0, 0, 1, 0)
    assert "1 passage changed or vanished" in done.warning
    assert gone is not None
    gone.refresh_from_db()
    assert gone.state == EntityState.TOMBSTONED
    assert Edge.objects.filter(from_entity=gone, relation=Relation.CHUNKED_FROM).exists()


def test_what_comes_back_stands_again_and_nothing_supersedes_itself(desk: Desk) -> None:
    other = TIDES.replace("falls", "sinks")
    for text in (TIDES, other, TIDES, other, TIDES):
        taken_in(desk, text)
    states = {row.content_hash: row.state for row in Entity.objects.filter(type="chunk")}
    assert states[hash_of("# Fall\n\nThe sea falls.")] == EntityState.CURRENT
    assert states[hash_of("# Fall\n\nThe sea sinks.")] == EntityState.SUPERSEDED
    pairs = set(Edge.objects.filter(relation=Relation.SUPERSEDES).values_list("from_entity", "to_entity"))
    assert not pairs & {(to, of) for of, to in pairs}


def test_passages_that_only_moved_keep_their_time_and_get_their_lines(desk: Desk) -> None:
    taken_in(desk)
    done = taken_in(desk, "\n\n" + TIDES, at=LATER)
    assert numbers(done) == (3, 0, 0, 0, 3)
    assert done.warning == ""
    assert [line for _, line in stored()] == [3, 7, 11]
    assert set(Chunk.objects.values_list("indexed_at", flat=True)) == {NOW}


def test_a_text_that_is_repeated_is_two_chunks(desk: Desk) -> None:
    text = "# Tide\nIt rises.\n\n# Tide\nIt rises.\n"
    taken_in(desk, text)
    assert list(Chunk.objects.order_by("ordinal").values_list("ordinal", "start_line")) == [(1, 1), (2, 4)]
    assert numbers(taken_in(desk, text)) == (2, 0, 0, 0, 0)
    assert numbers(taken_in(desk, "# Tide\nIt rises.\n"))[3] == 1


def test_a_doi_stands_on_every_chunk_and_makes_the_source_known(desk: Desk) -> None:
    done = taken_in(desk, doi=f"doi:{DOI.upper()}", title="Tide tables", version="2nd ed.", rights="CC BY 4.0")
    assert set(Chunk.objects.values_list("source_doi", "source_title", "source_version", "rights")) == {
        (DOI, "Tide tables", "2nd ed.", "CC BY 4.0")
    }
    source, version = Source.objects.get(), SourceVersion.objects.get()
    assert done.source == source
    assert (source.identifier_type, source.identifier_value, source.title) == ("doi", DOI, "Tide tables")
    assert set(Chunk.objects.values_list("source", "version")) == {(source.pk, version.pk)}
    assert (version.origin, version.byte_count, version.sha256) == ("imported", len(TIDES), hash_of(TIDES))
    ways = set(Edge.objects.values_list("relation", "from_entity__type", "to_entity__type"))
    assert ways == {("CHUNKED_FROM", "chunk", "source-version"), ("FETCHED_FROM", "source-version", "source")}


def test_a_doi_given_later_reaches_the_chunks_that_are_there(desk: Desk) -> None:
    taken_in(desk)
    assert numbers(taken_in(desk, doi=DOI, at=LATER)) == (3, 0, 0, 0, 3)
    assert set(Chunk.objects.values_list("source_doi", "indexed_at")) == {(DOI, NOW)}
    assert Edge.objects.filter(relation=Relation.CHUNKED_FROM, to_entity__type="source-version").count() == 3


def test_what_was_said_before_holds_for_new_passages_too(desk: Desk) -> None:
    taken_in(desk, doi=DOI, rights="CC BY 4.0")
    taken_in(desk, TIDES + "\n# Storm\n\nThe sea roars.\n", at=LATER)
    assert set(Chunk.objects.values_list("source_doi", "rights", "source")) == {
        (DOI, "CC BY 4.0", Source.objects.get().pk)
    }
    assert Chunk.objects.filter(version__sha256=hash_of(TIDES)).count() == 3


def test_a_document_at_an_address_has_that_for_its_url(desk: Desk) -> None:
    taken_in(desk, name="https://anna:hunter2@harbour.example/tides.md")
    row = Chunk.objects.all()[0]
    assert (row.source_url, row.source_title) == ("https://harbour.example/tides.md", "tides")
    assert "hunter2" not in str(everything())
    taken_in(desk, name="local.md", url="https://harbour.example/tides.md")
    assert Source.objects.count() == 1


def test_a_known_source_is_found_under_its_identifier_with_its_retraction(desk: Desk) -> None:
    source = SourceFactory(
        workspace=desk.workspace, identifier_type="doi", identifier_value=DOI, retracted=True, retraction_note="Notice"
    )
    assert taken_in(desk, doi=DOI).source == source
    assert set(Chunk.objects.values_list("retracted", "retraction_note")) == {(True, "Notice")}


@pytest.mark.parametrize(
    ("data", "about", "field", "said"),
    [
        (b"", {}, "file", "no text"),
        (b" \n\n", {}, "file", "no text"),
        (b"\x89PNG\r\n\x1a\n", {}, "file", "PNG"),
        (b"ok\nbad \xff\n", {}, "file", "Line 2"),
        (b"a\n\x00\n", {}, "file", "Line 2"),
        (b"ok", {"doi": "hello"}, "doi", "DOI"),
        (b"ok", {"url": "javascript:alert(1)"}, "url", "javascript"),
    ],
    ids=["empty", "blank", "an image", "not UTF-8", "a NUL", "no DOI", "no address"],
)
def test_what_cannot_be_taken_in_names_the_field_and_writes_nothing(
    desk: Desk, data: bytes, about: dict[str, str], field: str, said: str
) -> None:
    before = everything()
    with pytest.raises(IngestRefused, match=said) as refused:
        taken_in(desk, data, **about)
    assert refused.value.field == field
    assert everything() == before


@pytest.mark.parametrize(
    ("store", "path", "field"), [("", "a.md", "store"), ("x" * 201, "a.md", "store"), ("x", " ", "path")]
)
def test_a_store_and_a_path_have_names(desk: Desk, store: str, path: str, field: str) -> None:
    with pytest.raises(IngestRefused) as refused:
        chunks.ingest_file(
            workspace_id=desk.workspace.pk,
            store=store,
            name=path,
            data=b"text",
            about=About(),
            by=desk.person(),
            channel=Channel.PAGE,
            at=NOW,
        )
    assert refused.value.field == field


def test_another_document_of_the_store_is_left_alone(desk: Desk) -> None:
    taken_in(desk)
    taken_in(desk, "Something else.", name="else.md")
    store = ChunkStore.objects.get()
    assert chunks.remove_document(store=store, path="tides.md", by=desk.person(), channel=Channel.PAGE, at=LATER) == 3
    assert [row.path for row in Chunk.objects.all()] == ["else.md"]


def test_an_ingest_is_one_deed_that_keeps_no_text(desk: Desk) -> None:
    taken_in(desk)
    deed = ChangeSet.objects.get()
    assert (deed.kind, deed.note, deed.changes.count()) == ("chunks.ingest", "tides.md in harbour", 3)
    assert "The sea" not in str(list(deed.changes.values_list("before", "after")))


def test_a_long_document_costs_the_queries_of_a_short_one(desk: Desk) -> None:
    costs = []
    for number in (10, 200):
        text = "\n".join(f"# Part {place}\nOf {number}.\n" for place in range(number))
        with CaptureQueriesContext(connection) as asked:
            taken_in(desk, text, name=f"{number}.md")
        costs.append(len(asked))
    # History writes 1,000 values a statement on SQLite.
    assert costs[1] <= costs[0] + 3


def test_a_fault_at_any_statement_leaves_the_store_as_it_was(desk: Desk) -> None:
    assert faults_until_done(lambda: taken_in(desk, doi=DOI)) > 10
    assert faults_until_done(lambda: taken_in(desk, "# Rise\n\nIt changed.\n", doi=DOI, at=LATER)) > 10


def test_a_reader_may_not_and_to_a_stranger_there_is_nothing(desk: Desk, other_desk: Desk) -> None:
    for person, refusal in ((desk.person(Role.READER), PermissionDenied), (other_desk.person(Role.ADMIN), Http404)):
        with pytest.raises(refusal):
            chunks.ingest_file(
                workspace_id=desk.workspace.pk,
                store="harbour",
                name="a.md",
                data=b"text",
                about=About(),
                by=person,
                channel=Channel.PAGE,
                at=NOW,
            )
    assert not ChunkStore.objects.exists()


# -- reads -------------------------------------------------------------------------------------------------------------


def test_the_payload_tells_the_five_parts(desk: Desk) -> None:
    taken_in(desk, doi=DOI, url="https://harbour.example/tides", version="2", rights="CC BY 4.0")
    chunk = chunks_of(ChunkStore.objects.get(), path_key=hash_of("tides.md"))[0]
    told = payload(provenance_of(chunk))
    assert told["identifiers"]["source_doi"] == DOI
    assert told["identifiers"]["source_url"] == "https://harbour.example/tides"
    assert told["identifiers"]["entity"].startswith("chunk://store/")
    assert told["location"] == {"store": "harbour", "source": "tides.md", "start_line": 1, "end_line": 3}
    assert told["time"]["indexed_at"] == told["time"]["fetched_at"] == NOW.isoformat()
    assert told["content_hash"]["value"] == chunk.content_hash
    assert (told["source_version"], told["rights"]) == ("2", "CC BY 4.0")
    assert (told["standing"]["status"], told["standing"]["retracted"]) == ("", False)


def test_a_retraction_of_the_source_reaches_the_payload_at_once(desk: Desk) -> None:
    taken_in(desk, doi=DOI)
    Source.objects.update(retracted=True, retraction_note="Figures invented")
    standing = payload(provenance_of(chunks_of(ChunkStore.objects.get(), path_key=hash_of("tides.md"))[0]))["standing"]
    assert (standing["status"], standing["retracted"]) == ("retracted", True)
    assert standing["retraction_note"] == "Figures invented"


def test_stores_and_documents_are_counted(desk: Desk, other_desk: Desk) -> None:
    taken_in(desk)
    taken_in(desk, "Something else.", name="else.md", doi=DOI)
    Source.objects.update(retracted=True)
    ChunkStoreFactory(workspace=desk.workspace, name="quay")
    ChunkFactory(store__workspace=other_desk.workspace)
    told = [(store.name, store.chunk_count, store.document_count) for store in stores_of(desk.workspace.pk)]  # type: ignore[attr-defined]
    assert told == [("harbour", 4, 2), ("quay", 0, 0)]
    store = ChunkStore.objects.get(name="harbour")
    assert [(row["path"], row["chunks"], row["retracted"]) for row in documents_of(store)] == [
        ("else.md", 1, 1),
        ("tides.md", 3, 0),
    ]
    assert [row["path"] for row in documents_of(store, words="TIDES.md")] == ["tides.md"]
