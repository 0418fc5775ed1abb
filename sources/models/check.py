"""What was seen and when: checks (verdicts with evidence), content versions, and every change of standing."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from lineage.models import Entity
from provenance_site.jobs.models import JobItem
from provenance_site.kit.choices import choices_of, value_in
from sources.core.findings import Cause, Disposition, Verdict
from sources.core.kinds import VersionOrigin
from sources.models.source import Source


class SourceVersion(models.Model):
    """A state of a source that was really seen, fetched or imported: immutable, named by its SHA-256.

    `record` is what an import said of it, in the form of `sources.core.entries`; NULL for what was fetched. Its hash is
    that of the record as canonical JSON.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="source_versions")
    entity = models.ForeignKey(Entity, on_delete=models.SET_NULL, null=True, related_name="+")
    origin = models.CharField(max_length=10, choices=choices_of(VersionOrigin), default=VersionOrigin.FETCHED.value)
    sha256 = models.CharField(max_length=64, help_text="Lower-case hex digest of the decoded body as read.")
    record = models.JSONField(null=True, blank=True)
    media_type = models.CharField(max_length=100, blank=True)
    byte_count = models.PositiveBigIntegerField()
    final_url = models.TextField(blank=True)
    title = models.TextField(blank=True)
    fetched_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "sha256"], name="source_version_once_per_content"),
            models.CheckConstraint(condition=value_in("origin", VersionOrigin), name="version_origin_is_known"),
        ]
        # Which sources gave the same content.
        indexes = [models.Index(fields=["sha256"], name="versions_by_content")]

    def __str__(self) -> str:
        return f"{self.source_id}@{self.sha256[:12]}"


class Check(models.Model):
    """One verdict on a source with the evidence it rests on. Append-only."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="checks")
    item = models.OneToOneField(
        JobItem,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="check_made",
        help_text="The work item it answers; one-to-one, so that a run checks each source exactly once.",
    )
    version = models.ForeignKey(SourceVersion, on_delete=models.SET_NULL, null=True, blank=True, related_name="checks")
    verdict = models.CharField(max_length=25, choices=choices_of(Verdict))
    cause = models.CharField(max_length=30, choices=choices_of(Cause))
    at = models.DateTimeField()
    rules_version = models.CharField(max_length=30)
    evidence = models.JSONField(
        help_text="`sources.core.findings.Evidence.as_json`: enough to judge again without a fetch."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("verdict", Verdict), name="check_verdict_is_known"),
            models.CheckConstraint(condition=value_in("cause", Cause), name="check_cause_is_known"),
        ]
        indexes = [models.Index(fields=["source", "-at"], name="checks_newest_first")]

    def __str__(self) -> str:
        return f"{self.verdict} at {self.at:%Y-%m-%d %H:%M}"

    @property
    def as_verdict(self) -> Verdict:
        """The verdict as the enum that explains itself."""
        return Verdict(self.verdict)

    @property
    def as_cause(self) -> Cause:
        """The cause as the enum that explains itself."""
        return Cause(self.cause)


class Reading(models.Model):
    """What the newest check of a source read, small enough to keep and enough for new rules to judge it again.

    One per source: older readings are replaced. A table of its own, because checks are listed by the thousand.
    """

    source = models.OneToOneField(Source, on_delete=models.CASCADE, related_name="reading")
    check_made = models.OneToOneField(Check, on_delete=models.CASCADE, related_name="reading")
    content = models.JSONField(help_text="In the form of `validation.core.stored`.")

    def __str__(self) -> str:
        return f"reading of {self.source_id}"


class StatusChange(models.Model):
    """A source's standing before and after, and what moved it. `propagated_at` is NULL until others were told."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="status_changes")
    from_verdict = models.CharField(max_length=25, choices=choices_of(Verdict), blank=True)
    to_verdict = models.CharField(max_length=25, choices=choices_of(Verdict), blank=True)
    from_disposition = models.CharField(max_length=10, choices=choices_of(Disposition))
    to_disposition = models.CharField(max_length=10, choices=choices_of(Disposition))
    at = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The person, or NULL where a check moved it.",
    )
    reason = models.TextField(blank=True)
    propagated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["source", "-at"], name="status_changes_newest_first"),
            models.Index(fields=["id"], name="status_changes_to_tell", condition=Q(propagated_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.from_verdict or 'unchecked'} → {self.to_verdict}"
