"""Mail, feeds and the webhook on their pages; and the feed itself, by the key in its address alone."""

import re
import xml.etree.ElementTree as ET
from datetime import timedelta
from html import unescape

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from provenance_site.accounts.models import Membership
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Change, ChangeSet
from provenance_site.notices import webhooks
from provenance_site.notices.models import FeedAddress, MailChoice, Notice, Webhook, WebhookDelivery
from sources.core.retraction_status import Nature
from sources.models import Source
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import Desk, without_token
from tests.fakes.loopback import Loopback, reply
from tests.unit.sources.test_retraction_records import said, work

pytestmark = pytest.mark.django_db
NS = {"a": "http://www.w3.org/2005/Atom"}


def address_of(client: Client) -> str:
    """A new feed's address, as the page shows it once."""
    page = client.post(reverse("feed-new"), {"name": "My reader"})
    found = re.search(r'id="new-feed">([^<]+)<', page.content.decode())
    assert found
    return unescape(found[1]).removeprefix("http://testserver")


def entries(address: str) -> list[ET.Element]:
    answer = Client().get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/atom+xml; charset=utf-8")
    return ET.fromstring(answer.content).findall("a:entry", NS)  # noqa: S314  # our own bytes


def news(date: str = "2010-02-06") -> None:
    record(assertions=[said(Nature.RETRACTED, date)], at=NOW)


def test_a_feed_tells_its_person_of_their_workspace_without_a_session(desk: Desk, other_desk: Desk) -> None:
    work(desk, title="<Harbour> & silt"), work(other_desk, title="A stranger's work")
    address = address_of(desk.client(Role.EDITOR))
    news()
    (entry,) = entries(address)
    assert "<Harbour> & silt" in entry.findtext("a:summary", "", NS)
    link = entry.find("a:link", NS)
    assert link is not None
    assert link.get("href") == "http://testserver/retractions/"
    assert "stranger" not in Client().get(address).content.decode()
    before = entry.findtext("a:id", "", NS)
    Source.objects.update(title="Another title")
    assert [one.findtext("a:id", "", NS) for one in entries(address)] == [before]


def test_a_reader_that_has_the_feed_is_told_so(desk: Desk) -> None:
    work(desk)
    address = address_of(desk.client(Role.EDITOR))
    news()
    first = Client().get(address)
    again = Client().get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert "private" in first["Cache-Control"]
    assert not first.cookies
    news("2012")
    assert Client().get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200
    assert Client().head(address).status_code == 200


def test_a_feed_shows_what_its_person_may_see_now_and_ends_with_them(desk: Desk) -> None:
    work(desk)
    client = desk.client(Role.EDITOR)
    address = address_of(client)
    news()
    Source.objects.all().delete()
    assert entries(address) == []
    person = desk.person(Role.EDITOR)
    person.is_active = False
    person.save()
    assert Client().get(address).status_code == 404
    person.is_active = True
    person.save()
    assert Client().get(address).status_code == 200
    Membership.objects.filter(user=person).delete()
    assert Client().get(address).status_code == 404


def test_an_address_is_kept_as_a_hash_and_ended_by_its_person_only(desk: Desk) -> None:
    client = desk.client(Role.READER)
    address = address_of(client)
    key = address.split("key=")[1]
    row = FeedAddress.objects.get()
    kept = f"{FeedAddress.objects.values()} {ChangeSet.objects.values()} {Change.objects.values()}"
    assert key not in kept
    assert key not in client.get(reverse("notice-settings")).content.decode()
    assert key not in Client().get(address).content.decode()
    assert desk.client(Role.ADMIN).post(reverse("feed-end", args=[row.pk])).status_code == 404
    assert Client().get(address).status_code == 200
    assert client.post(reverse("feed-end", args=[row.pk])).status_code == 302
    gone, unknown = Client().get(address), Client().get(f"{reverse('notice-feed')}?key=pdf_unknown")
    assert (gone.status_code, without_token(gone.content)) == (unknown.status_code, without_token(unknown.content))
    assert Client().post(address).status_code == 405


def test_only_so_many_addresses_are_made(desk: Desk) -> None:
    client = desk.client(Role.READER)
    for _ in range(10):
        address_of(client)
    refused = client.post(reverse("feed-new"), {"name": "One more"})
    assert (refused.status_code, "End one" in refused.content.decode()) == (422, True)


def test_a_longer_feed_costs_no_more_queries(desk: Desk) -> None:
    work(desk)
    address = address_of(desk.client(Role.EDITOR))
    numbers = []
    for start in (2000, 2010):
        for year in range(start, start + 5):
            news(str(year))
        Client().get(address)
        with CaptureQueriesContext(connection) as captured:
            found = len(entries(address))
        numbers.append((len(captured), found))
    assert numbers[0][0] == numbers[1][0]
    assert numbers[0][1] < numbers[1][1]


def test_a_person_chooses_how_often_there_is_mail(desk: Desk, settings: LazySettings) -> None:
    client, address = desk.client(Role.READER), reverse("notice-settings")
    assert "sends no mail" in client.get(address).content.decode()
    settings.MAIL_ON = True
    assert client.post(address, {"pace": "daily"}).status_code == 302
    assert MailChoice.objects.get().pace == "daily"
    assert client.post(address, {"pace": "hourly"}).status_code == 422
    assert desk.person(Role.READER).email in client.get(address).content.decode()


def test_a_webhook_is_set_up_tried_and_taken_away_by_an_admin(desk: Desk, settings: LazySettings) -> None:
    client, address = desk.client(Role.ADMIN), reverse("webhook")
    with Loopback(lambda request: reply()) as receiver:
        settings.RELAY_HOSTS = [receiver.authority]
        page = client.post(address, {"url": receiver.url()}).content.decode()
        secret = re.search(r'id="new-secret">([^<]+)<', page)
        assert secret
        assert secret[1] not in client.get(address).content.decode()
        assert client.post(reverse("webhook-test")).status_code == 302
        webhooks.send(clock=lambda: NOW + timedelta(days=400), holder="a worker")
        assert b"This is a test" in receiver.requests[0].body
    shown = client.get(address).content.decode()
    assert "Delivered, answered 200" in shown
    given_up = WebhookDelivery.objects.get()
    again = reverse("webhook-again", args=[given_up.pk])
    assert again not in shown
    assert "Only what was given up" in client.post(again, follow=True).content.decode()
    WebhookDelivery.objects.update(state="failed")
    assert again in client.get(address).content.decode()
    assert "on its way again" in client.post(again, follow=True).content.decode()
    renewed = client.post(reverse("webhook-secret")).content.decode()
    assert 'id="new-secret"' in renewed
    assert secret[1] not in renewed
    assert client.post(address, {"url": "http://hooks.example.org/"}).status_code == 422
    client.post(reverse("webhook-remove"))
    assert not Webhook.objects.exists()
    assert "There is no webhook" in client.post(reverse("webhook-test"), follow=True).content.decode()


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.EDITOR])
def test_a_webhook_is_an_admins(desk: Desk, role: Role) -> None:
    client = desk.client(role)
    assert client.get(reverse("webhook")).status_code == 403
    for name in ("webhook", "webhook-secret", "webhook-test", "webhook-remove"):
        assert client.post(reverse(name), {"url": "https://hooks.example.org/"}).status_code == 403
    assert client.post(reverse("webhook-again", args=[1])).status_code == 403
    assert not Notice.objects.exists()
    assert not Webhook.objects.exists()
