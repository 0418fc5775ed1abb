"""ProviderKey: a workspace's own access to a search. Written by `services.provider_keys` only."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in
from validation.core.providers import Provider


class ProviderKey(models.Model):
    """One key, or SearXNG's address, encrypted by `kit.sealing` for this row's `place`.

    `name` is made anew with each secret: cached answers go by it (`core.providers.Account`).
    """

    name = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    provider = models.CharField(max_length=12, choices=choices_of(Provider))
    sealed = models.TextField(help_text="Fernet token; unreadable without the installation's secret.")
    hint = models.CharField(
        max_length=300, blank=True, help_text="The end of a key or the host of an address, to tell it from others."
    )
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    set_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "provider"], name="provider_has_one_key_per_workspace"),
            models.CheckConstraint(condition=value_in("provider", Provider), name="provider_is_known"),
            models.CheckConstraint(condition=~Q(sealed=""), name="provider_key_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.as_provider.label} of {self.workspace_id}"

    @property
    def as_provider(self) -> Provider:
        """The provider as a word of the vocabulary."""
        return Provider(self.provider)

    @property
    def place(self) -> str:
        """Where the secret belongs: it can be opened in no other workspace and for no other provider."""
        return f"provider-key/{self.workspace_id}/{self.provider}"
