"""What no database keeps: texts with NUL or half a surrogate pair, numbers that are none or longer than 64 bits.

SQLite takes such texts as they are; PostgreSQL refuses the whole statement, and long numbers break either. So they are
refused where a request comes in, with the place that holds them, whatever the database.
"""

import math
from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple

from pydantic import BaseModel

NO_TEXT = "holds a NUL character or half a surrogate pair, which no text may. Take it out."
NO_NUMBER = "holds a number that is none or longer than 64 bits. Give a smaller one."

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


class Fault(NamedTuple):
    """Where a value holds what cannot be kept (names and positions from the outside in), and what that is, to be read
    behind the name of the place."""

    where: tuple[str | int, ...]
    why: str


def is_storable(text: str) -> bool:
    """Whether both databases keep the text: no NUL, no half of a surrogate pair. Linear, a millisecond a megabyte."""
    if "\x00" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def fault_in(value: object) -> Fault | None:
    """The first thing in `value` that cannot be kept; None where there is none.

    `value` is a text, a number, or any nesting of schemas, mappings and lists of them, of any depth; keys count too.
    What is of another type is not looked at: a time, a UUID or an uploaded file holds none.
    """
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while waiting:
        where, one = waiting.pop()
        why = _why_not(one)
        if why:
            return Fault(where, why)
        waiting += reversed([((*where, name), part) for name, part in _parts(one)])
    return None


def shown(name: str) -> str:
    """The name with U+FFFD for what no page or log can carry."""
    return name.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


def _why_not(one: object) -> str:
    match one:
        case str():
            return "" if is_storable(one) else NO_TEXT
        case int():
            return "" if _LOWEST <= one <= _HIGHEST else NO_NUMBER
        case float():
            return "" if math.isfinite(one) else NO_NUMBER
        case Mapping():
            return NO_TEXT if any(isinstance(key, str) and not is_storable(key) for key in one) else ""
        case _:
            return ""


def _parts(one: object) -> Iterator[tuple[str | int, Any]]:
    match one:
        case BaseModel():
            yield from one.__dict__.items()
        case Mapping():
            yield from ((str(key), part) for key, part in one.items())
        case list() | tuple() | Set():
            yield from enumerate(one)
