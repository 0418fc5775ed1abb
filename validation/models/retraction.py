"""How far the feeds of retractions are read, and which checks people asked for. What was said is the registry's."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in
from sources.core.retraction_status import Provider


class RetractionSnapshot(models.Model):
    """One export of Retraction Watch, known by its bytes. `rows_done` is how far it is written: an import that was
    broken off goes on there.

    `told` holds what was odd about it: unknown natures with their number, lines in another encoding, rows that could
    not be read. `record_ids` are its Record IDs (zlib of their decimal digits, a line each), kept of the newest only:
    what is missing in the next one is told, and never taken for a reinstatement.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    label = models.CharField(max_length=300, help_text="The file's name, or its address.")
    byte_count = models.BigIntegerField()
    rows = models.PositiveIntegerField(help_text="That name a record.")
    rows_done = models.PositiveIntegerField(default=0)
    statements = models.PositiveIntegerField(default=0, help_text="New ones.")
    told = models.JSONField(default=dict, blank=True)
    record_ids = models.BinaryField(default=b"", blank=True)
    vanished = models.JSONField(default=list, blank=True, help_text="Record IDs of the last export that are gone.")
    refused = models.TextField(blank=True, help_text="Why nothing of it was taken in; empty where it was.")
    started_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(rows_done__lte=F("rows")), name="snapshot_is_read_no_further_than_its_end"
            )
        ]
        indexes = [models.Index(fields=["-completed_at"], name="snapshots_newest")]

    def __str__(self) -> str:
        return f"{self.label} {self.sha256[:12]}"

    @property
    def unknown_natures(self) -> list[tuple[str, int]]:
        """Raw natures that nobody has mapped, with how many rows have each."""
        return sorted(self.told.get("unknown_natures", {}).items())


class RetractionFeed(models.Model):
    """How far one provider's stream of changes is read.

    `day` (ISO) is that of the last success, '' before the first; reading begins some days before it, and what is read
    twice costs only time. `problem` says why the last attempt failed, '' where it did not.
    """

    provider = models.CharField(max_length=20, choices=choices_of(Provider), unique=True)
    day = models.CharField(max_length=10, blank=True)
    attempted_at = models.DateTimeField(null=True, blank=True)
    succeeded_at = models.DateTimeField(null=True, blank=True)
    retry_at = models.DateTimeField(null=True, blank=True)
    held_until = models.DateTimeField(null=True, blank=True, help_text="A worker has it until then.")
    problem = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=value_in("provider", Provider), name="feed_provider_is_known")]

    def __str__(self) -> str:
        return self.provider


class RetractionRequest(models.Model):
    """Works whose retraction somebody wants to be checked now. `works` are texts such as `doi:10.…`; `done` of them are
    asked about. `told` has, by provider, how many were answered, are unknown there and failed, and why."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    works = models.JSONField(default=list)
    done = models.PositiveIntegerField(default=0)
    told = models.JSONField(default=dict, blank=True)
    asked_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    held_until = models.DateTimeField(null=True, blank=True, help_text="A worker has it until then.")

    class Meta:
        indexes = [
            models.Index(fields=["id"], name="retraction_requests_open", condition=Q(finished_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.done} of {len(self.works)}"
