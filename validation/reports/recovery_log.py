"""recovery-log.json: which dead addresses were replaced by which live ones, and how they were found. Pure."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from sources.core.findings import Recovery

FILE_NAME = "recovery-log.json"


@dataclass(frozen=True, slots=True)
class LoggedRecovery:
    """One address that was replaced; `by_person` where a person took a proposal."""

    original_url: str
    recovery: Recovery
    at: datetime
    by_person: bool = False


def recovery_log(entries: Iterable[LoggedRecovery]) -> str:
    """A JSON list with one object an entry, in the given order. Same entries, same bytes.

    Fields: original_url, recovered_url, matched_via, query, provider, similarity (0 to 1, two places), at (UTC).
    """
    rows = [
        {
            "original_url": entry.original_url,
            "recovered_url": entry.recovery.recovered_url,
            "matched_via": f"{entry.recovery.matched_via}{', taken by a person' if entry.by_person else ''}",
            "query": entry.recovery.query,
            "provider": entry.recovery.provider,
            "similarity": round(entry.recovery.similarity, 2),
            "at": f"{entry.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        }
        for entry in entries
    ]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
