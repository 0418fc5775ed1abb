"""A notice names what it is about; its words are made when it is shown, of what its reader may see then.

The same holds on every way out: mail, feed and webhook hold no words either.
"""

import uuid

from django.conf import settings
from django.db import models

from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in
from provenance_site.notices.paces import DeliveryState, Pace


class Notice(models.Model):
    """One thing one person is told. `key` keeps the same news from being told twice, `mailed_at` from being mailed
    twice: it is set before a mail goes out, never taken back."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=100)
    subject_id = models.BigIntegerField()
    at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "workspace", "kind", "key"], name="notice_once_per_person_and_news")
        ]
        indexes = [models.Index(fields=["user", "workspace", "-at"], name="notices_newest_first")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class MailChoice(models.Model):
    """How often one person has mail, of all their workspaces together. Without a row: never."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    pace = models.CharField(max_length=10, choices=choices_of(Pace), default=Pace.NONE.value)
    since = models.DateTimeField(help_text="Notices from before are not mailed.")
    last_at = models.DateTimeField(null=True, blank=True, help_text="When the last mail went out.")
    last_error = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=value_in("pace", Pace), name="mail_pace_is_known")]

    def __str__(self) -> str:
        return f"{self.pace} for {self.user_id}"


class FeedAddress(models.Model):
    """A private address under which a feed reader finds one person's notices of one workspace.

    Only a SHA-256 of its key is kept; the address is shown once.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12)
    key_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "feed addresses"

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class Webhook(models.Model):
    """Where another program of the workspace is told of its news; one a workspace."""

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, related_name="+")
    url = models.TextField()
    sealed_secret = models.TextField(help_text="Encrypted, see `kit.sealing`.")
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    set_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"webhook of {self.workspace_id}"

    @property
    def place(self) -> str:
        """Where its secret is kept, for `kit.sealing`."""
        return f"notices.webhook/{self.pk}"


class WebhookDelivery(models.Model):
    """One piece of news for a webhook, written in the transaction of what it tells: at least once, under one id."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=100)
    subject_id = models.BigIntegerField()
    state = models.CharField(max_length=10, choices=choices_of(DeliveryState), default=DeliveryState.WAITING.value)
    attempts = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    held_by = models.CharField(max_length=100, blank=True)
    held_until = models.DateTimeField(null=True, blank=True)
    status = models.PositiveIntegerField(null=True, blank=True, help_text="What the receiver answered last.")
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.CheckConstraint(condition=value_in("state", DeliveryState), name="delivery_state_is_known"),
            models.UniqueConstraint(fields=["webhook", "kind", "key"], name="delivery_once_per_webhook_and_news"),
        ]
        indexes = [models.Index(fields=["state", "due_at"], name="deliveries_by_their_turn")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

    @property
    def as_state(self) -> DeliveryState:
        """What became of it, as the enum."""
        return DeliveryState(self.state)
