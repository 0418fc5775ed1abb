"""The beat table as code: what runs by itself, and how often. UTC, seconds."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    # Wakes runs whose worker died or whose message was lost: the database row is the truth, a message only a doorbell.
    "validation.sweep": {"task": "validation.sweep", "schedule": 5.0, "options": {"expires": 15}},
}
