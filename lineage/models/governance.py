"""What holds over the graph: policies by type, declassifications, holds, and what is left of what was removed."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from lineage.core.relations import EntityType, Label
from lineage.models.graph import Entity
from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in


class TypePolicy(models.Model):
    """What a workspace wants of one type of node: what is captured, how long it is kept, what a release of it needs."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    type = models.CharField(max_length=20, choices=choices_of(EntityType))
    is_captured = models.BooleanField(default=True)
    keeps_text = models.BooleanField(default=True, help_text="Claims: the text is kept beside its hash.")
    retention_days = models.PositiveIntegerField(null=True, blank=True, help_text="None: kept for good.")
    accepts_unpinned = models.BooleanField(default=False, help_text="Refs without a version are stored as unresolved.")
    least_authority = models.CharField(max_length=15, blank=True)
    greatest_evidence_age_days = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "type policies"
        constraints = [
            models.UniqueConstraint(fields=["workspace", "type"], name="policy_once_per_type"),
            models.CheckConstraint(condition=value_in("type", EntityType), name="policy_type_is_known"),
        ]

    def __str__(self) -> str:
        return self.type


class Declassification(models.Model):
    """A person lowered the label of a node on purpose; its dependents inherit the lower one. Append-only, audited."""

    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="declassifications")
    from_label = models.CharField(max_length=15, choices=choices_of(Label))
    to_label = models.CharField(max_length=15, choices=choices_of(Label))
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entity"], condition=Q(revoked_at__isnull=True), name="declassified_once_at_a_time"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="a_declassification_has_a_reason"),
            models.CheckConstraint(condition=value_in("from_label", Label), name="declassified_from_is_known"),
            models.CheckConstraint(condition=value_in("to_label", Label), name="declassified_to_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.from_label} to {self.to_label}"


class LegalHold(models.Model):
    """A node that must not be removed or de-identified while the hold stands."""

    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="holds")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()
    released_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entity"], condition=Q(released_at__isnull=True), name="held_once_at_a_time"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="a_hold_has_a_reason"),
            models.CheckConstraint(
                condition=Q(released_at__isnull=True) | Q(released_at__gte=F("at")), name="a_hold_ends_after_it_began"
            ),
        ]

    def __str__(self) -> str:
        return self.reason


class Tombstone(models.Model):
    """What is left of a node whose object was removed: what it was, when, by whom and why."""

    entity = models.OneToOneField(Entity, on_delete=models.CASCADE, primary_key=True, related_name="tombstone")
    ref = models.TextField(blank=True, help_text="'' where its metadata were erased too.")
    type = models.CharField(max_length=20, choices=choices_of(EntityType))
    content_hash = models.CharField(max_length=64, blank=True)
    why = models.TextField()
    is_erased = models.BooleanField(default=False, help_text="Ref and metadata were erased; the key of the ref stays.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=value_in("type", EntityType), name="tombstone_type_is_known")]

    def __str__(self) -> str:
        return self.ref or f"erased {self.type}"
