"""An edit of many sources as a long deed keeps it until its parts are done, and read again."""

from typing import Any

from sources.models import Section
from sources.services.source_edits import Edit


def edit_of(given: dict[str, Any]) -> Edit:
    """The edit that `given_of` kept; without its section where that was deleted since."""
    section = Section.objects.filter(pk=given["section"]).select_related("project").first()
    return Edit(
        columns=given["columns"],
        bibliography=given["bibliography"],
        add_tags=tuple(given["add_tags"]),
        remove_tags=tuple(given["remove_tags"]),
        section=section,
    )


def given_of(change: Edit) -> dict[str, Any]:
    """The edit as a long deed keeps it, in what JSON can hold."""
    return {
        "columns": dict(change.columns),
        "bibliography": dict(change.bibliography),
        "add_tags": list(change.add_tags),
        "remove_tags": list(change.remove_tags),
        "section": change.section.pk if change.section else None,
    }
