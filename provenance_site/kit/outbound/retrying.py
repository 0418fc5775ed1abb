"""Whether an answer asks to be asked again, and when."""

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from provenance_site.kit.outbound.answers import Answer
from provenance_site.kit.outbound.policy import OutboundPolicy

_WORTH_A_RETRY = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_EARLY,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    }
)
# Thirty years: whoever adds it to a moment still has a moment.
_LONGEST_S = 999_999_999
_OVERLOADED = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
# A bot check answers 429 or 503 as well; asking again only makes it surer.
_BOT_CHECK = "cf-mitigated"


def retry_after_s(header: str, *, now: datetime) -> int | None:
    """The seconds that a Retry-After header asks for, not below 0; None where it cannot be read (RFC 9110, 10.2.3)."""
    header = header.strip()
    if header.isascii() and header.isdigit():
        return int(header[:9])  # at most _LONGEST_S
    if not header:
        return None
    try:
        moment = parsedate_to_datetime(header)
    except (ValueError, OverflowError):  # the latter for an offset from UTC of years
        return None
    seconds = math.ceil((moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())
    return min(max(0, seconds), _LONGEST_S)


def wait_before_retry(answer: Answer, policy: OutboundPolicy) -> float | None:
    """Seconds after which the same request is worth a second try; None where it is not, or the wait is too long."""
    if answer.status not in _WORTH_A_RETRY or _BOT_CHECK in answer.headers:
        return None
    wait_s = policy.retry_wait_s if answer.retry_after_s is None else float(answer.retry_after_s)
    return wait_s if wait_s <= policy.max_retry_wait_s else None


def is_to_be_left_alone(answer: Answer, policy: OutboundPolicy) -> bool:
    """True where the whole host asks for a longer pause than a request can wait (RFC 6585, 4; RFC 9110, 15.6.4)."""
    if answer.status not in _OVERLOADED or _BOT_CHECK in answer.headers:
        return False
    return answer.retry_after_s is not None and answer.retry_after_s > policy.max_retry_wait_s
