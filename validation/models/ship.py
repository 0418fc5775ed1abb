"""Ship checks: a finished document, its links as they were fetched for it, and what persons said of some of them."""

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from provenance_site.jobs.models import Job
from provenance_site.kit.choices import choices_of, value_in
from sources.core.findings import Cause, Verdict
from sources.core.gate import GateDecision
from sources.core.kinds import IdentifierType
from sources.models import DraftVersion, Project, Source
from validation.core.shipping import SpotResult

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


class ShipCheckQuerySet(models.QuerySet["ShipCheck"]):
    """Ways to narrow ship checks."""

    def visible_to(self, user: "User") -> Self:
        """Only checks of projects in workspaces that `user` is a member of."""
        return self.filter(project__workspace__memberships__user=user)


class ShipCheck(models.Model):
    """One pass of a finished document through the ship gate. State, progress and leases are the job's.

    `text` is the document as it was checked. `standing` lists what was remarked of the text and the corpus when the
    check began (`validation.core.shipping.Remark` as objects). The counts and the decision are those of the last
    finding or spot check; `decision` is '' while links are still being fetched, and of a check that was stopped.
    """

    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="ship_check", primary_key=True)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="ship_checks")
    version = models.ForeignKey(
        DraftVersion, on_delete=models.SET_NULL, null=True, blank=True, related_name="ship_checks"
    )
    document = models.CharField(max_length=300, help_text="The draft and its version, or the file's name.")
    path = models.CharField(max_length=1000, help_text="What annotations call the file.")
    text = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, help_text="Lower-case hex digest of the text in UTF-8.")
    seed = models.CharField(max_length=32, help_text="Decides which links are drawn for the spot check.")
    standing = models.JSONField(default=list, blank=True)
    rules_version = models.CharField(max_length=30)
    total = models.PositiveIntegerField(default=0)
    verified = models.PositiveIntegerField(default=0)
    decision = models.CharField(max_length=12, choices=choices_of(GateDecision), blank=True)

    objects = ShipCheckQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=value_in("decision", GateDecision, or_empty=True), name="ship_decision_is_known"
            ),
            models.CheckConstraint(condition=Q(verified__lte=F("total")), name="ship_check_verifies_no_more_than_all"),
            models.CheckConstraint(condition=~Q(seed=""), name="ship_check_has_a_seed"),
        ]
        indexes = [models.Index(fields=["project", "-job"], name="ship_checks_newest")]

    def __str__(self) -> str:
        return self.document

    @property
    def as_decision(self) -> GateDecision | None:
        """What the gate said, as the enum; None where it has not said anything yet."""
        return GateDecision(self.decision) if self.decision else None


class ShipLink(models.Model):
    """One distinct work that the document cites, at the place where it first does, and what was found for this check.

    `override` is a person's verdict that held when it was fetched and counts in the machine's place.
    """

    # No index of its own: that of the constraint below begins with the check.
    check_made = models.ForeignKey(ShipCheck, on_delete=models.CASCADE, related_name="links", db_index=False)
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=64, help_text="As `sources.core.records.Identity.key`.")
    identifier_type = models.CharField(max_length=10, choices=choices_of(IdentifierType))
    identifier_value = models.TextField()
    request_url = models.TextField(blank=True)
    address = models.TextField(help_text="As the document writes it.")
    title = models.TextField(blank=True, help_text="What the document calls it.")
    line = models.PositiveIntegerField()
    column = models.PositiveIntegerField()
    source = models.ForeignKey(Source, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    stable_id = models.CharField(max_length=20, blank=True, help_text="Its id in the project; '' for what is not in.")
    verdict = models.CharField(max_length=25, choices=choices_of(Verdict), blank=True)
    cause = models.CharField(max_length=30, choices=choices_of(Cause), blank=True)
    reason = models.TextField(blank=True)
    override = models.CharField(max_length=25, choices=choices_of(Verdict), blank=True)
    found_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["check_made", "key"], name="ship_link_once_per_check"),
            models.CheckConstraint(
                condition=value_in("verdict", Verdict, or_empty=True), name="ship_link_verdict_is_known"
            ),
            models.CheckConstraint(
                condition=value_in("override", Verdict, or_empty=True), name="ship_link_override_is_known"
            ),
            models.CheckConstraint(condition=~Q(key=""), name="ship_link_names_a_work"),
        ]

    def __str__(self) -> str:
        return self.address


class SpotCheck(models.Model):
    """One link drawn for a person's look, in the order of the draw, and what the person said; '' before."""

    check_made = models.ForeignKey(ShipCheck, on_delete=models.CASCADE, related_name="spot_checks", db_index=False)
    link = models.OneToOneField(ShipLink, on_delete=models.CASCADE, related_name="spot_check")
    position = models.PositiveIntegerField()
    result = models.CharField(max_length=5, choices=choices_of(SpotResult), blank=True)
    note = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["check_made", "position"], name="spot_check_place_once_per_check"),
            models.CheckConstraint(
                condition=value_in("result", SpotResult, or_empty=True), name="spot_check_result_is_known"
            ),
            models.CheckConstraint(
                condition=Q(result="", at__isnull=True) | (~Q(result="") & Q(at__isnull=False)),
                name="spot_check_has_a_moment_exactly_when_it_has_a_result",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.result or 'open'}: {self.link}"

    @property
    def as_result(self) -> SpotResult | None:
        """What the person said, as the enum; None before."""
        return SpotResult(self.result) if self.result else None
