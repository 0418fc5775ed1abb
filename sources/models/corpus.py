"""The corpus of a section: what was retrieved for it and found good, the closed set that its writer may cite."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from lineage.models import Entity
from provenance_site.kit.choices import choices_of, value_in
from sources.core.findings import Verdict
from sources.models.project import CatalogEntry, Section


class CorpusEntry(models.Model):
    """One source in the corpus of one section, with what was retrieved there and by which question.

    Its stable id is that of the catalog entry, so a source of two sections has one id. `verdict` is that of the moment
    when it was kept; what holds now, the source says.
    """

    entry = models.ForeignKey(CatalogEntry, on_delete=models.CASCADE, related_name="corpus")
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="corpus")
    fetched_at = models.DateTimeField(null=True, blank=True)
    excerpt = models.TextField(blank=True, help_text="The passage of its text that the writer may lean on.")
    summary = models.TextField(blank=True, help_text="Sentences of the excerpt, as they stand there.")
    body_sha256 = models.CharField(max_length=64, blank=True, help_text="Lower-case hex digest of what was read.")
    retrieval_query = models.TextField(blank=True)
    retrieval_tool = models.CharField(max_length=50, blank=True)
    rank = models.PositiveIntegerField(null=True, blank=True, help_text="Place among what the tool gave, from 1.")
    score = models.FloatField(null=True, blank=True)
    verdict = models.CharField(max_length=25, choices=choices_of(Verdict), blank=True)
    access_note = models.TextField(blank=True)
    entity = models.ForeignKey(
        Entity,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The retrieval hit in the lineage graph.",
    )
    kept_at = models.DateTimeField()
    kept_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "corpus entries"
        constraints = [
            models.UniqueConstraint(fields=["entry", "section"], name="corpus_entry_once_per_section"),
            models.CheckConstraint(
                condition=value_in("verdict", Verdict, or_empty=True), name="corpus_verdict_is_known"
            ),
            models.CheckConstraint(condition=Q(rank__isnull=True) | Q(rank__gt=0), name="corpus_rank_counts_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} in {self.section}"

    @property
    def as_verdict(self) -> Verdict | None:
        """The verdict it was kept with, as the enum that explains itself; None where it was not checked."""
        return Verdict(self.verdict) if self.verdict else None
