"""Other lineage services are told what we record: at least once, in order, from where they stopped."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries

from lineage.adapters.relay import Delivered
from lineage.models import OutboxEvent, Relay
from lineage.services import outbox
from provenance_site.accounts.models import Membership, User
from provenance_site.changes.models import ChangeSet, Channel
from tests import factories as make
from tests.clock import NOW
from tests.graphs import graph

pytestmark = pytest.mark.django_db


class Service:
    """Another lineage service: what it was sent, and what it answers next."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.answers: list[int] = []

    @property
    def ids(self) -> list[str]:
        return [event["lineage_event_id"] for body in self.bodies for event in body["events"]]


@pytest.fixture
def service() -> Iterator[tuple[Service, int]]:
    """A service on a port of its own."""
    found = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = found.answers.pop(0) if found.answers else 200
            if status == 200:
                found.bodies.append(json.loads(body))
                found.keys.append(self.headers.get("Authorization", ""))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found, server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def relayed(service: tuple[Service, int], settings: Any) -> tuple[Membership, Service]:
    """An admin whose workspace tells the service."""
    admin = make.MembershipFactory(role="admin")
    found, port = service
    settings.RELAY_HOSTS = [f"127.0.0.1:{port}"]
    outbox.add(
        workspace_id=admin.workspace_id,
        name="catalogue",
        url=f"http://127.0.0.1:{port}/events",
        token="relay-key-7",
        by=admin.user,
        channel=Channel.PAGE,
        at=NOW,
    )
    return admin, found


def clock(minutes: int = 0) -> Any:
    def now() -> datetime:
        return NOW + timedelta(minutes=minutes)

    return now


def test_what_is_recorded_is_told_in_its_order(relayed: tuple[Membership, Service]) -> None:
    admin, service = relayed
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
    assert outbox.send(clock=clock(), holder="one") == 2
    assert service.ids == list(OutboxEvent.objects.order_by("pk").values_list("event_id", flat=True))
    assert service.keys == ["Bearer relay-key-7"]
    first, second = service.bodies[0]["events"]
    assert {one["ref"] for one in first["entities"]} == {"claim://k/v1", "source://a/v1"}
    assert second["edges"][0]["relation"] == "SUPPORTED_BY"
    assert outbox.send(clock=clock(), holder="one") == 0
    assert "relay-key-7" not in json.dumps([*Relay.objects.values(), *ChangeSet.objects.values()], default=str)


def test_a_service_that_fails_is_asked_again_from_there(relayed: tuple[Membership, Service]) -> None:
    admin, service = relayed
    service.answers = [503]
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
    assert outbox.send(clock=clock(), holder="one") == 0
    relay = Relay.objects.get()
    assert (relay.attempts, relay.last_error, relay.sent_through) == (1, "it answered 503", 0)
    assert outbox.send(clock=clock(), holder="one") == 0
    assert outbox.send(clock=clock(minutes=1), holder="one") == 2
    assert Relay.objects.get().last_error == ""


def test_a_relay_that_a_dead_worker_held_is_taken_over(relayed: tuple[Membership, Service]) -> None:
    admin, _ = relayed
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
    Relay.objects.update(held_by="dead", held_until=NOW + timedelta(seconds=90))
    assert outbox.send(clock=clock(), holder="two") == 0
    assert outbox.send(clock=clock(minutes=2), holder="two") == 2


def test_a_worker_whose_lease_was_over_takes_nothing_back_that_another_noted(
    relayed: tuple[Membership, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, _ = relayed
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")

    sent: list[object] = []

    def late(*, events: Sequence[object], **_: object) -> Delivered:
        sent.append(events)
        if len(sent) > 1:
            return Delivered()
        graph(admin.workspace, "claim:l SUPPORTED_BY source:b")
        newest = OutboxEvent.objects.latest("pk").pk
        Relay.objects.update(sent_through=newest, held_by="two", held_until=NOW + timedelta(days=1))
        return Delivered()

    monkeypatch.setattr(outbox, "deliver", late)
    outbox.send(clock=clock(), holder="one")
    relay = Relay.objects.get()
    assert (relay.sent_through, relay.held_by, len(sent)) == (OutboxEvent.objects.latest("pk").pk, "two", 1)


def test_what_every_service_has_is_tidied_away(relayed: tuple[Membership, Service]) -> None:
    admin, _ = relayed
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
    assert outbox.tidy(at=NOW + timedelta(days=8)) == 0
    outbox.send(clock=clock(), holder="one")
    assert outbox.tidy(at=NOW + timedelta(days=8)) == 2


def test_nothing_is_kept_where_nobody_is_told() -> None:
    graph(make.WorkspaceFactory(), "claim:k SUPPORTED_BY source:a")
    assert not OutboxEvent.objects.exists()


def test_a_private_address_is_not_told(settings: Any, service: tuple[Service, int]) -> None:
    admin = make.MembershipFactory(role="admin")
    found, port = service
    told = {"workspace_id": admin.workspace_id, "token": "", "by": admin.user, "channel": Channel.PAGE, "at": NOW}
    outbox.add(name="inside", url=f"http://127.0.0.1:{port}/", **told)
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
    assert outbox.send(clock=clock(), holder="one") == 0
    assert found.bodies == []
    with pytest.raises(outbox.RelayRefused):
        outbox.add(name="inside", url="https://other.example/", **told)
    with pytest.raises(outbox.RelayRefused):
        outbox.add(name="file", url="file:///etc/passwd", **told)


def test_asking_whether_anyone_is_told_costs_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        assert not outbox.is_wanted(workspace_id=1)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_what_ends_later_is_told_before_what_was_written_after_it(relayed: tuple[Membership, Service]) -> None:
    admin, service = relayed
    written, may_end = Event(), Event()

    def write_slowly() -> None:
        try:
            with transaction.atomic():
                graph(admin.workspace, "claim:slow SUPPORTED_BY source:a")
                written.set()
                may_end.wait(10)
        finally:
            connection.close()

    slow = Thread(target=write_slowly)
    slow.start()
    written.wait(10)
    graph(admin.workspace, "claim:fast SUPPORTED_BY source:b")
    assert [outbox.send(clock=clock(), holder="one") for _ in range(2)] == [0, 0]
    may_end.set()
    slow.join()
    while outbox.send(clock=clock(), holder="one"):
        pass
    assert service.ids == list(OutboxEvent.objects.order_by("pk").values_list("event_id", flat=True))
    assert len(service.ids) == 4


@pytest.mark.postgres
def test_a_writer_in_another_database_of_the_server_holds_up_nothing(relayed: tuple[Membership, Service]) -> None:
    admin, _ = relayed
    elsewhere = {**connection.get_connection_params(), "dbname": "postgres"}
    with psycopg.connect(**{name: elsewhere[name] for name in ("dbname", "host", "port", "user")}) as other:
        other.execute("SELECT pg_current_xact_id()")  # under way, and numbered, until the block ends
        graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
        assert outbox.send(clock=clock(), holder="one") == 2


def test_whoever_may_not_read_everything_keeps_no_relay(relayed: tuple[Membership, Service]) -> None:
    admin, service = relayed
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
    Membership.objects.filter(pk=admin.pk).update(clearance="confidential")
    told = {"workspace_id": admin.workspace_id, "token": "", "by": admin.user, "channel": Channel.PAGE, "at": NOW}
    admin.user = User.objects.get(pk=admin.user_id)
    with pytest.raises(outbox.RelayRefused, match="cleared for what is restricted"):
        outbox.add(name="other", url="https://other.example/", **{**told, "by": admin.user})
    assert outbox.send(clock=clock(), holder="one") == 0
    assert service.bodies == []
    assert "may not read everything" in Relay.objects.get().last_error


def test_what_was_erased_meanwhile_is_not_told(relayed: tuple[Membership, Service]) -> None:
    admin, service = relayed
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
    OutboxEvent.objects.update(payload={})
    assert outbox.send(clock=clock(), holder="one") == 2
    assert service.bodies == []
    assert outbox.send(clock=clock(), holder="one") == 0


def test_tokens_are_sealed_anew_under_the_secret_of_now(relayed: tuple[Membership, Service], settings: Any) -> None:
    admin, service = relayed
    Relay.objects.create(
        workspace=admin.workspace,
        name="open",
        url="https://open.example",
        retry_at=NOW + timedelta(days=9),
        created_at=NOW,
    )
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "the secret of now, fifty letters long"
    told = StringIO()
    call_command("reseal_keys", stdout=told)
    assert "1 relay token encrypted under the secret of now." in told.getvalue()
    settings.SECRET_KEY_FALLBACKS = []
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
    assert outbox.send(clock=clock(), holder="one") == 2
    assert service.keys == ["Bearer relay-key-7"]
    settings.SECRET_KEY = "another secret altogether"
    call_command("reseal_keys", stdout=told)
    assert "1 relay token cannot be read" in told.getvalue()


def test_a_token_that_cannot_be_read_sends_nothing(relayed: tuple[Membership, Service]) -> None:
    admin, service = relayed
    Relay.objects.update(sealed_token="sealed under another secret")
    graph(admin.workspace, "claim:k SUPPORTED_BY source:a")
    assert outbox.send(clock=clock(), holder="one") == 0
    assert service.bodies == []
    assert "cannot be read" in Relay.objects.get().last_error
