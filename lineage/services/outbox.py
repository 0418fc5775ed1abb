"""The outbox: what we tell other lineage services, written in the transaction of what it tells and sent by a worker.

At least once, in the order it was written (so in order for each node too), resumable: a relay keeps how far its service
has taken it. Services know a repeated event by its id.

A relay is told of everything that its workspace records, so it is kept by whoever may read everything there, and rests
while that person may not.

PostgreSQL gives keys out before transactions end, so that an event may come to stand before one that was sent already.
So nothing is sent until every transaction that could still write a key before it has ended (`_settled_through`).
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from lineage import access
from lineage.adapters.relay import Delivered, NotDelivered, deliver
from lineage.models import OutboxEvent, Relay
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role, membership_of
from provenance_site.accounts.roles import Role
from provenance_site.accounts.secrets import installation_secrets
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.resealing import reseal_rows
from provenance_site.kit.sealing import opened, sealed

CHANGE_KIND = "lineage.relay"
# So many parts go into one event, so many events into one request.
_PARTS = 500
_EVENTS = 50
_LEASE = timedelta(seconds=90)
# How long a service that does not answer is left alone: longer each time, an hour at most.
_WAITS = (5, 30, 120, 600, 3600)

# This transaction's number, and that of the oldest other one under way which may write events, else its own. Numbers
# are shared by all databases of a server, so those of other databases are left out. Where somebody else is connected to
# ours, whose transactions we may not see, all count that the snapshot has. (`backend_xid` has the lower half of a
# number; one that seems far ahead is of the turn before.)
_UNDER_WAY = """
    WITH look AS MATERIALIZED (SELECT pg_current_xact_id()::text::bigint AS own),
    clients AS (
        SELECT usename, own - (own & 4294967295) + backend_xid::text::bigint AS number FROM pg_stat_activity, look
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
    )
    SELECT own, CASE
        WHEN EXISTS (SELECT FROM clients WHERE usename <> current_user) THEN coalesce(
            (SELECT min(one::text::bigint) FROM pg_snapshot_xip(pg_current_snapshot()) one),
            pg_snapshot_xmax(pg_current_snapshot())::text::bigint
        )
        ELSE coalesce(
            (SELECT min(CASE WHEN number > own + 2147483648 THEN number - 4294967296 ELSE number END) FROM clients), own
        )
    END FROM look
"""


class RelayRefused(ValueError):
    """A relay cannot be kept so; the message says why."""


def put(
    *, workspace_id: int, entities: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]], at: datetime
) -> None:
    """Writes what was recorded into the outbox, in the caller's transaction."""
    _begin_to_write()
    told = [("entities", entities), ("edges", edges)]
    OutboxEvent.objects.bulk_create(
        [
            OutboxEvent(workspace_id=workspace_id, event_id=event_id, payload=payload, created_at=at)
            for name, parts in told
            for start in range(0, len(parts), _PARTS)
            for event_id in [f"desk-{uuid.uuid4()}"]
            for payload in [
                {"lineage_event_id": event_id, name: list(parts[start : start + _PARTS]), "created_at": at.isoformat()}
            ]
        ]
    )


def is_wanted(*, workspace_id: int) -> bool:
    """True where some service is told of what the workspace records. One small query."""
    return Relay.objects.filter(workspace_id=workspace_id).exists()


def wanting(workspace_ids: Iterable[int]) -> set[int]:
    """Those of these workspaces of which some service is told. One small query."""
    relays = Relay.objects.filter(workspace_id__in=set(workspace_ids))
    return set(relays.values_list("workspace_id", flat=True))


def add(*, workspace_id: int, name: str, url: str, token: str, by: User, channel: Channel, at: datetime) -> Relay:
    """Tells another service from now on; its token is encrypted and never shown again. One ChangeSet.

    Raises `RelayRefused` for an address that is none, a name that is taken, and where the person may not read all that
    would be told; below an admin like `check_role`.
    """
    check_role(by, workspace_id, Role.ADMIN)
    if not _reads_everything(by, workspace_id):
        raise RelayRefused("It would be told of everything: ask an admin who is cleared for what is restricted.")
    name, url = name.strip(), url.strip()
    if not url.startswith(("https://", "http://")):
        raise RelayRefused("Write the whole address of the service, with https://.")
    if not name or Relay.objects.filter(workspace_id=workspace_id, name=name).exists():
        raise RelayRefused("Give it a name that no other relay of this workspace has.")
    with transaction.atomic():
        newest = (
            OutboxEvent.objects.filter(workspace_id=workspace_id).order_by("-pk").values_list("pk", flat=True).first()
        )
        relay = Relay.objects.create(
            workspace_id=workspace_id, name=name, url=url, added_by=by, sent_through=newest or 0, created_at=at
        )
        if token:
            relay.sealed_token = sealed(token, place=_place(relay), secrets=installation_secrets())
            relay.save(update_fields=["sealed_token"])
        _record(relay, before={}, after={"name": name, "url": url}, by=by, channel=channel, at=at)
    return relay


def remove(*, relay: Relay, by: User, channel: Channel, at: datetime) -> None:
    """Tells the service no more. One ChangeSet; what it was not told of yet is not told."""
    check_role(by, relay.workspace_id, Role.ADMIN)
    with transaction.atomic():
        _record(relay, before={"name": relay.name, "url": relay.url}, after={}, by=by, channel=channel, at=at)
        relay.delete()


def send(*, clock: Callable[[], datetime], holder: str) -> int:
    """Sends what waits, for every relay whose time has come, and gives how many events were taken.

    Any number of processes may call it at once: a relay is held by a lease. No transaction is open while a service is
    asked. What was sent and not noted (a killed worker) is sent again.
    """
    sent = 0
    while (claimed := _claim(holder, at=clock())) is not None:
        sent += _send_one(*claimed, clock=clock)
    return sent


def reseal() -> tuple[int, int]:
    """Encrypts the tokens of all relays anew under the installation's secret of now; gives how many, and how many
    cannot be read, as `reseal_rows`."""
    sealed_ones = Relay.objects.exclude(sealed_token="")
    return reseal_rows(sealed_ones, column="sealed_token", place=_place, secrets=installation_secrets())


def tidy(*, at: datetime, after: timedelta = timedelta(days=7)) -> int:
    """Deletes outbox events that every relay of their workspace has taken and that are older than a week."""
    gone = 0
    for workspace_id in OutboxEvent.objects.values_list("workspace", flat=True).distinct():
        behind = Relay.objects.filter(workspace_id=workspace_id).order_by("sent_through").first()
        old = OutboxEvent.objects.filter(workspace_id=workspace_id, created_at__lt=at - after)
        gone += (old if behind is None else old.filter(pk__lte=behind.sent_through)).delete()[0]
    return gone


def _claim(holder: str, *, at: datetime) -> tuple[Relay, int] | None:
    """A relay whose turn it is, held from now on, and through which key its events can be sent."""
    free = Q(held_until__isnull=True) | Q(held_until__lt=at)
    due = Q(retry_at__isnull=True) | Q(retry_at__lte=at)
    for relay in Relay.objects.filter(free, due).select_related("added_by").order_by("pk"):
        through = _settled_through(relay)
        if through <= relay.sent_through:
            continue
        held = Relay.objects.filter(free, pk=relay.pk, sent_through=relay.sent_through)
        if held.update(held_by=holder, held_until=at + _LEASE):
            return relay, through
    return None


def _begin_to_write() -> None:
    """Has PostgreSQL number this transaction before it takes keys: `_settled_through` waits for those that are."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_xact_id()")


def _settled_through(relay: Relay) -> int:
    """The key up to which no further event can come to stand before those that are there; of the workspace's newest.

    PostgreSQL: whoever took a key before our look was numbered before it, so that all is settled up to there once none
    of those transactions is under way. That is so at once where nobody writes; else the look is kept for the next turn.
    """
    waiting = OutboxEvent.objects.filter(workspace_id=relay.workspace_id, pk__gt=relay.sent_through)
    newest = waiting.order_by("-pk").values_list("pk", flat=True).first()
    if newest is None:
        return relay.sent_through
    if connection.vendor != "postgresql":
        return newest
    with connection.cursor() as cursor:
        cursor.execute(_UNDER_WAY)
        begun_before, oldest = cursor.fetchone()
    if oldest >= begun_before:
        return newest
    if oldest < relay.seen_before:
        return relay.sent_through
    Relay.objects.filter(pk=relay.pk).update(seen_through=newest, seen_before=begun_before)
    return min(relay.seen_through, newest)


def _send_one(relay: Relay, through: int, *, clock: Callable[[], datetime]) -> int:
    """One request's worth for a relay that is held; notes how far it came, and gives it free."""
    waiting = OutboxEvent.objects.filter(
        workspace_id=relay.workspace_id, pk__gt=relay.sent_through, pk__lte=through
    ).order_by("pk")
    events = list(waiting[:_EVENTS])
    free: dict[str, Any] = {"held_by": "", "held_until": None}
    noted: dict[str, Any]
    outcome = _delivered(relay, events)
    match outcome:
        case Delivered():
            noted = {
                "sent_through": events[-1].pk if events else through,
                "attempts": 0,
                "retry_at": None,
                "last_error": "",
            }
            taken = len(events)
        case NotDelivered() as failed:
            wait = max(_WAITS[min(relay.attempts, len(_WAITS) - 1)], failed.retry_after_s or 0)
            noted = {
                "attempts": relay.attempts + 1,
                "retry_at": clock() + timedelta(seconds=wait),
                "last_error": failed.reason[:300],
            }
            taken = 0
    # Where the lease was over and another went on meanwhile, what that one noted stands.
    Relay.objects.filter(pk=relay.pk, sent_through=relay.sent_through).update(**noted, **free)
    return taken


def _delivered(relay: Relay, events: Sequence[OutboxEvent]) -> Delivered | NotDelivered:
    """What came of telling a service these events. What was erased since is not told: its payload is empty."""
    if relay.added_by is not None and not _reads_everything(relay.added_by, relay.workspace_id):
        return NotDelivered(
            f"{relay.added_by} added it and may not read everything any more: remove it and add it again"
        )
    token = (
        opened(relay.sealed_token, place=_place(relay), secrets=installation_secrets()) if relay.sealed_token else ""
    )
    if token is None:
        # A service that takes what anybody tells would have it unsigned.
        return NotDelivered("its token cannot be read under the present secret: remove the relay and add it again")
    told = [event.payload for event in events if event.payload]
    return deliver(url=relay.url, token=token, events=told) if told else Delivered()


def _reads_everything(person: User, workspace_id: int) -> bool:
    membership = membership_of(person, workspace_id)
    return membership is not None and access.asker_of(membership).sees_everything


def _record(
    relay: Relay, *, before: dict[str, Any], after: dict[str, Any], by: User, channel: Channel, at: datetime
) -> None:
    facts = [ChangeFacts(model=Relay._meta.label_lower, object_id=relay.pk, before=before, after=after)]
    changes.record(
        workspace_id=relay.workspace_id,
        kind=CHANGE_KIND,
        actor=by,
        channel=channel,
        note=relay.name,
        at=at,
        changes=facts,
    )


def _place(relay: Relay) -> str:
    return f"lineage.relay/{relay.pk}"
