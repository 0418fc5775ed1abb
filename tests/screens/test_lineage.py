"""The screens of lineage: what they show, what they do, and that they cost the same however much there is."""

import csv
import html
import io
import json
import re
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from pytest_django import DjangoAssertNumQueries

from lineage.core.relations import EntityType
from lineage.models import Cause, Edge, Entity, Impact, Relay, TypePolicy
from lineage.queries.stories import MOST_TO_DRAW
from lineage.services import deletion
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.services import chunks
from sources.services.chunks import About
from tests.clock import NOW
from tests.desk import HTMX, Desk
from tests.factories import ClaimFactory, EntityFactory, HeldEdgeFactory
from tests.graphs import graph
from tests.unit.lineage.graphs import many, told_ref

pytestmark = pytest.mark.django_db
GRAPH = (
    "claim:k SUPPORTED_BY chunk:c",
    "claim:k SUPPORTED_BY chunk:d",
    "chunk:c CHUNKED_FROM artifact:a",
    "chunk:d CHUNKED_FROM artifact:b",
    "artifact:a FETCHED_FROM source:s",
    "artifact:b FETCHED_FROM source:t",
    "report:r CONTAINS claim:k",
)


def text_of(answer: Any) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()))


def at(name: str, ref: str, **more: str) -> str:
    return f"/lineage/{name}/?ref={quote(ref, safe='')}" + "".join(f"&{key}={value}" for key, value in more.items())


@pytest.fixture
def nodes(desk: Desk) -> dict[str, Entity]:
    return graph(desk.workspace, *GRAPH, run="run-1", transform="chunk@2")


def test_a_node_is_found_by_its_ref_and_its_words(desk: Desk, nodes: dict[str, Entity]) -> None:
    client = desk.client(Role.READER)
    assert client.get("/lineage/?q=report://r/v1")["Location"] == at("entity", "report://r/v1")
    EntityFactory(workspace=desk.workspace, type=EntityType.FILE, metadata={"title": "Tide tables of 2024"})
    assert "Tide tables of 2024" in text_of(client.get("/lineage/?q=tide%20tab", headers=HTMX))
    for nothing in ("zz%01", "report://none/v1"):
        assert "No node matches" in text_of(client.get(f"/lineage/?q={nothing}"))


def test_the_page_of_a_claim_says_how_much_of_its_ground_stands(desk: Desk, nodes: dict[str, Entity]) -> None:
    client = desk.client(Role.EDITOR)
    assert client.post(at("cause", "source://s/v1"), {"reason": ""}).status_code == 422
    client.post(at("cause", "source://s/v1"), {"reason": "Withdrawn."})
    told = text_of(client.get(at("entity", "claim://k/v1")))
    for words in ("1 of 2 sources stand", "partially supported", "Withdrawn.", "chunk, stale", "Cut at 1 step"):
        assert words in told
    client.post(f"/lineage/entity/verify/?ref={quote('claim://k/v1')}", {"result": "PASS", "reason": "d carries it"})
    told = text_of(client.get(at("entity", "claim://k/v1", depth="4")))
    assert "d carries it" in told
    assert "Complete: nothing that you may see was left out." in told
    refused = client.post(f"/lineage/entity/verify/?ref={quote('claim://k/v1')}", {"result": "FAIL"})
    assert (refused.status_code, "Say what went wrong" in text_of(refused)) == (422, True)


def test_a_cause_is_previewed_recorded_and_taken_back(desk: Desk, nodes: dict[str, Entity]) -> None:
    client, address = desk.client(Role.EDITOR), at("cause", "source://s/v1")
    Entity.objects.filter(ref="report://r/v1").update(released_at=NOW)
    told = text_of(client.get(address))
    assert "4 nodes, as far as you may see" in told
    assert "Released already r v1 report" in told
    assert not Cause.objects.exists()
    assert desk.client(Role.CURATOR).post(address, {"reason": "x"}).status_code == 403
    client.post(address, {"reason": "Withdrawn."})
    cause = Cause.objects.get()
    assert Impact.objects.count() == 4
    client.post("/lineage/cause/clear/", {"cause": cause.pk})
    assert not Entity.objects.exclude(state="current").exists()
    assert client.post("/lineage/cause/clear/", {"cause": "9" * 30}).status_code == 404


def test_the_table_is_exact_filtered_sorted_and_a_file(desk: Desk, nodes: dict[str, Entity]) -> None:
    graph(desk.workspace, *(f"chunk:=x{number:03} CHUNKED_FROM artifact:a" for number in range(60)))
    client = desk.client(Role.READER)
    first = text_of(client.get(at("impact", "source://s/v1", sort="ref")))
    assert "64 nodes, complete." in first
    assert "1–50 of 64 nodes" in first
    assert "61 nodes of 64, complete." in text_of(client.get(at("impact", "source://s/v1", type="chunk")))
    assert "1 node, complete." in text_of(client.get(at("impact", "source://s/v1", relation="CONTAINS")))
    found = text_of(client.get(at("impact", "source://s/v1", q="REPORT:")))
    assert "1 node, complete." in found
    assert "Holds: REPORT:" in found
    steps = {
        row.select_one(".cell-title").get_text(): row.select_one("[data-label=Steps]").get_text()  # type: ignore[union-attr]
        for row in BeautifulSoup(client.get(at("impact", "source://s/v1", q="/")).content, "lxml").select("tbody tr")
    }
    assert [steps[name] for name in ("a v1", "c v1", "k v1", "r v1")] == ["1", "2", "3", "4"]
    assert "2 nodes, complete." in text_of(client.get(at("impact", "chunk://c/v1", direction="up")))
    answer = client.get(f"/lineage/impact/lineage.csv?ref={quote('source://s/v1')}&sort=ref&type=chunk")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    assert (len(rows), rows[0]["ref"], rows[0]["state"]) == (61, "chunk://=x000/v1", "current")
    fragment = client.get(at("impact", "source://s/v1", page="2"), headers=HTMX).content.decode()
    assert "<html" not in fragment
    assert fragment.count("<tr>") == 15


def test_pictures_are_files_and_groups_are_opened(desk: Desk, nodes: dict[str, Entity]) -> None:
    graph(desk.workspace, *(f"chunk:x{number:03} CHUNKED_FROM artifact:a" for number in range(20)))
    client, query = desk.client(Role.READER), f"?ref={quote('artifact://a/v1')}"
    told = client.get(f"/lineage/entity/lineage.json{query}").json()
    group = next(node for node in told["nodes"] if node["ref"] is None)
    assert (group["words"], group["count"], told["complete"], told["cut"]) == ("21 chunks", 21, False, "depth")
    opened = client.get(group["url"])
    assert "x019 v1 chunk" in text_of(opened)
    links = BeautifulSoup(opened.content, "lxml").select("a")
    (closing,) = [str(link["href"]) for link in links if "as one group" in link.get_text()]
    assert "x019 v1 chunk" not in text_of(client.get(closing))
    answer = client.get(f"/lineage/entity/lineage.svg{query}")
    assert answer["Content-Type"] == "image/svg+xml"
    drawn = ElementTree.fromstring(answer.content)  # noqa: S314 (our own answer)
    assert drawn.get("role") == "img"
    assert "22 nodes around a v1" in (drawn.get("aria-label") or "")
    assert "style" not in answer.content.decode()


def test_a_group_is_counted_whole_where_the_picture_is_cut(desk: Desk) -> None:
    workspace, artifact = many(MOST_TO_DRAW + 101, rests_on=lambda n: "0")
    Entity.objects.filter(workspace=workspace).update(workspace=desk.workspace)
    Edge.objects.filter(workspace=workspace).update(workspace=desk.workspace)
    told = text_of(desk.client(Role.READER).get(at("entity", told_ref(desk.workspace.pk, artifact))))
    assert "2,100 chunks" in told
    assert "Cut at 2,000 nodes on a side: the table has all of them." in told


def test_the_registry_names_its_nodes_and_leads_to_them(desk: Desk) -> None:
    done = chunks.ingest_file(
        workspace_id=desk.workspace.pk,
        store="harbour",
        name="tides.md",
        data=b"# Rise\nThe sea rises.\n",
        about=About("Tide tables", "10.5555/tides.1", "", "", ""),
        by=desk.person(),
        channel=Channel.PAGE,
        at=NOW,
    )
    assert done.source is not None
    assert done.source.entity is not None
    page = desk.client().get(at("entity", done.source.entity.ref))
    assert f'href="/s/{done.source.uuid}/"' in page.content.decode()
    assert at("entity", done.source.entity.ref) in html.unescape(
        desk.client().get(f"/s/{done.source.uuid}/").content.decode()
    )
    assert "Tide tables, lines 1–2" in text_of(desk.client().get(at("entity", done.source.entity.ref, depth="3")))
    assert "Tide" not in json.dumps(list(Entity.objects.values_list("metadata", flat=True)))
    # What fell is named where people read why something waits: two may fall for one reason.
    editor = desk.client(Role.EDITOR)
    editor.post(at("cause", done.source.entity.ref), {"reason": "Withdrawn."})
    assert "of “Tide tables”: Withdrawn." in text_of(editor.get("/lineage/worklist/"))


def test_a_claim_that_nobody_names_is_called_by_its_text(desk: Desk, nodes: dict[str, Entity]) -> None:
    node = EntityFactory(workspace=desk.workspace, type=EntityType.CLAIM)
    assert "Boats came" not in text_of(desk.client().get(at("entity", node.ref)))
    ClaimFactory(entity=node, text="Boats came in May.")
    assert "Boats came in May." in text_of(desk.client().get(at("entity", node.ref)))
    assert "Boats came in May." in text_of(desk.client().get("/lineage/measures/behind/?measure=coverage"))


def test_the_worklist_is_narrowed_and_emptied_by_reasons(desk: Desk, nodes: dict[str, Entity]) -> None:
    client = desk.client(Role.EDITOR)
    assert "Nothing waits" in text_of(client.get("/lineage/worklist/"))
    client.post(at("cause", "source://s/v1"), {"reason": "Withdrawn."})
    Entity.objects.filter(ref="chunk://c/v1").update(owner=desk.person(Role.EDITOR))
    cause = Cause.objects.get()
    page = BeautifulSoup(client.get(f"/lineage/worklist/?cause={cause.pk}").content, "lxml")
    assert next(one.get_text() for one in page.select(".cell-title")) == "r v1"
    assert "1 row" in text_of(client.get("/lineage/worklist/?mine=1"))
    assert "Nothing of this waits" in text_of(client.get("/lineage/worklist/?type=index"))
    keys = list(Impact.objects.values_list("pk", flat=True))
    refused = client.post("/lineage/worklist/settle/", {"ids": keys, "outcome": "dismissed"})
    assert (refused.status_code, "Say why it may stand" in text_of(refused)) == (422, True)
    assert "tick rows" in text_of(client.post("/lineage/worklist/settle/", {"outcome": "dismissed", "reason": "x"}))
    reader = desk.client(Role.CURATOR)
    assert reader.post("/lineage/worklist/settle/", {"ids": keys, "outcome": "accepted"}).status_code == 403
    all_chunks = {"all": "1", "query": "type=chunk", "outcome": "dismissed", "reason": "Untouched."}
    client.post("/lineage/worklist/settle/", all_chunks)
    assert Impact.objects.filter(outcome="dismissed", reason="Untouched.").count() == 1
    client.post("/lineage/worklist/settle/", {"ids": keys, "outcome": "accepted", "reason": "Kept on purpose."})
    assert "Nothing waits" in text_of(client.get("/lineage/worklist/"))


def test_a_story_a_way_and_runs_are_told(desk: Desk, nodes: dict[str, Entity]) -> None:
    client = desk.client(Role.READER)
    told = text_of(client.get(at("explain", "report://r/v1")))
    assert "It begins with s v1 (source) , t v1 (source) ." in told
    assert told.index("2 artifacts") < told.index("2 chunks") < told.index("1 claim") < told.rindex("1 report")
    assert "The config of the transform is not recorded." in text_of(client.get(at("replay", "report://r/v1")))
    way = text_of(client.get("/lineage/path/?a=source://s/v1&b=report://r/v1"))
    assert way.index("r v1 report") < way.index("k v1 claim") < way.index("s v1 source")
    assert "Neither rests on the other" in text_of(client.get("/lineage/path/?a=source://s/v1&b=source://t/v1"))
    assert "6 nodes, complete." in text_of(client.get("/lineage/run/?run=run-1"))
    assert "Nothing of such a run" in text_of(client.get("/lineage/run/?run=none"))
    for nothing in (
        "run/?run=%01",
        "diff/?first=%01&second=x",
        "recall/?transform=%01",
        "worklist/?type=%01&cause=%01",
    ):
        assert client.get(f"/lineage/{nothing}").status_code in {200, 422}
    assert "6 output removed" in text_of(client.get("/lineage/diff/?first=run-1&second=none"))


def test_a_transform_is_recalled_after_a_look(desk: Desk, nodes: dict[str, Entity]) -> None:
    client = desk.client(Role.EDITOR)
    assert "Name the transform" in text_of(client.get("/lineage/recall/?version=2"))
    assert "6 nodes that you may see" in text_of(client.get("/lineage/recall/?transform=chunk&version=2"))
    fields = {"transform": "chunk", "version": "2", "config_hash": ""}
    assert client.post("/lineage/recall/", fields).status_code == 422
    assert desk.client(Role.CURATOR).post("/lineage/recall/", {**fields, "reason": "x"}).status_code == 403
    client.post("/lineage/recall/", {**fields, "reason": "It drops tables."})
    assert Entity.objects.filter(state="stale").count() == 6


def test_what_was_erased_stands_where_it_stood_and_leads_nowhere(desk: Desk, nodes: dict[str, Entity]) -> None:
    deletion.erase(entity_ids=[nodes["s"].pk, nodes["a"].pk], why="Asked for.", by=None, at=NOW)
    client = desk.client(Role.READER)
    for page in ("explain", "replay", "entity", "impact"):
        told = client.get(at(page, nodes["r"].ref, depth="4", direction="up")).content.decode()
        assert "erased source" in told
        assert ' href=""' not in told


def test_an_edge_that_waits_is_joined_or_let_go_by_an_editor(desk: Desk, nodes: dict[str, Entity]) -> None:
    client = desk.client(Role.EDITOR)
    assert "No edge waits" in text_of(client.get("/lineage/held/"))
    about = {"workspace": desk.workspace, "from_ref": "report://r/v1"}
    first = HeldEdgeFactory(**about, to_ref="chunk://c/v1", facts={"relation": "DERIVED_FROM"})
    second = HeldEdgeFactory(**about, to_ref="report://r/v1", facts={"relation": "DERIVED_FROM"})
    told = text_of(client.get("/lineage/held/"))
    assert all(words in told for words in ("2 edges", "derived from c v1", "may not read one of its ends", "Join it"))
    assert "Join it" not in text_of(desk.client(Role.CURATOR).get("/lineage/held/"))
    decide = "/lineage/held/decide/"
    assert desk.client(Role.CURATOR).post(decide, {"edge": first.pk, "deed": "join"}).status_code == 403
    refused = client.post(decide, {"edge": second.pk, "deed": "join"})
    assert (refused.status_code, "cannot rest on itself" in text_of(refused)) == (422, True)
    client.post(decide, {"edge": second.pk, "deed": "drop"})
    client.post(decide, {"edge": first.pk, "deed": "join"})
    assert client.post(decide, {"edge": first.pk, "deed": "join"}).status_code == 404
    assert "No edge waits" in text_of(client.get("/lineage/held/"))
    assert Edge.objects.filter(from_entity=nodes["r"], to_entity=nodes["c"], relation="DERIVED_FROM").exists()


def test_an_output_is_released_where_nothing_keeps_it_back(desk: Desk, nodes: dict[str, Entity]) -> None:
    client, address = desk.client(Role.EDITOR), at("release", "report://r/v1")
    ClaimFactory(entity=nodes["k"])
    assert desk.client(Role.CURATOR).post(address).status_code == 403
    client.post(at("cause", "source://s/v1"), {"reason": "Withdrawn."})
    refused = client.post(address)
    assert refused.status_code == 409
    assert "1 of 2 sources stand" in text_of(refused)
    client.post("/lineage/cause/clear/", {"cause": Cause.objects.get().pk})
    client.post(address)
    assert Entity.objects.get(ref="report://r/v1").released_at is not None


def test_admins_lower_labels_set_policies_and_keep_relays(desk: Desk, nodes: dict[str, Entity]) -> None:
    client, label = desk.client(Role.ADMIN), f"/lineage/entity/label/?ref={quote('report://r/v1')}"
    editor = desk.client(Role.EDITOR)
    for address in (label, "/lineage/policies/", "/lineage/relays/"):
        assert editor.post(address, {"type": "report"}).status_code == 403
    refused = client.post(label, {"to": "restricted", "reason": "x"})
    assert (refused.status_code, "is not lower" in text_of(refused)) == (422, True)
    client.post(label, {"to": "public", "reason": "Cleared for the press."})
    assert "Lowered from internal to public" in text_of(client.get(at("entity", "report://r/v1")))
    client.post(label, {"revoke": "1", "revoke-reason": "Too early."})
    assert Entity.objects.get(ref="report://r/v1").level == 1
    kept = f"/lineage/entity/keep/?ref={quote('report://r/v1')}"
    assert editor.post(kept, {"deed": "hold", "keep-reason": "x"}).status_code == 403
    client.post(kept, {"deed": "hold", "keep-reason": "A court asked."})
    assert "Under a legal hold since" in text_of(client.get(at("entity", "report://r/v1")))
    held = client.post(kept, {"deed": "deidentify", "keep-reason": "A person asked."})
    assert (held.status_code, "is under a legal hold" in text_of(held)) == (422, True)
    client.post(kept, {"deed": "release", "keep-reason": "It is over."})
    wrong = client.post("/lineage/policies/", {"type": "report", "retention_days": "0"})
    assert (wrong.status_code, "give 1 to 36,500 days" in text_of(wrong)) == (422, True)
    client.post("/lineage/policies/", {"type": "report", "is_captured": "on", "greatest_evidence_age_days": "30"})
    assert TypePolicy.objects.get(type="report").greatest_evidence_age_days == 30
    relay = {"name": "Catalogue", "url": "https://catalogue.example/lineage", "token": "t0ken"}
    assert client.post("/lineage/relays/", {**relay, "url": "ftp://x"}).status_code == 422
    client.post("/lineage/relays/", relay)
    assert "has everything" in text_of(client.get("/lineage/relays/"))
    assert "t0ken" not in client.get("/lineage/relays/").content.decode()
    client.post(f"/lineage/relays/{Relay.objects.get().pk}/remove/")
    assert "Nobody else is told" in text_of(client.get("/lineage/relays/"))


def test_what_became_of_what_rested_on_a_removed_node_is_handed_on_as_a_file(
    desk: Desk, nodes: dict[str, Entity]
) -> None:
    client = desk.client(Role.READER)
    assert "It was not removed." in text_of(client.get(at("deletion", "source://s/v1")))
    deletion.bury(entity_ids=[nodes["s"].pk], why="Out of <licence>.", by=None, at=NOW)
    assert "Out of <licence>." in text_of(client.get(at("deletion", "source://s/v1")))
    markdown: Any = client.get(at("deletion", "source://s/v1", **{"as": "md"}))
    assert "Out of &lt;licence>." in b"".join(markdown.streaming_content).decode()
    told = client.get(at("deletion", "source://s/v1", **{"as": "json"})).json()
    assert (told["removed"][0]["why"], len(told["descendants"])) == ("Out of <licence>.", 4)


def test_a_recall_is_taken_back_where_its_worklist_stands(desk: Desk, nodes: dict[str, Entity]) -> None:
    client = desk.client(Role.EDITOR)
    client.post("/lineage/recall/", {"transform": "chunk", "version": "2", "reason": "It drops tables."})
    cause = {"cause": str(Cause.objects.get().pk)}
    assert desk.client(Role.CURATOR).post("/lineage/cause/clear/", cause).status_code == 403
    assert client.post("/lineage/cause/clear/", {"cause": "0"}).status_code == 404
    assert client.post("/lineage/cause/clear/", cause)["Location"] == "/lineage/worklist/"
    assert not Entity.objects.filter(state="stale").exists()


@pytest.mark.parametrize("path", ["entity", "impact", "cause", "explain", "replay", "deletion"])
def test_a_page_asks_as_much_of_the_database_however_much_rests_on_the_node(
    desk: Desk, nodes: dict[str, Entity], path: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client, address = desk.client(Role.EDITOR), at(path, "artifact://a/v1")
    client.get(address)
    counts = []
    for number in (4, 40):
        graph(desk.workspace, *(f"chunk:x{number}-{one} CHUNKED_FROM artifact:a" for one in range(number)))
        with django_assert_max_num_queries(40) as queries:
            assert client.get(address).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_worklist_and_search_ask_as_much_however_many_rows(
    desk: Desk, nodes: dict[str, Entity], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = desk.client(Role.EDITOR)
    client.post(at("cause", "source://s/v1"), {"reason": "Withdrawn."})
    for address in ("/lineage/worklist/", "/lineage/?q=v1"):
        counts = []
        for number in (3, 30):
            graph(desk.workspace, *(f"chunk:y{number}-{one} CHUNKED_FROM artifact:a" for one in range(number)))
            with django_assert_max_num_queries(30) as queries:
                client.get(address)
            counts.append(len(queries))
        assert counts[0] == counts[1], address


@pytest.mark.sqlite
@pytest.mark.parametrize("asked", ["direction=out", "depth=all", "depth=0", "stale=yes"])
def test_a_picture_says_what_it_does_not_know(desk: Desk, nodes: dict[str, Entity], asked: str) -> None:
    client, name = desk.client(), asked.partition("=")[0]
    page = client.get(at("entity", "claim://k/v1") + f"&{asked}")
    assert (page.status_code, f"a value of “{name}” that is not known here" in text_of(page)) == (200, True)
    files = [str(one["href"]) for one in BeautifulSoup(page.content, "lxml").select("a[href*='lineage.']")]
    assert {client.get(one).status_code for one in files} == {200}
    for ref in ("claim://k/v1", "claim://none/v1"):
        for file in ("json", "svg"):
            answer = client.get(f"/lineage/entity/lineage.{file}?ref={quote(ref)}&{asked}")
            assert (answer.status_code, f"“{name}”" in answer.content.decode()) == (400, True)
    assert client.get(at("entity", "claim://none/v1") + f"&{asked}").status_code == 404
    assert (
        client.get(f"/lineage/entity/lineage.json?ref={quote('claim://k/v1')}&direction=both&depth=9").status_code
        == 200
    )


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "asked",
    ["type=nonsense", "type=chunk&type=%27", "state=gone", "relation=RELATED_TO", "stale=yes", "direction=out"],
)
def test_a_filter_that_is_not_known_lists_nothing_and_is_said(desk: Desk, nodes: dict[str, Entity], asked: str) -> None:
    client, name = desk.client(), asked.partition("=")[0]
    for url in (at("impact", "source://s/v1"), "/lineage/run/?run=run-1"):
        page = client.get(f"{url}&{asked}")
        assert (page.status_code, f"a value of “{name}” that is not known here" in text_of(page)) == (200, True)
        assert not BeautifulSoup(page.content, "lxml").select(".cell-title")
        clear = next(one["href"] for one in BeautifulSoup(page.content, "lxml").select(".note a"))
        assert BeautifulSoup(client.get(url.partition("?")[0] + str(clear)).content, "lxml").select(".cell-title")
    for ref in ("source://s/v1", "source://none/v1"):
        answer = client.get(f"/lineage/impact/lineage.csv?ref={quote(ref)}&{asked}")
        assert (answer.status_code, f"“{name}”" in answer.content.decode()) == (400, True)
    assert client.get(at("impact", "source://none/v1") + f"&{asked}").status_code == 404
    assert client.get(at("impact", "source://s/v1") + "&type=&state=&sort=nonsense").status_code == 200


@pytest.mark.sqlite
@pytest.mark.parametrize("asked", ["type=nonsense", "cause=all", "mine=yes"])
def test_all_that_an_unknown_filter_finds_is_nothing_to_deal_with(
    desk: Desk, nodes: dict[str, Entity], asked: str
) -> None:
    client = desk.client(Role.EDITOR)
    client.post(at("cause", "source://s/v1"), {"reason": "Withdrawn."})
    for answer in (
        client.get(f"/lineage/worklist/?{asked}"),
        client.post(
            "/lineage/worklist/settle/", {"all": "1", "query": asked, "outcome": "dismissed", "reason": "Untouched."}
        ),
    ):
        assert f"a value of “{asked.partition('=')[0]}” that is not known here" in text_of(answer)
        assert not BeautifulSoup(answer.content, "lxml").select(".cell-title")
    assert not Impact.objects.exclude(outcome="").exists()
    missing = text_of(client.get("/lineage/worklist/?cause=999999"))
    assert "Nothing of this waits" in missing
