"""Fields of an event: what must stand in one, or a refusal with its path."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from lineage.core.events import Refused
from lineage.core.relations import EntityType

TENANT = "tenant_id"


def text(facts: Mapping[str, Any], name: str, *, at: str, most: int = 2_000) -> str:
    """The text under a name, '' where there is none; raises `Refused` for what is none, too long, or not printable."""
    value = facts.get(name)
    if value is None:
        return ""
    here = f"{at}.{name}" if at else name
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


# A result or the ids of a provider: a value to show and to compare, not a document.
_MOST_OF_A_VALUE = 4_000


def kept_of(kind: EntityType, facts: Mapping[str, Any], *, at: str) -> dict[str, Any]:
    """What is kept of a node of this kind beside its metadata, where it was told; its inputs are edges. Raises
    `Refused`."""
    wanted = {name: check for name, check in _KEPT_OF_NODE.get(kind, {}).items() if facts.get(name)}
    return {name: check(facts[name], at=f"{at}.{name}" if at else name) for name, check in wanted.items()}


def _text(value: object, *, at: str) -> str:
    where, _, name = at.rpartition(".")
    return text({name: value}, name, at=where, most=500)


def _value(value: object, *, at: str) -> object:
    if len(json.dumps(value)) > _MOST_OF_A_VALUE:
        raise Refused("too_long", f"At most {_MOST_OF_A_VALUE:,} characters: store it and send its ref.", at=at)
    return value


_KEPT_OF_NODE: Mapping[EntityType, Mapping[str, Callable[..., object]]] = {
    EntityType.CALCULATION: {"code_hash": digest, "result": _value},
    EntityType.TOOL_RESULT: {
        "tool": _text,
        "tool_version": _text,
        "arguments_ref": _text,
        "arguments_hash": digest,
        "provider_ids": _value,
    },
}
