"""Projects and what they cite: catalog entries with stable ids, sections, versions, citations with their place."""

import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models

from lineage.models import Entity
from provenance_site.accounts.models import Workspace
from provenance_site.kit.choices import choices_of, value_in
from sources.core.catalog import CitationStatus
from sources.models.source import Source

if TYPE_CHECKING:
    from provenance_site.accounts.models import User


class ProjectQuerySet(models.QuerySet["Project"]):
    """Ways to narrow projects."""

    def visible_to(self, user: "User") -> Self:
        """Only projects of workspaces that `user` is a member of."""
        return self.filter(workspace__memberships__user=user)


class Project(models.Model):
    """A memo, article, report or corpus in the making: it cites sources of its workspace."""

    # For lists, see `queries.projects.tell_of`.
    source_count = 0
    waiting_count = 0
    last_checked_at: datetime | None = None

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="projects")
    name = models.CharField(max_length=200)
    firm = models.CharField(max_length=200, blank=True, help_text="Written into the memo layout of Master-Sources.md.")
    description = models.TextField(blank=True)
    origin_host = models.CharField(max_length=255, blank=True)
    next_number = models.PositiveIntegerField(default=1, help_text="Number of the next catalog entry; never reused.")
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    objects = ProjectQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="project_name_once_per_workspace"),
        ]

    def __str__(self) -> str:
        return self.name


class Section(models.Model):
    """A part of a project's text, `02-market-context`."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="sections")
    slug = models.CharField(max_length=100)
    title = models.CharField(max_length=300)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "slug"], name="section_slug_once_per_project")]

    def __str__(self) -> str:
        return self.slug


class ProjectVersion(models.Model):
    """A version of the project's text in which sources were cited, `ExampleDeal-v0.0.3` or a file's name."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="versions")
    label = models.CharField(max_length=200)
    first_seen_at = models.DateTimeField()
    entity = models.ForeignKey(Entity, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "label"], name="version_label_once_per_project")]

    def __str__(self) -> str:
        return self.label


class CatalogEntry(models.Model):
    """A source in a project, under a stable id (`src-001`) that is never given to another source."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="entries")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveIntegerField()
    added_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "source"], name="catalog_entry_once_per_project_and_source"),
            models.UniqueConstraint(fields=["project", "number"], name="catalog_number_once_per_project"),
        ]

    def __str__(self) -> str:
        return self.stable_id

    @property
    def stable_id(self) -> str:
        """`src-001`: the id a writer cites."""
        return f"src-{self.number:03d}"


class EntryAlias(models.Model):
    """A stable id that a merge left over: it leads to the entry its citations moved to, and is never given again."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="entry_aliases")
    number = models.PositiveIntegerField()
    entry = models.ForeignKey(CatalogEntry, on_delete=models.CASCADE, related_name="former")
    source = models.ForeignKey(
        Source, on_delete=models.SET_NULL, null=True, related_name="+", help_text="The source it was first given to."
    )
    added_at = models.DateTimeField(help_text="When the id was given.")

    class Meta:
        verbose_name_plural = "entry aliases"
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="entry_alias_once_per_project"),
        ]

    def __str__(self) -> str:
        return self.stable_id

    @property
    def stable_id(self) -> str:
        """`src-001`: the id that texts may still cite."""
        return f"src-{self.number:03d}"


class Citation(models.Model):
    """One place where a project's text names a source: version, section, line, and the words as they stood."""

    entry = models.ForeignKey(CatalogEntry, on_delete=models.CASCADE, related_name="citations")
    version = models.ForeignKey(ProjectVersion, on_delete=models.CASCADE, related_name="citations")
    section = models.ForeignKey(Section, on_delete=models.SET_NULL, null=True, blank=True, related_name="citations")
    batch = models.ForeignKey(
        "sources.ImportBatch",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="citations",
        help_text="The import that brought it.",
    )
    status = models.CharField(max_length=25, choices=choices_of(CitationStatus))
    line = models.PositiveIntegerField()
    spelling = models.TextField(help_text="The URL or identifier as it was written, without a password.")
    claimed_title = models.TextField(blank=True)
    context = models.TextField(blank=True, help_text="The sentence around it, at most 300 characters.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entry", "version", "line"],
                condition=models.Q(section__isnull=True),
                name="citation_once_per_version_and_line",
            ),
            # One line of a master list may name several sections.
            models.UniqueConstraint(
                fields=["entry", "version", "line", "section"],
                condition=models.Q(section__isnull=False),
                name="citation_once_per_version_line_and_section",
            ),
            models.CheckConstraint(condition=value_in("status", CitationStatus), name="citation_status_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} in line {self.line}"
