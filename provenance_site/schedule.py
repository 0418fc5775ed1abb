"""The beat table as code: what runs by itself, and how often. UTC, seconds."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    # Wakes runs whose worker died or whose message was lost: the database row is the truth, a message only a doorbell.
    "validation.sweep": {"task": "validation.sweep", "schedule": 5.0, "options": {"expires": 15}},
    # The same for imports that a worker writes.
    "sources.import_sweep": {"task": "sources.import_sweep", "schedule": 10.0, "options": {"expires": 30}},
    # And for large files that a worker makes.
    "sources.export_sweep": {"task": "sources.export_sweep", "schedule": 10.0, "options": {"expires": 30}},
    # Tries failures again whose time has come, and dead pages that more checks have to agree on.
    "validation.retry_due": {"task": "validation.retry_due", "schedule": 300.0, "options": {"expires": 240}},
}
