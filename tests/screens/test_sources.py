"""The sources table, a source's page, the export and the history, through the client."""

import re
from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from sources.core.findings import Verdict
from sources.models import Source
from sources.views.history import WORDS
from tests.clock import NOW
from tests.desk import HTMX, Desk
from tests.environment import ROOT
from tests.factories import CatalogEntryFactory, CitationFactory, ProjectFactory, SourceFactory
from tests.unit.sources.findings import apply, seen

pytestmark = pytest.mark.django_db


def test_an_empty_registry_says_where_sources_come_from(desk: Desk) -> None:
    assert "No sources yet" in desk.client().get("/sources/").content.decode()


def test_search_and_facets_narrow_the_table(desk: Desk) -> None:
    apply(SourceFactory(workspace=desk.workspace, title="Lighthouse survey"), Verdict.VERIFIED_ACCESSIBLE)
    apply(SourceFactory(workspace=desk.workspace, title="Ferry timetable"), Verdict.HARD_404)
    client = desk.client()
    assert "2 sources" in client.get("/sources/").content.decode()
    found = client.get("/sources/?q=lighthouse+SURVEY").content.decode()
    assert "Lighthouse survey" in found
    assert "Ferry timetable" not in found
    dead = client.get("/sources/?verdict=hard-404").content.decode()
    assert "Ferry timetable" in dead
    assert "Lighthouse survey" not in dead


def test_htmx_gets_the_results_alone(desk: Desk) -> None:
    SourceFactory(workspace=desk.workspace, title="Harbour survey")
    page = desk.client().get("/sources/?q=harbour", headers=HTMX).content.decode()
    assert "<html" not in page
    assert "Harbour survey" in page


def test_nothing_found_offers_the_way_back(desk: Desk) -> None:
    SourceFactory(workspace=desk.workspace)
    assert "No source matches" in desk.client().get("/sources/?q=zzzz").content.decode()


@pytest.mark.parametrize(
    "query",
    [
        "verdict=maybe",
        "page=999999999999999999999",
        "sort=password",
        "owner__password__startswith=a",
        "project=1",
        "q=" + "a " * 500,
    ],
)
def test_a_strange_query_breaks_nothing_and_tells_nothing(desk: Desk, query: str) -> None:
    SourceFactory(workspace=desk.workspace)
    assert desk.client().get(f"/sources/?{query}").status_code == 200


def test_the_table_shows_no_foreign_source_and_counts_none(desk: Desk, other_desk: Desk) -> None:
    SourceFactory(workspace=desk.workspace, title="Ours")
    SourceFactory(workspace=other_desk.workspace, title="Theirs")
    page = desk.client().get("/sources/").content.decode()
    assert "1 source<" in page
    assert "Theirs" not in page


@pytest.mark.parametrize("number", [10, 20])
def test_the_table_costs_the_same_queries_whatever_its_length(
    desk: Desk, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(number):
        apply(SourceFactory(workspace=desk.workspace), Verdict.THIN)
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(15):
        client.get("/sources/")


def test_a_source_page_tells_identity_history_and_places(desk: Desk) -> None:
    source: Source = SourceFactory(workspace=desk.workspace, title="Harbour survey")
    entry = CatalogEntryFactory(source=source, project=ProjectFactory(workspace=desk.workspace, name="Quay memo"))
    CitationFactory(entry=entry, context="Boats rose.")
    apply(source, Verdict.HARD_404, snippet="There is no such page.")
    apply(source, Verdict.VERIFIED_ACCESSIBLE, at=NOW + timedelta(days=1), sha256="ab" * 32)
    page = desk.client().get(f"/s/{source.uuid}/").content.decode()
    for told in ("Harbour survey", "Quay memo", "Boats rose.", "Gone", "Verified", "abababab", "Changes of standing"):
        assert told in page


def test_a_hostile_title_is_text_everywhere(desk: Desk) -> None:
    hostile = '"><img src=x onerror=alert(1)>{{ 7|add:7 }}'
    source = apply(
        SourceFactory(workspace=desk.workspace, title=hostile),
        Verdict.TITLE_SWAPPED,
        title_found=hostile,
        snippet=hostile,
    )
    project = ProjectFactory(workspace=desk.workspace, name=hostile)
    CatalogEntryFactory(source=source, project=project)
    client = desk.client(Role.EDITOR)
    for address in (f"/s/{source.uuid}/", "/sources/", "/queue/", "/", f"/p/{project.uuid}/"):
        page = client.get(address).content.decode()
        assert "<img src=x" not in page
        assert "&lt;img src=x" in page


def test_the_download_is_a_file_with_the_same_bytes_for_the_same_state(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    source = apply(SourceFactory(workspace=desk.workspace, title="Harbour survey"), Verdict.VERIFIED_ACCESSIBLE)
    CitationFactory(entry=CatalogEntryFactory(source=source, project=project))
    first = desk.client(Role.READER).get(f"/p/{project.uuid}/Master-Sources.md")
    again = desk.client(Role.ADMIN).get(f"/p/{project.uuid}/Master-Sources.md")
    assert first.content == again.content
    assert first.headers["Content-Disposition"] == 'attachment; filename="Master-Sources.md"'
    assert first.headers["Content-Type"].startswith("text/markdown")
    assert b"Harbour survey" in first.content
    memo = desk.client().get(f"/p/{project.uuid}/Master-Sources.md?layout=memo").content
    assert memo.startswith("# Master Source List — ".encode())
    assert desk.client().get(f"/p/{project.uuid}/Master-Sources.md?layout=pdf").status_code == 400


def test_history_tells_who_did_what_in_this_workspace_only(desk: Desk, other_desk: Desk) -> None:
    for one in (desk, other_desk):
        source = apply(SourceFactory(workspace=one.workspace, title=f"Of {one.workspace.name}"), Verdict.THIN)
        given = {"kind": "drop", "reason": f"why {one.workspace.name}", **seen(source)}
        one.client(Role.EDITOR).post(f"/s/{source.uuid}/decide/", given)
    page = desk.client().get("/history/").content.decode()
    assert "why Harbour desk" in page
    assert "why Stranger desk" not in page
    foreign = ChangeSet.objects.get(workspace=other_desk.workspace)
    assert desk.client(Role.ADMIN).post(f"/changes/{foreign.uuid}/undo/").status_code == 404


def test_undo_leads_only_to_our_own_pages(desk: Desk) -> None:
    source = apply(SourceFactory(workspace=desk.workspace), Verdict.THIN)
    client = desk.client(Role.EDITOR)
    client.post(f"/s/{source.uuid}/decide/", {"kind": "accept", **seen(source)})
    made = ChangeSet.objects.get()
    for target in ("//evil.example/", "https://evil.example/", "/\\evil.example"):
        answer = client.post(f"/changes/{made.uuid}/undo/", {"next": target})
        assert answer.headers["Location"] == "/history/"


def test_the_history_has_words_for_every_kind_of_deed() -> None:
    told = re.compile(r'^(?!JOB)[A-Z]+_KIND = "([a-z-]+\.[a-z-]+)"', re.MULTILINE)
    services = [path for app in ("sources", "lineage", "validation") for path in (ROOT / app / "services").glob("*.py")]
    kinds = {kind for path in services for kind in told.findall(path.read_text(encoding="utf-8"))}
    assert {"sources.import", "lineage.hold"} <= kinds
    assert kinds <= WORDS.keys()
