"""How works belong together: parts of a book, a preprint and what was published of it. No such row marks a work."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from provenance_site.kit.choices import choices_of, value_in
from sources.core.kinds import IdentifierType
from sources.core.retraction_terms import Provider
from sources.models.source import Source


class SourcePart(models.Model):
    """That one source is a part of another: its own record says so, or a person (`by`).

    Kept where the whole was retracted. While it is, the part is affected by that, and no more: whether it holds is
    for itself to say.
    """

    part = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="wholes")
    whole = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="parts")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who said so; nobody where the record itself does.",
    )
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["part", "whole"], name="a_part_is_told_once"),
            models.CheckConstraint(condition=~Q(part=F("whole")), name="nothing_is_a_part_of_itself"),
        ]

    def __str__(self) -> str:
        return f"{self.part_id} is a part of {self.whole_id}"


class WorkVersion(models.Model):
    """That one work is the preprint of another, as a provider tells it; the same for all workspaces.

    Of identifiers, since the registry may hold one of the two only. `…_key` as `sources.core.records.Identity.key`.
    Each is judged alone: a row moves neither's standing.
    """

    preprint_type = models.CharField(max_length=10, choices=choices_of(IdentifierType))
    preprint_value = models.TextField(help_text="Normalised, as sources have it.")
    preprint_key = models.CharField(max_length=64, editable=False)
    published_type = models.CharField(max_length=10, choices=choices_of(IdentifierType))
    published_value = models.TextField(help_text="Normalised, as sources have it.")
    published_key = models.CharField(max_length=64, editable=False)
    provider = models.CharField(max_length=20, choices=choices_of(Provider))
    first_seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["preprint_key", "published_key", "provider"], name="a_version_is_told_once"
            ),
            models.CheckConstraint(condition=value_in("provider", Provider), name="version_provider_is_known"),
            models.CheckConstraint(
                condition=~Q(preprint_key="") & ~Q(published_key="") & ~Q(preprint_key=F("published_key")),
                name="a_preprint_is_another_work_than_what_was_published",
            ),
        ]
        indexes = [models.Index(fields=["published_key"], name="versions_by_published")]

    def __str__(self) -> str:
        return f"{self.preprint_value} → {self.published_value}"

    @property
    def as_provider(self) -> Provider:
        """Who says it, as the enum."""
        return Provider(self.provider)
