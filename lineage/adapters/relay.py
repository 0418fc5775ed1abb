"""Posts a batch of events to another lineage service; what the network does is a value."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from provenance_site.kit.outbound import Answer, Bearer, OutboundClient, OutboundPolicy


@dataclass(frozen=True, slots=True)
class Delivered:
    """The service has taken the batch."""


@dataclass(frozen=True, slots=True)
class NotDelivered:
    """It has not, and why; `retry_after_s` is what it asks to wait, where it does."""

    reason: str
    retry_after_s: float | None = None


def deliver(*, url: str, token: str, events: Sequence[Mapping[str, Any]]) -> Delivered | NotDelivered:
    """Posts the events as one JSON object with a list. Delivered is what the service answers with 2xx: it has them all.

    The address comes from an admin of a workspace, so it opens no private network, except for what the operator lists
    in DESK_RELAY_HOSTS.
    """
    return asyncio.run(_deliver(url=url, token=token, events=events))


async def _deliver(*, url: str, token: str, events: Sequence[Mapping[str, Any]]) -> Delivered | NotDelivered:
    policy = OutboundPolicy(
        user_agent=f"ProvenanceDesk/{settings.PRODUCT_VERSION} (+{settings.CONTACT_URL})",
        private_hosts=frozenset(settings.RELAY_HOSTS),
    )
    async with OutboundClient(policy) as client:
        bearer = Bearer(url, token) if token else None
        outcome = await client.post_json(url, payload={"events": list(events)}, bearer=bearer)
    if not isinstance(outcome, Answer):
        return NotDelivered(outcome.detail, outcome.retry_after_s)
    if 200 <= outcome.status < 300:
        return Delivered()
    return NotDelivered(f"it answered {outcome.status}", outcome.retry_after_s)
