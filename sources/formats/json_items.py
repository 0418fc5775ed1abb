"""The objects of a JSON list, one by one: a broken one costs itself, and nesting of any depth costs no crash."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sources.core.lines import one_line
from sources.formats.format import Head, Unreadable

_MARK = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|[\[\]{}]', re.DOTALL)
_BLANK = re.compile(r"[\s,]*")
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|[^,{}\[\]"]+', re.DOTALL)
_FIRST_OBJECT = re.compile(r"\s*\[\s*\{")
_FIRST = 60_000
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class JsonItem:
    """One element: its line, its text shortened, and its value, or what is wrong with it."""

    line: int
    written: str
    value: Any = None
    problem: str = ""


def items_of(text: str, start: int) -> Iterator[JsonItem]:
    """The objects of the list whose `[` stands before `start`, to its end or to the end of the text; what is no object
    is passed over."""
    line, counted, at, is_whole = 1, 0, start, True
    while True:
        found = _BLANK.match(text, at)
        at = found.end() if found else at
        if at >= len(text) or text[at] in "]}":
            return
        if text[at] != "{":
            at = _end(text, at) if text[at] == "[" else _after_scalar(text, at)
            continue
        line, counted = line + text.count("\n", counted, at), at
        # An error makes the decoder count the lines before it; once there was one, only the object's own text is read.
        end = 0 if is_whole else _end(text, at)
        source, offset = (text, at) if is_whole else (text[at:end], 0)
        shown = text[at : at + 200]
        try:
            value, stop = _DECODER.raw_decode(source, offset)
        except RecursionError:
            yield JsonItem(line, shown, problem="It is nested too deeply to be read. Delete it from the file.")
            end = end or _end(text, at)
        except ValueError as error:
            is_whole = False
            where = line + source.count("\n", offset, getattr(error, "pos", offset))
            reason = getattr(error, "msg", error)
            told = f"This is no JSON (line {where}: {reason}). Mend that place and import the file again."
            yield JsonItem(line, shown, problem=told)
            end = end or _end(text, at)
        else:
            yield JsonItem(line, shown, value=value)
            end = end or stop
        at = max(end, at + 1)


def objects_of(text: str, *, what: str) -> Iterator[JsonItem]:
    """The objects of the outermost list of `text`; raises `Unreadable` for what is no list."""
    start = list_start(text.removeprefix("\ufeff"))
    if start < 0:
        raise Unreadable(f"{what} is not a JSON array of objects. Take the file that the run wrote.")
    yield from items_of(text.removeprefix("\ufeff"), start)


def list_start(text: str, key: str = "") -> int:
    """Where the elements of the outermost list begin, or those of the list at `key` of the outermost object; -1 where
    there is none."""
    begun = re.match(r"\s*([\[{])", text)
    if not begun:
        return -1
    if begun[1] == "[":
        return -1 if key else begun.end()
    depth = 0
    for mark in _MARK.finditer(text):
        sign = mark[0]
        if sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
        elif depth == 1 and key and sign == f'"{key}"':
            behind = re.compile(r"\s*:\s*\[").match(text, mark.end())
            if behind:
                return behind.end()
    return -1


def count_objects(text: str, start: int) -> int:
    """The elements between `start` and the end of their list that are objects, by counting brackets."""
    objects, depth = 0, 0
    for mark in _MARK.finditer(text, start):
        sign = mark[0]
        if sign in ("{", "["):
            objects += depth == 0 and sign == "{"
            depth += 1
        elif sign in ("}", "]"):
            if depth == 0:
                break
            depth -= 1
    return objects


def begins_with(head: Head, *, keys: frozenset[str]) -> bool:
    """True for a list whose first object has all these keys, as far as the head shows it."""
    if not _FIRST_OBJECT.match(head.text):
        return False
    first = head.text[: head.text.find("}", 0, _FIRST) + 1 or _FIRST]
    return all(re.search(rf'"{key}"\s*:', first) for key in keys)


def words(value: Any) -> str:
    """A scalar as one line, without NULs and halves of surrogate pairs; '' for everything else."""
    return one_line(text_of(value))


def text_of(value: Any) -> str:
    """A scalar as text; '' for null, lists, objects and NaN."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value == value and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, int) and abs(value) > 10**18:
        return ""
    return str(value) if isinstance(value, str | int | float) else ""


def written(value: Any) -> str:
    """Any value as compact JSON of at most 2,000 characters, text as it is; '' where it is too deep or empty."""
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))[:2_000]
    except (RecursionError, ValueError):
        return ""


def _after_scalar(text: str, at: int) -> int:
    found = _SCALAR.match(text, at)
    return max(found.end() if found else at, at + 1)


def _end(text: str, at: int) -> int:
    """Behind the element that begins at `at`, by its brackets."""
    depth = 0
    for mark in _MARK.finditer(text, at):
        sign = mark[0]
        if sign in ("{", "["):
            depth += 1
        elif sign in ("}", "]"):
            depth -= 1
            if depth < 0:
                return mark.start()
            if depth == 0:
                return mark.end()
    return len(text)
