"""source-validation-log-*.json of a memo run: what its own checks said of each address.

The pipeline's releases wrap the list differently, so every object with an address is taken, wherever it stands.
"""

import json
from collections.abc import Iterator
from typing import Any

from sources.core.entries import Item, SourceRecord
from sources.core.extraction.gathering import row_error
from sources.formats.format import Unreadable
from sources.formats.json_items import words
from sources.formats.memo.catalog import is_left_out
from sources.formats.naming import identities_of

_ADDRESSES = ("url", "original_url", "source_url", "link")
_VERDICTS = ("verdict", "status", "validation_status", "result", "classification")
_KEPT = ("http_status", "status_code", "http", "reason", "error", "llm_verification", "checked_at", "citation_id")


def read_text(text: str, *, version: str = "", file: str = "") -> Iterator[Item]:
    """One record for each object with an address, with the log's words in `details`; one `RowError` for each that the
    log calls invalid or hallucinated. `line` is the object's number in reading order."""
    try:
        told = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise Unreadable(f"Line {error.lineno} is no JSON ({error.msg}). Take the log from the run again.") from error
    except RecursionError as error:
        raise Unreadable("The log is nested too deep to be read. Take it from the run again.") from error
    except ValueError as error:
        raise Unreadable(f"The log cannot be read as JSON: {error}"[:300]) from error
    for number, entry in enumerate(_entries(told), 1):
        yield _item(number, entry, version=version, file=file)


def _entries(told: Any) -> Iterator[dict[str, Any]]:
    waiting = [told]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(isinstance(value.get(key), str) and words(value[key]) for key in _ADDRESSES):
                yield value
            else:
                waiting.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            waiting.extend(reversed(value))


def _item(number: int, entry: dict[str, Any], *, version: str, file: str) -> Item:
    url = next(words(entry[key]) for key in _ADDRESSES if words(entry.get(key)))
    verdict = next((words(entry[key]) for key in _VERDICTS if words(entry.get(key))), "")
    identities, warnings = identities_of([url])
    if not identities:
        return row_error(number, url, warnings[0])
    if is_left_out(verdict):
        return row_error(
            number, url, f"The run's own check called it “{verdict[:80]}”, so it was not taken from the log."
        )
    return SourceRecord(
        line=number,
        spelling=url[:200],
        identities=identities,
        title=words(entry.get("title"))[:300],
        section=words(entry.get("section"))[:300],
        project_version=version,
        details=(
            *((("validation", verdict[:300]),) if verdict else ()),
            *((key, words(entry[key])[:2_000]) for key in _KEPT if words(entry.get(key))),
            *((("file", file),) if file else ()),
        ),
        warnings=warnings,
    )
