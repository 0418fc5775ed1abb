"""A workspace's webhook: set and removed by its admins, and told of news by workers.

Each piece of news is a row, written in the transaction of what it tells, and sent at least once under one id: what was
sent and not noted (a killed worker) is sent again. What is said is made when it is sent, of what stands then,
as far as whoever set the address may read it.
"""

import secrets as random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Q
from django.views.decorators.debug import sensitive_variables

from provenance_site.accounts.models import User, Workspace
from provenance_site.accounts.permissions import check_role, membership_of
from provenance_site.accounts.reading import reading_under
from provenance_site.accounts.roles import Clearance, Role
from provenance_site.accounts.secrets import installation_secrets
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.kit.resealing import reseal_rows
from provenance_site.kit.sealing import opened, sealed
from provenance_site.notices.delivery import Delivered, NotDelivered, deliver, refusal_of
from provenance_site.notices.models import Webhook, WebhookDelivery
from provenance_site.notices.paces import DeliveryState
from provenance_site.notices.registry import event_function

CHANGE_KIND = "notices.webhook"
TEST_KIND = "test"
_LEASE = timedelta(seconds=90)
# How long a receiver that does not take something is left alone, in seconds; after the last one it is given up.
_WAITS = (10, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400)
# So many in one call: another worker, or the next call, goes on.
_AT_ONCE = 50
_KEPT = timedelta(days=30)
_WAITING = DeliveryState.WAITING


class WebhookRefused(ValueError):
    """The webhook cannot be so; the message says why and the way out."""


@sensitive_variables("secret")
def set_address(*, workspace: Workspace, url: str, by: User, channel: Channel, at: datetime) -> tuple[Webhook, str]:
    """Tells this address from now on; a first one gets a secret, which is given here once and '' later on.

    One ChangeSet, which names the host only: an address may hold a key of its own. Raises `WebhookRefused`; below an
    admin like `check_role`.
    """
    check_role(by, workspace, Role.ADMIN)
    url = url.strip()
    if refusal := refusal_of(url):
        raise WebhookRefused(refusal)
    with transaction.atomic():
        _lock(workspace)
        hook = Webhook.objects.filter(workspace=workspace).first()
        before = _facts(hook)
        secret = ""
        if hook is None:
            hook = Webhook.objects.create(workspace=workspace, url=url, sealed_secret="", set_by=by, set_at=at)
            secret = _seal_new(hook)
        hook.url, hook.set_by, hook.set_at = url, by, at
        hook.save(update_fields=["url", "set_by", "set_at"])
        _record(hook, "address set", before=before, by=by, channel=channel, at=at)
    return hook, secret


@sensitive_variables("secret")
def renew_secret(*, workspace: Workspace, by: User, channel: Channel, at: datetime) -> str:
    """A new secret in the place of the old one, given here once. Raises as `remove`."""
    check_role(by, workspace, Role.ADMIN)
    with transaction.atomic():
        hook = _held(workspace)
        secret = _seal_new(hook)
        _record(hook, "secret renewed", before=_facts(hook), by=by, channel=channel, at=at)
    return secret


def remove(*, workspace: Workspace, by: User, channel: Channel, at: datetime) -> None:
    """Tells it no more, and forgets address, secret and what waits. `WebhookRefused` where there is none."""
    check_role(by, workspace, Role.ADMIN)
    with transaction.atomic():
        hook = _held(workspace)
        _record(hook, "removed", before=_facts(hook), by=by, channel=channel, at=at)
        hook.delete()


def put(*, workspace_id: int, kind: str, key: str, subject_id: int, at: datetime) -> None:
    """Has the workspace's webhook told, where there is one; in the caller's transaction. The same news once."""
    WebhookDelivery.objects.bulk_create(
        [
            WebhookDelivery(webhook=hook, kind=kind, key=key, subject_id=subject_id, due_at=at, created_at=at)
            for hook in Webhook.objects.filter(workspace=workspace_id)
        ],
        ignore_conflicts=True,
    )


def put_test(*, workspace: Workspace, by: User, at: datetime) -> None:
    """Has the webhook sent something that is no news, to see that it arrives. Raises as `remove`."""
    check_role(by, workspace, Role.ADMIN)
    with transaction.atomic():
        hook = _held(workspace)
        key = f"test {random.token_hex(8)}"
        WebhookDelivery.objects.create(webhook=hook, kind=TEST_KIND, key=key, subject_id=0, due_at=at, created_at=at)


def try_again(*, workspace: Workspace, delivery_id: int, by: User, at: datetime) -> None:
    """Has a delivery that was given up sent again, under the id it had: its tries are counted from the start.

    Raises as `remove`, and `WebhookRefused` for what was not given up; so of two who ask at once one is refused.
    """
    check_role(by, workspace, Role.ADMIN)
    given_up = WebhookDelivery.objects.filter(webhook__workspace=workspace, pk=delivery_id, state=DeliveryState.FAILED)
    if not given_up.update(state=_WAITING, attempts=0, due_at=at, ended_at=None, error="", status=None):
        raise WebhookRefused(
            "Only what was given up is sent again. Look at the list of deliveries: it may be on its way."
        )


def send(*, clock: Callable[[], datetime], holder: str) -> int:
    """Sends what is due, and gives how many deliveries were tried.

    Any number of workers may call it at once: a delivery is held by a lease, and what came of it is noted by its holder
    only. No transaction is open while a receiver is asked.
    """
    tried = 0
    while tried < _AT_ONCE and (held := _claim(holder, at=clock())) is not None:
        _send_one(held, holder, clock=clock)
        tried += 1
    return tried


def tidy(*, at: datetime) -> int:
    """Deletes deliveries that ended over 30 days ago, and gives how many."""
    return WebhookDelivery.objects.filter(ended_at__lt=at - _KEPT).delete()[0]


def reseal() -> tuple[int, int]:
    """Encrypts all secrets anew under the installation's secret of now; gives how many, and how many cannot be read, as
    `reseal_rows`."""
    rows = Webhook.objects.all()
    return reseal_rows(rows, column="sealed_secret", place=lambda hook: hook.place, secrets=installation_secrets())


def _claim(holder: str, *, at: datetime) -> WebhookDelivery | None:
    free = Q(held_until=None) | Q(held_until__lt=at)
    due = WebhookDelivery.objects.filter(free, state=_WAITING, due_at__lte=at).select_related(
        "webhook__workspace", "webhook__set_by"
    )
    for found in due.order_by("due_at", "pk")[:_AT_ONCE]:
        mine = WebhookDelivery.objects.filter(free, pk=found.pk, state=_WAITING, due_at=found.due_at)
        if mine.update(held_by=holder, held_until=at + _LEASE):
            return found
    return None


@sensitive_variables("secret")
def _send_one(held: WebhookDelivery, holder: str, *, clock: Callable[[], datetime]) -> None:
    hook, at = held.webhook, clock()
    noted: dict[str, Any] = {"held_by": "", "held_until": None}
    payload = _payload(held)
    if payload is None:
        noted |= {"state": DeliveryState.VOID, "ended_at": at}
    else:
        secret = opened(hook.sealed_secret, place=hook.place, secrets=installation_secrets())
        outcome = (
            NotDelivered("its secret cannot be read under the present one: renew it")
            if secret is None
            else deliver(
                url=hook.url,
                secret=secret,
                event_id=str(held.event_id),
                payload=payload,
                moment=int(at.timestamp()),
            )
        )
        noted |= _noted(held, outcome, at=clock())
    WebhookDelivery.objects.filter(pk=held.pk, held_by=holder, state=_WAITING).update(**noted)
    if "due_at" in noted:  # what else waits for this receiver waits with it
        others = WebhookDelivery.objects.filter(webhook=hook.pk, state=_WAITING, due_at__lt=noted["due_at"])
        others.update(due_at=noted["due_at"])


def _noted(held: WebhookDelivery, outcome: Delivered | NotDelivered, *, at: datetime) -> dict[str, Any]:
    attempts = held.attempts + 1
    match outcome:
        case Delivered():
            return {
                "state": DeliveryState.DELIVERED,
                "attempts": attempts,
                "status": outcome.status,
                "error": "",
                "ended_at": at,
            }
        case NotDelivered():
            failed: dict[str, Any] = {"attempts": attempts, "status": outcome.status, "error": outcome.reason[:300]}
            if attempts > len(_WAITS):
                return failed | {"state": DeliveryState.FAILED, "ended_at": at}
            wait_s = max(_WAITS[attempts - 1], min(outcome.retry_after_s or 0, _WAITS[-1]))
            return failed | {"due_at": at + timedelta(seconds=wait_s)}


def _payload(held: WebhookDelivery) -> dict[str, Any] | None:
    """What is sent: as much as whoever set the address may read now, and what is public where they left."""
    hook, workspace = held.webhook, held.webhook.workspace
    told: dict[str, Any] = {
        "id": str(held.event_id),
        "type": held.kind,
        "workspace": str(workspace.uuid),
        "created_at": held.created_at.isoformat(),
    }
    if held.kind == TEST_KIND:
        return told | {"data": {"message": "This is a test. Nothing happened."}}
    function = event_function(held.kind)
    answers = membership_of(hook.set_by, workspace.pk) if hook.set_by else None
    clearance = answers.as_clearance if answers else Clearance.PUBLIC
    with reading_under(user_id=hook.set_by_id or 0, workspace_id=workspace.pk, clearance=clearance):
        data = function(workspace_id=workspace.pk, subject_id=held.subject_id) if function else None
    return told | {"data": dict(data)} if data is not None else None


@sensitive_variables("secret")
def _seal_new(hook: Webhook) -> str:
    secret = random.token_urlsafe(32)
    hook.sealed_secret = sealed(secret, place=hook.place, secrets=installation_secrets())
    hook.save(update_fields=["sealed_secret"])
    return secret


def _held(workspace: Workspace) -> Webhook:
    _lock(workspace)
    hook = Webhook.objects.filter(workspace=workspace).first()
    if hook is None:
        raise WebhookRefused("There is no webhook. Enter its address first.")
    return hook


def _lock(workspace: Workspace) -> None:
    # Two admins at once: the later one finds what the other did.
    Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)


def _facts(hook: Webhook | None) -> dict[str, object]:
    """What History keeps: neither the secret nor its ciphertext, and of the address the host."""
    return {} if hook is None else {"host": urlsplit(hook.url).hostname or "", "set_at": hook.set_at}


def _record(hook: Webhook, deed: str, *, before: dict[str, object], by: User, channel: Channel, at: datetime) -> None:
    now = {} if deed == "removed" else _facts(hook)
    facts = ChangeFacts(model=Webhook._meta.label_lower, object_id=hook.pk, before=before, after=now)
    changes.record(
        workspace_id=hook.workspace_id,
        kind=CHANGE_KIND,
        actor=by,
        channel=channel,
        note=f"{urlsplit(hook.url).hostname}: {deed}",
        at=at,
        changes=[facts],
    )
