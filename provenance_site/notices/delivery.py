"""Posts one signed event to a webhook; what the network does is a value."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from provenance_site.kit.outbound import Answer, OutboundClient, OutboundPolicy
from provenance_site.kit.outbound.targets import UnusableTarget, target_of
from provenance_site.notices.signing import EVENT_HEADER, HEADER, signature


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver has it, and how it answered."""

    status: int


@dataclass(frozen=True, slots=True)
class NotDelivered:
    """It has not, and why; `retry_after_s` is what it asks to wait, where it does.

    `status` is None without an answer.
    """

    reason: str
    status: int | None = None
    retry_after_s: float | None = None


def policy() -> OutboundPolicy:
    """What the client may do. The address comes from an admin of a workspace, so it opens no private network, except
    for what the operator lists in DESK_RELAY_HOSTS."""
    return OutboundPolicy(
        user_agent=f"ProvenanceDesk/{settings.PRODUCT_VERSION} (+{settings.CONTACT_URL})",
        private_hosts=frozenset(settings.RELAY_HOSTS),
    )


def refusal_of(url: str) -> str:
    """Why nothing is posted to this address, in words for a person; '' where it may be."""
    try:
        target = target_of(url)
    except UnusableTarget as refused:
        return f"This is no address that can be posted to: {refused}. Write the whole address, with https://."
    if urlsplit(url).username is not None:
        return "A password in an address is read by many. Leave it out: what is sent is signed."
    own = policy()
    if not target.is_secure and not own.is_listed(target.host, target.port):
        return "What is told is readable on the way. Write an address with https://."
    refused_port = own.port_refusal(target.host, target.port)
    return f"Nothing is posted there: {refused_port}." if refused_port else ""


def deliver(
    *, url: str, secret: str, event_id: str, payload: Mapping[str, Any], moment: int
) -> Delivered | NotDelivered:
    """Posts `payload` as JSON, signed over its exact bytes. Delivered is an answer of 2xx; no redirect is followed."""
    return asyncio.run(_deliver(url, secret, event_id, payload, moment))


async def _deliver(
    url: str, secret: str, event_id: str, payload: Mapping[str, Any], moment: int
) -> Delivered | NotDelivered:
    def sign(body: bytes) -> Mapping[str, str]:
        return {HEADER: signature(secret=secret, moment=moment, body=body), EVENT_HEADER: event_id}

    async with OutboundClient(policy()) as client:
        outcome = await client.post_json(url, payload=payload, sign=sign)
    if not isinstance(outcome, Answer):
        return NotDelivered(outcome.detail, None, outcome.retry_after_s)
    if 200 <= outcome.status < 300:
        return Delivered(outcome.status)
    return NotDelivered(f"it answered {outcome.status}", outcome.status, outcome.retry_after_s)
