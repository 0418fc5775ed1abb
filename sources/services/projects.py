"""Projects: made, and given sources under ids that are never used twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from provenance_site.accounts.models import User
from provenance_site.kit.rows import insert_columns
from sources import permissions
from sources.core.lines import one_line
from sources.models import CatalogEntry, Project, ProjectVersion, Section, Source

MAX_NAME = 200
_BATCH = 500


class NameRefused(ValueError):
    """A project cannot be called so; the message says why."""


class SourceMerged(IntegrityError):
    """A source was merged while it was entered; nothing was written, and a second try finds the one that stays."""


class NameTaken(NameRefused):
    """The workspace has a project of this name."""


def create(*, workspace_id: int, name: str, firm: str = "", description: str = "", by: User, at: datetime) -> Project:
    """A new project; raises `NameRefused`, and PermissionDenied or Http404 for people who may not curate here."""
    permissions.check_can_curate(by, workspace_id)
    name = one_line(name)
    if not 0 < len(name) <= MAX_NAME:
        raise NameRefused(f"A project's name has 1 to {MAX_NAME} characters; this one has {len(name)}.")
    with transaction.atomic():
        project, is_new = Project.objects.get_or_create(
            workspace_id=workspace_id,
            name=name,
            defaults={
                "firm": one_line(firm)[:MAX_NAME],
                "description": description.strip(),
                "created_at": at,
                "created_by": by,
            },
        )
    if not is_new:
        raise NameTaken(f"There is a project called “{project.name}” already. Open it, or choose another name.")
    return project


def named(*, workspace_id: int, name: str, by: User, at: datetime) -> Project:
    """The workspace's project of this name, made where there is none; raises as `create`."""
    found = Project.objects.filter(workspace_id=workspace_id, name=one_line(name)).first()
    return found or create(workspace_id=workspace_id, name=name, by=by, at=at)


@dataclass(frozen=True, slots=True)
class Entered:
    """The entries of sources in a project, and which of them were made by this call."""

    by_source: Mapping[int, CatalogEntry]
    new: frozenset[int]


def enter(*, project: Project, source_ids: Sequence[int], at: datetime) -> Entered:
    """Puts sources into the project's catalog; new ones are numbered in the order given. Idempotent.

    Numbers come from the project's own counter under a row lock, so an id is never given twice, not even after an entry
    was removed. Must run inside the caller's transaction. Raises `SourceMerged` where one of the sources was merged
    into another at the same moment.
    """
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    entries = _entries(project=locked, source_ids=source_ids)
    missing = [source_id for source_id in dict.fromkeys(source_ids) if source_id not in entries]
    insert_columns(
        CatalogEntry,
        {"source_id": missing, "number": [locked.next_number + offset for offset in range(len(missing))]},
        same={"project_id": locked.pk, "added_at": at},
    )
    # An entry holds its source, so no merge is under way after it was written; one that ended just before shows here.
    for start in range(0, len(missing), _BATCH):
        if Source.objects.filter(pk__in=missing[start : start + _BATCH], merged_into__isnull=False).exists():
            raise SourceMerged("A source was merged into another at the same moment.")
    locked.next_number += len(missing)
    locked.save(update_fields=["next_number"])
    return Entered({**entries, **_entries(project=locked, source_ids=missing)}, frozenset(missing))


def sections_named(*, project: Project, titles: Sequence[str]) -> dict[str, Section]:
    """The project's sections by title, made where they are missing. Titles that give one slug share a section."""
    slugs = {title: section_slug(title) for title in dict.fromkeys(titles) if title}
    Section.objects.bulk_create(
        [Section(project=project, slug=slug, title=title) for title, slug in slugs.items()], ignore_conflicts=True
    )
    by_slug = {section.slug: section for section in Section.objects.filter(project=project)}
    return {title: by_slug[slug] for title, slug in slugs.items()}


def version_named(*, project: Project, label: str, at: datetime) -> ProjectVersion:
    """The project's version of this label, made where it is missing."""
    versions = ProjectVersion.objects.select_related("entity")
    version, _ = versions.get_or_create(project=project, label=label, defaults={"first_seen_at": at})
    return version


def section_slug(title: str) -> str:
    """`Market Context & Size` → `market-context-size`: lower case, words joined by hyphens, at most 100 characters.

    Letters of every script stay, so that a heading in Russian or Chinese keeps a name of its own.
    """
    words = "".join(letter if letter.isalnum() else " " for letter in title.casefold()).split()
    return "-".join(words)[:100].strip("-") or "untitled"


def _entries(*, project: Project, source_ids: Sequence[int]) -> dict[int, CatalogEntry]:
    found: dict[int, CatalogEntry] = {}
    for start in range(0, len(source_ids), _BATCH):
        part = source_ids[start : start + _BATCH]
        found.update(
            {entry.source_id: entry for entry in CatalogEntry.objects.filter(project=project, source_id__in=part)}
        )
    return found
