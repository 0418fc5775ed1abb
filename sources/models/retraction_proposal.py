"""Bulk edits of retractions that wait for a second person: what was looked at, row by row, and what became of it."""

import uuid
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from provenance_site.accounts.models import Workspace
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.kit.choices import choices_of, value_in
from sources.core.kinds import ProposalKind, ProposalState
from sources.core.retraction_status import Status
from sources.models.source import Source

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


class RetractionPolicy(models.Model):
    """What a workspace wants of bulk edits of retractions. Without a row one person is enough."""

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, related_name="retraction_policy")
    second_person = models.BooleanField(default=False, help_text="Bulk edits of retractions need another's approval.")

    class Meta:
        verbose_name_plural = "retraction policies"

    def __str__(self) -> str:
        return "two persons" if self.second_person else "one person"


class RetractionProposalQuerySet(models.QuerySet["RetractionProposal"]):
    """Ways to narrow proposals."""

    def visible_to(self, user: "User") -> Self:
        """Only those of workspaces that `user` is a member of."""
        return self.filter(workspace__memberships__user=user)

    def waiting(self) -> Self:
        """Only those about which nobody has said anything yet."""
        return self.filter(state=ProposalState.WAITING)


class RetractionProposal(models.Model):
    """One bulk edit as one person proposed it; its rows are the preview of that moment.

    The database itself refuses a proposal that its own proposer approved or refused.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=choices_of(ProposalKind))
    state = models.CharField(max_length=10, choices=choices_of(ProposalState), default=ProposalState.WAITING.value)
    note = models.TextField()
    planned = models.PositiveIntegerField(help_text="Sources that would change.")
    left = models.PositiveIntegerField(help_text="Lines that are left alone.")
    channel = models.CharField(max_length=10, choices=choices_of(Channel))
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, help_text="Why it was refused.")
    change_set = models.OneToOneField(ChangeSet, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    objects = RetractionProposalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("kind", ProposalKind), name="proposal_kind_is_known"),
            models.CheckConstraint(condition=value_in("state", ProposalState), name="proposal_state_is_known"),
            models.CheckConstraint(condition=value_in("channel", Channel), name="proposal_channel_is_known"),
            models.CheckConstraint(
                condition=Q(state=ProposalState.WAITING.value, decided_by=None, decided_at=None)
                | (~Q(state=ProposalState.WAITING.value) & Q(decided_by__isnull=False, decided_at__isnull=False)),
                name="a_proposal_is_decided_exactly_when_it_no_longer_waits",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=[ProposalState.APPROVED.value, ProposalState.REFUSED.value])
                | ~Q(decided_by=F("proposed_by")),
                name="nobody_decides_about_a_proposal_of_their_own",
            ),
        ]
        indexes = [models.Index(fields=["workspace", "state", "-proposed_at"], name="proposals_by_state")]

    def __str__(self) -> str:
        return f"{self.as_kind.label}: {self.note[:80]}"

    @property
    def as_kind(self) -> ProposalKind:
        """What is proposed, as the enum."""
        return ProposalKind(self.kind)

    @property
    def as_state(self) -> ProposalState:
        """What became of it, as the enum."""
        return ProposalState(self.state)


class RetractionProposalRow(models.Model):
    """One line of the preview: before and after, or why it is left alone.

    `seen_…` is what the proposer saw: where it is another when somebody approves, the row is skipped and `why` says so.
    """

    proposal = models.ForeignKey(RetractionProposal, on_delete=models.CASCADE, related_name="rows", db_index=False)
    line = models.PositiveIntegerField()
    source = models.ForeignKey(Source, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    seen_version = models.PositiveIntegerField(default=0)
    seen_decision = models.BigIntegerField(default=0)
    seen_evidence = models.CharField(max_length=64, blank=True)
    status = models.CharField(max_length=12, choices=choices_of(Status), blank=True)
    reason = models.TextField(blank=True)
    notice = models.TextField(blank=True)
    notice_date = models.CharField(max_length=10, blank=True)
    spelling = models.TextField(blank=True, help_text="The line as it was given.")
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    why = models.TextField(blank=True, help_text="Why it is left alone, empty where it changes.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=value_in("status", Status, or_empty=True), name="proposed_status_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(why="") | (Q(source__isnull=False) & ~Q(status="")), name="a_proposed_change_says_what"
            ),
        ]
        indexes = [models.Index(fields=["proposal", "line"], name="proposal_rows_in_order")]

    def __str__(self) -> str:
        return f"line {self.line} of {self.proposal_id}"
