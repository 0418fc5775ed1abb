"""ChangeSet and Change: append-only; an undo is itself a ChangeSet."""

import uuid
from enum import StrEnum

from django.conf import settings
from django.db import models

from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in


class Channel(StrEnum):
    """The door a change came through."""

    PAGE = "page"
    ADMIN = "admin"
    API = "api"
    COMMAND = "command"
    JOB = "job"


class ChangeSet(models.Model):
    """One deed of one person (or of a job): one or many changes that belong, and are undone, together."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="change_sets")
    kind = models.CharField(max_length=60, help_text="The deed: `sources.import`, `sources.retract`, `review.decide` …")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    channel = models.CharField(max_length=10, choices=choices_of(Channel))
    note = models.TextField(blank=True)
    at = models.DateTimeField()
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("channel", Channel), name="change_set_channel_is_known"),
        ]
        indexes = [models.Index(fields=["workspace", "-at"], name="change_sets_newest_first")]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%Y-%m-%d %H:%M}"


class Change(models.Model):
    """One row before and after. `before` is empty for a row that the deed made, `after` for one that it removed."""

    change_set = models.ForeignKey(ChangeSet, on_delete=models.CASCADE, related_name="changes")
    model = models.CharField(max_length=60, help_text="Label of the model, `sources.source`.")
    object_id = models.BigIntegerField()
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["model", "object_id"], name="changes_of_an_object")]

    def __str__(self) -> str:
        return f"{self.model} {self.object_id}"
