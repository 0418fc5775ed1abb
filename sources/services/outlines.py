"""The outline of a project: saved whole, in one ChangeSet that can be undone."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from sources import permissions
from sources.core import outline
from sources.core.outline import Part
from sources.models import OutlineSection, Project, Section
from sources.queries.outlines import facts_of, parts_of, state_of
from sources.services import projects

CHANGE_KIND = "outline.save"
_PROJECT = Project._meta.label_lower


class OutlineChanged(ValueError):
    """Somebody saved the outline after the person saw it; nothing was written."""


def save(
    *, project: Project, parts: Sequence[Part], by: User, channel: Channel, at: datetime, seen: str = ""
) -> list[Part]:
    """Makes the project's outline these sections, in this order, and gives it as it is now.

    A part with the `slug` of a section of the project renames that section; others go by their title. A section that
    is left out stays with what was kept for it, and is only no part of the outline any more. `seen` is
    `outlines.state_of` what the person had before them, '' for who has seen nothing. One ChangeSet; nothing is written
    where nothing changes. Raises `OutlineRefused`, `OutlineChanged`.
    """
    permissions.check_can_curate(by, project.workspace_id)
    wanted = outline.checked(parts)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        before = parts_of(project)
        if seen and seen != state_of(before):
            raise OutlineChanged("Somebody saved this outline meanwhile. Look at it again, then change it.")
        after = _write(project=project, parts=wanted)
        if facts_of(after) != facts_of(before):
            facts = ChangeFacts(
                _PROJECT, project.pk, {"outline": facts_of(before)}, {"outline": facts_of(after), "name": project.name}
            )
            changes.record(
                workspace_id=project.workspace_id,
                kind=CHANGE_KIND,
                actor=by,
                channel=channel,
                note=f"{project}: {', '.join(part.title for part in after)}"[:200],
                at=at,
                changes=[facts],
            )
    return after


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Gives the outline back that was there before, where nobody saved another since. Registered for `CHANGE_KIND`."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for change in changes:
        workspace_id = change.change_set.workspace_id
        permissions.check_can_curate(by, workspace_id)
        project = (
            Project.objects.select_for_update(no_key=True)
            .filter(pk=change.object_id, workspace_id=workspace_id)
            .first()
        )
        name = str(change.after.get("name", ""))
        if project is None:
            skipped.append(f"The project “{name}” is not there any more")
        elif facts_of(parts_of(project)) != change.after["outline"]:
            skipped.append(f"The outline of “{project}” was saved again since")
        else:
            _write(project=project, parts=[_part(one) for one in change.before["outline"]])
            undone.append(ChangeFacts(_PROJECT, project.pk, before=change.after, after=change.before))
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _write(*, project: Project, parts: Sequence[Part]) -> list[Part]:
    sections = _sections(project=project, parts=parts)
    OutlineSection.objects.filter(project=project).exclude(section__in=sections).delete()
    for position, (section, part) in enumerate(zip(sections, parts, strict=True), 1):
        OutlineSection.objects.update_or_create(
            section=section,
            defaults={
                "project": project,
                "guiding_questions": list(part.guiding_questions),
                "preferred_sources": list(part.preferred_sources),
                "position": position,
            },
        )
    return parts_of(project)


def _sections(*, project: Project, parts: Sequence[Part]) -> list[Section]:
    """The section of each part; a renamed one keeps its slug, so that what was kept for it stays with it."""
    there = {section.slug: section for section in Section.objects.filter(project=project)}
    named = [part.title for part in parts if part.slug not in there]
    made = projects.sections_named(project=project, titles=named)
    found: list[Section] = []
    for part in parts:
        section = there.get(part.slug) or made[part.title]
        if section in found:
            raise outline.OutlineRefused(
                f"“{part.title}” and “{parts[found.index(section)].title}” would be one section. Rename one of them."
            )
        if section.title != part.title:
            section.title = part.title
            section.save(update_fields=["title"])
        found.append(section)
    return found


def _part(told: Any) -> Part:
    return Part(
        title=told["title"],
        guiding_questions=tuple(told["guiding_questions"]),
        preferred_sources=tuple(told["preferred_sources"]),
        slug=told["slug"],
    )
