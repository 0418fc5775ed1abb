"""Rows of the inbox."""

import factory
from factory.django import DjangoModelFactory

from provenance_site.notices.models import FeedAddress, MailChoice, Notice, Webhook, WebhookDelivery
from provenance_site.notices.paces import Pace
from tests.clock import NOW
from tests.factories.accounts import UserFactory, WorkspaceFactory
from tests.factories.keys import sha256


class NoticeFactory(DjangoModelFactory[Notice]):
    """Something a person was told and has not read."""

    class Meta:
        model = Notice

    workspace = factory.SubFactory(WorkspaceFactory)
    user = factory.SubFactory(UserFactory)
    kind = "lineage.impact"
    key = factory.Sequence(lambda n: f"cause {n}")
    subject_id = factory.Sequence(int)
    at = NOW


class MailChoiceFactory(DjangoModelFactory[MailChoice]):
    """A person who wants mail at once."""

    class Meta:
        model = MailChoice

    user = factory.SubFactory(UserFactory)
    pace = Pace.EACH
    since = NOW


class FeedAddressFactory(DjangoModelFactory[FeedAddress]):
    """A feed whose key is known to nobody."""

    class Meta:
        model = FeedAddress

    user = factory.SubFactory(UserFactory)
    workspace = factory.SubFactory(WorkspaceFactory)
    name = factory.Sequence(lambda n: f"reader {n}")
    prefix = factory.Sequence(lambda n: f"pdf_{n:06d}")
    key_hash = factory.LazyAttribute(lambda row: sha256(row.prefix))
    created_at = NOW


class WebhookFactory(DjangoModelFactory[Webhook]):
    """A webhook whose secret cannot be read."""

    class Meta:
        model = Webhook

    workspace = factory.SubFactory(WorkspaceFactory)
    url = "https://hooks.example.org/desk"
    sealed_secret = "sealed elsewhere"
    set_by = factory.SubFactory(UserFactory)
    set_at = NOW


class WebhookDeliveryFactory(DjangoModelFactory[WebhookDelivery]):
    """A test that waits."""

    class Meta:
        model = WebhookDelivery

    webhook = factory.SubFactory(WebhookFactory)
    kind = "test"
    key = factory.Sequence(lambda n: f"test {n}")
    subject_id = 0
    due_at = NOW
    created_at = NOW
