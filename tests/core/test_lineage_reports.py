"""The graph in the formats of others: read back by others' readers, the same each time, nothing said that is not so."""

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import networkx
import pytest
from prov.model import ProvDerivation, ProvDocument, ProvEntity, ProvMembership

from lineage.core.events import Refused
from lineage.core.open_lineage import read_run_event
from lineage.core.prov_reading import read_document
from lineage.core.relations import EntityState, EntityType, Label, Relation
from lineage.core.told import Graph, Link, Node, Run, RunPart
from lineage.reports.interchange import FORMATS
from tests.clock import NOW

HURTS = "a:b#c%2F d?=';,()[]\\\"<naïve>"
TYPES = {
    "s": EntityType.SOURCE,
    "v": EntityType.SOURCE_VERSION,
    "c": EntityType.CHUNK,
    "k": EntityType.CLAIM,
    "r": EntityType.REPORT,
}


def node(name: str, state: EntityState = EntityState.CURRENT) -> Node:
    return Node(
        ref=f"{TYPES[name]}://{name}/{HURTS}/v1",
        type=TYPES[name],
        logical_id=f"{name}/{HURTS}",
        version="v1",
        content_hash="ab" * 32 if name == "v" else "",
        source_time=NOW if name == "v" else None,
        authority="primary",
        label=Label.INTERNAL,
        state=state,
        gone_at=NOW if state is EntityState.RETRACTED else None,
    )


NODES = [node("s", EntityState.RETRACTED), node("v"), node("c"), node("k"), node("r")]
REF = {one.type: one.ref for one in NODES}


def link(number: int, dependent: str, relation: Relation, other: str, run: str = "") -> Link:
    return Link(
        key=f"{number:064x}",
        dependent=REF[TYPES[dependent]],
        dependent_type=TYPES[dependent],
        relation=relation,
        rests_on=REF[TYPES[other]],
        rests_on_type=TYPES[other],
        is_dependence=True,
        transform_type="chunk" if run else "",
        transform_implementation="",
        transform_version="3" if run else "",
        config_hash="cd" * 32 if run else "",
        run_id=run,
        trace_id="",
        told_at=NOW,
    )


LINKS = [
    link(1, "v", Relation.FETCHED_FROM, "s"),
    link(2, "c", Relation.CHUNKED_FROM, "v", run="RUN-1"),
    link(3, "k", Relation.SUPPORTED_BY, "c"),
    link(4, "r", Relation.CONTAINS, "k"),
]


def told(nodes: Iterable[Node], links: Iterable[Link], most: int = 1_000) -> Graph:
    """The graph of these, its runs in parts of at most `most` edges."""
    nodes, links = list(nodes), list(links)
    by_ref = {one.ref: one for one in nodes}

    def runs() -> Iterator[RunPart]:
        for run_id in dict.fromkeys(one.run_id for one in links):
            of_run = [one for one in links if one.run_id == run_id]
            run = Run(run_id, of_run[0].transform_type, began=NOW, ended=NOW)
            for start in range(0, len(of_run), most):
                part = of_run[start : start + most]
                ends = {ref: by_ref[ref] for one in part for ref in (one.dependent, one.rests_on)}
                yield RunPart(run, part, ends, is_first=not start, is_last=start + most >= len(of_run))

    return Graph("t1", lambda: iter(nodes), lambda: iter(links), runs)


GRAPH = told(NODES, LINKS)


def written(name: str, graph: Graph = GRAPH) -> str:
    return "".join(FORMATS[name].write(graph))


def prov(text: str, form: str) -> ProvDocument:
    return ProvDocument.deserialize(content=text, format=form)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_same_graph_gives_the_same_text(name: str) -> None:
    assert written(name) == written(name)


@pytest.mark.parametrize(("name", "form"), [("prov-json", "json"), ("prov-n", "provn")])
def test_prov_is_read_by_the_prov_library(name: str, form: str) -> None:
    document = prov(written(name), form)
    told = {
        str(next(iter(entity.get_attribute("lin:ref")))): str(next(iter(entity.get_attribute("lin:state"))))
        for entity in document.get_records(ProvEntity)
    }
    assert told == {one.ref: one.state.value for one in NODES}
    assert len(list(document.get_records(ProvDerivation))) == 3
    assert len(list(document.get_records(ProvMembership))) == 1
    assert document.unified() == document
    assert "Influence" not in written(name)


def test_both_forms_of_prov_say_the_same() -> None:
    assert set(prov(written("prov-json"), "json").get_records()) == set(prov(written("prov-n"), "provn").get_records())


def test_prov_json_of_ours_comes_back_whole() -> None:
    document = read_document(json.loads(written("prov-json")))
    entities, edges = document.events
    assert {(str(one.ref), one.sha256, one.label) for one in entities.entities if not one.is_named_only} == {
        (one.ref, one.content_hash, one.label) for one in NODES
    }
    derived = {(str(one.dependent), one.relation, str(one.rests_on), one.run_id) for one in edges.edges}
    assert derived == {(one.dependent, one.relation, one.rests_on, one.run_id) for one in LINKS}
    assert document.left_out == {"activity": 1, "wasGeneratedBy": 1, "used": 1, "wasInvalidatedBy": 1}


def test_a_document_of_others_says_what_prov_says() -> None:
    document = read_document(
        {
            "prefix": {"ex": "http://example.org/"},
            "entity": {"ex:report": {}, "ex:data": {"prov:type": "dataset"}, "ex:old": {}},
            "wasDerivedFrom": {
                "_:1": {"prov:generatedEntity": "ex:report", "prov:usedEntity": "ex:data"},
                "_:2": {"prov:generatedEntity": "ex:data", "prov:usedEntity": "ex:old", "prov:type": "prov:Revision"},
                "_:3": {"prov:generatedEntity": "ex:data", "prov:usedEntity": "ex:missing"},
            },
            "wasInfluencedBy": {"_:4": {"prov:influencee": "ex:report", "prov:influencer": "ex:old"}},
        }
    )
    edges = [(str(one.dependent), one.relation.value, str(one.rests_on)) for one in document.events[1].edges]
    assert edges == [
        ("artifact://prov/ex:report", "DERIVED_FROM", "artifact://prov/ex:data"),
        ("artifact://prov/ex:data", "SUPERSEDES", "artifact://prov/ex:old"),
    ]
    assert not any(one.ref.is_pinned for one in document.events[0].entities)
    assert document.left_out == {"wasInfluencedBy": 1, "wasDerivedFrom without its entities": 1}


@pytest.mark.parametrize(
    "document",
    [
        7,
        [],
        {"entity": []},
        {"bundle": {"ex:b": {}}},
        {"entity": {"ex:a": [{}, {}]}},
        {"wasDerivedFrom": []},
        {"wasDerivedFrom": {"_:1": 7}},
        {"prefix": []},
        {"agent": 5},
        {"entity": {"ex:a": {"lin:ref": "parts://a/v1"}}},
        {"entity": {"ex:a": {"lin:ref": "parts://a/v1", "lin:type": "thing"}}},
        {"entity": {"ex:a": {"prov:label": "a\x00b"}}},
        {"entity": {"ex:a": {"api_key": "hunter2"}}},
    ],
)
def test_what_is_no_document_is_refused(document: Any) -> None:
    with pytest.raises(Refused):
        read_document(document)


@pytest.mark.parametrize("most", [1, 2, 1_000])
def test_open_lineage_of_ours_comes_back_whole(most: int) -> None:
    older = replace(NODES[1], ref="source-version://old/v0", logical_id="old", version="v0", content_hash="")
    succession = replace(LINKS[0], key="f" * 64, relation=Relation.SUPERSEDES, is_dependence=False)
    structure = replace(LINKS[3], run_id="RUN-2", is_dependence=False, trace_id="0f" * 16)
    links = [
        *LINKS,
        replace(succession, rests_on=older.ref, rests_on_type=older.type, run_id="RUN-3"),
        structure,
    ]
    events = [json.loads(line) for line in written("openlineage", told([*NODES, older], links, most)).splitlines()]
    read = [found for found in map(read_run_event, events) if found is not None]
    assert len(read) == len([one for one in events if one["eventType"] != "START"])
    assert [
        (str(one.dependent), one.relation, str(one.rests_on), one.run_id, one.trace_id, one.config_hash)
        for event in read
        for one in event.edges
    ] == [
        (one.dependent, one.relation, one.rests_on, one.run_id, one.trace_id, one.config_hash)
        for run in ("", "RUN-1", "RUN-3", "RUN-2")
        for one in links
        if one.run_id == run
    ]
    assert {
        (str(one.ref), one.sha256, one.label, one.authority, one.source_time)
        for event in read
        for one in event.entities
        if not one.is_named_only
    } == {(one.ref, one.content_hash, one.label, one.authority, one.source_time) for one in [*NODES, older]}


def test_open_lineage_says_which_output_rests_on_which_input() -> None:
    events = [json.loads(line) for line in written("openlineage").splitlines()]
    (event,) = [one for one in events if one["job"]["name"] == "chunk" and one["eventType"] == "COMPLETE"]
    (entry,) = event["job"]["facets"]["lineage"]["entries"]
    assert entry["inputs"][0]["transformations"][0]["subtype"] == "CHUNKED_FROM"
    assert event["outputs"][0]["facets"]["version"]["datasetVersion"] == "v1"


def test_every_open_lineage_event_has_the_shape_that_the_spec_asks_for() -> None:
    """What specification 2-0-2 and the two facets of its that we write require, in our own words."""
    events = [json.loads(line) for line in written("openlineage", told(NODES, LINKS, most=1)).splitlines()]
    runs: dict[str, list[str]] = {}
    for event in events:
        runs.setdefault(str(UUID(event["run"]["runId"])), []).append(event["eventType"])
        assert datetime.fromisoformat(event["eventTime"]).tzinfo is not None
        assert event["schemaURL"] == "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
        datasets = [*event["inputs"], *event["outputs"]]
        for named in (event["job"], *datasets):
            assert isinstance(named["namespace"], str)
            assert named["name"]
        for owner in (event["run"], event["job"], *datasets):
            for name, facet in owner.get("facets", {}).items():
                assert re.fullmatch(r"version|lineage|provenanceDesk_[a-z]+", name)
                assert all(urlsplit(facet[uri]).scheme for uri in ("_producer", "_schemaURL")), name
        assert urlsplit(event["producer"]).scheme
        assert all(isinstance(one["facets"]["version"]["datasetVersion"], str) for one in datasets)
        for entry in event["job"].get("facets", {}).get("lineage", {}).get("entries", ()):
            for end in (entry, *entry["inputs"]):
                assert (end["type"], bool(end["namespace"]), bool(end["name"])) == ("DATASET", True, True)
            assert {one["type"] for end in entry["inputs"] for one in end["transformations"]} == {"DIRECT"}
            facet = event["job"]["facets"]["lineage"]["_schemaURL"]
            assert facet == "https://openlineage.io/spec/facets/1-0-0/LineageFacet.json#/$defs/LineageJobFacet"
    assert sorted(runs.values()) == [["START", "COMPLETE"], ["START", "RUNNING", "RUNNING", "COMPLETE"]]


def test_graphml_is_read_by_networkx() -> None:
    graph = networkx.read_graphml(io.BytesIO(written("graphml").encode()))
    assert set(graph.nodes) == {one.ref for one in NODES}
    assert {(a, b, facts["relation"]) for a, b, facts in graph.edges(data=True)} == {
        (one.dependent, one.rests_on, one.relation.value) for one in LINKS
    }
    assert graph.nodes[REF[EntityType.SOURCE]]["state"] == "retracted"


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"mermaid"}))
def test_a_file_is_sent_while_the_graph_is_read(name: str) -> None:
    read = 0

    def nodes() -> Iterator[Node]:
        nonlocal read
        for number in range(12_000):
            read += 1
            yield replace(NODES[2], ref=f"chunk://{number}/v1")

    def runs() -> Iterator[RunPart]:
        nonlocal read
        run = Run("RUN-1", "chunk", began=NOW, ended=NOW)
        for number in range(12_000):
            read += 1
            yield RunPart(run, LINKS[1:2], {one.ref: one for one in NODES}, is_first=not number, is_last=False)

    pieces = FORMATS[name].write(Graph("t1", nodes, lambda: iter(()), runs))
    for _ in range(50):
        next(pieces)
    assert 0 < read < 100


def test_mermaid_holds_no_letter_that_ends_a_label() -> None:
    text = written("mermaid")
    labels = [line.split('["', 1)[1].removesuffix('"]') for line in text.splitlines() if '["' in line]
    assert len(labels) == len(NODES)
    assert not any(set(label) & set('"<>[]{}|') for label in labels)
    assert "(retracted)" in text


def test_mermaid_says_where_it_is_cut() -> None:
    def nodes() -> Iterator[Node]:
        return (replace(NODES[2], ref=f"chunk://{number}/v1") for number in range(400))

    text = written("mermaid", told(nodes(), ()))
    assert "cut at 300 nodes" in text
