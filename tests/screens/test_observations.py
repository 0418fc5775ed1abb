"""The screens of observations, concepts and sessions: read, write, link, take back."""

import html
import re
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from sources.core.entries import Relationship
from sources.models import Concept, Observation, ObservationSource, Source
from tests.desk import HTMX, Desk
from tests.factories import (
    CatalogEntryFactory,
    ChunkFactory,
    ConceptFactory,
    ObservationFactory,
    ObservationSourceFactory,
    ProjectFactory,
    SessionFactory,
    SourceFactory,
    TurnFactory,
    TurnSourceFactory,
)
from tests.unit.sources.disturbance import everything

pytestmark = pytest.mark.django_db
LIST = "/observations/"


def text_of(answer: Any) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()))


def written(desk: Desk, body: str = "Boats rose.", **more: Any) -> Observation:
    more.setdefault("project", ProjectFactory(workspace=desk.workspace))
    row: Observation = ObservationFactory(body=body, **more)
    return row


def rested(desk: Desk, row: Observation, **source: Any) -> ObservationSource:
    link: ObservationSource = ObservationSourceFactory(
        observation=row, source=SourceFactory(workspace=desk.workspace, **source)
    )
    return link


# -- the list ----------------------------------------------------------------------------------------------------------


def test_an_empty_list_says_where_observations_come_from(desk: Desk) -> None:
    answer = desk.client().get(LIST)
    assert "No observations yet" in text_of(answer)
    assert 'href="/"' in answer.content.decode()


def test_the_list_is_narrowed_by_words_project_kind_concept_and_retraction(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace, name="Quay memo")
    wanted = written(desk, "The lighthouse moved.", project=project, kind="finding")
    wanted.concepts.add(ConceptFactory(workspace=desk.workspace, name="Lights"))
    rested(desk, wanted, retracted=True)
    rested(desk, written(desk, "Ferries are late."))
    client = desk.client()
    assert "2 observations" in text_of(client.get(LIST))
    for query in ("q=MOVED+lighthouse", f"project={project.uuid}", "kind=finding", "concept=lights", "retracted=yes"):
        told = text_of(client.get(f"{LIST}?{query}"))
        assert "The lighthouse moved." in told, query
        assert "Ferries are late." not in told, query
    assert "Retracted" in text_of(client.get(f"{LIST}?q=lighthouse"))
    assert "No observation matches" in text_of(client.get(f"{LIST}?q=zzzz"))


@pytest.mark.parametrize(
    "query", ["project=1", "kind=poem", "page=9999999999999999999", "q=%01", "concept=%01", "retracted=x"]
)
def test_a_strange_query_breaks_nothing(desk: Desk, query: str) -> None:
    written(desk)
    assert desk.client().get(f"{LIST}?{query}").status_code == 200


def test_htmx_gets_the_results_alone(desk: Desk) -> None:
    written(desk)
    page = desk.client().get(f"{LIST}?q=boats", headers=HTMX).content.decode()
    assert "<html" not in page
    assert "Boats rose." in page


def test_nothing_of_another_workspace_is_shown_or_counted(desk: Desk, other_desk: Desk) -> None:
    written(desk, "Ours.")
    foreign = written(other_desk, "Theirs.")
    foreign.concepts.add(ConceptFactory(workspace=other_desk.workspace, name="Their concept"))
    client = desk.client()
    told = text_of(client.get(LIST))
    assert "1 observation " in told
    assert "Theirs." not in told
    assert "Their concept" not in client.get(LIST).content.decode()
    assert "Their concept" not in text_of(client.get("/concepts/"))
    assert "No observation matches" in text_of(client.get(f"{LIST}?concept=Their+concept"))


SCREENS = {
    "list": lambda desk, project: LIST,
    "project": lambda desk, project: f"/p/{project.uuid}/observations/",
    "concepts": lambda desk, project: "/concepts/",
    "concept": lambda desk, project: f"/concepts/{Concept.objects.order_by('pk')[0].uuid}/",
    "session": lambda desk, project: f"/sessions/{project.sessions.order_by('pk')[0].pk}/",
    "source": lambda desk, project: f"/s/{Source.objects.order_by('pk')[0].uuid}/knowledge/",
    "observation": lambda desk, project: f"/o/{Observation.objects.order_by('pk')[0].uuid}/?find=survey",
}


@pytest.mark.parametrize("number", [10, 20])
@pytest.mark.parametrize(
    ("screen", "queries"),
    [
        ("list", 11),
        ("project", 13),
        ("concepts", 5),
        ("concept", 13),
        ("session", 11),
        ("observation", 12),
        ("source", 10),
    ],
)
def test_a_screen_costs_the_same_queries_whatever_its_length(
    desk: Desk, number: int, screen: str, queries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    session, concept = SessionFactory(project=project), ConceptFactory(workspace=desk.workspace)
    turn = TurnFactory(session=session)
    first = written(desk, project=project, turn=turn)
    for _ in range(number):
        ConceptFactory(workspace=desk.workspace)
        SessionFactory(project=project)
        row = written(desk, project=project, turn=TurnFactory(session=session))
        row.concepts.add(concept)
        first.concepts.add(ConceptFactory(workspace=desk.workspace))
        rested(desk, row)
        rested(desk, first, retracted=True)
        ObservationSourceFactory(observation=row, source=Source.objects.order_by("pk")[0], relationship="inferred")
        ChunkFactory(store__workspace=desk.workspace, source=Source.objects.order_by("pk")[0])
        TurnSourceFactory(turn=turn, source=SourceFactory(workspace=desk.workspace))
        TurnSourceFactory(turn=row.turn, path="notes.md")
    client = desk.client()
    client.get("/")
    with django_assert_num_queries(queries):
        assert client.get(SCREENS[screen](desk, project)).status_code == 200


# -- writing -----------------------------------------------------------------------------------------------------------


def test_an_observation_is_written_edited_and_deleted(desk: Desk) -> None:
    project, client = ProjectFactory(workspace=desk.workspace), desk.client()
    answer = client.post(
        f"/p/{project.uuid}/observations/new/",
        {"body": "Boats rose.", "kind": "finding", "concepts": "tides, ebb"},
        follow=True,
    )
    row = Observation.objects.get()
    assert answer.redirect_chain[-1][0] == f"/o/{row.uuid}/"
    assert "Link the sources that it rests on." in text_of(answer)
    assert sorted(row.concepts.values_list("name", flat=True)) == ["ebb", "tides"]

    form = client.get(f"/o/{row.uuid}/edit/").content.decode()
    assert "ebb, tides" in form
    seen = re.search(r'name="seen" value="(\w+)"', form)
    assert seen is not None
    body = {"body": "Boats fell.", "kind": "finding", "concepts": "ebb", "seen": seen[1]}
    assert client.post(f"/o/{row.uuid}/edit/", body)["Location"] == f"/o/{row.uuid}/"
    again = client.post(f"/o/{row.uuid}/edit/", {**body, "body": "Boats sank."})
    assert again.status_code == 409
    assert "Somebody changed this observation meanwhile." in text_of(again)
    assert "Boats sank." in text_of(again)

    answer = client.post(f"/o/{row.uuid}/delete/", follow=True)
    assert "is deleted" in text_of(answer)
    assert not Observation.objects.exists()
    assert "Observation deleted" in text_of(client.get("/history/"))
    client.post(reverse("change-undo", args=[ChangeSet.objects.latest("pk").uuid]))
    assert Observation.objects.get().body == "Boats fell."


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"body": ""}, "What was observed : This field is required."),
        ({"body": "x", "kind": "poem"}, "Kind : Select a valid choice."),
        ({"body": "x", "concepts": "y" * 501}, "Concepts : A concept's name has at most 500 characters"),
    ],
)
def test_a_fault_names_its_field_and_loses_nothing(desk: Desk, given: dict[str, str], told: str) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    before = everything()
    answer = desk.client().post(f"/p/{project.uuid}/observations/new/", {"kind": "note", **given})
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert everything()["sources.Observation"] == before["sources.Observation"]
    assert not Concept.objects.exists()


# -- one observation ---------------------------------------------------------------------------------------------------


def test_a_page_tells_sources_concepts_and_turn(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace, name="Quay memo")
    turn = TurnFactory(session=SessionFactory(project=project, name="night-talk"), number=4)
    TurnSourceFactory(turn=turn, path="tides.md", lines="4–9", title="Tide tables", locator="10.5555/tides")
    row = written(desk, "Boats rose.\n  Twice.", project=project, turn=turn, source_doi="10.5555/old")
    row.concepts.add(ConceptFactory(workspace=desk.workspace, name="Ebb"))
    rested(desk, row, title="Harbour survey")
    told = text_of(desk.client(Role.READER).get(f"/o/{row.uuid}/"))
    for words in (
        "Quay memo",
        "Harbour survey",
        "cited",
        "Ebb",
        "night-talk, turn 4",
        "Tide tables",
        "tides.md:4–9",
        "10.5555/old",
    ):
        assert words in told
    assert "[RETRACTED]" not in told


def test_a_retracted_source_has_its_mark_and_a_warning_with_the_note(desk: Desk) -> None:
    row = written(desk)
    rested(desk, row, title="Sound survey")
    rested(desk, row, title="Bad survey", retracted=True, retraction_note="Figures invented")
    told = text_of(desk.client().get(f"/o/{row.uuid}/"))
    assert "Bad survey [RETRACTED]" in told
    assert "Source 2 is marked retracted: “Figures invented”" in told
    assert "Sound survey [RETRACTED]" not in told


def test_a_source_is_found_linked_and_taken_away(desk: Desk, other_desk: Desk) -> None:
    row, client = written(desk), desk.client()
    source = SourceFactory(workspace=desk.workspace, title="Lighthouse survey", authors="Quayle, A.")
    SourceFactory(workspace=other_desk.workspace, title="Lighthouse of theirs")
    found = text_of(client.get(f"/o/{row.uuid}/?find=lighthouse"))
    assert "Lighthouse survey" in found
    assert "theirs" not in found
    assert "No source of the registry has these words." in text_of(client.get(f"/o/{row.uuid}/?find=zzz%01"))
    body = {"source": source.uuid, "relationship": "inferred"}
    assert "rests on “Lighthouse survey” now" in text_of(client.post(f"/o/{row.uuid}/link/", body, follow=True))
    assert "rested on “Lighthouse survey” so already" in text_of(client.post(f"/o/{row.uuid}/link/", body, follow=True))
    link = row.source_links.get()
    assert link.relationship == Relationship.INFERRED
    assert "is taken away" in text_of(client.post(f"/o/{row.uuid}/unlink/", {"link": link.pk}, follow=True))
    assert not row.source_links.exists()


@pytest.mark.parametrize("given", [{}, {"source": "x"}, {"source": "0b9fd2a6-7b3d-4a55-9d7e-4d1f0c2e8a11"}])
def test_a_link_without_a_source_says_what_to_do(desk: Desk, given: dict[str, str]) -> None:
    answer = desk.client().post(f"/o/{written(desk).uuid}/link/", given)
    assert answer.status_code == 422
    assert "Choose a source of the list" in text_of(answer)


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 30, "²"])
def test_a_link_that_is_not_there_is_not_found(desk: Desk, number: str) -> None:
    assert desk.client().post(f"/o/{written(desk).uuid}/unlink/", {"link": number}).status_code == 404


def test_foreign_sources_and_links_cannot_be_named(desk: Desk, other_desk: Desk) -> None:
    row, client = written(desk), desk.client()
    foreign = rested(other_desk, written(other_desk))
    body = {"source": foreign.source.uuid, "relationship": "cited"}
    assert client.post(f"/o/{row.uuid}/link/", body).status_code == 404
    assert client.post(f"/o/{row.uuid}/unlink/", {"link": foreign.pk}).status_code == 404
    assert ObservationSource.objects.count() == 1


# -- what turns retrieved ----------------------------------------------------------------------------------------------


def test_what_a_turn_retrieved_is_offered_and_linked_one_by_one(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    turn = TurnFactory(session__project=project)
    TurnSourceFactory(turn=turn, path="tides.md")
    row, client = written(desk, project=project, turn=turn), desk.client()
    told = text_of(client.get(f"/o/{row.uuid}/"))
    assert "Link this observation to these sources?" in told
    assert "Link to 1 source" in told
    answer = client.post(f"/o/{row.uuid}/link-turn/", follow=True)
    assert "1 observation rests on what the turn retrieved: 1 new link." in text_of(answer)
    assert "Link this observation to these sources?" not in text_of(answer)
    assert row.source_links.get().relationship == Relationship.RETRIEVED
    assert "There was nothing to link" in text_of(client.post(f"/o/{row.uuid}/link-turn/", follow=True))


def test_what_turns_retrieved_is_linked_by_turn_and_for_the_whole_project(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    session = SessionFactory(project=project)
    turns = [TurnFactory(session=session) for _ in range(2)]
    for place, turn in enumerate(turns):
        TurnSourceFactory(turn=turn, path=f"{place}.md")
        written(desk, project=project, turn=turn)
        written(desk, project=project, turn=turn)
    client = desk.client()
    answer = client.post(f"/turns/{turns[0].pk}/link/", follow=True)
    assert answer.redirect_chain[-1][0] == f"/sessions/{session.pk}/"
    assert ObservationSource.objects.count() == 2
    address = f"/p/{project.uuid}/observations/"
    panel = client.get(address, headers=HTMX)
    assert "<html" not in panel.content.decode()
    assert "2 observations belong to turns that retrieved documents not linked yet." in text_of(panel)
    answer = client.post(f"{address}link/", follow=True)
    assert "2 observations rest on what the turn retrieved: 2 new links." in text_of(answer)
    assert "not linked yet" not in text_of(answer)
    assert address in client.get(f"/p/{project.uuid}/").content.decode()


def test_a_session_shows_its_turns_in_order(desk: Desk) -> None:
    session = SessionFactory(project=ProjectFactory(workspace=desk.workspace), name="night-talk")
    TurnSourceFactory(turn=TurnFactory(session=session, number=1), path="tides.md", lines="4–9")
    told = text_of(desk.client(Role.READER).get(f"/sessions/{session.pk}/"))
    assert "night-talk" in told
    assert "tides.md:4–9" in told
    assert "top score 0.87" in told
    assert "No turns in this session" in text_of(
        desk.client().get(f"/sessions/{SessionFactory(project=session.project).pk}/")
    )


# -- concepts, removal, people -----------------------------------------------------------------------------------------


def test_a_concept_is_described_and_deleted(desk: Desk) -> None:
    row, client = ConceptFactory(workspace=desk.workspace, name="Ebb"), desk.client()
    written(desk, "About the ebb.").concepts.add(row)
    address = f"/concepts/{row.uuid}/"
    assert "About the ebb." in text_of(client.get(address))
    refused = client.post(address, {"name": "Ebb", "identifier_type": "orcid"})
    assert refused.status_code == 422
    assert "Identifier : An identifier has a type and a value" in text_of(refused)
    client.post(address, {"name": "Ebb tide", "description": "Falling water."})
    assert "Falling water." in text_of(client.get("/concepts/"))
    assert "is deleted" in text_of(client.post(f"{address}delete/", follow=True))
    assert Observation.objects.count() == 1


def test_what_a_project_is_about_is_said_and_taken_away_on_both_pages(desk: Desk) -> None:
    project, client = ProjectFactory(workspace=desk.workspace, name="Quay memo"), desk.client()
    there = ConceptFactory(workspace=desk.workspace, name="Ebb")
    page, about = f"/p/{project.uuid}/", f"/concepts/{there.uuid}/"
    told = client.post(f"{page}concepts/", {"add": "Flood, Ebb"}, follow=True)
    assert "The project is about 2 more concepts now" in text_of(told)
    assert {"Ebb", "Flood"} == set(project.concepts.values_list("name", flat=True))
    assert "Quay memo" in text_of(client.get(about))
    told = client.post(f"{about}projects/", {"project": project.uuid, "take_away": "1"}, follow=True)
    assert "The concept is taken away from the project" in text_of(told)
    assert "Projects about it None yet." in text_of(told)
    client.post(f"{about}projects/", {"project": project.uuid})
    assert "it was so already" in text_of(client.post(f"{about}projects/", {"project": project.uuid}, follow=True))
    client.post(f"{page}concepts/", {"remove": "Flood"})
    assert list(project.concepts.values_list("name", flat=True)) == ["Ebb"]
    for body in ({"add": "x" * 501}, {"add": "x," * 2501}):
        assert client.post(f"{page}concepts/", body).status_code == 302
    assert client.post(f"{about}projects/", {"project": "1"}).status_code == 302
    assert Concept.objects.count() == 2


def test_a_source_that_is_held_is_not_removed_and_the_page_says_by_what(desk: Desk) -> None:
    row, client = written(desk), desk.client()
    link = rested(desk, row, title="Harbour survey")
    address = f"/s/{link.source.uuid}/remove/"
    for answer, status in ((client.get(address), 200), (client.post(address), 409)):
        assert answer.status_code == status
        assert f"#{row.pk} [note] “Boats rose.”" in text_of(answer)
    assert Source.objects.exists()
    client.post(f"/o/{row.uuid}/delete/")
    assert "Nothing rests on it" in text_of(client.get(address))
    assert "is removed from the registry. History has the undo." in text_of(client.post(address, follow=True))
    CatalogEntryFactory(project__workspace=desk.workspace)


def test_what_rests_on_a_source_is_a_fragment_for_its_page(desk: Desk) -> None:
    link = rested(desk, written(desk, "Boats rose."), title="Harbour survey")
    chunk = ChunkFactory(store__workspace=desk.workspace, store__name="harbour", source=link.source)
    client, address = desk.client(Role.READER), f"/s/{link.source.uuid}/knowledge/"
    assert "Boats rose." in text_of(client.get(address))
    fragment = client.get(address, headers=HTMX).content.decode()
    assert "<html" not in fragment
    assert f"/stores/{chunk.store_id}/document/?key={chunk.path_key}" in fragment
    bare = SourceFactory(workspace=desk.workspace)
    assert "Nothing rests on it" in text_of(client.get(f"/s/{bare.uuid}/knowledge/"))


def test_a_reader_reads_and_finds_no_button_that_writes(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    turn = TurnFactory(session__project=project)
    TurnSourceFactory(turn=turn)
    row = written(desk, project=project, turn=turn)
    link = rested(desk, row)
    concept = ConceptFactory(workspace=desk.workspace)
    client, before = desk.client(Role.READER), everything()
    for address in (
        LIST,
        f"/o/{row.uuid}/",
        f"/p/{project.uuid}/observations/",
        f"/sessions/{turn.session_id}/",
        f"/concepts/{concept.uuid}/",
    ):
        answer = client.get(address)
        assert answer.status_code == 200
        main = answer.content.decode().partition("<main")[2].partition("</main>")[0]
        assert 'method="post"' not in main, address
    for address, body in (
        (f"/o/{row.uuid}/edit/", {"body": "x", "kind": "note"}),
        (f"/o/{row.uuid}/delete/", {}),
        (f"/o/{row.uuid}/link/", {"source": link.source.uuid, "relationship": "inferred"}),
        (f"/o/{row.uuid}/unlink/", {"link": link.pk}),
        (f"/o/{row.uuid}/link-turn/", {}),
        (f"/turns/{turn.pk}/link/", {}),
        (f"/p/{project.uuid}/observations/new/", {"body": "x", "kind": "note"}),
        (f"/p/{project.uuid}/observations/link/", {}),
        (f"/concepts/{concept.uuid}/", {"name": "x"}),
        (f"/concepts/{concept.uuid}/delete/", {}),
        (f"/concepts/{concept.uuid}/projects/", {"project": project.uuid}),
        (f"/p/{project.uuid}/concepts/", {"add": "ebb"}),
        (f"/s/{link.source.uuid}/remove/", {}),
    ):
        assert client.post(address, body).status_code == 403, address
    assert everything() == before


def test_hostile_text_is_text_everywhere(desk: Desk) -> None:
    hostile = '"><img src=x onerror=alert(1)>{{ 7|add:7 }}'
    project = ProjectFactory(workspace=desk.workspace, name=hostile)
    turn = TurnFactory(session=SessionFactory(project=project, name=hostile), user=hostile)
    TurnSourceFactory(turn=turn, path=hostile, title=hostile, locator=hostile, lines=hostile, store=hostile)
    row = written(desk, hostile, project=project, turn=turn, source_doi=hostile)
    concept = ConceptFactory(workspace=desk.workspace, name=hostile, description=hostile)
    row.concepts.add(concept)
    project.concepts.add(concept)
    link = rested(desk, row, title=hostile, retracted=True, retraction_note=hostile)
    client = desk.client()
    for address in (
        LIST,
        f"/o/{row.uuid}/?find=img",
        f"/o/{row.uuid}/edit/",
        f"/p/{project.uuid}/observations/",
        f"/sessions/{turn.session_id}/",
        "/concepts/",
        f"/concepts/{concept.uuid}/",
        f"/p/{project.uuid}/",
        f"/s/{link.source.uuid}/remove/",
    ):
        page = client.get(address).content.decode()
        assert "<img src=x" not in page, address
        assert "&lt;img src=x" in page, address


def test_a_description_of_a_concept_that_was_begun_before_anothers_is_refused(desk: Desk) -> None:
    concept = ConceptFactory(workspace=desk.workspace, name="Tides", description="Rise and fall.")
    client, address = desk.client(), f"/concepts/{concept.uuid}/"
    seen = re.search(r'name="seen" value="([0-9a-f]{64})"', client.get(address).content.decode())
    assert seen is not None
    Concept.objects.filter(pk=concept.pk).update(description="Of the sea.")
    told = {"name": "Tides", "description": "Mine.", "identifier_type": "", "identifier_value": "", "seen": seen[1]}
    answer = client.post(address, told)
    assert answer.status_code == 409
    assert "Somebody described this concept anew meanwhile" in answer.content.decode()
    concept.refresh_from_db()
    assert concept.description == "Of the sea."


def test_an_edit_that_was_begun_before_anothers_concepts_does_not_take_them_away(desk: Desk) -> None:
    row = ObservationFactory(project=ProjectFactory(workspace=desk.workspace), body="Boats rose.")
    client, address = desk.client(), f"/o/{row.uuid}/edit/"
    seen = re.search(r'name="seen" value="([0-9a-f]{64})"', client.get(address).content.decode())
    assert seen is not None
    row.concepts.add(ConceptFactory(workspace=desk.workspace, name="Ebb"))
    answer = client.post(address, {"body": "Boats fell.", "kind": "note", "concepts": "", "seen": seen[1]})
    assert answer.status_code == 409
    assert [concept.name for concept in row.concepts.all()] == ["Ebb"]
