"""What curators keep about sources: pairs that may be one work, saved views of the table, exports."""

import uuid
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from lineage.models import Entity
from provenance_site.accounts.models import Workspace
from provenance_site.changes.models import ChangeSet
from provenance_site.jobs.models import Job
from provenance_site.kit.choices import choices_of, value_in
from sources.core.export_formats import ExportFormat
from sources.core.kinds import PairReason, PairState
from sources.models.project import Project
from sources.models.source import Source

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


class DuplicatePair(models.Model):
    """Two sources that may be one work, the older first. What a person said about them is remembered."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="duplicate_pairs")
    first = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="pairs_as_first")
    second = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="pairs_as_second")
    reason = models.CharField(max_length=20, choices=choices_of(PairReason))
    state = models.CharField(max_length=10, choices=choices_of(PairState), default=PairState.OPEN.value)
    found_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    change_set = models.ForeignKey(ChangeSet, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="duplicate_pair_once"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="duplicate_pair_older_first"),
            models.CheckConstraint(condition=value_in("state", PairState), name="pair_state_is_known"),
            models.CheckConstraint(condition=value_in("reason", PairReason), name="pair_reason_is_known"),
        ]
        indexes = [models.Index(fields=["workspace", "state"], name="pairs_by_state")]

    def __str__(self) -> str:
        return f"{self.first_id} = {self.second_id}?"


class TitleKey(models.Model):
    """What a source's title has in common with titles that are nearly the same, see `sources.core.near_titles`.

    Only an index: made again from the title whenever proposals are looked for.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="title_keys")
    key = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "key"], name="title_key_once_per_source")]
        indexes = [models.Index(fields=["workspace", "key"], name="title_keys_by_key")]

    def __str__(self) -> str:
        return f"{self.source_id}: {self.key}"


class SavedView(models.Model):
    """A filter, order and choice of columns of a list that a person has named."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="saved_views")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=100)
    query = models.TextField(help_text="The query string of the list.")
    is_shared = models.BooleanField(default=False, help_text="Everyone in the workspace sees it.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "owner", "name"], name="view_name_once_per_owner"),
        ]

    def __str__(self) -> str:
        return self.name


class ExportQuerySet(models.QuerySet["Export"]):
    """Ways to narrow exports."""

    def visible_to(self, user: "User") -> Self:
        """Only exports of workspaces that `user` is a member of."""
        return self.filter(workspace__memberships__user=user)


class Export(models.Model):
    """A file that was handed on: what it held, by hash, and how many sources were left out of it.

    The file itself lies in the data folder under its hash; the same bytes lie there once.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="exports")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, blank=True, related_name="exports")
    format = models.CharField(max_length=30, choices=choices_of(ExportFormat))
    section = models.CharField(max_length=100, blank=True, help_text="Slug of the section it is of.")
    query = models.TextField(blank=True, help_text="The filter of the list it was made from.")
    file_name = models.CharField(max_length=200)
    media_type = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64)
    byte_count = models.PositiveBigIntegerField()
    source_count = models.PositiveIntegerField()
    left_out = models.PositiveIntegerField(default=0, help_text="internal_only sources that did not leave.")
    is_external = models.BooleanField(default=True)
    entity = models.ForeignKey(Entity, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = ExportQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("format", ExportFormat), name="export_format_is_known"),
        ]
        indexes = [models.Index(fields=["workspace", "-created_at"], name="exports_newest_first")]

    def __str__(self) -> str:
        return self.file_name

    @property
    def as_format(self) -> ExportFormat:
        """The format as the enum that explains itself."""
        return ExportFormat(self.format)


class ExportOrderQuerySet(models.QuerySet["ExportOrder"]):
    """Ways to narrow orders."""

    def visible_to(self, user: "User") -> Self:
        """Only orders of workspaces that `user` is a member of."""
        return self.filter(workspace__memberships__user=user)


class ExportOrder(models.Model):
    """A large file that a worker makes: what was asked for, how far it is, and the export or the problem at its end."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="export_orders")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    format = models.CharField(max_length=30, choices=choices_of(ExportFormat))
    section = models.CharField(max_length=100, blank=True)
    query = models.TextField(blank=True)
    is_list = models.BooleanField(default=False, help_text="Of what `query` finds, rather than of the whole project.")
    is_external = models.BooleanField(default=True)
    read = models.PositiveBigIntegerField(default=0, help_text="Sources read so far; an archive reads each many times.")
    expected = models.PositiveBigIntegerField(default=0, help_text="How many there will be; 0 where nobody knows yet.")
    problem = models.TextField(blank=True, help_text="Why it was not made, and the way out.")
    export = models.ForeignKey(Export, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    objects = ExportOrderQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("format", ExportFormat), name="export_order_format_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.format} of {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def as_format(self) -> ExportFormat:
        """The format as the enum that explains itself."""
        return ExportFormat(self.format)
