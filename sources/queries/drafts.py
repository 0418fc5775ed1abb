"""Reads of drafts for pages, files and packs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery

from sources.core import citations
from sources.core.citations import MarkerKind, MarkerRate, ProblemCode, Severity
from sources.models import Draft, DraftVersion, Project
from sources.queries.readable import readable, readable_at

# What lists do not show: texts of megabytes.
_HEAVY = ("text", "gated_text", "problems", "citations", "changes")


@dataclass(frozen=True, slots=True)
class ShownProblem:
    """A problem as a page shows it: the code that explains itself, the place in the text as given, the words."""

    code: ProblemCode
    severity: Severity
    line: int
    column: int
    message: str
    id: str
    claim: str

    @property
    def is_error(self) -> bool:
        """True where it keeps the text from being handed on."""
        return self.severity is Severity.ERROR


def drafts_of(project: Project) -> QuerySet[Draft]:
    """The project's drafts, newest first, with facts of their newest version as `newest_…`. One query."""
    newest = readable(DraftVersion.objects.all()).filter(draft=OuterRef("pk")).order_by("-number")
    return (
        readable(Draft.objects.all())
        .filter(project=project)
        .annotate(
            version_count=Count("versions", filter=readable_at(DraftVersion, "versions__")),
            newest_at=Subquery(newest.values("created_at")[:1]),
            newest_number=Subquery(newest.values("number")[:1]),
            newest_markers=Subquery(newest.values("marker_count")[:1]),
            newest_claims=Subquery(newest.values("claim_count")[:1]),
            newest_refused=Subquery(newest.values("refused_count")[:1]),
        )
        .order_by("-created_at", "-pk")
    )


def versions_of(draft: Draft) -> QuerySet[DraftVersion]:
    """The draft's versions, newest first, without their texts. One query."""
    return readable(draft.versions.all()).select_related("created_by").defer(*_HEAVY).order_by("-number")


def version_of(draft: Draft, number: int | None = None) -> DraftVersion | None:
    """The version of this number, or the newest; None where there is none. One query."""
    versions = readable(draft.versions.all()).select_related("created_by", "entity", "draft__project")
    versions = versions.order_by("-number")
    if number is not None:
        # PostgreSQL refuses to compare what its column cannot hold.
        return versions.filter(number=number).first() if 0 < number < 2**31 else None
    return versions.first()


def version_before(version: DraftVersion) -> DraftVersion | None:
    """The version that the draft had before this one, None for the first. Numbers of versions that were taken back are
    not given again, so it need not be the number below. One query."""
    earlier = readable(DraftVersion.objects.filter(draft=version.draft_id, number__lt=version.number))
    return earlier.order_by("-number").first()


def problems_of(version: DraftVersion) -> list[ShownProblem]:
    """What the gate said of a version, errors first, then in the order of the text."""
    shown = [_shown(one) for one in version.problems]
    return sorted(shown, key=lambda one: not one.is_error)


def rate_of(version: DraftVersion) -> MarkerRate:
    """The share of claims of a version that carry a marker, as it was counted when the version was made."""
    return citations.counted_rate(version.marker_count, version.claim_count)


def grounding_asked(project: Project) -> set[str]:
    """The stable ids whose full excerpt the newest versions of the project's drafts ask for. One query."""
    here = readable(DraftVersion.objects.all())
    newest = here.filter(draft=OuterRef("draft")).order_by("-number").values("pk")[:1]
    # The database looks for the tag: of hundreds of texts of a megabyte each, few have one.
    asking = here.filter(draft__project=project, gated_text__contains=f"<{MarkerKind.NEEDS_GROUNDING}")
    texts = asking.filter(pk=Subquery(newest)).values_list("gated_text", flat=True)
    return {marker.id for text in texts.iterator(chunk_size=10) for marker in _grounding(text) if marker.id}


def _grounding(text: str) -> Iterable[citations.Marker]:
    return (one for one in citations.markers_of(text) if one.kind is MarkerKind.NEEDS_GROUNDING)


def _shown(told: dict[str, Any]) -> ShownProblem:
    return ShownProblem(
        code=ProblemCode(told["code"]),
        severity=Severity(told["severity"]),
        line=told["line"],
        column=told["column"],
        message=told["message"],
        id=told["id"],
        claim=told["claim"],
    )
