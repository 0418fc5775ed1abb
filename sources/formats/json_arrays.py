"""JSON arrays of memo runs, read whole under a cap, with a message that names the line where it breaks."""

import json
import re
from collections.abc import Iterator
from typing import Any

from sources.formats.format import Head, Unreadable

_FIRST_OBJECT = re.compile(r"\s*\[\s*\{")
_MAX_TEXT = 64 * 1_048_576
_MAX_DEPTH = 100


def objects_in(text: str, *, what: str) -> Iterator[tuple[int, Any]]:
    """The values of the array with their number from 1. Raises `Unreadable` for what is no JSON array."""
    if len(text) > _MAX_TEXT:
        raise Unreadable(f"{what} is over 64 MB. Split it.")
    checked_depth(text, what=what)
    try:
        told = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise Unreadable(f"Line {error.lineno}, column {error.colno}: {what} is no JSON here ({error.msg}).") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{what} cannot be read as JSON: {error}"[:300]) from error
    if not isinstance(told, list):
        raise Unreadable(f"{what} is not a JSON array of objects.")
    yield from enumerate(told, 1)


def checked_depth(text: str, *, what: str) -> None:
    """Raises `Unreadable` where brackets nest deeper than a file of memo runs does."""
    if _depth(text) > _MAX_DEPTH:
        raise Unreadable(f"{what} nests over {_MAX_DEPTH} deep, which no such file does.")


def begins_with(head: Head, *, keys: frozenset[str]) -> bool:
    """True for an array whose first object has all these keys, as far as the head shows it."""
    if not _FIRST_OBJECT.match(head.text):
        return False
    first = head.text[: head.text.find("}", 0, 60_000) + 1 or 60_000]
    return all(re.search(rf'"{key}"\s*:', first) for key in keys)


def words(value: Any) -> str:
    """A value as one line, '' for None and for what holds others."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _depth(text: str) -> int:
    """How deep brackets nest, strings left out. Linear, without recursion."""
    deepest = depth = 0
    for found in re.finditer(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', text, re.DOTALL):
        mark = found[0][0]
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth -= 1
    return deepest
