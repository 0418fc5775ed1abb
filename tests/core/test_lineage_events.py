"""Events from outside are read whole, or refused with the field that is wrong."""

from typing import Any

import pytest

from lineage.core.event_reading import read
from lineage.core.events import Refused, digest_of
from lineage.core.open_lineage import EDGES_FACET, read_run_event
from lineage.core.relations import relation_named
from lineage.core.secrets import first_refused
from lineage.core.times import is_skewed, moment
from tests.clock import NOW
from tests.growth import assert_linear

HASH = "ab" * 32
PARSED: dict[str, Any] = {
    "lineage_event_id": "LIN-1",
    "relation": "PARSED_FROM",
    "output": {"ref": "document-ir://doc123/v3", "version": "3"},
    "inputs": [{"ref": "artifact://tenant_A/raw123", "sha256": f"sha256:{HASH}"}],
    "transform": {"type": "document.parse", "implementation": "parser-profile-v3", "config_hash": f"sha256:{HASH}"},
    "run_id": "RUN-1",
    "trace_id": "TRACE-1",
    "created_at": "2026-01-01T00:00:00Z",
}
CLAIM: dict[str, Any] = {
    "claim_id": "CLM-4",
    "claim_text_hash": f"sha256:{HASH}",
    "relation": "SUPPORTED_BY",
    "evidence": {"ref": "block://doc123/v3/page12/b7", "source_ref": "source://drive/file456/v42"},
    "support": {"type": "DIRECT", "scope": "claim", "verified": True},
    "retrieval": {"run_id": "RUN-2", "rank": 2, "query_hash": f"sha256:{HASH}"},
}
ANSWER: dict[str, Any] = {
    "output_ref": "answer://RUN-42/v1",
    "relation": "GENERATED_FROM",
    "inputs": ["task://brief/v1", "context://RUN-42/v1"],
    "transform": {
        "model_route": "router-decision://r/v1",
        "model": "provider/model-id",
        "prompt_ref": "prompt://answer/v7",
        "skill_refs": ["skill://research/v4"],
        "structured_output": "answer.v3",
    },
    "run_id": "RUN-42",
}


def code_of(payload: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        read(payload)
    return refused.value.code, refused.value.field


def test_an_output_with_its_inputs_is_read() -> None:
    event = read(PARSED)
    (edge,) = event.edges
    assert (str(edge.dependent), edge.relation, str(edge.rests_on)) == (
        "document-ir://doc123/v3",
        "PARSED_FROM",
        f"artifact://tenant_A/raw123/{HASH}",
    )
    assert (edge.transform_type, edge.transform_implementation, edge.config_hash, edge.run_id) == (
        "document.parse",
        "parser-profile-v3",
        HASH,
        "RUN-1",
    )
    assert {(str(one.ref), one.is_named_only, one.sha256) for one in event.entities} == {
        ("document-ir://doc123/v3", False, ""),
        (f"artifact://tenant_A/raw123/{HASH}", True, HASH),
    }


def test_a_claim_with_its_evidence_is_read() -> None:
    event = read(CLAIM)
    (edge,), (claim,) = event.edges, event.claims
    assert (str(claim.ref), claim.text_hash, claim.is_material) == (f"claim://CLM-4/{HASH}", HASH, True)
    assert edge.evidence is not None
    assert (edge.evidence.support, edge.evidence.scope, edge.evidence.is_verified) == ("direct", "claim", True)
    assert (edge.evidence.rank, edge.evidence.query_hash, edge.run_id) == (2, HASH, "RUN-2")
    assert edge.metadata == {"source_ref": "source://drive/file456/v42"}


def test_what_an_answer_was_made_with_is_kept_and_can_be_recalled() -> None:
    told = {(edge.relation.value, str(edge.rests_on)) for edge in read(ANSWER).edges}
    assert told == {
        ("GENERATED_FROM", "task://brief/v1"),
        ("GENERATED_FROM", "context://RUN-42/v1"),
        ("GENERATED_FROM", "router-decision://r/v1"),
        ("TRANSFORMED_BY", "prompt://answer/v7"),
        ("TRANSFORMED_BY", "skill://research/v4"),
    }
    assert read(ANSWER).edges[0].metadata["structured_output"] == "answer.v3"


def test_listed_edges_name_their_ends_only() -> None:
    told = {"edges": [{"relation": "CHUNKED_FROM", "from": "chunk://c/v1", "to": "block://b/v1"}]}
    assert all(entity.is_named_only for entity in read(told).entities)


@pytest.mark.parametrize(
    "word", ["RELATED_TO", "related_to", "Related_To", "RELATES_TO", "related-to", "RelatedTo", "SEE_ALSO"]
)
def test_a_generic_relation_is_refused_with_better_ones(word: str) -> None:
    assert code_of({**PARSED, "relation": word}) == ("generic_relation_refused", "relation")
    with pytest.raises(ValueError, match="SUPPORTED_BY"):
        relation_named(word)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"relation": "parsed_from"}, ("unknown_relation", "relation")),
        ({"relation": "CHUNKED_FROM"}, ("bad_type_pair", "inputs[0]")),
        ({"inputs": ["document-ir://doc123/v3"]}, ("self_edge", "inputs[0]")),
        ({"inputs": ["artifact://raw@latest"]}, ("unpinned_version", "inputs[0]")),
        ({"inputs": ["thing://raw/v1"]}, ("unknown_type", "inputs[0]")),
        ({"inputs": [{"ref": "artifact://raw/v1", "type": "source"}]}, ("type_conflict", "inputs[0]")),
        ({"inputs": "artifact://raw/v1"}, ("no_inputs", "inputs")),
        ({"inputs": [7]}, ("not_a_ref", "inputs[0]")),
        ({"transform": {"config_hash": "xyz"}}, ("bad_hash", "transform.config_hash")),
        ({"run_id": 7}, ("not_a_text", "run_id")),
        ({"run_id": "x" * 101}, ("too_long", "run_id")),
        ({"hook": "a\x00b"}, ("control_characters", "hook")),
        ({"transform": {"api_key": "hunter2"}}, ("looks_like_a_credential", "transform.api_key")),
        ({"tool": {"arguments": {"q": "x"}}}, ("raw_arguments", "tool.arguments")),
        ({"steps": [{"reasoning": "First I"}]}, ("hidden_reasoning", "steps[0].reasoning")),
        ({"note": ["a\x00b"]}, ("control_characters", "note[0]")),
        ({"note": {"\ud800": 1}}, ("control_characters", "note")),
        ({"note": float("inf")}, ("not_a_number", "note")),
        ({"output": {"ref": "block://b/v1", "classification": []}}, ("not_a_text", "output.classification")),
        ({"output": {"ref": "block://b/v1", "classification": "secret"}}, ("unknown_label", "output.classification")),
        ({"inputs": [{"ref": "artifact://raw", "version": [3]}]}, ("not_a_text", "inputs[0].version")),
        ({"edges": [{"relation": 7, "from": "chunk://c/v1"}]}, ("not_a_text", "edges[0].relation")),
        ({"transform": {"structured_output": "x" * 5_000}}, ("too_long", "transform.structured_output")),
    ],
)
def test_an_event_is_refused_with_the_field_that_is_wrong(change: dict[str, Any], expected: tuple[str, str]) -> None:
    assert code_of({**PARSED, **change}) == expected


def test_an_end_of_an_edge_that_is_told_with_its_hash_has_that_content_wherever_it_stands() -> None:
    told = {"ref": "block://b/v1", "content_hash": HASH}
    events = (
        {"edges": [{"relation": "CHUNKED_FROM", "from": "chunk://c/v1", "to": told}]},
        {**PARSED, "relation": "DERIVED_FROM", "inputs": [told]},
        {**CLAIM, "evidence": told},
    )
    for event in events:
        (block,) = [one for one in read(event).entities if str(one.ref) == "block://b/v1"]
        assert (block.sha256, block.is_named_only) == (HASH, True)
    twice = [{**told, "content_hash": one} for one in (HASH, "cd" * 32)]
    assert code_of({**CLAIM, "evidence": twice}) == ("hash_conflict", "block://b/v1")


@pytest.mark.parametrize("rank", [0, -1, 2**31, 1.5, True, "2"])
def test_a_rank_counts_from_one(rank: object) -> None:
    assert code_of({**CLAIM, "retrieval": {"rank": rank}}) == ("bad_rank", "retrieval.rank")


def test_an_event_that_tells_of_nothing_is_refused() -> None:
    assert code_of({"run_id": "R"})[0] == "empty_event"


def test_a_digest_looks_at_what_is_told_not_at_how_it_is_written() -> None:
    assert digest_of({"a": 1, "b": [1.0, {"c": None}]}) == digest_of({"b": [1, {"c": None}], "a": 1.0})
    assert digest_of({"a": 1}) != digest_of({"a": 2})
    assert digest_of({"a": 1}) != digest_of({"a": "1"})


@pytest.mark.parametrize(
    "secret",
    [
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "sk-proj-" + "a1B2" * 8,
        "ghp_" + "a1B2" * 9,
        "xoxb-" + "123456789012-abc",
        "-----BEGIN RSA PRIVATE KEY-----",
        "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefgh",
        "postgres://desk:" + "hunter2@db/desk",
        "Bearer " + "abcdefghijklmnop1234",
    ],
)
def test_what_looks_like_a_credential_is_found_wherever_it_stands(secret: str) -> None:
    found = first_refused({"a": [{"note": f"used {secret} here"}]})
    assert found is not None
    assert found.field == "a[0].note"


def test_refs_and_hashes_of_secrets_pass() -> None:
    told = {
        "api_key": f"sha256:{HASH}",
        "token_count": 7,
        "password": "vault://desk/key",
        "secret": "",
        "author": "M. Key",
    }
    assert first_refused(told) is None


@pytest.mark.parametrize("piece", ["a", "eyJaaaaaaaaaa-", "a://b", "a://b:", "sk-", "Bearer ", "-----BEGIN "])
def test_looking_for_credentials_takes_its_share_of_time(piece: str) -> None:
    assert_linear(first_refused, piece, 60_000)


def test_deep_nesting_is_refused_without_recursing_for_ever() -> None:
    told: dict[str, Any] = {}
    for _ in range(5_000):
        told = {"a": told}
    found = first_refused(told)
    assert found is not None
    assert found.why == "nested_too_deep"


def test_clocks_are_read_and_never_trusted() -> None:
    assert moment("2026-01-01T00:00:00.123456789Z").at is not None
    assert moment("2026-01-01T00:00:00").is_unclear
    assert moment("yesterday").is_unclear
    assert is_skewed(moment("2096-01-01T00:00:00Z"), received=NOW)
    assert is_skewed(moment("2026-01-01T00:00:00"), received=NOW)
    assert not is_skewed(moment("2020-01-01T00:00:00Z"), received=NOW)
    assert not is_skewed(moment(""), received=NOW)


RUN: dict[str, Any] = {
    "eventType": "COMPLETE",
    "eventTime": "2026-01-01T00:00:00Z",
    "run": {"runId": "0198f3f0-0000-7000-8000-000000000001"},
    "job": {"namespace": "dbt", "name": "quays"},
    "inputs": [
        {"namespace": "s3://raw", "name": "tides", "facets": {"version": {"datasetVersion": "v7"}}},
        {"namespace": "s3://raw", "name": "winds"},
    ],
    "outputs": [{"namespace": "s3://clean", "name": "tides"}],
}


def test_an_open_lineage_run_is_read() -> None:
    event = read_run_event(RUN)
    assert event is not None
    assert {str(edge.rests_on) for edge in event.edges} == {"artifact://s3/raw/tides/v7", "artifact://s3/raw/winds"}
    assert {str(edge.dependent) for edge in event.edges} == {
        "artifact://s3/clean/tides@0198f3f0-0000-7000-8000-000000000001"
    }
    assert event.event_id.startswith("openlineage:0198f3f0")


def test_a_run_that_began_or_failed_tells_of_nothing() -> None:
    assert read_run_event({**RUN, "eventType": "START", "outputs": []}) is None
    assert read_run_event({**RUN, "eventType": "FAIL"}) is None
    with pytest.raises(Refused):
        read_run_event({**RUN, "eventType": "PERHAPS"})


TIDES, WINDS = {"namespace": "s3://clean", "name": "tides"}, {"namespace": "s3://raw", "name": "winds"}


@pytest.mark.parametrize(
    ("of_job", "of_output"),
    [
        ({"entries": [{**TIDES, "type": "DATASET", "inputs": [WINDS, {"type": "JOB"}]}, {"type": "JOB"}]}, {}),
        ({"entries": [{**TIDES, "fields": {"height": {"inputs": [{**WINDS, "field": "speed"}]}}}]}, {}),
        ({}, {"inputs": [WINDS]}),
        ({"entries": [{**TIDES, "inputs": []}]}, {"fields": {"height": {"inputs": [WINDS]}}}),
    ],
)
def test_the_lineage_facet_says_which_output_rests_on_which_input(
    of_job: dict[str, Any], of_output: dict[str, Any]
) -> None:
    job = {**RUN["job"], "facets": {"lineage": of_job}}
    event = read_run_event({**RUN, "job": job, "outputs": [{**TIDES, "facets": {"lineage": of_output}}]})
    assert event is not None
    assert [str(edge.rests_on) for edge in event.edges] == ["artifact://s3/raw/winds"]


def test_our_own_edges_come_back_as_they_were() -> None:
    edges = [{"relation": "PARSED_FROM", "output": "block://b/v1", "inputs": ["artifact://a/v1"]}]
    run = {**RUN["run"], "facets": {EDGES_FACET: {"edges": edges}}}
    event = read_run_event({**RUN, "run": run})
    assert event is not None
    assert [(edge.relation.value, str(edge.rests_on)) for edge in event.edges] == [("PARSED_FROM", "artifact://a/v1")]


def test_our_own_edges_are_read_where_open_lineage_knows_no_output() -> None:
    edges = [{"relation": "SUPERSEDES", "output": "source-version://s/v2", "inputs": ["source-version://s/v1"]}]
    run = {**RUN["run"], "facets": {EDGES_FACET: {"runId": "", "edges": edges}}}
    event = read_run_event({**RUN, "run": run, "inputs": [], "outputs": []})
    assert event is not None
    assert [(edge.relation.value, edge.run_id) for edge in event.edges] == [("SUPERSEDES", "")]


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        ({"run": {**RUN["run"], "facets": "x"}}, "run.facets"),
        ({"run": {**RUN["run"], "facets": {EDGES_FACET: [1]}}}, f"run.facets.{EDGES_FACET}"),
        ({"run": {**RUN["run"], "facets": {EDGES_FACET: {"edges": "x"}}}}, f"run.facets.{EDGES_FACET}.edges"),
        ({"job": {**RUN["job"], "facets": {"lineage": "x"}}}, "job.facets.lineage"),
        ({"job": {**RUN["job"], "facets": {"lineage": {"entries": [7]}}}}, "job.facets.lineage.entries[0]"),
        ({"outputs": [{"name": "tides", "facets": {"version": "v1"}}]}, "outputs[0].facets.version"),
    ],
)
def test_a_facet_of_another_shape_is_refused_with_its_place(broken: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        read_run_event({**RUN, **broken})
    assert refused.value.field == field
