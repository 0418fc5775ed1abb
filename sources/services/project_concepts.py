"""What projects are about: concepts said of a project by name, and taken away again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from sources import permissions
from sources.core.lines import one_line
from sources.models import Concept, Project
from sources.services import concepts

KIND = "project.concepts"
LINK = Concept.projects.through._meta.label_lower
_LINKS = Concept.projects.through.objects


@dataclass(frozen=True, slots=True)
class Said:
    """How many concepts a project got, and how many it lost."""

    added: int
    removed: int


def change(
    *, project: Project, add: Sequence[str] = (), remove: Sequence[str] = (), by: User, channel: Channel, at: datetime
) -> Said:
    """Says that a project is about these concepts, made where there are none, and no longer about those.

    One ChangeSet; nothing is written where nothing changes, so twice is safe. A concept that is taken away stays in the
    workspace. Raises `ConceptRefused`.
    """
    permissions.check_can_curate(by, project.workspace_id)
    with transaction.atomic():
        # Two people who add to the same project at once must not both find that a link is missing.
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        wanted, made = concepts.named(workspace_id=project.workspace_id, names=add, at=at)
        there = set(_LINKS.filter(project=project).values_list("concept_id", flat=True))
        added = _LINKS.bulk_create(
            [Concept.projects.through(project=project, concept=one) for one in wanted if one.pk not in there]
        )
        given = {one_line(name) for name in remove} - {one.name for one in wanted}
        going = list(_LINKS.filter(project=project, concept__name__in=given).select_related("concept").order_by("pk"))
        _LINKS.filter(pk__in=[link.pk for link in going]).delete()
        facts = [*made, *(ChangeFacts(LINK, link.pk, before={}, after=_facts(link)) for link in added)]
        facts += [ChangeFacts(LINK, link.pk, before=_facts(link), after={}) for link in going]
        if facts:
            changes.record(
                workspace_id=project.workspace_id,
                kind=KIND,
                actor=by,
                channel=channel,
                note=f"{project}: {', '.join(link.concept.name for link in (*added, *going))}"[:200],
                at=at,
                changes=facts,
            )
    return Said(added=len(added), removed=len(going))


def undo(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Takes away what was said and says again what was taken away, where nobody did so since. Registered for `KIND`."""
    undone: list[ChangeFacts] = []
    skipped: list[str] = []
    for one in changes:
        permissions.check_can_curate(by, one.change_set.workspace_id)
        if one.model == LINK:
            result = _back(one) if one.before else _taken(one)
            if isinstance(result, str):
                skipped.append(result)
            else:
                undone.append(result)
    made = [one for one in changes if one.model != LINK]
    undone += concepts.remove_unused(made=made) if undone else []
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


def _taken(one: Change) -> ChangeFacts | str:
    found = _LINKS.filter(pk=one.object_id, project__workspace_id=one.change_set.workspace_id)
    link = found.select_related("concept").first()
    if link is None:
        return f"“{one.after['name']}” was taken away from the project since"
    before = _facts(link)
    found.delete()
    return ChangeFacts(LINK, one.object_id, before=before, after={})


def _back(one: Change) -> ChangeFacts | str:
    workspace_id, kept = one.change_set.workspace_id, one.before
    concept = Concept.objects.filter(pk=kept["concept"], workspace_id=workspace_id).first()
    project = Project.objects.filter(pk=kept["project"], workspace_id=workspace_id).first()
    if concept is None or project is None:
        return f"The concept “{kept['name']}” or its project is not there any more"
    link, is_new = _LINKS.get_or_create(concept=concept, project=project)
    if not is_new:
        return f"“{concept}” was said of the project again since"
    return ChangeFacts(LINK, link.pk, before={}, after=_facts(link))


def _facts(link: Any) -> dict[str, object]:
    """A link as history keeps it; the concept's name for the sentence that says why one was left alone."""
    return {"project": link.project_id, "concept": link.concept_id, "name": link.concept.name}
