"""Rows of the audit log."""

import factory
from factory.django import DjangoModelFactory

from provenance_site.changes.models import Change, ChangeSet, Channel
from tests.clock import NOW
from tests.factories.accounts import UserFactory, WorkspaceFactory


class ChangeSetFactory(DjangoModelFactory[ChangeSet]):
    """A deed of a new person on a page."""

    class Meta:
        model = ChangeSet

    workspace = factory.SubFactory(WorkspaceFactory)
    kind = "sources.import"
    actor = factory.SubFactory(UserFactory)
    channel = Channel.PAGE
    at = NOW


class ChangeFactory(DjangoModelFactory[Change]):
    """A row that a deed made."""

    class Meta:
        model = Change

    change_set = factory.SubFactory(ChangeSetFactory)
    model = "sources.source"
    object_id = factory.Sequence(lambda n: n + 1)
    after = factory.LazyFunction(lambda: {"title": "Harbour survey"})
