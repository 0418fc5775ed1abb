"""Imports in two steps: a batch of staged rows that a person looks at, then one commit."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from provenance_site.changes.models import ChangeSet
from provenance_site.jobs.models import Job
from provenance_site.kit.choices import choices_of, value_in
from sources.core.catalog import CitationStatus
from sources.core.kinds import BatchState, IdentifierType, RowAction
from sources.models.project import Project
from sources.models.source import Source


class ImportBatch(models.Model):
    """One pasted or uploaded list. Nothing of it is in the registry before the batch is committed."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    label = models.CharField(max_length=200, help_text="The file's name or what the person called the list.")
    format = models.CharField(max_length=30, blank=True, help_text="Name of the format it was read as.")
    counted = models.PositiveIntegerField(
        null=True, blank=True, help_text="Entries by the format's own second count; rows and errors come to it."
    )
    state = models.CharField(max_length=10, choices=choices_of(BatchState), default=BatchState.STAGED.value)
    sha256 = models.CharField(max_length=64, help_text="Lower-case hex digest of the bytes that were given.")
    byte_count = models.PositiveBigIntegerField()
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    committed_at = models.DateTimeField(null=True, blank=True)
    tally = models.JSONField(default=dict, blank=True, help_text="What was written so far, counted by word.")
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    change_set = models.OneToOneField(ChangeSet, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("state", BatchState), name="import_batch_state_is_known"),
            models.CheckConstraint(
                condition=Q(state=BatchState.COMMITTED.value, committed_at__isnull=False)
                | (~Q(state=BatchState.COMMITTED.value) & Q(committed_at__isnull=True)),
                name="import_batch_says_when_it_was_committed",
            ),
        ]

    def __str__(self) -> str:
        return self.label


class ImportRow(models.Model):
    """One reference found in a list, or one line that could not be read."""

    batch = models.ForeignKey(ImportBatch, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField()
    line = models.PositiveIntegerField()
    action = models.CharField(max_length=20, choices=choices_of(RowAction))
    record_kind = models.CharField(
        max_length=12, default="source", help_text="source, project, observation, concept, link, chunk, turn"
    )
    rank = models.PositiveSmallIntegerField(default=0, help_text="What links need is written before them.")
    ref = models.CharField(max_length=200, blank=True, help_text="How other rows of the batch name it.")
    object_id = models.BigIntegerField(null=True, blank=True, help_text="Key of what was written, by its kind.")
    is_written = models.BooleanField(default=False)
    record = models.JSONField(null=True, blank=True, help_text="What the file says, see `sources.core.entries`.")
    message = models.TextField(blank=True, help_text="What is wrong and the way out, for a person.")
    spelling = models.TextField(help_text="As written, shortened and without a password.")
    identifier_type = models.CharField(
        max_length=10, choices=choices_of(IdentifierType), default=IdentifierType.NONE.value
    )
    identifier_value = models.TextField(blank=True)
    canonical_key = models.CharField(max_length=64, blank=True)
    request_url = models.TextField(blank=True)
    title = models.TextField(blank=True)
    section = models.CharField(max_length=300, blank=True)
    status = models.CharField(
        max_length=25, choices=choices_of(CitationStatus), default=CitationStatus.FOUND_IN_RESEARCH.value
    )
    context = models.TextField(blank=True)
    source = models.ForeignKey(Source, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "position"], name="import_row_position_once_per_batch"),
            models.CheckConstraint(condition=value_in("action", RowAction), name="import_row_action_is_known"),
            models.CheckConstraint(
                condition=~Q(action=RowAction.ERROR.value) | ~Q(message=""), name="an_unreadable_row_says_why"
            ),
        ]
        indexes = [
            models.Index(fields=["batch", "action"], name="import_rows_by_action"),
            models.Index(fields=["batch", "canonical_key"], name="import_rows_by_key"),
            models.Index(fields=["batch", "is_written", "rank", "position"], name="import_rows_in_order"),
            models.Index(fields=["batch", "ref"], name="import_rows_by_ref", condition=~Q(ref="")),
        ]

    def __str__(self) -> str:
        return f"line {self.line}: {self.action}"

    @property
    def as_action(self) -> RowAction:
        """The action as the enum."""
        return RowAction(self.action)
