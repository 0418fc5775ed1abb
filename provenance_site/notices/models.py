"""A notice names what it is about; its words are made when it is shown, of what its reader may see then."""

from django.conf import settings
from django.db import models

from provenance_site.accounts.models import Workspace


class Notice(models.Model):
    """One thing one person is told. `key` keeps the same news from being told twice."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=100)
    subject_id = models.BigIntegerField()
    at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "workspace", "kind", "key"], name="notice_once_per_person_and_news")
        ]
        indexes = [models.Index(fields=["user", "workspace", "-at"], name="notices_newest_first")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
