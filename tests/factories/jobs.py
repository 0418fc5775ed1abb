"""Rows of durable work."""

import factory
from factory.django import DjangoModelFactory

from provenance_site.jobs.models import Job, JobItem
from tests.clock import NOW
from tests.factories.accounts import UserFactory, WorkspaceFactory


class JobFactory(DjangoModelFactory[Job]):
    """A running job without items."""

    class Meta:
        model = Job

    workspace = factory.SubFactory(WorkspaceFactory)
    kind = "validation.run"
    title = factory.Sequence(lambda n: f"Check {n}")
    created_at = NOW
    created_by = factory.SubFactory(UserFactory)


class JobItemFactory(DjangoModelFactory[JobItem]):
    """An item that waits."""

    class Meta:
        model = JobItem

    job = factory.SubFactory(JobFactory)
    subject_id = factory.Sequence(lambda n: n + 1)
    position = factory.Sequence(lambda n: n + 1)
