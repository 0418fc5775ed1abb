"""JSON answers of providers, read without trusting them."""

import json
from typing import Any

from provenance_site.kit.outbound import Answer


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
