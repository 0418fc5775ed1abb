"""The review queue and the decisions of people. A decision is never changed by a check: it is only joined by news."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from provenance_site.changes.models import ChangeSet
from provenance_site.kit.choices import choices_of, value_in
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind, ReviewReason
from sources.models.check import Check
from sources.models.source import Source


class Decision(models.Model):
    """What a person decided about a source, on what evidence. The newest that is not undone holds."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="decisions")
    check_seen = models.ForeignKey(
        Check,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The newest check when the person decided.",
    )
    kind = models.CharField(max_length=10, choices=choices_of(DecisionKind))
    override_verdict = models.CharField(max_length=25, choices=choices_of(Verdict), blank=True)
    reason = models.TextField(blank=True)
    evidence_fingerprint = models.CharField(
        max_length=64, blank=True, help_text="Of the check seen, see `sources.core.review_policy.fingerprint`."
    )
    change_set = models.OneToOneField(
        ChangeSet, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", help_text="Its undo."
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="decisions")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("kind", DecisionKind), name="decision_kind_is_known"),
            models.CheckConstraint(
                condition=Q(kind=DecisionKind.ACCEPT.value) | ~Q(reason=""), name="override_and_drop_say_why"
            ),
            models.CheckConstraint(
                condition=(Q(kind=DecisionKind.OVERRIDE.value) & ~Q(override_verdict=""))
                | (~Q(kind=DecisionKind.OVERRIDE.value) & Q(override_verdict="")),
                name="decision_names_a_verdict_exactly_when_it_overrides",
            ),
        ]
        indexes = [models.Index(fields=["source", "-at"], name="decisions_newest_first")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.by_id}"

    @property
    def as_override(self) -> Verdict | None:
        """The verdict put in the machine's place; None unless the kind is override."""
        return Verdict(self.override_verdict) if self.override_verdict else None

    @property
    def as_kind(self) -> DecisionKind:
        """The kind as the enum."""
        return DecisionKind(self.kind)


class ReviewItem(models.Model):
    """A question that waits for a person: one open item per source and reason."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="review_items")
    reason = models.CharField(max_length=15, choices=choices_of(ReviewReason))
    opened_at = models.DateTimeField()
    opened_by = models.ForeignKey(Check, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by_decision = models.ForeignKey(
        Decision, on_delete=models.SET_NULL, null=True, blank=True, related_name="closed_items"
    )
    closed_by_check = models.ForeignKey(Check, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("reason", ReviewReason), name="review_reason_is_known"),
            models.UniqueConstraint(
                fields=["source", "reason"],
                condition=Q(closed_at__isnull=True),
                name="one_open_item_per_source_and_reason",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=False) | Q(closed_by_decision__isnull=True, closed_by_check__isnull=True),
                name="an_open_item_has_no_closer",
            ),
        ]
        indexes = [
            models.Index(fields=["opened_at"], name="open_items_oldest_first", condition=Q(closed_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.reason} for {self.source_id}"

    @property
    def as_reason(self) -> ReviewReason:
        """The reason as the enum."""
        return ReviewReason(self.reason)
