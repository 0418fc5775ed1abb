"""What members do who may not read everything: hidden rows stay as they are, and nothing tells of them."""

from pathlib import Path
from typing import Any

import pytest

from provenance_site.accounts.models import User
from provenance_site.accounts.reading import reading_as
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.jobs.models import JobItem
from sources.core import entries
from sources.core.chunking import hash_of
from sources.core.entries import LinkKind, LinkRecord
from sources.core.export_formats import ExportFormat
from sources.core.kinds import DecisionKind, RowAction
from sources.models import ImportBatch, ObservationSource, Source
from sources.queries.readable import RULES, hidden_keys, readable, readable_at
from sources.services import bulk_deeds, bulk_edit, export_orders, link_import, review, source_edits, source_lineage
from sources.services.bulk_deeds import Deed
from sources.services.export_files import place_of
from sources.services.export_writing import Wanted
from sources.services.source_edits import Edit
from tests.clearance import api_client, cleared_for_internal, page_client, told
from tests.clock import NOW
from tests.desk import Desk, without_token
from tests.factories import (
    ImportBatchFactory,
    ImportRowFactory,
    MembershipFactory,
    ObservationSourceFactory,
    ProjectFactory,
    SourceFactory,
    TurnSourceFactory,
)
from tests.layers import layer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


@pytest.fixture
def reader(desk: Desk) -> User:
    return cleared_for_internal(desk)


def test_deeds_leave_alone_what_their_person_may_not_read(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "restricted", under=seen)
    rows = [*hidden.sources, hidden.observation, *hidden.document.store.chunks.filter(path="wrecks.txt")]
    before = [_columns(row) for row in rows]
    client, api = page_client(reader), api_client(desk, reader)
    ids = ",".join(str(one.pk) for one in hidden.sources)
    for deed in ("edit", "drop", "retract"):
        data = {"ids": ids, "deed": deed, "note": "All of it.", "publisher": "Nobody", "set_publisher": "on"}
        page = client.post("/sources/edit/", data).content.decode()
        assert "wrecks" not in page
    chosen = [seen.sources[2].pk, *(one.pk for one in hidden.sources)]
    here: dict[str, Any] = {"workspace_id": desk.workspace.pk, "source_ids": chosen}
    with reading_as(reader):
        for deed in Deed:
            look = bulk_deeds.look(**here, deed=deed, note="All.")
            assert look.total == 1
            done: dict[str, Any] = {
                "deed": deed,
                "note": "All.",
                "seen": look.digest,
                "by": reader,
                "channel": Channel.PAGE,
                "at": NOW,
            }
            bulk_deeds.do(**here, **done)
        edit = Edit(columns={"publisher": "Nobody"})
        digest = source_edits.look(**here, edit=edit).digest
        bulk_edit.edit(**here, change=edit, seen=digest, by=reader, channel=Channel.PAGE, at=NOW)
    assert Source.objects.get(pk=chosen[0]).publisher == "Nobody"
    keys = [str(one.uuid) for one in hidden.sources]
    text = "\n".join(f"https://wrecks.example/{one}" for one in "abc")
    listed = client.post("/retractions/list/", {"text": text, "status": "retracted", "note": "Bad."}).content.decode()
    assert listed.count("No source here has this identifier") == 3
    asked_for: list[tuple[str, dict[str, Any]]] = [
        ("duplicates/merge", {"keep": keys[0], "lose": keys[1:]}),
        ("duplicates/apart", {"sources": keys}),
        (f"observations/{seen.observation.uuid}/sources", {"source": keys[0]}),
        (f"observations/{hidden.observation.uuid}/sources", {"source": str(seen.sources[0].uuid)}),
    ]
    for path, body in asked_for:
        assert api.post(f"/api/v1/{path}", body, content_type="application/json").status_code == 404, path
    assert client.post(f"/stores/{hidden.document.store.pk}/remove/", {"key": hash_of("wrecks.txt")}).status_code == 404
    client.post("/sources/recheck/", {"ids": ids})
    assert not JobItem.objects.filter(job__created_by=reader).exists()
    assert [_columns(row) for row in rows] == before


def _columns(row: Any) -> dict[str, Any]:
    row.refresh_from_db()
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


PREVIEWS: list[tuple[str, dict[str, str]]] = [
    ("/sources/edit/", {"all": "1", "query": "", "deed": "drop", "note": "All."}),
    ("/sources/edit/", {"all": "1", "query": "", "deed": "retract", "note": "All."}),
    ("/sources/edit/", {"all": "1", "query": "q=press", "deed": "edit", "rights": "None"}),
    ("/retractions/list/", {"text": "https://wrecks.example/a\nhttps://tides.example/a", "status": "retracted"}),
    ("/settings/rules/publishers/new/", {"name": "Ours", "domains": "wrecks.example\ntides.example", "step": "try"}),
    ("/settings/rules/patterns/new/", {"name": "One", "pattern": "example/[a-c]$", "step": "try",
     "hits": "https://x.example/a", "passes": "https://x.example/long"}),
]  # fmt: skip


def test_previews_of_deeds_are_as_if_what_is_hidden_had_never_been(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    client = page_client(reader)

    def previews() -> list[list[str]]:
        answers = [client.post(path, {"note": "Why.", **data}) for path, data in PREVIEWS]
        assert {answer.status_code for answer in answers} == {200}
        return [
            [line for line in without_token(one.content).decode().splitlines() if "looked_at" not in line]
            for one in answers
        ]

    before = previews()
    layer(desk, "wrecks", "restricted", under=seen)
    for now, then in zip(previews(), before, strict=True):
        assert now == then


def test_a_list_that_names_a_hidden_source_shows_it_as_new_and_changes_nothing_of_it(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "restricted", under=seen)
    source = hidden.sources[2]
    before = _columns(source)
    list_of_theirs = f"[Wreck of theirs]({source.request_url})\n[A pier](https://pier.example/1)"
    client = page_client(reader)
    preview = client.post(f"/p/{seen.project.uuid}/imports/new/", {"text": list_of_theirs, "label": "mine"})
    batch = ImportBatch.objects.get(label="mine")
    assert preview.headers["Location"] == f"/imports/{batch.uuid}/"
    assert {row.action for row in batch.rows.all()} == {RowAction.NEW.value}
    assert not batch.rows.filter(source__isnull=False).exists()
    done = client.post(f"/imports/{batch.uuid}/commit/", follow=True).content.decode()
    assert "Imported into Harbour." in done
    assert source.entries.get().citations.filter(version__label="mine").exists()
    assert _columns(source) == before
    page = client.get(f"/imports/{batch.uuid}/").content.decode()
    assert "Wreck of theirs" in page
    assert str(source.uuid) not in page
    assert page.count(str(Source.objects.get(host="pier.example").uuid)) >= 1


def test_another_s_list_is_there_row_by_row_and_its_deed_not_at_all(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    client, api = page_client(reader), api_client(desk, reader)
    path = f"imports/{seen.batch.uuid}"
    before = told(client, f"/{path}/"), told(client, f"/{path}/?show=repeat"), told(api, f"/api/v1/{path}")
    assert "tides.md" in told(client, "/history/")[1]
    hidden = layer(desk, "wrecks", "restricted", under=seen)
    one, other = hidden.sources[:2]
    ImportRowFactory(batch=seen.batch, position=91, source=one, spelling=one.request_url, title="Among the others")
    ImportRowFactory(batch=seen.batch, position=92, canonical_key=other.canonical_key, action=RowAction.REPEAT)
    now = told(client, f"/{path}/"), told(client, f"/{path}/?show=repeat"), told(api, f"/api/v1/{path}")
    assert now == before
    assert "tides.md" not in told(client, "/history/")[1]


def test_taking_in_a_document_leaves_hidden_passages_as_they_are(desk: Desk, reader: User) -> None:
    hidden = layer(desk, "wrecks", "restricted")
    there = hidden.document.store.chunks.get()
    before = _columns(there)
    api = api_client(desk, reader)
    for text, added in (("All about wrecks.", 1), ("Something else.", 1)):
        given = {"store": "Memory", "path": "wrecks.txt", "text": text}
        told_back = api.post("/api/v1/chunks", given, content_type="application/json").json()
        assert (told_back["added"], told_back["replaced"], told_back["unchanged"]) == (added, 0, 0)
    assert _columns(there) == before


def test_an_observation_comes_to_rest_on_no_hidden_source_by_what_its_turn_retrieved(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "restricted", under=seen)
    TurnSourceFactory(turn=seen.turn, path="", title="A wreck", locator=hidden.sources[0].request_url)
    client = page_client(reader)
    client.post(f"/o/{seen.observation.uuid}/link-turn/")
    linked = ObservationSource.objects.filter(observation=seen.observation, relationship="retrieved")
    assert {link.source_id for link in linked} == {one.pk for one in seen.sources}
    assert told(client, f"/o/{seen.observation.uuid}/")[0] == 200


def test_links_of_a_file_leave_hidden_observations_alone(desk: Desk, reader: User) -> None:
    hidden = layer(desk, "wrecks", "restricted")
    project = ProjectFactory(workspace=desk.workspace, name="Theirs")
    batch = ImportBatchFactory(project=project, created_by=reader, label="kb.json")
    pier = SourceFactory(workspace=desk.workspace)
    ImportRowFactory(batch=batch, ref="o", object_id=hidden.observation.pk)
    ImportRowFactory(batch=batch, ref="s", object_id=pier.pk, source=pier)
    link = LinkRecord(line=3, kind=LinkKind.OBSERVATION_SOURCE, from_ref="o", to_ref="s")
    row = ImportRowFactory(batch=batch, record_kind="link", record=entries.as_json(link))
    with reading_as(reader):
        assert link_import.write(batch=batch, rows=[row], by=reader, at=NOW) == []
    assert not hidden.observation.source_links.filter(source=pier).exists()
    assert link_import.write(batch=batch, rows=[row], by=reader, at=NOW) != []


def test_a_source_that_something_hidden_rests_on_stays_and_the_answer_names_nothing(desk: Desk, reader: User) -> None:
    hidden = layer(desk, "wrecks", "restricted")
    source = SourceFactory(workspace=desk.workspace, classification="public")
    client = page_client(reader)
    before = told(client, f"/s/{source.uuid}/remove/")
    ObservationSourceFactory(observation=hidden.observation, source=source)
    assert told(client, f"/s/{source.uuid}/remove/") == before
    answer = client.post(f"/s/{source.uuid}/remove/")
    assert answer.status_code == 409
    assert "It is in use." in answer.content.decode()
    assert "wrecks" not in answer.content.decode()
    assert Source.objects.filter(pk=source.pk).exists()


def test_a_file_made_by_a_worker_holds_what_its_person_may_read(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    layer(desk, "wrecks", "restricted", under=seen)
    wanted = Wanted(workspace_id=desk.workspace.pk, format=ExportFormat.CSV, project=seen.project)
    order = export_orders.place(wanted=wanted, by=reader, at=NOW)
    export_orders.work(clock=lambda: NOW)
    order.refresh_from_db()
    assert order.export is not None
    content = place_of(order.export.sha256).read_text()
    assert "tides" in content
    assert "wrecks" not in content
    assert told(page_client(reader), f"/exports/{order.export.uuid}/")[0] == 200


def test_a_deed_of_ones_own_is_not_taken_back_where_its_rows_are_restricted_by_now(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    client = page_client(reader)
    review.decide(
        source=seen.sources[2],
        given=review.Verdicted(DecisionKind.DROP, "Not of use."),
        seen=review.Seen.of(seen.sources[2]),
        by=reader,
        channel=Channel.PAGE,
        at=NOW,
    )
    deed = ChangeSet.objects.get(actor=reader)
    source = Source.objects.get(pk=seen.sources[2].pk)
    Source.objects.filter(pk=source.pk).update(classification="restricted")
    source_lineage.declare(Source.objects.filter(pk=source.pk))
    page = client.post(f"/changes/{deed.uuid}/undo/", follow=True).content.decode()
    assert "What this changed is restricted by now." in page
    assert Source.objects.get(pk=source.pk).decided == "drop"


def test_the_admin_shows_rows_only_to_administrators_who_read_everything(desk: Desk, reader: User) -> None:
    layer(desk, "tides", "public")
    for person, number in ((reader, 0), (desk.person(Role.ADMIN), 3)):
        User.objects.filter(pk=person.pk).update(is_staff=True, is_superuser=True)
        page = told(page_client(person), "/admin/sources/source/")[1]
        assert page.count("tides.example") == number or (number and "tides" in page)


def test_a_clearance_counts_in_its_own_workspace_alone(desk: Desk, other_desk: Desk, reader: User) -> None:
    mine = layer(desk, "wrecks", "restricted")
    MembershipFactory(user=reader, workspace=other_desk.workspace, role=Role.EDITOR)
    theirs = layer(other_desk, "tides", "restricted")
    client = page_client(reader)
    assert told(client, f"/s/{mine.sources[0].uuid}/")[0] == 404
    assert told(client, f"/s/{theirs.sources[0].uuid}/")[0] == 200


def test_a_source_without_a_node_is_as_restricted_as_it_is_declared(desk: Desk, reader: User) -> None:
    for label, status in (("internal", 200), ("confidential", 404)):
        source = SourceFactory(workspace=desk.workspace, classification=label)
        assert source.entity_id is None
        assert told(page_client(reader), f"/s/{source.uuid}/")[0] == status


def test_who_reads_everything_asks_exactly_as_before(desk: Desk) -> None:
    with reading_as(desk.person(Role.ADMIN)):
        for model in RULES:
            rows = model._default_manager.all()
            assert readable(rows) is rows
        assert readable_at(Source, "") is None
        assert hidden_keys(Source, {1, 2}) == set()
