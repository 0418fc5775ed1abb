"""Guessing passwords is slow: five failures in five minutes per account and per network, then a pause.

Counted in the database, so that all processes share one count. An attempt is written down *before* the password is
looked at and taken back when it was right; counting only afterwards would let a hundred parallel attempts through at
once.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.crypto import salted_hmac

from provenance_site.accounts.models import LoginFailure

FAILURES = 5
WINDOW = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sign-in under way; it counts as failed until `withdraw`."""

    failure_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Locked:
    """No password is looked at before `until`."""

    until: datetime


def begin(*, account: str, network: str, at: datetime) -> Attempt | Locked:
    """Writes down an attempt to sign in to `account` (as typed; it need not exist) from `network`.

    Locked attempts are not counted, so a pause always ends at the time it names. Nothing clears the count of earlier
    failures, least of all a success in between: an attacker with an account of his own would clear it as he likes.
    """
    return _begin([_key("account", _folded(account)), _key("network", network)], at=at)


def withdraw(*, attempt: Attempt) -> None:
    """Takes an attempt back: its password was right, or was never looked at. Harmless twice."""
    LoginFailure.objects.filter(pk__in=attempt.failure_ids).delete()


def bad_token(*, network: str, at: datetime) -> Locked | None:
    """Writes down that `network` showed a token that is none; Locked where it did so too often.

    Called after a refusal only: a good token costs no write and is never locked out.
    """
    found = _begin([_key("token", network)], at=at)
    return found if isinstance(found, Locked) else None


def _begin(keys: Sequence[str], *, at: datetime) -> Attempt | Locked:
    since = at - WINDOW
    LoginFailure.objects.filter(at__lte=since).delete()
    # Each row is committed before anyone counts: of attempts at the same moment, the last to arrive sees all others.
    own = tuple(row.pk for row in LoginFailure.objects.bulk_create([LoginFailure(key=key, at=at) for key in keys]))
    others = LoginFailure.objects.filter(key__in=keys, at__gt=since).exclude(pk__in=own).order_by("-at")
    times: dict[str, list[datetime]] = {key: [] for key in keys}
    for key, failed_at in others.values_list("key", "at"):
        times[key].append(failed_at)
    ends = [found[FAILURES - 1] + WINDOW for found in times.values() if len(found) >= FAILURES]
    if not ends:
        return Attempt(failure_ids=own)
    LoginFailure.objects.filter(pk__in=own).delete()
    return Locked(until=max(ends))


def _folded(account: str) -> str:
    # A user name has at most 150 characters; what is longer may have megabytes.
    return unicodedata.normalize("NFKC", account[:200]).strip().casefold()


def _key(kind: str, text: str) -> str:
    return salted_hmac("provenance_site.accounts.sign_in", f"{kind}:{text}", algorithm="sha256").hexdigest()
