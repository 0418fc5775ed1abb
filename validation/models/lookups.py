"""What providers answered, for some days."""

from django.db import models


class LookupCache(models.Model):
    """One answer of a search, a registry or an archive, kept for the whole installation.

    The key is a hash of who was asked what (`core.lookups`); no workspace, project or person is in it, nor in the
    answer, which is what the provider says to anyone who asks.
    """

    key = models.CharField(max_length=64, unique=True, help_text="Lower-case hex SHA-256 of the question.")
    answer = models.TextField(help_text="JSON, see `core.lookups.written`.")
    stored_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["stored_at"], name="lookups_oldest_first")]

    def __str__(self) -> str:
        return self.key[:12]
