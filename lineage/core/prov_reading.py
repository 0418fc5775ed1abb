"""Reads PROV-JSON as events: what we wrote comes back whole; of others' documents what PROV says and no more.

A node of ours is told by `lin:ref`, `lin:type` and `lin:version`. Another's entity is an artifact under its name and
without a version: PROV gives none, and none is made up. A derivation of ours has its relation in `lin:relation`;
another's is DERIVED_FROM, a primary source FETCHED_FROM where the types allow it. A membership is CONTAINS, a
revision SUPERSEDES. Agents, plans, times of activities and mere influence are left out and counted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from lineage.core import event_fields, pairs, secrets
from lineage.core.event_fields import TENANT
from lineage.core.event_reading import read
from lineage.core.events import Refused, TellEvent, digest_of
from lineage.core.relations import EntityType, Label, Relation

# So many parts make one event: each is whole by itself, the document as a whole may be larger.
PART = 2_000
_READ = frozenset({"prefix", "entity", "wasDerivedFrom", "hadMember", TENANT})
# What PROV calls some derivations itself.
_BY_PROV_TYPE = {"prov:Revision": Relation.SUPERSEDES, "prov:PrimarySource": Relation.FETCHED_FROM}
_OURS = "urn:provenance-desk:lineage#"


@dataclass(frozen=True, slots=True)
class Document:
    """A document in events, in their order, and how many records of each kind were left out. `tenants` are the
    workspaces that it names, by the field that names each: PROV itself names none."""

    document_id: str
    tenants: Mapping[str, str]
    events: list[TellEvent]
    payloads: list[dict[str, Any]]
    left_out: Mapping[str, int]


def read_document(document: object) -> Document:
    """The events of a PROV-JSON document. Raises `Refused` for what is none, and for what an event is refused for.

    Bundles are refused: what a bundle says is somebody's account, not the document's own.
    """
    if not isinstance(document, Mapping):
        raise Refused("not_prov", "A PROV-JSON document is a JSON object with entities.")
    for name, section in document.items():
        if name != TENANT and not isinstance(section, Mapping):
            raise Refused("not_an_object", "A section is a JSON object.", at=name)
    if document.get("bundle"):
        raise Refused("bundles", "Send each bundle as a document of its own.", at="bundle")
    hidden = secrets.first_refused(document)
    if hidden is not None:
        raise Refused(hidden.why.value, hidden.why.explanation, at=hidden.field)
    prefix = next((name for name, uri in document.get("prefix", {}).items() if uri == _OURS), "lin")
    entities = {name: _entity(name, facts, prefix) for name, facts in document.get("entity", {}).items()}
    edges, skipped = _edges(document, entities, prefix)
    left_out = Counter({kind: len(records) for kind, records in document.items() if kind not in _READ and records})
    left_out.update(skipped)
    document_id = f"prov:{digest_of(document)[:32]}"
    payloads = list(_payloads(list(entities.values()), edges, document_id))
    events = [read(payload, lenient=True) for payload in payloads]
    return Document(document_id, event_fields.tenants_of(document), events, payloads, dict(left_out))


def _payloads(
    entities: list[dict[str, Any]], edges: list[dict[str, Any]], document_id: str
) -> Iterator[dict[str, Any]]:
    number = 0
    for name, parts in (("entities", entities), ("edges", edges)):
        for start in range(0, len(parts), PART):
            number += 1
            yield {"lineage_event_id": f"{document_id}:{number}", name: parts[start : start + PART]}


def _entity(name: str, facts: object, prefix: str) -> dict[str, Any]:
    if not isinstance(facts, Mapping):
        raise Refused("several_records", "An entity is told once here; unify the document first.", at=f"entity.{name}")
    told = {word: _value(facts.get(f"{prefix}:{word}")) for word in ("ref", "type", "version", "contentHash")}
    if not told["ref"]:
        return {"ref": f"artifact://prov/{unquote(name)}", "type": EntityType.ARTIFACT.value}
    if told["type"] not in set(EntityType):
        raise Refused("unknown_type", f"Use one of: {', '.join(EntityType)}.", at=f"entity.{name}.{prefix}:type")
    label = _value(facts.get(f"{prefix}:classification"))
    found = {
        "ref": told["ref"],
        "type": told["type"],
        "version": told["version"],
        "sha256": told["contentHash"],
        "authority": _value(facts.get(f"{prefix}:authority")),
        "source_time": _value(facts.get(f"{prefix}:sourceTime")),
        "classification": label if label in set(Label) else "",
    }
    return {word: value for word, value in found.items() if value}


def _edges(
    document: Mapping[str, Any], entities: Mapping[str, dict[str, Any]], prefix: str
) -> tuple[list[dict[str, Any]], Counter[str]]:
    edges: list[dict[str, Any]] = []
    skipped: Counter[str] = Counter()
    for kind, dependent, other in (
        ("wasDerivedFrom", "prov:generatedEntity", "prov:usedEntity"),
        ("hadMember", "prov:collection", "prov:entity"),
    ):
        for facts in _records(document, kind):
            ends = [entities.get(str(facts.get(end))) for end in (dependent, other)]
            if ends[0] is None or ends[1] is None:
                skipped[f"{kind} without its entities"] += 1
                continue
            relation = _relation(kind, facts, ends[0], ends[1], prefix)
            if relation is None:
                skipped[f"{kind} that joins no such types here"] += 1
                continue
            edges.append(_edge(relation, ends[0], ends[1], facts, prefix))
    return edges, skipped


def _records(document: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    """The records of a section; several under one name stand in a list."""
    for name, facts in document.get(kind, {}).items():
        for one in facts if isinstance(facts, list) else [facts]:
            if not isinstance(one, Mapping):
                raise Refused("not_an_object", "A record is a JSON object.", at=f"{kind}.{name}")
            yield one


def _relation(
    kind: str, facts: Mapping[str, Any], dependent: Mapping[str, Any], other: Mapping[str, Any], prefix: str
) -> Relation | None:
    """The relation that a record stands for; None where it is none of ours, or joins no such types."""
    told = _value(facts.get(f"{prefix}:relation"))
    if told:
        return Relation(told) if told in set(Relation) else None
    if kind == "hadMember":
        wanted = [Relation.CONTAINS]
    else:
        named = _BY_PROV_TYPE.get(_value(facts.get("prov:type")))
        wanted = [named, Relation.DERIVED_FROM] if named else [Relation.DERIVED_FROM]
    types = EntityType(dependent["type"]), EntityType(other["type"])
    for relation in wanted:
        try:
            pairs.check_pair(relation, *types)
        except pairs.WrongPair:
            continue
        return relation
    return None


def _edge(
    relation: Relation,
    dependent: Mapping[str, Any],
    other: Mapping[str, Any],
    facts: Mapping[str, Any],
    prefix: str,
) -> dict[str, Any]:
    transform = {
        "type": _value(facts.get(f"{prefix}:transformType")),
        "implementation": _value(facts.get(f"{prefix}:transformImplementation")),
        "version": _value(facts.get(f"{prefix}:transformVersion")),
        "config_hash": _value(facts.get(f"{prefix}:configHash")),
    }
    run = _value(facts.get("prov:activity"))
    return {
        "relation": relation.value,
        "output": {word: dependent[word] for word in ("ref", "type", "version") if word in dependent},
        "inputs": [{word: other[word] for word in ("ref", "type", "version") if word in other}],
        "transform": {word: value for word, value in transform.items() if value},
        "run_id": unquote(run.partition(":")[2])[:100] if run else "",
    }


def _value(told: object) -> str:
    """The text of an attribute, plain or typed; '' where there is none."""
    if isinstance(told, list):
        told = told[0] if told else ""
    if isinstance(told, Mapping):
        told = told.get("$", "")
    return "" if told is None else str(told)
