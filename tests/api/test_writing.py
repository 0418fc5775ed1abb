"""Closed-corpus writing over JSON: outline, corpus, pack, drafts, by the same services as on the pages."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from provenance_site.accounts import services as accounts
from provenance_site.accounts.roles import Role
from sources.core.findings import Disposition
from sources.models import CorpusEntry, Draft, Source
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, SourceFactory
from tests.unit.sources.writing import DRAFT, FOUND, GAUGE, draft_of, keep, project_of, section_of

pytestmark = pytest.mark.django_db


def client(desk: Desk, role: Role = Role.CURATOR) -> Client:
    _, secret = accounts.create_token(
        user=desk.person(role), workspace=desk.workspace, name="pipeline", days=30, at=timezone.now()
    )
    return Client(headers={"Authorization": f"Bearer {secret}"})


def send(one: Client, method: str, path: str, given: dict[str, Any]) -> Any:
    return getattr(one, method)(f"/api/v1{path}", given, content_type="application/json")


def test_an_outline_is_saved_as_values_or_as_yaml_and_a_fault_names_its_line(desk: Desk) -> None:
    project, one = project_of(desk), client(desk)
    path = f"/projects/{project.uuid}/outline"
    section = {"title": "Market", "guiding_questions": ["How large?"], "preferred_sources": ["harbour.example"]}
    told = send(one, "put", path, {"sections": [section]})
    assert told.status_code == 200, told.content
    assert told.json()["sections"] == [{**section, "slug": "market"}]
    assert one.get(f"/api/v1{path}").json() == told.json()
    state = told.json()["state"]
    assert send(one, "put", path, {"yaml": "Market:\nTeam:\n", "state": state}).status_code == 200
    assert send(one, "put", path, {"yaml": "Other:\n", "state": state}).status_code == 409
    bad = send(one, "put", path, {"yaml": "sections:\n  - questions: [x]\n"})
    assert (bad.status_code, bad.json()["detail"]) == (422, "Line 2: this section has no `title:`. Give it one.")
    assert send(client(desk, Role.READER), "put", path, {"sections": []}).status_code == 403


def test_a_corpus_is_read_filled_and_packed(desk: Desk) -> None:
    project, one = project_of(desk), client(desk)
    section = section_of(project)
    keep(desk, section)
    Source.objects.update(fresh_until=None)
    source = SourceFactory(workspace=desk.workspace, disposition=Disposition.KEEP)
    CatalogEntryFactory(project=project, source=source, number=7)
    path = f"/projects/{project.uuid}/corpus"
    told = one.get(f"/api/v1{path}?section=market&limit=1").json()
    (row,) = told["sources"]
    assert (told["total"], told["next_offset"]) == (1, None)
    assert (row["id"], row["url"], row["body_excerpt"], row["retrieval_tool"], row["verdict"], row["standing"]) == (
        "src-001",
        GAUGE,
        FOUND.excerpt,
        "searxng",
        "verified-accessible",
        [],
    )
    assert send(one, "post", f"{path}/take", {"section": "market"}).json() == {"taken": 1}
    pack = one.get(f"/api/v1{path}/pack?excerpts=all").json()
    assert [each["id"] for each in pack["sources"]] == ["src-001", "src-007"]
    assert pack["rules"]
    assert pack["tokens"] > 0
    assert send(one, "post", f"{path}/remove", {"section": "market", "id": "src-007"}).status_code == 204
    assert send(one, "post", f"{path}/remove", {"section": "market", "id": "src-007"}).status_code == 404
    assert one.get(f"/api/v1{path}?section=none").status_code == 404


def test_a_draft_is_gated_read_and_given_another_version(desk: Desk) -> None:
    project, one = project_of(desk), client(desk)
    keep(desk, section_of(project))
    Source.objects.update(fresh_until=None)
    path = f"/projects/{project.uuid}/drafts"
    text = DRAFT + "It is the oldest. [src-047]\n"
    made = send(one, "post", path, {"name": "Memo", "text": text, "policy": {"stale": "refuse"}})
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["version"], told["markers"]["markers"], told["markers"]["decision"]) == (1, 1, "too-many")
    (problem,) = told["problems"]
    assert (problem["code"], problem["severity"], problem["line"], problem["id"]) == (
        "unknown-id",
        "error",
        4,
        "src-047",
    )
    assert [(note["number"], note["id"]) for note in told["citations"]] == [(1, "src-001")]
    assert told["entity"].startswith("report://draft/")
    assert send(one, "post", path, {"name": "Memo", "text": "x"}).status_code == 422
    draft = f"/drafts/{told['draft']}"
    given = send(one, "post", f"{draft}/versions", {"text": DRAFT, "seen": 1})
    assert (given.status_code, given.json()["version"], given.json()["problems"]) == (201, 2, [])
    assert send(one, "post", f"{draft}/versions", {"text": "Mine.", "seen": 1}).status_code == 409
    assert one.get(f"/api/v1{draft}?version=1").json() == told
    assert one.get(f"/api/v1{draft}").json()["version"] == 2
    assert one.get(f"/api/v1{draft}?version=9").status_code == 404
    (brief,) = one.get(f"/api/v1{path}").json()["drafts"]
    assert (brief["name"], brief["version"], brief["refused"], brief["policy"]) == ("Memo", 2, 0, {"stale": "refuse"})


def test_reconciling_tells_first_and_keeps_when_asked(desk: Desk) -> None:
    project, one = project_of(desk), client(desk)
    keep(desk, section_of(project))
    text = f"Tides. [^1] Ships. [^2]\n\n[^1]: [Old]({GAUGE})\n[^2]: [X](https://x.example/)\n"
    draft = draft_of(desk, project, text)
    path = f"/drafts/{draft.uuid}/reconcile"
    told = send(one, "post", path, {})
    assert told.status_code == 200, told.content
    assert told.json()["counts"]["dropped"] >= 1
    assert draft.versions.count() == 1
    kept = send(one, "post", path, {"keep": True, "seen": 1})
    assert (kept.status_code, kept.json()["version"], kept.json()["origin"]) == (201, 2, "reconciled")
    assert kept.json()["changes"] == told.json()["changes"]


def test_the_policy_is_set(desk: Desk) -> None:
    draft = draft_of(desk, project_of(desk))
    given = {"mode": "hybrid", "policy": {"retracted": "warn"}}
    assert send(client(desk), "put", f"/drafts/{draft.uuid}/policy", given).json() == given
    assert send(client(desk), "put", f"/drafts/{draft.uuid}/policy", {"mode": "lax"}).status_code == 422


def test_a_foreign_project_or_draft_is_not_there_and_a_reader_writes_nothing(desk: Desk, other_desk: Desk) -> None:
    project = project_of(desk)
    keep(desk, section_of(project))
    draft = draft_of(desk, project)
    before = [list(model.objects.values_list()) for model in (CorpusEntry, Draft, Source)]
    asked: list[tuple[str, str, dict[str, Any]]] = [
        ("get", f"/projects/{project.uuid}/outline", {}),
        ("put", f"/projects/{project.uuid}/outline", {"sections": []}),
        ("get", f"/projects/{project.uuid}/corpus", {}),
        ("get", f"/projects/{project.uuid}/corpus/pack", {}),
        ("post", f"/projects/{project.uuid}/corpus/take", {"section": "market"}),
        ("post", f"/projects/{project.uuid}/corpus/remove", {"section": "market", "id": "src-001"}),
        ("get", f"/projects/{project.uuid}/drafts", {}),
        ("post", f"/projects/{project.uuid}/drafts", {"name": "B", "text": "x"}),
        ("get", f"/drafts/{draft.uuid}", {}),
        ("post", f"/drafts/{draft.uuid}/versions", {"text": "x"}),
        ("post", f"/drafts/{draft.uuid}/reconcile", {"keep": True}),
        ("put", f"/drafts/{draft.uuid}/policy", {"mode": "hybrid"}),
    ]
    stranger, reader = client(other_desk, Role.ADMIN), client(desk, Role.READER)
    for method, path, given in asked:
        assert send(stranger, method, path, given).status_code == 404, path
        assert send(reader, method, path, given).status_code == (200 if method == "get" else 403), path
    assert [list(model.objects.values_list()) for model in (CorpusEntry, Draft, Source)] == before
