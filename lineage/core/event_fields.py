"""Fields of an event: what must stand in one, or a refusal with its path."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from lineage.core import pairs, refs
from lineage.core.events import Refused, TellEdge
from lineage.core.refs import Ref
from lineage.core.relations import EntityType, GenericRelation, Relation, UnknownRelation, relation_named

# What an event says of itself, to show and to compare: a value, not a document. Each edge of an event has its own copy.
_MOST_OF_A_VALUE = 4_000

TENANT = "tenant_id"


def text(facts: Mapping[str, Any], name: str, *, at: str, most: int = 2_000) -> str:
    """The text under a name, '' where there is none; raises `Refused` for what is none, too long, or not printable."""
    value = facts.get(name)
    if value is None:
        return ""
    here = _within(at, name)
    if not isinstance(value, str):
        raise Refused("not_a_text", f"{name} is a text.", at=here)
    if len(value) > most:
        raise Refused("too_long", f"{name} has at most {most:,} characters.", at=here)
    if any((ord(letter) < 32 and letter not in "\n\t") or 0xD800 <= ord(letter) < 0xE000 for letter in value):
        raise Refused("control_characters", f"{name} holds control characters.", at=here)
    return value


def digest(value: object, *, at: str) -> str:
    """A SHA-256 in lower-case hex, written with or without `sha256:`; '' where there is none. Raises `Refused`."""
    if value is None or value == "":
        return ""
    text = str(value).removeprefix("sha256:").lower()
    if len(text) != 64 or set(text) - set("0123456789abcdef"):
        raise Refused("bad_hash", "A hash is the SHA-256 in 64 hexadecimal digits.", at=at)
    return text


def tenants_of(facts: Mapping[str, Any], *, at: str = "") -> dict[str, str]:
    """The workspace that an event, an edge or a node names, by the path of its field; empty where it names none. A ref
    names none: its path means nothing. Raises `Refused`."""
    tenant = text(facts, TENANT, at=at, most=200)
    return {f"{at}.{TENANT}" if at else TENANT: tenant} if tenant else {}


def value(told: object, *, at: str) -> object:
    """What stands there, whatever it is, where it is short. Raises `Refused`."""
    if len(json.dumps(told)) > _MOST_OF_A_VALUE:
        raise Refused("too_long", f"At most {_MOST_OF_A_VALUE:,} characters: store it and send its ref.", at=at)
    return told


def ref(told: object, *, at: str, lenient: bool) -> tuple[Ref, Mapping[str, Any]]:
    """The ref that is told by itself or by an object around it, and that object. With `lenient` as `refs.read`. Raises
    `Refused`."""
    facts = {"ref": told} if isinstance(told, str) else told
    if not isinstance(facts, Mapping) or not isinstance(facts.get("ref"), str):
        raise Refused("not_a_ref", "Write a ref, or an object with one.", at=at)
    version = facts.get("version") or ""
    if not isinstance(version, str | int | float):
        raise Refused("not_a_text", "version is a text.", at=_within(at, "version"))
    try:
        found = refs.read(
            facts["ref"],
            version=str(version),
            sha256=text(facts, "sha256", at=at),
            entity_type=text(facts, "type", at=at),
            lenient=lenient,
        )
    except refs.BadRef as refused:
        raise Refused(_CODES.get(type(refused), "bad_ref"), str(refused), at=at) from None
    return found, facts


def relation(facts: Mapping[str, Any], *, at: str) -> Relation:
    """The relation by its name. Raises `Refused`."""
    here = _within(at, "relation")
    try:
        return relation_named(text(facts, "relation", at=at, most=60))
    except GenericRelation as refused:
        raise Refused("generic_relation_refused", str(refused), at=here) from None
    except UnknownRelation as refused:
        raise Refused("unknown_relation", str(refused), at=here) from None


def checked(edge: TellEdge, *, at: str) -> TellEdge:
    """The edge, where it may be: no self edge, and a pair that its relation joins. Raises `Refused`."""
    if edge.dependent == edge.rests_on:
        raise Refused("self_edge", f"{edge.dependent} cannot rest on itself.", at=at)
    try:
        pairs.check_pair(edge.relation, edge.dependent.type, edge.rests_on.type)
    except pairs.WrongPair as refused:
        raise Refused("bad_type_pair", str(refused), at=at) from None
    return edge


def kept_of(kind: EntityType, facts: Mapping[str, Any], *, at: str) -> dict[str, Any]:
    """What is kept of a node of this kind beside its metadata, where it was told; its inputs are edges. Raises
    `Refused`."""
    wanted = {name: check for name, check in _KEPT_OF_NODE.get(kind, {}).items() if facts.get(name)}
    return {name: check(facts[name], at=_within(at, name)) for name, check in wanted.items()}


def _within(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name


def _text(value: object, *, at: str) -> str:
    where, _, name = at.rpartition(".")
    return text({name: value}, name, at=where, most=500)


_CODES: dict[type[refs.BadRef], str] = {
    refs.Unpinned: "unpinned_version",
    refs.UnknownType: "unknown_type",
    refs.TypeConflict: "type_conflict",
}
_KEPT_OF_NODE: Mapping[EntityType, Mapping[str, Callable[..., object]]] = {
    EntityType.CALCULATION: {"code_hash": digest, "result": value},
    EntityType.TOOL_RESULT: {
        "tool": _text,
        "tool_version": _text,
        "arguments_ref": _text,
        "arguments_hash": digest,
        "provider_ids": value,
    },
}
