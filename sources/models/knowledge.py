"""Observations and concepts: what people (and assistants) noted in a project, and which sources it rests on."""

import uuid

from django.conf import settings
from django.db import models

from lineage.models import Entity
from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in
from sources.core.entries import ObservationKind, Relationship
from sources.core.retraction import RetractionStatus
from sources.models.project import Project
from sources.models.retrieval import Turn
from sources.models.source import Source


class Concept(models.Model):
    """A named idea, person or body that observations and projects are about; may carry an identifier of its own."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="concepts")
    name = models.CharField(max_length=500)
    description = models.TextField(blank=True)
    identifier_type = models.CharField(max_length=30, blank=True, help_text="orcid, ror, fundref, doi …")
    identifier_value = models.CharField(max_length=500, blank=True)
    projects = models.ManyToManyField(Project, related_name="concepts", blank=True)
    origin_host = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(null=True, blank=True, help_text="NULL in some old files.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="concept_name_once_per_workspace"),
        ]

    def __str__(self) -> str:
        return self.name


class Observation(models.Model):
    """A note, finding, decision, question or hypothesis in a project.

    `source_doi` is the old schema's field: shown, never written by anyone here.
    """

    # How many sources it rests on, the gravest that is told of them, and whether such uses are meant; for lists, see
    # `queries.observations.tell_of`.
    source_count = 0
    told: RetractionStatus | None = None
    is_meant = False

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="observations")
    kind = models.CharField(max_length=12, choices=choices_of(ObservationKind), default=ObservationKind.NOTE.value)
    body = models.TextField()
    source_doi = models.TextField(blank=True, editable=False)
    concepts = models.ManyToManyField(Concept, related_name="observations", blank=True)
    turn = models.ForeignKey(
        Turn,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="observations",
        help_text="The last turn before it was made, see `sources.core.citing`.",
    )
    entity = models.ForeignKey(Entity, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    origin_host = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("kind", ObservationKind), name="observation_kind_is_known"),
            models.CheckConstraint(condition=~models.Q(body=""), name="observation_says_something"),
        ]
        indexes = [models.Index(fields=["project", "-created_at"], name="observations_newest_first")]

    def __str__(self) -> str:
        return self.body[:80]


class ObservationSource(models.Model):
    """An observation rests on a source. Goes with its observation; holds its source: that cannot be removed."""

    observation = models.ForeignKey(Observation, on_delete=models.CASCADE, related_name="source_links")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="observation_links")
    relationship = models.CharField(max_length=10, choices=choices_of(Relationship))
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["observation", "source", "relationship"], name="observation_source_once_per_relationship"
            ),
            models.CheckConstraint(condition=value_in("relationship", Relationship), name="relationship_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.observation_id} {self.relationship} {self.source_id}"
