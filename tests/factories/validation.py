"""Rows of check runs."""

import factory
from factory.django import DjangoModelFactory

from tests.factories.jobs import JobFactory
from tests.factories.sources import RULES_VERSION, ProjectFactory
from validation.models import CheckRun


class CheckRunFactory(DjangoModelFactory[CheckRun]):
    """A run over a project of the job's workspace."""

    class Meta:
        model = CheckRun

    job = factory.SubFactory(JobFactory)
    project = factory.SubFactory(ProjectFactory, workspace=factory.SelfAttribute("..job.workspace"))
    rules_version = RULES_VERSION
