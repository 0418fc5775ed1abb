"""Requests for a source that a draft makes, and the candidates that came of them."""

import uuid
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from provenance_site.kit.choices import choices_of, value_in
from sources.core.findings import Cause, Verdict
from sources.models import Draft, DraftVersion
from validation.core.source_requests import CALLS, CANDIDATES, RequestKind, RequestState

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


class HarvestRequestQuerySet(models.QuerySet["HarvestRequest"]):
    """Ways to narrow requests."""

    def visible_to(self, user: "User") -> Self:
        """Only requests of drafts in workspaces that `user` is a member of."""
        return self.filter(draft__project__workspace__memberships__user=user)


class HarvestRequest(models.Model):
    """One claim of a draft that wants a source, by a marker or by a link that is not in the corpus.

    It is asked once per draft, however many versions repeat it: `key` is the lower-case hex SHA-256 of kind, claim and
    address. `version` is the one that first asked. `told` is what a person has to know, `asked` what was asked of whom
    and what came of it, as `services.request_search` writes it. What a search may spend is a budget that the database
    itself holds it to; searching again is a new search with a budget of its own.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="harvest_requests", db_index=False)
    version = models.ForeignKey(DraftVersion, on_delete=models.CASCADE, related_name="harvest_requests")
    kind = models.CharField(max_length=10, choices=choices_of(RequestKind))
    key = models.CharField(max_length=64, editable=False)
    claim = models.TextField(blank=True)
    url = models.TextField(blank=True, help_text="The address that the draft brought; '' for a marker.")
    line = models.PositiveIntegerField(default=0, help_text="Where it stands in that version, from 1.")
    query = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=choices_of(RequestState), default=RequestState.OPEN.value)
    told = models.JSONField(default=list, blank=True)
    asked = models.JSONField(default=list, blank=True, help_text="Each call: tool, text, domains, why, state, found.")
    call_budget = models.PositiveSmallIntegerField(default=CALLS, help_text="Calls that its search may make.")
    candidate_budget = models.PositiveSmallIntegerField(default=CANDIDATES, help_text="Pages that may be checked.")
    calls_spent = models.PositiveSmallIntegerField(default=0)
    asked_at = models.DateTimeField()
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    held_until = models.DateTimeField(null=True, blank=True, help_text="A worker has it until then.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often a worker began to search for it.")
    searched_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = HarvestRequestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["draft", "key"], name="harvest_request_once_per_draft"),
            models.CheckConstraint(condition=value_in("kind", RequestKind), name="harvest_request_kind_is_known"),
            models.CheckConstraint(condition=value_in("state", RequestState), name="harvest_request_state_is_known"),
            models.CheckConstraint(condition=~Q(claim="", url=""), name="harvest_request_asks_for_something"),
            models.CheckConstraint(
                condition=Q(calls_spent__lte=F("call_budget")),
                name="harvest_request_makes_no_more_calls_than_its_budget",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="harvest_requests_open", condition=Q(state=RequestState.OPEN.value)),
        ]

    def __str__(self) -> str:
        return self.claim or self.url

    @property
    def as_kind(self) -> RequestKind:
        """What made it, as the enum."""
        return RequestKind(self.kind)

    @property
    def as_state(self) -> RequestState:
        """How far it is, as the enum."""
        return RequestState(self.state)


class RequestCandidate(models.Model):
    """One address that may carry the claim: what it was found by, its verdict, and its best passage for the claim.

    `score` is that of the passage, 0 to 1; `rank` its place in what its search gave, from 1. One that is not verified
    is kept with its reason and cannot be picked.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    request = models.ForeignKey(HarvestRequest, on_delete=models.CASCADE, related_name="candidates", db_index=False)
    key = models.CharField(max_length=64, help_text="As `sources.core.records.Identity.key`.")
    url = models.TextField()
    title = models.TextField(blank=True)
    tool = models.CharField(max_length=50)
    query = models.TextField(blank=True, help_text="What the search was asked; '' for the draft's own link.")
    rank = models.PositiveIntegerField()
    snippet = models.TextField(blank=True)
    publisher = models.CharField(max_length=300, blank=True)
    published = models.CharField(max_length=40, blank=True)
    verdict = models.CharField(max_length=25, choices=choices_of(Verdict))
    cause = models.CharField(max_length=30, choices=choices_of(Cause))
    reason = models.TextField(blank=True)
    evidence = models.JSONField(default=dict, blank=True)
    access_note = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of what was read, lower-case hex.")
    rules_version = models.CharField(max_length=30)
    passage = models.TextField(blank=True)
    excerpt = models.TextField(blank=True, help_text="The passage with what stands around it, for the corpus.")
    score = models.FloatField(default=0.0)
    fetched_at = models.DateTimeField()
    picked_id = models.CharField(max_length=20, blank=True, help_text="The stable id it got when it was picked.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["request", "key"], name="request_candidate_once_per_request"),
            models.CheckConstraint(condition=value_in("verdict", Verdict), name="request_candidate_verdict_is_known"),
            models.CheckConstraint(
                condition=Q(score__gte=0) & Q(score__lte=1), name="request_candidate_score_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.url

    @property
    def as_verdict(self) -> Verdict:
        """The verdict as the enum that explains itself."""
        return Verdict(self.verdict)

    @property
    def may_be_picked(self) -> bool:
        """True for what is verified."""
        return self.as_verdict.is_verified
