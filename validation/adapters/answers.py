"""JSON answers of providers, read without trusting them."""

import json
import math
import re
from typing import Any

from provenance_site.kit.outbound import Answer
from validation.core.ports import ANYWHERE, Domains, Hit

_LONGEST_SNIPPET = 2_000
_LONGEST_DATE = 40
_ESCAPED = re.compile(rb"\\u(?:0000|d[89a-f])", re.IGNORECASE)
_HALF = re.compile("[\ud800-\udfff]")


def json_object(answer: Answer) -> dict[str, Any] | None:
    """The JSON object in the body; None for anything else: another type, damaged, cut off, nested beyond reason."""
    if answer.truncated:
        return None
    try:
        value = _read(answer.body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_list(answer: Answer) -> list[Any] | None:
    """The JSON list in the body; None for anything else. An empty body is an empty list: so indexes answer."""
    if answer.truncated:
        return None
    try:
        value = _read(answer.body or b"[]")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def hits_in(
    results: Any, provider: str, *, domains: Domains = ANYWHERE, snippet: str = "content", published: str = ""
) -> tuple[Hit, ...]:
    """The hits of a list of `{"url", "title", …}`; what has no web address is left out, and so is what lies outside of
    `domains`, since a provider may pass over what it was told. `snippet` and `published` name the provider's fields.
    """
    hits = []
    for result in results if isinstance(results, list) else ():
        if isinstance(result, dict):
            url = result.get("url")
            if isinstance(url, str) and url.lower().startswith(("http://", "https://")) and domains.allow(url):
                hits.append(
                    Hit(
                        url=url,
                        title=_text(result.get("title")),
                        provider=provider,
                        snippet=_text(result.get(snippet))[:_LONGEST_SNIPPET],
                        score=score_of(result.get("score")),
                        published=_text(result.get(published))[:_LONGEST_DATE],
                    )
                )
    return tuple(hits)


def score_of(value: Any) -> float | None:
    """A provider's score, None where it is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _read(body: bytes) -> Any:
    """The value, without what no database keeps: NULs are blanks, halves of surrogate pairs the replacement mark. One
    such title would else undo all that was asked beside it."""
    value = json.loads(body.decode("utf-8-sig"))
    return _kept(value) if _ESCAPED.search(body) else value


def _kept(value: Any) -> Any:
    match value:
        case str():
            return _HALF.sub("\ufffd", value.replace("\x00", " "))
        case list():
            return [_kept(each) for each in value]
        case dict():
            return {_kept(name): _kept(each) for name, each in value.items()}
        case _:
            return value
