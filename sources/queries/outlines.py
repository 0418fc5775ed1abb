"""Reads of a project's outline."""

import json
from collections.abc import Sequence
from typing import Any

from sources.core.chunking import hash_of
from sources.core.outline import Part
from sources.models import OutlineSection, Project


def rows_of(project: Project) -> list[OutlineSection]:
    """The sections of the outline in their order, with their sections. One query."""
    return list(OutlineSection.objects.filter(project=project).select_related("section").order_by("position", "pk"))


def parts_of(project: Project) -> list[Part]:
    """The outline as values. One query."""
    return [
        Part(
            title=row.section.title,
            guiding_questions=tuple(row.guiding_questions),
            preferred_sources=tuple(row.preferred_sources),
            slug=row.section.slug,
        )
        for row in rows_of(project)
    ]


def facts_of(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The outline as JSON, as history keeps it."""
    return [
        {
            "title": part.title,
            "slug": part.slug,
            "guiding_questions": list(part.guiding_questions),
            "preferred_sources": list(part.preferred_sources),
        }
        for part in parts
    ]


def state_of(parts: Sequence[Part]) -> str:
    """A mark of what the outline says: an edit that was begun on another state is refused."""
    return hash_of(json.dumps(facts_of(parts)))
