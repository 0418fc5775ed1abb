"""What is told to another lineage service: our events in their order, and how far each service has them."""

from django.conf import settings
from django.db import models

from provenance_site.accounts.models import Workspace


class Relay(models.Model):
    """Another lineage service that is told of ours over HTTP: at least once, in order, resumable."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    url = models.TextField()
    sealed_token = models.TextField(blank=True, help_text="Encrypted, see `kit.sealing`.")
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    sent_through = models.BigIntegerField(default=0, help_text="Key of the last outbox event that was taken.")
    seen_through = models.BigIntegerField(default=0, help_text="Key of the last outbox event at the last look.")
    seen_before = models.BigIntegerField(
        default=0, help_text="PostgreSQL: the first transaction that had not begun at the last look."
    )
    attempts = models.PositiveIntegerField(default=0)
    retry_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    held_by = models.CharField(max_length=100, blank=True)
    held_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="relay_name_once_per_workspace")]

    def __str__(self) -> str:
        return self.name


class OutboxEvent(models.Model):
    """One thing to tell, written in the transaction of what it tells; only where the workspace has a relay."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    event_id = models.CharField(max_length=200, unique=True)
    payload = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["workspace", "id"], name="outbox_in_order")]

    def __str__(self) -> str:
        return self.event_id
