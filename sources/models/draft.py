"""Drafts: texts that may only cite the corpus of their project, in versions that never change."""

import uuid
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models

from lineage.models import Entity
from provenance_site.kit.choices import choices_of, value_in
from sources.core.citations import Mode
from sources.core.drafting import DraftOrigin
from sources.models.project import Project

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


class DraftQuerySet(models.QuerySet["Draft"]):
    """Ways to narrow drafts."""

    def visible_to(self, user: "User") -> Self:
        """Only drafts of workspaces that `user` is a member of."""
        return self.filter(project__workspace__memberships__user=user)


class Draft(models.Model):
    """A text of a project under one name and one policy: `strict` lets no address through that is not in the corpus."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="drafts")
    name = models.CharField(max_length=200)
    mode = models.CharField(max_length=10, choices=choices_of(Mode), default=Mode.STRICT.value)
    policy = models.JSONField(
        default=dict, blank=True, help_text="Action by standing, `{“retracted”: “refuse”}`; empty is the default."
    )
    next_number = models.PositiveIntegerField(default=1, help_text="Number of the next version; never reused.")
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = DraftQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="draft_name_once_per_project"),
            models.CheckConstraint(condition=value_in("mode", Mode), name="draft_mode_is_known"),
        ]

    def __str__(self) -> str:
        return self.name


class DraftVersion(models.Model):
    """A state of a draft: the text as it was given, and what the gate made of it. Immutable.

    `problems` and `citations` are lists of objects in the forms of `sources.services.gating`; `changes` lists what a
    reconciliation changed on the way to `text`.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    origin = models.CharField(max_length=15, choices=choices_of(DraftOrigin), default=DraftOrigin.WRITTEN.value)
    note = models.CharField(max_length=300, blank=True)
    text = models.TextField(blank=True)
    gated_text = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, help_text="Lower-case hex digest of the gated text in UTF-8.")
    problems = models.JSONField(default=list, blank=True)
    citations = models.JSONField(default=list, blank=True)
    changes = models.JSONField(default=list, blank=True)
    marker_count = models.PositiveIntegerField(default=0)
    claim_count = models.PositiveIntegerField(default=0)
    refused_count = models.PositiveIntegerField(default=0, help_text="Problems that keep it from being handed on.")
    entity = models.ForeignKey(Entity, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["draft", "number"], name="draft_number_once_per_draft"),
            models.CheckConstraint(condition=value_in("origin", DraftOrigin), name="draft_origin_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.draft} v{self.number}"

    @property
    def as_origin(self) -> DraftOrigin:
        """How it came to be, as the enum that explains itself."""
        return DraftOrigin(self.origin)
