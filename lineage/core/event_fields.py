"""Fields of an event: what must stand in one, or a refusal with its path."""

import json
from collections.abc import Mapping
from typing import Any

from lineage.core.events import Refused


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


# A result or the ids of a provider: a value to show and to compare, not a document.
_MOST_OF_A_VALUE = 4_000


def kept_text(value: object, *, at: str) -> str:
    """The text that is kept; raises `Refused` for what is none."""
    name = at.rpartition(".")[2]
    return text({name: value}, name, at=at.rpartition(".")[0], most=500)


def kept_digest(value: object, *, at: str) -> str:
    """The SHA-256 that is kept, in lower-case hex. Raises `Refused`."""
    return digest(value, at=at)


def kept_value(value: object, *, at: str) -> object:
    """The JSON value that is kept, as it is; raises `Refused` for a longer one than is ever shown."""
    if len(json.dumps(value)) > _MOST_OF_A_VALUE:
        raise Refused("too_long", f"At most {_MOST_OF_A_VALUE:,} characters: store it and send its ref.", at=at)
    return value
