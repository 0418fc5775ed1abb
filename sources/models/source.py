"""Source and SourceAlias: one row per work per workspace, found again under every spelling."""

import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Left, Lower

from lineage.models import Entity
from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in
from sources.core.findings import Cause, Disposition, Verdict
from sources.core.freshness import DEAD
from sources.core.kinds import Authority, Classification, DecisionKind, IdentifierType, Sensitivity
from sources.core.retraction import RetractionStatus

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


# By how many letters of its title a source is sorted.
TITLE_SORTED = 100


class SourceQuerySet(models.QuerySet["Source"]):
    """Ways to narrow sources."""

    def visible_to(self, user: "User") -> Self:
        """Only sources of workspaces that `user` is a member of."""
        return self.filter(workspace__memberships__user=user)

    def standing(self) -> Self:
        """Without those that were merged into others: they are only kept so that their links go on working."""
        return self.filter(merged_into__isnull=True)


class Tag(models.Model):
    """A word that curators put on sources."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=100)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="tag_once_per_workspace")]

    def __str__(self) -> str:
        return self.name


class Source(models.Model):
    """One work as the registry knows it: identity, metadata, and where judgement stands now.

    `canonical_key` is the lower-case hex SHA-256 of `<identifier_type>:<identifier_value>`; the UNIQUE stands on it and
    not on the value, since PostgreSQL refuses index rows over 2,704 bytes and URLs may be longer.
    `verdict` is the newest check's ('' before the first); `disposition` is what holds: a person's decision where there
    is one, else the verdict's. Both change only through `services.registry.apply_finding` and `services.review.decide`.
    `fresh_until`, `retry_at` and `is_final` say how far the verdict carries (`core.freshness`); they change with it.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="sources")
    entity = models.ForeignKey(Entity, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    title = models.TextField(blank=True)
    identifier_type = models.CharField(
        max_length=10, choices=choices_of(IdentifierType), default=IdentifierType.NONE.value
    )
    identifier_value = models.TextField(blank=True, help_text="Normalised; for a URL its canonical form.")
    canonical_key = models.CharField(max_length=64, blank=True, editable=False)
    request_url = models.TextField(blank=True, help_text="The address to fetch, the user's bytes made legal.")
    host = models.CharField(max_length=255, blank=True)
    authors = models.TextField(blank=True, help_text="As text: `Family, Given; Family, Given`.")
    author_list = models.JSONField(
        default=list, blank=True, help_text="The same structured: objects with family, given, orcid."
    )
    published_date = models.CharField(max_length=10, blank=True, help_text="2024, 2024-04 or 2024-04-25.")
    publisher = models.TextField(blank=True)
    rights = models.TextField(blank=True)
    version = models.CharField(max_length=100, blank=True)
    bibliography = models.JSONField(
        default=dict,
        blank=True,
        help_text="What has no column: kind (CSL type), container_title, volume, issue, pages, isbn, issn, language, "
        "abstract, note, and `details` by their names in the format they came from.",
    )
    tags = models.ManyToManyField(Tag, related_name="sources", blank=True)
    fingerprint = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="Of title, year and first author, see `sources.core.fingerprint`; equal ones may be one work.",
    )
    # What is told of its retraction, where `retraction_evidence.tell` has looked it up for a page.
    told: RetractionStatus | None = None
    # And the works that it is a part of and that are marked retracted.
    fallen_wholes: "tuple[Source, ...]" = ()

    merged_into = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="merged", editable=False
    )
    authority = models.CharField(max_length=15, choices=choices_of(Authority), default=Authority.USER_PROVIDED.value)
    classification = models.CharField(
        max_length=15, choices=choices_of(Classification), default=Classification.INTERNAL.value
    )
    sensitivity = models.CharField(
        max_length=20, choices=choices_of(Sensitivity), default=Sensitivity.CITABLE_EXTERNALLY.value
    )
    retracted = models.BooleanField(default=False)
    retraction_note = models.TextField(blank=True)

    verdict = models.CharField(max_length=25, choices=choices_of(Verdict), blank=True)
    cause = models.CharField(max_length=30, choices=choices_of(Cause), blank=True)
    disposition = models.CharField(max_length=10, choices=choices_of(Disposition), default=Disposition.UNCHECKED.value)
    latest_check = models.ForeignKey(
        "sources.Check", on_delete=models.SET_NULL, null=True, blank=True, related_name="+", editable=False
    )
    fresh_until = models.DateTimeField(
        null=True, blank=True, help_text="Until then the verdict is not asked for again."
    )
    retry_at = models.DateTimeField(
        null=True, blank=True, help_text="When it is checked again by itself: failed, or dead for now."
    )
    is_final = models.BooleanField(default=False, help_text="Enough checks over days agree that the page is gone.")
    decided = models.CharField(max_length=10, choices=choices_of(DecisionKind), blank=True)

    first_seen_at = models.DateTimeField()
    last_checked_at = models.DateTimeField(null=True, blank=True)
    row_version = models.PositiveIntegerField(default=1, help_text="Raised by every edit; a stale edit is refused.")
    origin_host = models.CharField(max_length=255, blank=True)

    objects = SourceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "canonical_key"],
                condition=~Q(canonical_key=""),
                name="source_identity_once_per_workspace",
            ),
            models.CheckConstraint(
                condition=Q(identifier_type=IdentifierType.NONE.value, identifier_value="", canonical_key="")
                | (~Q(identifier_type=IdentifierType.NONE.value) & ~Q(identifier_value="") & ~Q(canonical_key="")),
                name="source_has_a_key_exactly_when_it_has_an_identifier",
            ),
            models.CheckConstraint(
                condition=value_in("identifier_type", IdentifierType), name="source_identifier_type_is_known"
            ),
            models.CheckConstraint(
                condition=value_in("verdict", Verdict, or_empty=True), name="source_verdict_is_known"
            ),
            models.CheckConstraint(condition=value_in("cause", Cause, or_empty=True), name="source_cause_is_known"),
            models.CheckConstraint(condition=value_in("disposition", Disposition), name="source_disposition_is_known"),
            models.CheckConstraint(
                condition=value_in("decided", DecisionKind, or_empty=True), name="source_decided_is_known"
            ),
            models.CheckConstraint(condition=value_in("authority", Authority), name="source_authority_is_known"),
            models.CheckConstraint(
                condition=value_in("classification", Classification), name="source_classification_is_known"
            ),
            models.CheckConstraint(condition=value_in("sensitivity", Sensitivity), name="source_sensitivity_is_known"),
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | ~Q(merged_into=F("id")),
                name="source_is_not_merged_into_itself",
            ),
        ]
        indexes = [
            # The facets of the table count from this index alone: a tenth of the time of reading the rows.
            models.Index(
                fields=[
                    "workspace",
                    "disposition",
                    "verdict",
                    "identifier_type",
                    "authority",
                    "classification",
                    "sensitivity",
                    "retracted",
                ],
                name="sources_by_facets",
                condition=Q(merged_into__isnull=True),
            ),
            models.Index(fields=["workspace", "verdict"], name="sources_by_verdict"),
            # Few of all, and counted on each page about retractions.
            models.Index(
                fields=["workspace"], name="sources_retracted", condition=Q(merged_into__isnull=True, retracted=True)
            ),
            models.Index(fields=["workspace", "host", "merged_into"], name="sources_by_host"),
            # Titles have any length, index rows of PostgreSQL have not: the table sorts by as much as a person reads.
            models.Index(
                F("workspace"),
                Lower(Left("title", TITLE_SORTED)),
                F("id"),
                name="sources_by_title",
                condition=Q(merged_into__isnull=True),
            ),
            models.Index(
                fields=["workspace", "fingerprint"], name="sources_by_fingerprint", condition=~Q(fingerprint="")
            ),
            # What the scheduler looks for every few minutes: few rows of all.
            models.Index(fields=["retry_at"], name="sources_to_retry", condition=Q(retry_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.title or self.identifier_value or str(self.uuid)

    @property
    def as_verdict(self) -> Verdict | None:
        """The newest check's verdict as the enum that explains itself; None before the first."""
        return Verdict(self.verdict) if self.verdict else None

    @property
    def as_cause(self) -> Cause | None:
        """The cause as the enum that explains itself; None before the first check."""
        return Cause(self.cause) if self.cause else None

    @property
    def as_disposition(self) -> Disposition:
        """What holds, as the enum that explains itself."""
        return Disposition(self.disposition)

    @property
    def is_provisional(self) -> bool:
        """True for a dead verdict that more checks have to agree on before it is final."""
        return self.verdict in DEAD and not self.is_final

    @property
    def is_checked_by_itself(self) -> bool:
        """True where a check comes at `retry_at` without anyone asking; what a person decided is left alone."""
        return not self.decided and self.retry_at is not None

    @property
    def next_check_at(self) -> datetime | None:
        """From when a check asks about the source again; None where no date says so."""
        return self.retry_at or self.fresh_until


class SourceAlias(models.Model):
    """Another spelling or identifier of a source; a look-up by its key finds the source."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="aliases")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    spelling = models.TextField(help_text="As it was met: a variant URL or another identifier.")
    spelling_key = models.CharField(max_length=64, editable=False)
    canonical_key = models.CharField(
        max_length=64, blank=True, editable=False, help_text="Key of another identity that means this source."
    )
    first_seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "spelling_key"], name="alias_spelling_once_per_source"),
            models.UniqueConstraint(
                fields=["workspace", "canonical_key"],
                condition=~Q(canonical_key=""),
                name="alias_identity_once_per_workspace",
            ),
        ]

    def __str__(self) -> str:
        return self.spelling
