"""The works of a project that warn whoever would rest on them, and which of them are cited on purpose."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from sources.core.kinds import UseKind
from sources.core.retraction_terms import Status
from sources.models import CatalogEntry, Project, RetractionAcknowledgement, RetractionDecision
from sources.queries.parts import fallen
from sources.queries.readable import readable
from sources.queries.retraction_evidence import meant, tell

# So many are named; the rest is counted.
NAMED = 20
_SILENT = (Status.NONE_FOUND.value, Status.UNCHECKED.value)


@dataclass(frozen=True, slots=True)
class Warned:
    """One such work, its source with `told`; `meant` is what was said of its use here on the evidence of now."""

    entry: CatalogEntry
    meant: RetractionAcknowledgement | None


@dataclass(frozen=True, slots=True)
class ProjectRetractions:
    """The first of them in the order of the project; `more` counts the others."""

    rows: tuple[Warned, ...]
    more: int


def retractions_of(project: Project) -> ProjectRetractions:
    """What the page of a project says of retractions. Four queries, and two or three more per 500 works."""
    decided = readable(RetractionDecision.objects.all()).filter(source=OuterRef("source"), undone_at=None)
    part = fallen().filter(part=OuterRef("source"))
    spoken = Q(source__retraction_standing__isnull=False) & ~Q(source__retraction_standing__status__in=_SILENT)
    entries = list(
        readable(CatalogEntry.objects.all())
        .filter(Q(source__retracted=True) | spoken | Q(Exists(decided)) | Q(Exists(part)), project=project)
        .select_related("source")
        .order_by("number")
    )
    tell(entry.source for entry in entries)
    warned = [entry for entry in entries if entry.source.told is not None and entry.source.told.warns]
    kept = meant(use_kind=UseKind.PROJECT, use_ids=[project.pk]) if warned else {}
    return ProjectRetractions(
        rows=tuple(Warned(entry, kept.get((entry.source_id, project.pk))) for entry in warned[:NAMED]),
        more=max(0, len(warned) - NAMED),
    )
