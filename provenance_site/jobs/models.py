"""Job and JobItem: what is to be done, by whom it is held, what came of it."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from provenance_site.accounts.models import Workspace
from provenance_site.jobs.states import ItemState, JobState
from provenance_site.kit.choices import choices_of, value_in


class Job(models.Model):
    """A piece of durable work in a workspace; `kind` names the deed (`validation.run`), items name its subjects."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=300)
    state = models.CharField(max_length=10, choices=choices_of(JobState), default=JobState.RUNNING.value)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("state", JobState), name="job_state_is_known"),
            models.CheckConstraint(
                condition=Q(state=JobState.RUNNING.value, finished_at__isnull=True)
                | (~Q(state=JobState.RUNNING.value) & Q(finished_at__isnull=False)),
                name="job_has_a_finish_exactly_when_it_is_not_running",
            ),
        ]
        indexes = [
            models.Index(fields=["kind", "state"], name="job_by_kind_and_state"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.title}"


class JobItem(models.Model):
    """One subject of a job. A worker holds it by `lease` until `lease_until`; a write-back must name the lease.

    A done item without `finished_at` was done before the job began: its outcome was known.
    """

    # No index of its own: that of the constraint below begins with the job.
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="items", db_index=False)
    subject_id = models.BigIntegerField(help_text="Key of what is worked on, in the table the job's kind implies.")
    position = models.PositiveIntegerField()
    alike = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="The same for subjects of any job that are best worked on together; NULL where there are none.",
    )
    state = models.CharField(max_length=10, choices=choices_of(ItemState), default=ItemState.PENDING.value)
    lease = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(
        max_length=40, blank=True, help_text="A short word of the deed, counted on the run page."
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "subject_id"], name="one_item_per_job_and_subject"),
            models.CheckConstraint(condition=value_in("state", ItemState), name="job_item_state_is_known"),
            models.CheckConstraint(
                condition=Q(state=ItemState.LEASED.value, lease__isnull=False, lease_until__isnull=False)
                | (~Q(state=ItemState.LEASED.value) & Q(lease__isnull=True, lease_until__isnull=True)),
                name="job_item_has_a_lease_exactly_while_leased",
            ),
        ]
        indexes = [
            # Claiming looks only at open items, in order; finished rows, by far the most, stay out of the index.
            models.Index(
                fields=["job", "position"],
                name="job_item_open",
                condition=Q(state__in=[ItemState.PENDING.value, ItemState.LEASED.value]),
            ),
            # The same rows over all jobs: the item that waits at the lowest position is next, whichever job it is of.
            models.Index(
                fields=["position", "job"],
                name="job_item_next",
                condition=Q(state__in=[ItemState.PENDING.value, ItemState.LEASED.value]),
            ),
            # Items of other jobs that go with one in hand; asked only while several jobs run.
            models.Index(
                fields=["alike"],
                name="job_item_alike",
                condition=Q(state__in=[ItemState.PENDING.value, ItemState.LEASED.value]),
            ),
            models.Index(fields=["lease"], name="job_item_of_a_lease", condition=Q(state=ItemState.LEASED.value)),
            # Holds all that progress counts, so the table itself is not read.
            models.Index(fields=["job", "state", "outcome", "finished_at"], name="job_item_progress"),
        ]

    def __str__(self) -> str:
        return f"item {self.position} of job {self.job_id}"
