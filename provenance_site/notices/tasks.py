"""Celery's door of notices: one call a task."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from celery import shared_task

from provenance_site.notices import mail, webhooks


@shared_task(name="notices.mail")
def send_mail(**_future: Any) -> None:
    """Mails people what is new, as often as they chose."""
    mail.send(at=_now())


@shared_task(name="notices.webhooks")
def send_webhooks(**_future: Any) -> None:
    """Tells webhooks what waits for them."""
    webhooks.send(clock=_now, holder=str(uuid4()))


@shared_task(name="notices.tidy_webhooks")
def tidy_webhooks(**_future: Any) -> None:
    """Deletes what webhooks were told long ago."""
    webhooks.tidy(at=_now())


def _now() -> datetime:
    return datetime.now(UTC)
