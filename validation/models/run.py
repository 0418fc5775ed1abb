"""CheckRun: a job whose items are the sources of a project."""

from typing import TYPE_CHECKING, Self

from django.db import models

from provenance_site.jobs.models import Job
from sources.models import Project

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


class CheckRunQuerySet(models.QuerySet["CheckRun"]):
    """Ways to narrow runs."""

    def visible_to(self, user: "User") -> Self:
        """Only runs of projects in workspaces that `user` is a member of."""
        return self.filter(project__workspace__memberships__user=user)


class CheckRun(models.Model):
    """One run over a project's sources. State, progress and leases are the job's; verdicts are the registry's."""

    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="check_run", primary_key=True)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="check_runs")
    rules_version = models.CharField(max_length=30)

    objects = CheckRunQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["project", "-job"], name="runs_of_a_project_newest")]

    def __str__(self) -> str:
        return f"run {self.job_id} of {self.project_id}"
