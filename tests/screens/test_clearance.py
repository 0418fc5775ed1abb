"""What is above a member's clearance is to them as if it had never been: on every address of the registry, of checks.

The addresses come from the resolver: a new one fails here until it is put into the list, with how it is asked, or with
the reason why it need not be.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from provenance_site.accounts.models import User
from provenance_site.accounts.reading import reading_as
from provenance_site.accounts.roles import Clearance, Role
from provenance_site.accounts.services import create_token
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.jobs.models import JobItem
from sources.core.chunking import hash_of
from sources.core.export_formats import ExportFormat
from sources.core.kinds import DecisionKind, RowAction
from sources.models import ImportBatch, Source
from sources.queries.readable import RULES, hidden_keys, readable, readable_at
from sources.services import export_orders, review, source_lineage
from sources.services.export_files import place_of
from sources.services.export_writing import Wanted
from tests.clock import NOW
from tests.desk import Desk, without_token
from tests.factories import ImportRowFactory, MembershipFactory, SourceFactory, UserFactory
from tests.layers import Layer, layer, told_of

pytestmark = pytest.mark.django_db
MISSING = "00000000-0000-4000-8000-000000000000"
Asked = Callable[[Layer], list[str]]


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


def at(*paths: str) -> Asked:
    return lambda _: list(paths)


def of_source(path: str, *queries: str) -> Asked:
    return lambda seen: [
        *(f"/s/{one.uuid}/{path}" for one in seen.sources[: 3 if queries else 1]),
        *(f"/s/{seen.sources[0].uuid}/{path}{query}" for query in queries),
    ]


def of_project(path: str, *queries: str) -> Asked:
    return lambda seen: [f"/p/{seen.project.uuid}/{path}{query}" for query in queries or ("",)]


def of_run(path: str) -> Asked:
    return lambda seen: [f"/runs/{one.job.uuid}/{path}" for one in (seen.run, seen.own_run)]


def _merging(seen: Layer) -> list[str]:
    keep, lose = seen.sources[0].uuid, seen.sources[2].uuid
    return [f"/duplicates/merge/?keep={keep}&source={keep}&source={lose}"]


def _document(seen: Layer) -> list[str]:
    return [f"/stores/{seen.document.store.pk}/document/?key={hash_of(seen.document.path)}"]


FILTERS = (
    "?q=press&sort=-title&columns=title&columns=projects&columns=observations&columns=tags",
    "?q=https://wrecks.example/a&classification=restricted",
    "?project={project}&section={section}&retracted=true&observed=true&publisher=The wrecks press",
)  # fmt: skip


def _lists(seen: Layer) -> list[str]:
    section = seen.project.sections.get().pk
    return ["/sources/" + one.format(project=seen.project.uuid, section=section) for one in FILTERS]


DEED = "A deed: it begins with a look-up that a page of the list does too, see the tests of deeds below."
# How each address is asked; for those that are not: why nothing can be told by them.
PAGES: dict[str, Asked | str] = {
    "home": at("/"),
    "project-create": DEED,
    "project": of_project(""),
    "project-concepts": DEED,
    "import-new": of_project("imports/new/"),
    "master-sources": of_project("Master-Sources.md", "", "?layout=memo"),
    "import-preview": lambda seen: [f"/imports/{seen.batch.uuid}/", f"/imports/{seen.batch.uuid}/?show=new"],
    "import-commit": DEED,
    "import-progress": lambda seen: [f"/imports/{seen.batch.uuid}/progress/"],
    "import-discard": DEED,
    "project-exports": of_project("exports/"),
    "exports": at("/exports/"),
    "export": lambda seen: [f"/exports/{seen.export.uuid}/"],
    "export-file": lambda seen: [f"/exports/{seen.export.uuid}/file/"],
    "export-order": lambda seen: [f"/exports/orders/{seen.order.uuid}/"],
    "view-export": at("/sources/export/", "/sources/export/?q=press"),
    "view-csv": at("/sources/sources.csv", "/sources/sources.csv?internal=1&q=press"),
    "queue": lambda seen: ["/queue/", f"/queue/?at={seen.sources[2].uuid}", f"/queue/?project={seen.project.uuid}"],
    "source-list": _lists,
    "duplicates": at("/duplicates/", "/duplicates/?reason=similar-title"),
    "duplicate-find": DEED,
    "duplicate-merge": _merging,
    "duplicate-bulk": DEED,
    "duplicate-apart": DEED,
    "source-edit": DEED,
    "source-edit-apply": DEED,
    "saved-views": "Conditions that people named, without what they find.",
    "saved-view": "As `saved-views`.",
    "saved-view-delete": DEED,
    "source-columns": DEED,
    "source": of_source("", "?part=versions", "?part=observations", "?part=chunks", "?part=edits"),
    "source-change": of_source("edit/"),
    "source-decide": DEED,
    "source-retraction": of_source("retraction/"),
    "retraction-decide": DEED,
    "retraction-acknowledge": DEED,
    "retractions": at(
        *(f"/retractions/?tab={tab}" for tab in ("new", "stale", "conflicts", "acknowledged", "retracted"))
    ),
    "retraction-list": at("/retractions/list/"),
    "retraction-list-apply": DEED,
    "source-knowledge": of_source("knowledge/"),
    "source-remove": of_source("remove/"),
    "source-removed": lambda seen: [f"/sources/removed/{seen.removed.uuid}/"],
    "observation-list": at("/observations/", "/observations/?q=rose", "/observations/?retracted=on"),
    "project-observations": of_project("observations/"),
    "observation-new": of_project("observations/new/"),
    "project-link-turns": DEED,
    "observation": lambda seen: [f"/o/{seen.observation.uuid}/", f"/o/{seen.observation.uuid}/?q=press"],
    "observation-edit": lambda seen: [f"/o/{seen.observation.uuid}/edit/"],
    "observation-delete": DEED,
    "observation-link": DEED,
    "observation-unlink": DEED,
    "observation-link-turn": DEED,
    "concept-list": at("/concepts/"),
    "concept": lambda seen: [f"/concepts/{seen.observation.concepts.get().uuid}/"],
    "concept-delete": DEED,
    "concept-projects": DEED,
    "session": lambda seen: [f"/sessions/{seen.turn.session_id}/"],
    "turn-notes": lambda seen: [f"/turns/{seen.turn.pk}/notes.fountain"],
    "turn-link": DEED,
    "store-list": at("/chunks/"),
    "ingest": at("/chunks/new/"),
    "store": lambda seen: [f"/stores/{seen.document.store.pk}/{query}" for query in ("", "?q=of")],
    "document": _document,
    "document-remove": DEED,
    "chunk-provenance": lambda seen: [
        f"/chunks/{one.pk}/provenance.json" for one in seen.document.store.chunks.filter(path=seen.document.path)
    ],
    "long-deed": "Others' deeds are not there for whoever does not read everything, see below.",
    "long-deed-progress": "As `long-deed`.",
    "long-deed-stop": DEED,
    "history": at("/history/"),
    "change-undo": DEED,
    "project-runs": of_project("runs/"),
    "recovery-log": of_project("recovery-log.json"),
    "source-recheck": DEED,
    "run": of_run(""),
    "run-progress": of_run("progress/"),
    "run-cancel": DEED,
    "own-rules": at("/settings/rules/"),
    "own-publisher-new": at("/settings/rules/publishers/new/"),
    "own-publisher": "The entry's form; what it would match is asked by a deed, see below.",
    "own-publisher-turn": DEED,
    "own-publisher-delete": DEED,
    "own-pattern-new": at("/settings/rules/patterns/new/"),
    "own-pattern": "As `own-publisher`.",
    "own-pattern-turn": DEED,
    "own-pattern-delete": DEED,
    "search-providers": at("/settings/providers/"),
    "search-provider": DEED,
    "search-provider-remove": DEED,
    "run-report": of_run("report/"),
    "run-report-md": of_run("report.md"),
    "run-report-csv": of_run("report.csv"),
    "run-report-json": of_run("report.json"),
    "project-report": of_project("report/"),
    "project-report-md": of_project("report.md", "", "?internal=1"),
    "project-report-csv": of_project("report.csv"),
    "project-report-json": of_project("report.json"),
    "notices": at("/notices/"),
    "notices-read": DEED,
    "notice-read": DEED,
}
API: dict[str, Asked | str] = {
    "validate": DEED,
    "run": lambda seen: [f"/runs/{one.job.uuid}" for one in (seen.run, seen.own_run)],
    "run-report": lambda seen: [f"/runs/{one.job.uuid}/report" for one in (seen.run, seen.own_run)],
    "project-report": at("/report?project=Harbour"),
    "retraction-checks": DEED,
    "retraction-check": "What was asked about by name, registered or not.",
    "retraction-feeds": at("/retractions/feeds"),
    "observations": at("/observations", "/observations?retracted=true"),
    "observation-sources": DEED,
    "chunks": DEED,
    "chunk-provenance": lambda seen: [
        f"/chunks/{one.pk}/provenance" for one in seen.document.store.chunks.filter(path=seen.document.path)
    ],
    "project-concepts": lambda seen: [f"/projects/{seen.project.uuid}/concepts"],
    "duplicates": at("/duplicates"),
    "duplicate-merge": DEED,
    "duplicate-apart": DEED,
    "export-make": DEED,
    "export-order": lambda seen: [f"/export-orders/{seen.order.uuid}"],
    "export": lambda seen: [f"/exports/{seen.export.uuid}"],
    "export-file": lambda seen: [f"/exports/{seen.export.uuid}/file"],
    "import-give": DEED,
    "import": lambda seen: [f"/imports/{seen.batch.uuid}"],
    "import-commit": DEED,
    "retractions": at(*(f"/retractions?tab={tab}" for tab in ("new", "conflicts", "acknowledged", "retracted"))),
    "retraction-list": DEED,
    "turns": at("/turns"),
}
# Addresses of other rooms, by how they begin.
ELSEWHERE = {
    "lineage/": "Held to the same by tests/screens/test_lineage_leaks.py.",
    "api/v1/lineage/": "As the screens of lineage.",
    "accounts/": "People, tokens and passwords: nothing of the registry.",
    "admin/": "Shows rows of a workspace only to administrators who read everything in it, see below.",
    "api/v1/docs": "Words about the interface.",
    "api/v1/openapi.json": "Words about the interface.",
    "favicon.ico": "A picture.",
    "healthz": "A word.",
    "readyz": "A word.",
}


def names() -> Iterator[tuple[str, str]]:
    """Door and name of each address of the product that is not of another room."""

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, str]]:
        for pattern in patterns:
            path = before + str(pattern.pattern)
            if path.startswith(tuple(ELSEWHERE)) or (path == "api/v1/" and isinstance(pattern, URLPattern)):
                continue
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            else:
                yield ("api" if path.startswith("api/") else "page"), str(pattern.name)

    yield from walk(get_resolver().url_patterns, "")


def test_every_address_is_in_the_list() -> None:
    found = set(names())
    assert {name for door, name in found if door == "page"} - {"search-provider"} == set(PAGES) - {"search-provider"}
    assert {name for door, name in found if door == "api"} - {"api-root"} == set(API)


@pytest.fixture
def reader(desk: Desk) -> User:
    """An administrator who reads what is internal."""
    person: User = UserFactory(username="reader")
    MembershipFactory(user=person, workspace=desk.workspace, role=Role.ADMIN, clearance=Clearance.INTERNAL)
    return person


def page_client(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def api_client(desk: Desk, person: User) -> Client:
    _, token = create_token(user=person, workspace=desk.workspace, name="t", days=366, at=NOW)
    return Client(headers={"Authorization": f"Bearer {token}"})


def told(client: Client, path: str) -> tuple[int, str]:
    answer: Any = client.get(path)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, without_token(content).decode()


def differences(client: Client, paths: list[str], before: dict[str, tuple[int, str]]) -> list[str]:
    """For each address whose answer is another now: itself, and the first line that differs."""
    found = []
    for path in paths:
        now, then = told(client, path), before[path]
        if now != then:
            lines = zip([str(then[0]), *then[1].splitlines()], [str(now[0]), *now[1].splitlines()], strict=False)
            first = next((f"{old.strip()!r} became {new.strip()!r}" for old, new in lines if old != new), "length")
            found.append(f"{path}: {first}"[:400])
    return found


def asked(addresses: dict[str, Asked | str], of: Layer, before: str = "") -> list[str]:
    return [before + path for how in addresses.values() if not isinstance(how, str) for path in how(of)]


def doors(desk: Desk, person: User, of: Layer) -> list[tuple[Client, list[str]]]:
    return [
        (page_client(person), asked(PAGES, of)),
        (api_client(desk, person), asked(API, of, "/api/v1")),
    ]


def test_every_page_is_as_if_what_is_hidden_had_never_been(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    told_of(reader, seen)
    both = doors(desk, reader, seen)
    before = [{path: told(client, path) for path in paths} for client, paths in both]
    broken = {path: answer[0] for answers in before for path, answer in answers.items() if answer[0] != 200}
    assert broken == {}
    told_of(reader, layer(desk, "wrecks", "restricted", under=seen))
    found = [
        line for (client, paths), was in zip(both, before, strict=True) for line in differences(client, paths, was)
    ]
    assert "\n".join(found) == ""


def test_who_reads_everything_sees_both_layers(desk: Desk) -> None:
    seen = layer(desk, "tides", "public")
    layer(desk, "wrecks", "restricted", under=seen)
    client = page_client(desk.person(Role.ADMIN))
    for path in ("/sources/", "/queue/", "/observations/", "/history/", f"/p/{seen.project.uuid}/report.md"):
        assert "wrecks" in told(client, path)[1], path


def _addressed(hidden: Layer) -> list[tuple[str, str, Any, Any]]:
    """Method, address with `{}`, what is hidden, and what never was, for each kind of thing that has an address."""
    source, turn_over = hidden.sources[0].uuid, 999_999_999
    chunk = hidden.document.store.chunks.get(path=hidden.document.path).pk
    return [
        *(
            ("get", f"/s/{{}}/{path}", source, MISSING)
            for path in ("", "edit/", "retraction/", "knowledge/", "remove/")
        ),
        *(
            ("post", f"/s/{{}}/{path}", source, MISSING)
            for path in ("edit/", "decide/", "retraction/decide/", "retraction/acknowledge/", "remove/")
        ),
        *(("get", f"/o/{{}}/{path}", hidden.observation.uuid, MISSING) for path in ("", "edit/")),
        *(
            ("post", f"/o/{{}}/{path}", hidden.observation.uuid, MISSING)
            for path in ("edit/", "delete/", "link/", "unlink/", "link-turn/")
        ),
        ("get", "/exports/{}/", hidden.export.uuid, MISSING),
        ("get", "/exports/{}/file/", hidden.export.uuid, MISSING),
        ("get", "/exports/orders/{}/", hidden.order.uuid, MISSING),
        ("get", "/imports/{}/", hidden.batch.uuid, MISSING),
        ("post", "/imports/{}/commit/", hidden.batch.uuid, MISSING),
        ("post", "/imports/{}/discard/", hidden.batch.uuid, MISSING),
        ("get", "/chunks/{}/provenance.json", chunk, turn_over),
        ("get", "/runs/{}/", hidden.own_run.job.uuid, MISSING),
        ("get", "/runs/{}/report.json", hidden.own_run.job.uuid, MISSING),
        ("post", "/runs/{}/cancel/", hidden.own_run.job.uuid, MISSING),
        ("get", "/sources/removed/{}/", hidden.removed.uuid, MISSING),
        ("post", "/changes/{}/undo/", hidden.removed.uuid, MISSING),
        ("get", "/deeds/{}/", hidden.deed.job.uuid, MISSING),
        ("post", "/deeds/{}/stop/", hidden.deed.job.uuid, MISSING),
        (
            "get",
            f"/stores/{hidden.document.store.pk}/document/?key={{}}",
            hash_of(hidden.document.path),
            hash_of("none"),
        ),
        ("get", f"/duplicates/merge/?keep={{0}}&source={{0}}&source={source}", source, MISSING),
    ]


def _answer(client: Client, method: str, path: str) -> tuple[int, bytes, int]:
    with CaptureQueriesContext(connection) as queries:
        answer: Any = getattr(client, method)(path)
    return answer.status_code, without_token(answer.content), len(queries)


def test_what_is_hidden_is_addressed_like_what_never_was(desk: Desk, reader: User) -> None:
    seen = layer(desk, "tides", "public")
    hidden = layer(desk, "wrecks", "confidential", under=seen)
    client = page_client(reader)
    told(client, "/sources/")
    for method, path, there, never in _addressed(hidden):
        answers = {_answer(client, method, path.format(one)) for one in (there, never)}
        assert len(answers) == 1, f"{method} {path}: {answers}"
        assert next(iter(answers))[0] == 404, f"{method} {path}"
    api = api_client(desk, reader)
    told(api, "/api/v1/observations")
    for path, there in (
        ("exports/{}", hidden.export.uuid),
        ("exports/{}/file", hidden.export.uuid),
        ("export-orders/{}", hidden.order.uuid),
        ("imports/{}", hidden.batch.uuid),
        ("runs/{}", hidden.own_run.job.uuid),
        ("runs/{}/report", hidden.own_run.job.uuid),
    ):
        answers = {_answer(api, "get", "/api/v1/" + path.format(one)) for one in (there, MISSING)}
        assert len(answers) == 1, f"{path}: {answers}"
        assert next(iter(answers))[0] == 404, path


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
    keys = [str(one.uuid) for one in hidden.sources]
    text = "\n".join(f"https://wrecks.example/{one}" for one in "abc")
    look = client.post("/retractions/list/", {"text": text, "status": "retracted", "note": "Bad."}).content.decode()
    assert look.count("No source here has this identifier") == 3
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
