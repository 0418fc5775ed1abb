"""Celery's door of lineage: a line or two a task, one call."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from celery import shared_task

from lineage.services import outbox


@shared_task(name="lineage.relay")
def relay(**_future: Any) -> None:
    """Tells other lineage services what waits in the outbox."""
    outbox.send(clock=_now, holder=str(uuid4()))


@shared_task(name="lineage.tidy_outbox")
def tidy_outbox(**_future: Any) -> None:
    """Deletes what every service has taken."""
    outbox.tidy(at=_now())


def _now() -> datetime:
    return datetime.now(UTC)
