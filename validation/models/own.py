"""OwnPublisher and OwnPattern: what a workspace adds to the built-in lists. Written by `services.own_entries` only."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from provenance_site.accounts.models import Workspace
from validation.core.own_entries import PatternEntry, PublisherEntry


class OwnEntry(models.Model):
    """What both kinds have."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    notes = models.TextField(blank=True)
    enabled = models.BooleanField(default=True, help_text="An entry that is turned off is kept and not used.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    row_version = models.PositiveIntegerField(default=1, help_text="Raised by every edit; a stale edit is refused.")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name


class OwnPublisher(OwnEntry):
    """A publisher whose pages stand behind a wall, asked before the built-in ones."""

    domains = models.JSONField(default=list, help_text="Bare hosts; what lies below them belongs to it too.")
    path_hints = models.JSONField(default=list, blank=True, help_text="Beginnings of paths of its gated works.")
    access_note = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="own_publisher_name_once_per_workspace"),
            models.CheckConstraint(condition=~Q(name=""), name="own_publisher_has_a_name"),
        ]

    @property
    def entry(self) -> PublisherEntry:
        """The row as it was entered."""
        return PublisherEntry(self.name, tuple(self.domains), tuple(self.path_hints), self.access_note, self.notes)


class OwnPattern(OwnEntry):
    """A shape of invented addresses, searched in the whole address. Its cause is always `pattern`."""

    pattern = models.CharField(max_length=500)
    hits = models.JSONField(default=list, help_text="Addresses that it must match.")
    passes = models.JSONField(default=list, help_text="Real addresses that it must not match.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="own_pattern_name_once_per_workspace"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(pattern=""), name="own_pattern_has_a_name_and_a_pattern"),
        ]

    @property
    def entry(self) -> PatternEntry:
        """The row as it was entered."""
        return PatternEntry(self.name, self.pattern, tuple(self.hits), tuple(self.passes), self.notes)
