"""LongDeed and its parts: what a worker does to more sources than one transaction should hold."""

from typing import TYPE_CHECKING, Self

from django.db import models

from provenance_site.changes.models import ChangeSet
from provenance_site.jobs.models import Job
from provenance_site.kit.choices import choices_of, value_in
from sources.core.kinds import LongDeedKind

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


class LongDeedQuerySet(models.QuerySet["LongDeed"]):
    """Ways to narrow long deeds."""

    def visible_to(self, user: "User") -> Self:
        """Only those of workspaces that `user` is a member of."""
        return self.filter(job__workspace__memberships__user=user)


class LongDeed(models.Model):
    """One deed of one person, done part by part; each part is one item of its job. The job's uuid is its address."""

    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="long_deed")
    kind = models.CharField(max_length=20, choices=choices_of(LongDeedKind))
    given = models.JSONField(default=dict, blank=True, help_text="What the person asked for, by its kind.")
    change_set = models.OneToOneField(
        ChangeSet, on_delete=models.SET_NULL, null=True, blank=True, related_name="long_deed"
    )
    tally = models.JSONField(default=dict, blank=True, help_text="What was done so far, counted by word.")
    skipped = models.JSONField(default=list, blank=True, help_text="Some of what was left alone, as sentences.")
    total = models.PositiveIntegerField(help_text="Rows to go through.")
    query = models.TextField(blank=True, help_text="The filter of the list it was begun from.")

    objects = LongDeedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("kind", LongDeedKind), name="long_deed_kind_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.as_kind.label}, {self.total:,} rows"

    @property
    def as_kind(self) -> LongDeedKind:
        """The kind as the enum."""
        return LongDeedKind(self.kind)


class LongDeedPart(models.Model):
    """The rows of one step: [key, row_version] of sources, or [first, last] of the keys to go through."""

    # No index of its own: that of the constraint below begins with the deed.
    deed = models.ForeignKey(LongDeed, on_delete=models.CASCADE, related_name="parts", db_index=False)
    number = models.PositiveIntegerField(help_text="The subject of the job's item.")
    rows = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["deed", "number"], name="long_deed_part_once")]

    def __str__(self) -> str:
        return f"part {self.number} of {self.deed_id}"
