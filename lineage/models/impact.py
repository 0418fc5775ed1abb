"""What falls: a cause, and one row for each node it reaches."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from lineage.core.causes import CauseKind, Outcome
from lineage.models.graph import Entity
from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in


class Cause(models.Model):
    """Something others rest on turned out wrong: a retracted source, a faulty transform, a recalled config or prompt.

    `key` makes the same cause told twice one row. Cleared causes stay as history; a node is stale as long as one cause
    that stands reaches it.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=choices_of(CauseKind))
    key = models.CharField(max_length=64)
    entity = models.ForeignKey(
        Entity, on_delete=models.CASCADE, null=True, blank=True, related_name="causes", help_text="None for transforms."
    )
    transform_type = models.CharField(max_length=40, blank=True)
    transform_version = models.CharField(max_length=100, blank=True)
    config_hash = models.CharField(max_length=64, blank=True)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    at = models.DateTimeField()
    cleared_at = models.DateTimeField(null=True, blank=True)
    cleared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "key"],
                condition=Q(cleared_at__isnull=True),
                name="cause_stands_once_per_workspace",
            ),
            models.CheckConstraint(condition=value_in("kind", CauseKind), name="cause_kind_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


class Impact(models.Model):
    """One node that one cause reaches. Depth and path are computed when shown, never kept."""

    # The UNIQUE begins with it.
    cause = models.ForeignKey(Cause, on_delete=models.CASCADE, related_name="impacts", db_index=False)
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="impacts")
    at = models.DateTimeField()
    reported_at = models.DateTimeField(
        null=True, blank=True, help_text="When people were told of it; the registry pulls those that were not."
    )
    outcome = models.CharField(max_length=12, choices=choices_of(Outcome), blank=True)
    reason = models.TextField(blank=True)
    done_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cause", "entity"], name="impact_once_per_cause_and_node"),
            models.CheckConstraint(
                condition=value_in("outcome", Outcome, or_empty=True), name="impact_outcome_is_known"
            ),
            models.CheckConstraint(
                condition=Q(outcome="", done_at__isnull=True) | (~Q(outcome="") & Q(done_at__isnull=False)),
                name="impact_is_done_exactly_when_it_has_an_outcome",
            ),
            models.CheckConstraint(
                condition=~Q(outcome=Outcome.DISMISSED.value) | ~Q(reason=""), name="a_dismissed_impact_has_a_reason"
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="impacts_to_report", condition=Q(reported_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.entity_id} by {self.cause_id}"
