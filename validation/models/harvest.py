"""Harvests: what was planned, whom each query was asked of, and what became of everything that was found.

The rows are the truth; leases are those of `jobs`, one job for the calls and one for the checks. What was found good
stands in the corpus of its section, in the registry.
"""

import uuid
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from provenance_site.changes.models import ChangeSet
from provenance_site.jobs.models import Job
from provenance_site.kit.choices import choices_of, value_in
from sources.core.findings import Verdict
from sources.models import Project, Section
from validation.core.harvest_states import CallState, CandidateState, HarvestMode, HarvestState
from validation.core.harvest_tools import Tool
from validation.core.ports import Domains
from validation.core.query_plan import PlannedQuery

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


class HarvestRunQuerySet(models.QuerySet["HarvestRun"]):
    """Ways to narrow harvests."""

    def visible_to(self, user: "User") -> Self:
        """Only harvests of projects in workspaces that `user` is a member of."""
        return self.filter(project__workspace__memberships__user=user)


class HarvestRun(models.Model):
    """One harvest of a project. What it may spend is a budget that the database itself holds it to."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="harvests")
    mode = models.CharField(max_length=10, choices=choices_of(HarvestMode), default=HarvestMode.SEARCH.value)
    state = models.CharField(max_length=10, choices=choices_of(HarvestState), default=HarvestState.PLANNED.value)
    call_budget = models.PositiveIntegerField(
        help_text="Calls that searches may be asked; answers of before cost none."
    )
    calls_spent = models.PositiveIntegerField(default=0)
    candidate_budget = models.PositiveIntegerField(help_text="Candidates that may be fetched and checked.")
    candidates_spent = models.PositiveIntegerField(default=0)
    notes = models.JSONField(default=list, blank=True, help_text="What a person has to know of the plan; sentences.")
    search_job = models.OneToOneField(Job, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    check_job = models.OneToOneField(Job, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    deed = models.ForeignKey(
        ChangeSet,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="What it put into corpora, in History.",
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    row_version = models.PositiveIntegerField(default=1, help_text="Raised by every edit; a stale edit is refused.")

    objects = HarvestRunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("mode", HarvestMode), name="harvest_mode_is_known"),
            models.CheckConstraint(condition=value_in("state", HarvestState), name="harvest_state_is_known"),
            models.CheckConstraint(
                condition=Q(calls_spent__lte=F("call_budget")), name="harvest_makes_no_more_calls_than_its_budget"
            ),
            models.CheckConstraint(
                condition=Q(candidates_spent__lte=F("candidate_budget")),
                name="harvest_checks_no_more_candidates_than_its_budget",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="harvests_of_a_project_newest"),
            models.Index(
                fields=["state"],
                name="harvests_under_way",
                condition=Q(state__in=[HarvestState.SEARCHING.value, HarvestState.CHECKING.value]),
            ),
        ]

    def __str__(self) -> str:
        return f"harvest {self.pk} of {self.project_id}"

    @property
    def as_state(self) -> HarvestState:
        """The state as a word of the vocabulary."""
        return HarvestState(self.state)

    @property
    def as_mode(self) -> HarvestMode:
        """The mode as a word of the vocabulary."""
        return HarvestMode(self.mode)

    @property
    def run_id(self) -> str:
        """What lineage calls this run."""
        return f"validation.harvest/{self.uuid}"


class HarvestQuery(models.Model):
    """One question of the plan, for one section."""

    run = models.ForeignKey(HarvestRun, on_delete=models.CASCADE, related_name="queries")
    section = models.ForeignKey(Section, on_delete=models.RESTRICT, related_name="+")
    position = models.PositiveIntegerField()
    text = models.CharField(max_length=400)
    tools = models.JSONField(default=list, help_text="Names of the searches that are asked.")
    include = models.JSONField(default=list, blank=True, help_text="Domains that it is kept to; none for anywhere.")
    exclude = models.JSONField(default=list, blank=True, help_text="Domains that it may not answer from.")
    why = models.CharField(max_length=300, blank=True, help_text="What it was built from.")

    class Meta:
        verbose_name_plural = "harvest queries"
        ordering = ("position", "pk")
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="harvest_query_asks_something")]

    def __str__(self) -> str:
        return self.text

    @property
    def planned(self) -> PlannedQuery:
        """The query as a value; its section is loaded."""
        return PlannedQuery(
            section=self.section.slug,
            text=self.text,
            tools=tuple(Tool(name) for name in self.tools),
            domains=self.domains,
            why=self.why,
        )

    @property
    def domains(self) -> Domains:
        """Where it may find something."""
        return Domains(tuple(self.include), tuple(self.exclude))


class HarvestCall(models.Model):
    """One query to one search. `asking` is written before the call: a call that a dead worker began is not made twice,
    since it may have been charged."""

    run = models.ForeignKey(HarvestRun, on_delete=models.CASCADE, related_name="calls")
    query = models.ForeignKey(HarvestQuery, on_delete=models.CASCADE, related_name="calls")
    tool = models.CharField(max_length=12, choices=choices_of(Tool))
    state = models.CharField(max_length=10, choices=choices_of(CallState), default=CallState.WAITING.value)
    calls = models.PositiveSmallIntegerField(default=0, help_text="How often it was truly made, and so paid for.")
    found = models.PositiveSmallIntegerField(default=0, help_text="Hits of the answer.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why it failed or was not made.")
    asked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["query", "tool"], name="harvest_call_once_per_query_and_search"),
            models.CheckConstraint(condition=value_in("tool", Tool), name="harvest_call_search_is_known"),
            models.CheckConstraint(condition=value_in("state", CallState), name="harvest_call_state_is_known"),
        ]
        indexes = [models.Index(fields=["run", "tool", "state", "calls"], name="harvest_calls_counted")]

    def __str__(self) -> str:
        return f"{self.tool}: {self.query}"

    @property
    def as_tool(self) -> Tool:
        """The search as a word of the vocabulary."""
        return Tool(self.tool)

    @property
    def as_state(self) -> CallState:
        """The state as a word of the vocabulary."""
        return CallState(self.state)


class Candidate(models.Model):
    """A source that a harvest came upon, once for all sections and searches that led to it."""

    run = models.ForeignKey(HarvestRun, on_delete=models.CASCADE, related_name="candidates")
    key = models.CharField(max_length=64, help_text="Key of the identity; of what is none, a hash of the text.")
    url = models.TextField()
    title = models.TextField(blank=True)
    publisher = models.CharField(max_length=300, blank=True)
    published = models.CharField(max_length=40, blank=True)
    state = models.CharField(max_length=10, choices=choices_of(CandidateState), default=CandidateState.FOUND.value)
    verdict = models.CharField(max_length=25, choices=choices_of(Verdict), blank=True)
    reason = models.CharField(max_length=500, blank=True, help_text="Why it is not in the corpus.")
    stable_id = models.CharField(max_length=20, blank=True, help_text="`src-007`, once it is in the corpus.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "key"], name="candidate_once_per_harvest"),
            models.CheckConstraint(condition=value_in("state", CandidateState), name="candidate_state_is_known"),
            models.CheckConstraint(
                condition=value_in("verdict", Verdict, or_empty=True), name="candidate_verdict_is_known"
            ),
        ]
        indexes = [models.Index(fields=["run", "state"], name="candidates_by_state")]

    def __str__(self) -> str:
        return self.title or self.url

    @property
    def as_state(self) -> CandidateState:
        """The state as a word of the vocabulary."""
        return CandidateState(self.state)

    @property
    def as_verdict(self) -> Verdict | None:
        """The verdict as the enum that explains itself; None where it was not checked."""
        return Verdict(self.verdict) if self.verdict else None


class HarvestHit(models.Model):
    """Where a candidate was found: by which call, for which section, at which place. Of a list there is no call."""

    candidate = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="hits")
    section = models.ForeignKey(Section, on_delete=models.RESTRICT, related_name="+")
    call = models.ForeignKey(HarvestCall, on_delete=models.CASCADE, null=True, blank=True, related_name="hits")
    rank = models.PositiveIntegerField(help_text="Place among what was found, from 1.")
    score = models.FloatField(null=True, blank=True, help_text="The search's own; no measure between two of them.")
    snippet = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["candidate", "call"], condition=Q(call__isnull=False), name="harvest_hit_once_per_call"
            ),
            models.UniqueConstraint(
                fields=["candidate", "section"], condition=Q(call__isnull=True), name="listed_once_per_section"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.candidate_id} at {self.rank}"
