"""Rows of the inbox."""

import factory
from factory.django import DjangoModelFactory

from provenance_site.notices.models import Notice
from tests.clock import NOW
from tests.factories.accounts import UserFactory, WorkspaceFactory


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
