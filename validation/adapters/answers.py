"""JSON answers of providers, read without trusting them."""

import json
from typing import Any

from provenance_site.kit.outbound import Answer
from validation.core.ports import Hit


def json_object(answer: Answer) -> dict[str, Any] | None:
    """The JSON object in the body; None for anything else: another type, damaged, cut off, nested beyond reason."""
    if answer.truncated:
        return None
    try:
        value = json.loads(answer.body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_list(answer: Answer) -> list[Any] | None:
    """The JSON list in the body; None for anything else. An empty body is an empty list: so indexes answer."""
    if answer.truncated:
        return None
    try:
        value = json.loads(answer.body or b"[]")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def hits_in(results: Any, provider: str) -> tuple[Hit, ...]:
    """The hits of a list of `{"url", "title", …}`; what has no web address is left out."""
    hits = []
    for result in results if isinstance(results, list) else ():
        if isinstance(result, dict):
            url, title = result.get("url"), result.get("title")
            if isinstance(url, str) and url.lower().startswith(("http://", "https://")):
                hits.append(Hit(url=url, title=title if isinstance(title, str) else "", provider=provider))
    return tuple(hits)
