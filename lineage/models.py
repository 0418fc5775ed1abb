"""Entities and edges. Bigint keys inside, refs at the doors; records are immutable, corrections are new versions."""

from django.db import models
from django.db.models import F, Q

from lineage.core.relations import EntityState, EntityType, Label, Relation
from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in


class Entity(models.Model):
    """A node: one pinned version of one thing."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    ref = models.TextField()
    ref_key = models.CharField(max_length=64)
    type = models.CharField(max_length=20, choices=choices_of(EntityType))
    logical_id = models.TextField()
    version = models.CharField(max_length=200)
    content_hash = models.CharField(max_length=64, blank=True)
    source_time = models.DateTimeField(null=True, blank=True)
    authority = models.CharField(max_length=15, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    classification = models.CharField(max_length=15, choices=choices_of(Label), default=Label.INTERNAL.value)
    state = models.CharField(max_length=12, choices=choices_of(EntityState), default=EntityState.CURRENT.value)
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "entities"
        constraints = [
            models.UniqueConstraint(fields=["workspace", "ref_key"], name="entity_ref_once_per_workspace"),
            models.CheckConstraint(condition=value_in("type", EntityType), name="entity_type_is_known"),
            models.CheckConstraint(condition=value_in("state", EntityState), name="entity_state_is_known"),
            models.CheckConstraint(condition=value_in("classification", Label), name="entity_classification_is_known"),
        ]

    def __str__(self) -> str:
        return self.ref


class Edge(models.Model):
    """`from_entity` rests on `to_entity`, in the way `relation` says."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    edge_key = models.CharField(max_length=64)
    from_entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="edges_out")
    to_entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="edges_in")
    relation = models.CharField(max_length=15, choices=choices_of(Relation))
    transform_type = models.CharField(max_length=40, blank=True)
    transform_implementation = models.CharField(max_length=200, blank=True)
    transform_version = models.CharField(max_length=100, blank=True)
    config_hash = models.CharField(max_length=64, blank=True)
    run_id = models.CharField(max_length=100, blank=True)
    trace_id = models.CharField(max_length=32, blank=True)
    span_id = models.CharField(max_length=16, blank=True)
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "edge_key"], name="edge_once_per_workspace"),
            models.CheckConstraint(condition=value_in("relation", Relation), name="edge_relation_is_known"),
            models.CheckConstraint(condition=~Q(from_entity=F("to_entity")), name="edge_not_to_itself"),
        ]

    def __str__(self) -> str:
        return f"{self.from_entity_id} {self.relation} {self.to_entity_id}"
