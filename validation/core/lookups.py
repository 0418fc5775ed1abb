"""Answers of providers as text, and the keys they are kept under.

Only what a provider said is kept, under a hash of what it was asked: no workspace, no project, no person. So one
installation keeps one answer, whoever asked first. What could not be asked is not kept.
"""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from validation.core.ports import ANYWHERE, Capture, Domains, Hit, NoCapture, NoWork, Work

# An index that found nothing today may find it next week; a moved article does not move every day.
TTL = timedelta(days=7)

Kept = tuple[Hit, ...] | tuple[Work, ...] | Work | NoWork | Capture | NoCapture


def key_of(provider: str, kind: str, *asked: object) -> str:
    """The key of a question: lower-case hex SHA-256 over the provider's name, the kind and what is asked."""
    return hashlib.sha256(json.dumps([provider, kind, *asked], ensure_ascii=True).encode()).hexdigest()


def search_key(provider: str, query: str, limit: int, *, account: str = "", domains: Domains = ANYWHERE) -> str:
    """The key of a web search. What a workspace's own `account` was told is under keys that only its name leads to."""
    where = [] if domains == ANYWHERE else [{"include": domains.include, "exclude": domains.exclude}]
    return key_of(provider, "search", query, limit, *([account] if account else ()), *where)


def title_key(provider: str, title: str, author: str, limit: int) -> str:
    """The key of a registry's search by title."""
    return key_of(provider, "title", title, author, limit)


def doi_key(provider: str, doi: str) -> str:
    """The key of a registry's record of a DOI."""
    return key_of(provider, "doi", doi)


def capture_key(provider: str, url: str) -> str:
    """The key of an archive's newest copy of an address."""
    return key_of(provider, "capture", url)


def written(answer: Kept) -> str:
    """The answer as JSON; `read` gives it back."""
    match answer:
        case Work():
            return json.dumps({"work": _work(answer)})
        case NoWork(provider=provider):
            return json.dumps({"no_work": provider})
        case Capture():
            return json.dumps({"capture": {**_fields(answer), "at": answer.at.isoformat()}})
        case NoCapture(provider=provider):
            return json.dumps({"no_capture": provider})
        case _:
            return json.dumps({"list": [_work(one) if isinstance(one, Work) else _fields(one) for one in answer]})


def read(text: str) -> Kept | None:
    """The answer that `text` holds; None for a text that another release wrote and this one cannot read."""
    try:
        stored: dict[str, Any] = json.loads(text)
        if "work" in stored:
            return _read_work(stored["work"])
        if "no_work" in stored:
            return NoWork(stored["no_work"])
        if "capture" in stored:
            fields = dict(stored["capture"])
            return Capture(**{**fields, "at": datetime.fromisoformat(fields["at"])})
        if "no_capture" in stored:
            return NoCapture(stored["no_capture"])
        rows = stored["list"]
        return tuple(Hit(**row) for row in rows) if _are_hits(rows) else tuple(_read_work(row) for row in rows)
    except (ValueError, TypeError, KeyError):
        return None


def _are_hits(rows: list[dict[str, Any]]) -> bool:
    return all("url" in row for row in rows)


def _fields(answer: Hit | Work | Capture) -> dict[str, Any]:
    return {name: getattr(answer, name) for name in answer.__dataclass_fields__}


def _work(work: Work) -> dict[str, Any]:
    return {**_fields(work), "authors": list(work.authors)}


def _read_work(fields: dict[str, Any]) -> Work:
    return Work(**{**fields, "authors": tuple(fields["authors"])})
