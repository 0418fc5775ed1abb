"""The minimum provenance payload of a passage."""

import json

from sources.core.identifiers import identify
from sources.core.kinds import IdentifierType
from sources.core.payload import Provenance, payload, payload_json
from sources.core.records import Identity


def test_each_of_the_five_parts_is_told() -> None:
    known = Provenance(
        store="sparqlset",
        source="tide.go",
        content_hash="ab" * 32,
        identities=(identify("10.1234/ab"), identify("http://example.org:81/tide")),
        title="Tide",
        start_line=12,
        end_line=30,
        indexed_at="2026-06-25T14:23:11Z",
        published_date="2024",
        version="v2",
        rights="CC BY 4.0",
        status="expression-of-concern",
        expression_of_concern=True,
        retraction_note="Under review",
        status_at="2026-07-01T00:00:00Z",
        status_from=("crossref",),
    )
    assert payload(known) == {
        "form": "provenance-payload/1",
        "identifiers": {
            "source_doi": "10.1234/ab",
            "source_url": "http://example.org:81/tide",
            "source_title": "Tide",
            "all": [
                {"type": "doi", "value": "10.1234/ab"},
                {"type": "url", "value": "https://example.org:81/tide"},
            ],
            "entity": "",
        },
        "location": {"store": "sparqlset", "source": "tide.go", "start_line": 12, "end_line": 30},
        "time": {"indexed_at": "2026-06-25T14:23:11Z", "published_date": "2024", "fetched_at": ""},
        "content_hash": {"algorithm": "sha256", "value": "ab" * 32},
        "source_version": "v2",
        "rights": "CC BY 4.0",
        "standing": {
            "status": "expression-of-concern",
            "retracted": False,
            "expression_of_concern": True,
            "retraction_note": "Under review",
            "status_at": "2026-07-01T00:00:00Z",
            "status_from": ["crossref"],
        },
    }


def test_what_is_unknown_is_there_and_empty() -> None:
    full = Provenance(store="s", source="x", content_hash="00", identities=(identify("10.1234/ab"),), start_line=1)
    empty = Provenance(store="", source="", content_hash="", identities=(Identity(IdentifierType.NONE, "", ""),))
    assert _keys(payload(full)) == _keys(payload(empty))
    assert payload(empty)["identifiers"]["all"] == []
    assert payload(empty)["identifiers"]["source_url"] == ""


def test_a_doi_alone_has_the_resolvers_address() -> None:
    known = Provenance(store="s", source="x", content_hash="00", identities=(identify("10.1234/ab"),))
    assert payload(known)["identifiers"]["source_url"] == "https://doi.org/10.1234/ab"


def test_the_same_facts_give_the_same_text() -> None:
    known = Provenance(store="s", source="größe.md", content_hash="00")
    assert payload_json(known) == payload_json(Provenance(content_hash="00", source="größe.md", store="s"))
    assert "\n" not in payload_json(known)
    assert json.loads(payload_json(known)) == payload(known)


def _keys(told: object) -> object:
    return {key: _keys(value) for key, value in told.items()} if isinstance(told, dict) else None
