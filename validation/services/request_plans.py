"""What a request for a source asks: its claim, where the section of the outline that it stands in would rather look."""

from collections.abc import Iterable

from sources.core.citations import markers_of
from sources.core.outline import Part
from sources.models import DraftVersion
from sources.queries.drafts import version_of
from sources.queries.outlines import parts_of
from sources.services import projects
from validation.core.own_entries import publisher_from
from validation.core.query_plan import Plan, plan_claim
from validation.models import HarvestRequest
from validation.queries.harvest_tools import tools_of
from validation.queries.own_entries import own_publishers

_HEADINGS = 3


def headings_above(version: DraftVersion, *, before: int) -> list[str]:
    """The last headings before this place of the gated text, as keys of sections, the nearest first; three at most."""
    slugs = [
        projects.section_slug(line.strip().lstrip("#").strip())
        for line in version.gated_text[:before].splitlines()
        if line.lstrip().startswith("#")
    ]
    return slugs[: -_HEADINGS - 1 : -1]


def plans_of(request: HarvestRequest) -> tuple[Plan, Plan]:
    """What to ask first, and what where that finds too little; see `query_plan.plan_claim`.

    By the preferences of the outline's section that a heading above the claim names; where none does, by those of the
    whole outline; without an outline by none.
    """
    project = request.draft.project
    parts = parts_of(project)
    part = _part_of(request, {part.slug: part for part in parts})
    preferred = part.preferred_sources if part else tuple(_union(parts))
    return plan_claim(
        request.query,
        title=part.title if part else "",
        preferred_sources=preferred,
        tools=tools_of(project.workspace_id),
        own_publishers=[publisher_from(row.entry) for row in own_publishers(project.workspace).filter(enabled=True)],
    )


def _part_of(request: HarvestRequest, parts: dict[str, Part]) -> Part | None:
    for version in (version_of(request.draft), request.version):
        place = _place(request, version) if version else -1
        if version and place >= 0:
            named = [slug for slug in headings_above(version, before=place) if slug in parts]
            return parts[named[0]] if named else None
    return None


def _place(request: HarvestRequest, version: DraftVersion) -> int:
    """Where the claim's marker stands in the gated text, else its link; -1 where neither does."""
    marked = (one.start for one in markers_of(version.gated_text) if one.claim == request.claim)
    return next(marked, version.gated_text.find(request.url) if request.url else -1)


def _union(parts: Iterable[Part]) -> dict[str, None]:
    return dict.fromkeys(text for part in parts for text in part.preferred_sources)
