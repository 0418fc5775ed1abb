"""What came from outside: events by their id, sends that contradict them, and edges that must not be joined yet."""

from django.db import models

from lineage.core.held import Why
from provenance_site.accounts.models import Workspace


class Event(models.Model):
    """An event that was taken in whole. The order is ours (`id`); the sender's clock is kept and never trusted."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    event_id = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the payload in canonical JSON.")
    format = models.CharField(max_length=20)
    run_id = models.CharField(max_length=100, blank=True)
    hook = models.CharField(max_length=60, blank=True)
    payload = models.JSONField()
    told_at = models.DateTimeField(null=True, blank=True, help_text="By the sender's clock.")
    received_at = models.DateTimeField()
    clock_skew = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "event_id"], name="event_once_per_workspace")]
        indexes = [models.Index(fields=["workspace", "run_id"], name="events_by_run", condition=~models.Q(run_id=""))]

    def __str__(self) -> str:
        return self.event_id


class EventConflict(models.Model):
    """An event id that was told again with another payload; the first stands."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="conflicts")
    digest = models.CharField(max_length=64)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["event", "digest"], name="conflict_once_per_payload")]

    def __str__(self) -> str:
        return f"another {self.event_id}"


class HeldEdge(models.Model):
    """An edge that was told and is not joined: its end may not be read by its writer, or came as another type.

    Joining it would answer a question that the writer may not ask. Someone who may read both ends joins it, or lets it
    go (`ingest.held`); `released_at` is when.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    edge_key = models.CharField(max_length=64)
    from_ref = models.TextField()
    from_key = models.CharField(max_length=64, help_text="`Entity.ref_key` of the dependent.")
    to_ref = models.TextField()
    to_key = models.CharField(max_length=64, help_text="`Entity.ref_key` of what it rests on.")
    facts = models.JSONField(help_text="The edge as it was told.")
    why = models.CharField(max_length=20, choices=[(one.value, one.words) for one in Why])
    event = models.ForeignKey(Event, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    held_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "edge_key"], name="held_edge_once_per_workspace"),
            models.CheckConstraint(condition=models.Q(why__in=[one.value for one in Why]), name="held_edge_says_why"),
        ]
        indexes = [
            models.Index(
                fields=["workspace", "id"], name="held_edges_in_order", condition=models.Q(released_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"{self.from_ref} to {self.to_ref}"
