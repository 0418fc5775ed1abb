"""A webhook is told of news: signed, at least once under one id, later where it does not answer."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.conf import LazySettings
from django.core.exceptions import PermissionDenied
from django.core.management import call_command

from lineage.models import Relay
from lineage.services import outbox
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.notices import delivery, signing, webhooks
from provenance_site.notices.models import Webhook, WebhookDelivery
from provenance_site.notices.webhooks import WebhookRefused
from sources.core.kinds import Sensitivity
from sources.core.retraction_status import Nature
from sources.models import Source
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import Desk
from tests.fakes.loopback import Loopback, Request, closed_port, reply
from tests.unit.sources.test_retraction_records import said, work

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=1)


@pytest.fixture
def answers() -> list[bytes]:
    """What the receiver answers next; 200 when there is nothing left."""
    return []


@pytest.fixture
def receiver(answers: list[bytes], settings: LazySettings) -> Iterator[Loopback]:
    def answer(request: Request) -> bytes:
        return answers.pop(0) if answers else reply()

    with Loopback(answer) as found:
        settings.RELAY_HOSTS = [found.authority]
        yield found


def hook(desk: Desk, url: str, role: Role = Role.ADMIN) -> str:
    _, secret = webhooks.set_address(
        workspace=desk.workspace, url=url, by=desk.person(role), channel=Channel.PAGE, at=NOW
    )
    return secret


def news(date: str = "2010-02-06") -> None:
    record(assertions=[said(Nature.RETRACTED, date)], at=NOW)


def send(at: datetime = LATER, holder: str = "a worker") -> int:
    return webhooks.send(clock=lambda: at, holder=holder)


def test_news_are_told_signed_over_their_exact_bytes(desk: Desk, receiver: Loopback) -> None:
    secret = hook(desk, receiver.url("/desk"))
    source = work(desk, title="Harbour silt")
    news()
    assert receiver.requests == []  # nothing is sent in the transaction of what it tells
    assert send() == 1
    (request,) = receiver.requests
    told = json.loads(request.body)
    assert (told["type"], told["workspace"], told["data"]["total"]) == (
        "retraction.news",
        str(desk.workspace.uuid),
        1,
    )
    (one,) = told["data"]["sources"]
    assert (one["source"], one["title"], one["retracted"], one["providers_say"]) == (
        str(source.uuid),
        "Harbour silt",
        True,
        "retracted",
    )
    assert request.headers["desk-event"] == told["id"]
    header, moment = request.headers["desk-signature"], int(LATER.timestamp())
    assert signing.is_genuine(header, secret=secret, body=request.body, now=moment)
    assert not signing.is_genuine(header, secret=secret, body=request.body, now=moment + signing.WINDOW_S + 1)
    row = WebhookDelivery.objects.get()
    assert (row.state, row.status, row.attempts) == ("delivered", 200, 1)
    news()
    assert send() == 0


def test_what_is_not_taken_is_told_again_later_under_the_same_id(
    desk: Desk, receiver: Loopback, answers: list[bytes]
) -> None:
    hook(desk, receiver.url())
    work(desk)
    news()
    answers += [
        reply(status="500 Oops"),
        reply(b"", "Retry-After: 3600", status="503 Busy"),
        reply(b"", "Location: /x", status="302 Found"),
    ]
    assert send() == 1
    row = WebhookDelivery.objects.get()
    assert (row.state, row.status, row.due_at) == ("waiting", 500, LATER + timedelta(seconds=10))
    assert send(LATER + timedelta(seconds=9)) == 0
    assert send(row.due_at) == 1
    row.refresh_from_db()
    assert row.due_at == LATER + timedelta(seconds=3610)  # as the receiver asked
    assert send(row.due_at) == 1
    row.refresh_from_db()
    assert (row.error, row.attempts) == ("it answered 302", 3)  # nothing is sent to where a redirect leads
    assert send(row.due_at) == 1
    assert len({request.headers["desk-event"] for request in receiver.requests}) == 1
    assert WebhookDelivery.objects.get().state == "delivered"


def test_what_is_never_taken_is_given_up_in_the_end(desk: Desk, settings: LazySettings) -> None:
    port = closed_port()
    settings.RELAY_HOSTS = [f"127.0.0.1:{port}"]
    hook(desk, f"http://127.0.0.1:{port}/")
    work(desk)
    news()
    at = LATER
    for _ in range(9):
        assert send(at) == 1
        at += timedelta(days=1)
    assert send(at) == 0
    row = WebhookDelivery.objects.get()
    assert (row.state, row.attempts) == ("failed", 9)
    assert row.error
    assert webhooks.tidy(at=at + timedelta(days=31)) == 1


def test_a_killed_worker_leaves_it_to_another_and_two_do_not_do_it_at_once(
    desk: Desk, receiver: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(desk, receiver.url())
    work(desk)
    news()

    def die(**_given: object) -> None:
        assert send(LATER, "another worker") == 0
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(webhooks, "deliver", die)
        with pytest.raises(KeyboardInterrupt):
            send()
    assert send(LATER + timedelta(seconds=60), "another worker") == 0
    assert send(LATER + timedelta(seconds=120), "another worker") == 1
    assert WebhookDelivery.objects.get().state == "delivered"


def test_a_worker_whose_time_is_over_notes_nothing(
    desk: Desk, receiver: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(desk, receiver.url())
    work(desk)
    news()
    plain: Callable[..., object] = delivery.deliver

    def be_slow(**given: object) -> delivery.NotDelivered:
        monkeypatch.setattr(webhooks, "deliver", plain)
        assert send(LATER + timedelta(minutes=5), "another worker") == 1
        return delivery.NotDelivered("too late")

    monkeypatch.setattr(webhooks, "deliver", be_slow)
    send()
    assert WebhookDelivery.objects.get().state == "delivered"


def test_what_must_not_leave_the_house_is_counted_and_what_is_gone_is_not_told(
    desk: Desk, other_desk: Desk, receiver: Loopback
) -> None:
    hook(desk, receiver.url())
    inside = work(desk, sensitivity=Sensitivity.INTERNAL_ONLY)
    work(other_desk)
    news()
    assert WebhookDelivery.objects.count() == 1  # the other workspace has no webhook
    assert (send(), receiver.requests) == (1, [])
    assert WebhookDelivery.objects.get().state == "void"
    Source.objects.filter(pk=inside.pk).update(sensitivity=Sensitivity.CITABLE_EXTERNALLY)
    news("2012")
    Source.objects.filter(pk=inside.pk).delete()
    assert (send(), receiver.requests) == (1, [])


def test_the_secret_is_kept_encrypted_and_told_nowhere(desk: Desk, receiver: Loopback) -> None:
    secret = hook(desk, receiver.url("/token-in-the-path"))
    row = Webhook.objects.get()
    kept = f"{row.sealed_secret} {list(ChangeSet.objects.values())} {list(Change.objects.values())}"
    assert secret not in kept
    assert "token-in-the-path" not in kept
    assert row.sealed_secret not in str(list(Change.objects.values()))
    assert hook(desk, receiver.url("/elsewhere")) == ""
    who = {"workspace": desk.workspace, "by": desk.person(Role.ADMIN), "channel": Channel.PAGE, "at": NOW}
    assert webhooks.renew_secret(**who) != secret  # type: ignore[arg-type]
    webhooks.remove(**who)  # type: ignore[arg-type]
    assert not Webhook.objects.exists()
    assert ChangeSet.objects.filter(kind="notices.webhook").count() == 4


def test_one_command_encrypts_all_secrets_anew(desk: Desk, receiver: Loopback, settings: LazySettings) -> None:
    secret = hook(desk, receiver.url())
    outbox.add(
        workspace_id=desk.workspace.pk,
        name="Catalogue",
        url="https://catalogue.example.org/",
        token="relay-token",
        by=desk.person(Role.ADMIN),
        channel=Channel.PAGE,
        at=NOW,
    )
    sealed = (Webhook.objects.get().sealed_secret, Relay.objects.get().sealed_token)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another-secret-of-this-desk", [settings.SECRET_KEY]
    out = StringIO()
    call_command("reseal_keys", stdout=out)
    assert "1 relay token encrypted" in out.getvalue()
    assert "1 webhook secret encrypted" in out.getvalue()
    settings.SECRET_KEY_FALLBACKS = []
    assert sealed[0] != Webhook.objects.get().sealed_secret
    assert sealed[1] != Relay.objects.get().sealed_token
    work(desk)
    news()
    send()
    (request,) = receiver.requests
    moment = int(LATER.timestamp())
    assert signing.is_genuine(request.headers["desk-signature"], secret=secret, body=request.body, now=moment)


def test_what_was_given_up_is_sent_again_under_its_id_when_an_admin_asks(desk: Desk, receiver: Loopback) -> None:
    hook(desk, receiver.url())
    work(desk)
    news()
    row = WebhookDelivery.objects.get()
    who = {"workspace": desk.workspace, "delivery_id": row.pk, "at": LATER}
    with pytest.raises(WebhookRefused):  # it waits by itself
        webhooks.try_again(by=desk.person(Role.ADMIN), **who)  # type: ignore[arg-type]
    WebhookDelivery.objects.update(state="failed", attempts=9, ended_at=NOW, error="timed out")
    with pytest.raises(PermissionDenied):
        webhooks.try_again(by=desk.person(Role.EDITOR), **who)  # type: ignore[arg-type]
    webhooks.try_again(by=desk.person(Role.ADMIN), **who)  # type: ignore[arg-type]
    assert send() == 1
    assert json.loads(receiver.requests[0].body)["id"] == str(row.event_id)
    row.refresh_from_db()
    assert (row.state, row.attempts, row.error) == ("delivered", 1, "")


def test_without_its_secret_nothing_is_sent(desk: Desk, receiver: Loopback, settings: LazySettings) -> None:
    hook(desk, receiver.url())
    work(desk)
    news()
    settings.SECRET_KEY = "another-secret-of-this-desk"
    send()
    assert receiver.requests == []
    assert "cannot be read" in WebhookDelivery.objects.get().error


@pytest.mark.parametrize(
    "url",
    ["hooks.example.org", "http://hooks.example.org/", "https://me:pw@hooks.example.org/", "https://a.example:22/", ""],
)
def test_an_address_that_cannot_be_is_refused(desk: Desk, url: str) -> None:
    with pytest.raises(WebhookRefused):
        hook(desk, url)


def test_a_private_address_is_opened_for_nobody(desk: Desk, receiver: Loopback, settings: LazySettings) -> None:
    settings.RELAY_HOSTS = []
    hook(desk, receiver.url().replace("http://", "https://"))
    work(desk)
    news()
    send()
    assert receiver.connections == 0
    assert "private" in WebhookDelivery.objects.get().error


def test_less_than_an_admin_sets_nothing(desk: Desk) -> None:
    with pytest.raises(PermissionDenied):
        hook(desk, "https://hooks.example.org/", Role.EDITOR)
