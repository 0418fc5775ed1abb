"""Entities and edges: what there is, and what rests on what."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from lineage.core.refs import Ref
from lineage.core.relations import EntityState, EntityType, Label, Pin, Relation
from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in


class Entity(models.Model):
    """A node: one pinned version of one thing.

    `classification` is what was declared of it, `level` what holds (`Label.level`): the most restrictive of its own and
    of all it rests on, kept by `services.labels`. `state` is the latest of the four moments, kept by `services.states`.
    A placeholder was named by an edge and never told of: it is not listed and not counted.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    ref = models.TextField()
    ref_key = models.CharField(max_length=64)
    type = models.CharField(max_length=20, choices=choices_of(EntityType))
    logical_id = models.TextField()
    version = models.CharField(max_length=200, blank=True)
    pin = models.CharField(max_length=10, choices=choices_of(Pin), default=Pin.PINNED.value)
    is_placeholder = models.BooleanField(default=False)
    content_hash = models.CharField(max_length=64, blank=True)
    source_time = models.DateTimeField(null=True, blank=True)
    authority = models.CharField(max_length=15, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    classification = models.CharField(max_length=15, choices=choices_of(Label), default=Label.INTERNAL.value)
    level = models.PositiveSmallIntegerField(default=Label.INTERNAL.level)
    state = models.CharField(max_length=12, choices=choices_of(EntityState), default=EntityState.CURRENT.value)
    superseded_at = models.DateTimeField(null=True, blank=True)
    stale_at = models.DateTimeField(null=True, blank=True)
    retracted_at = models.DateTimeField(null=True, blank=True)
    tombstoned_at = models.DateTimeField(null=True, blank=True)
    released_at = models.DateTimeField(null=True, blank=True, help_text="When an output was handed on.")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "entities"
        constraints = [
            models.UniqueConstraint(fields=["workspace", "ref_key"], name="entity_ref_once_per_workspace"),
            models.CheckConstraint(condition=value_in("type", EntityType), name="entity_type_is_known"),
            models.CheckConstraint(condition=value_in("state", EntityState), name="entity_state_is_known"),
            models.CheckConstraint(condition=value_in("classification", Label), name="entity_classification_is_known"),
            models.CheckConstraint(condition=Q(level__lte=Label.RESTRICTED.level), name="entity_level_is_known"),
            models.CheckConstraint(
                condition=Q(pin=Pin.PINNED.value) & ~Q(version="") | Q(pin=Pin.UNRESOLVED.value, version=""),
                name="entity_is_pinned_exactly_when_it_has_a_version",
            ),
        ]
        indexes = [
            # Without the state: it changes by thousands when something falls, and each change would move index rows.
            models.Index(fields=["workspace", "type"], name="entities_by_type"),
            models.Index(fields=["workspace"], name="entities_only_named", condition=Q(is_placeholder=True)),
        ]

    def __str__(self) -> str:
        return self.ref

    @property
    def as_type(self) -> EntityType:
        """The type as the enum."""
        return EntityType(self.type)

    @property
    def as_ref(self) -> Ref:
        """The ref as its parts; of an erased node nothing that could be told."""
        scheme = self.ref.partition("://")[0]
        return Ref(self.as_type, self.logical_id, self.version, "" if scheme == self.type else scheme)

    @property
    def as_state(self) -> EntityState:
        """The state as the enum that explains itself."""
        return EntityState(self.state)

    @property
    def label(self) -> Label:
        """The label that holds: the most restrictive of its own and of all it rests on."""
        return Label.at_level(self.level)


class Edge(models.Model):
    """`from_entity` rests on `to_entity`, in the way `relation` says; questions walk it where it `is_dependence`."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    edge_key = models.CharField(max_length=64)
    from_entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="edges_out", db_index=False)
    to_entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="edges_in", db_index=False)
    relation = models.CharField(max_length=15, choices=choices_of(Relation))
    is_dependence = models.BooleanField()
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
        indexes = [
            # One an each direction: a walk then costs by its answer, not by the graph.
            models.Index(fields=["from_entity", "is_dependence", "to_entity"], name="edges_up"),
            models.Index(fields=["to_entity", "is_dependence", "from_entity"], name="edges_down"),
            models.Index(fields=["workspace", "run_id"], name="edges_by_run", condition=~Q(run_id="")),
            models.Index(
                fields=["workspace", "transform_type", "transform_version"],
                name="edges_by_transform",
                condition=~Q(transform_type=""),
            ),
            models.Index(fields=["workspace", "config_hash"], name="edges_by_config", condition=~Q(config_hash="")),
        ]

    def __str__(self) -> str:
        return f"{self.from_entity_id} {self.relation} {self.to_entity_id}"

    @property
    def as_relation(self) -> Relation:
        """The relation as the enum that explains itself."""
        return Relation(self.relation)
