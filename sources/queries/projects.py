"""Reads of projects for pages and reports."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q, QuerySet

from provenance_site.accounts.models import User
from sources.core.findings import Disposition, Verdict
from sources.core.gate import Gate, gate_of
from sources.core.kinds import DecisionKind, ReviewReason
from sources.models import CatalogEntry, Decision, Project, ReviewItem, Source
from sources.queries.readable import readable

_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class ProjectState:
    """A project in numbers: sources by verdict and by what holds, open questions, and the ship gate."""

    total: int
    by_verdict: dict[Verdict | None, int]
    by_disposition: dict[Disposition, int]
    open_reviews: int
    gate: Gate

    @property
    def failed(self) -> int:
        """Sources whose newest check could not say anything."""
        return self.by_verdict[Verdict.FETCH_FAILED]

    @property
    def verdict_counts(self) -> list[tuple[Verdict, int]]:
        """Sources by verdict, best first, for a bar."""
        return [(verdict, number) for verdict, number in self.by_verdict.items() if verdict is not None]


def projects_of(*, user: User, workspace_id: int) -> QuerySet[Project]:
    """The workspace's projects as `user` may see them, newest first. What lists show beside them tells `tell_of`."""
    return Project.objects.visible_to(user).filter(workspace_id=workspace_id).order_by("-created_at", "-pk")


def tell_of(projects: Iterable[Project]) -> None:
    """Looks up for lists how many sources each project has (`Project.source_count`), when one was last checked
    (`last_checked_at`), and how many questions of the queue are about them (`waiting_count`). Two queries for all.

    For a page of projects: counted together with the list, the sources of all pages would be, once for each question.
    """
    shown = {project.pk: project for project in projects}
    entries = readable(CatalogEntry.objects.all()).filter(project__in=shown).order_by().values_list("project")
    for pk, number, last in entries.annotate(Count("pk"), Max("source__last_checked_at")):
        shown[pk].source_count, shown[pk].last_checked_at = number, last
    items = readable(ReviewItem.objects.all()).filter(_asked(), source__entries__project__in=shown).order_by()
    for pk, number in items.values_list("source__entries__project").annotate(Count("pk")):
        shown[pk].waiting_count = number


def _asked() -> Q:
    """Open questions that the queue asks; those about retractions have a screen of their own."""
    return Q(closed_at__isnull=True, source__merged_into__isnull=True) & ~Q(reason=ReviewReason.RETRACTION)


def sources_in(project: Project) -> QuerySet[Source]:
    """The project's sources in the order of their stable ids."""
    return readable(Source.objects.all()).standing().filter(entries__project=project).order_by("entries__number")


def projects_holding(*, workspace_id: int, source_ids: Sequence[int]) -> list[tuple[Project, list[int]]]:
    """Each of these sources once, under the oldest project that it stands in; those in none are missing.

    One query per 5,000 sources, and one for the projects.
    """
    holding: dict[int, int] = {}
    for start in range(0, len(source_ids), _BATCH):
        entries = readable(CatalogEntry.objects.all()).filter(
            project__workspace_id=workspace_id, source_id__in=source_ids[start : start + _BATCH]
        )
        for source_id, project_id in entries.order_by("-project_id").values_list("source_id", "project_id"):
            holding[source_id] = project_id
    by_project: dict[int, list[int]] = defaultdict(list)
    for source_id, project_id in holding.items():
        by_project[project_id].append(source_id)
    projects = Project.objects.in_bulk(list(by_project))
    return [(projects[key], by_project[key]) for key in sorted(by_project)]


def state_of(project: Project) -> ProjectState:
    """The project in numbers. Three queries. An editor's override counts in the machine's place."""
    by_disposition: Counter[Disposition] = Counter()
    by_verdict: Counter[Verdict | None] = Counter()
    rows = (
        readable(CatalogEntry.objects.all())
        .filter(project=project)
        .exclude(source__decided=DecisionKind.OVERRIDE)
        .values_list("source__verdict", "source__disposition")
        .annotate(number=Count("pk"))
        .order_by()
    )
    for verdict, disposition, number in rows:
        by_verdict[Verdict(verdict) if verdict else None] += number
        by_disposition[Disposition(disposition)] += number
    overrides = (
        readable(Decision.objects.all())
        .filter(source__entries__project=project, source__decided=DecisionKind.OVERRIDE, undone_at__isnull=True)
        .order_by("at", "pk")
    )
    holding = {
        source_id: (Verdict(verdict), Disposition(disposition))
        for source_id, verdict, disposition in overrides.values_list(
            "source_id", "override_verdict", "source__disposition"
        )
        if verdict
    }
    for verdict, disposition in holding.values():
        by_verdict[verdict] += 1
        by_disposition[disposition] += 1
    return ProjectState(
        total=sum(by_disposition.values()),
        by_verdict={verdict: by_verdict.get(verdict, 0) for verdict in Verdict} | {None: by_verdict.get(None, 0)},
        by_disposition={disposition: by_disposition.get(disposition, 0) for disposition in Disposition},
        open_reviews=readable(ReviewItem.objects.all()).filter(_asked(), source__entries__project=project).count(),
        gate=gate_of(by_verdict),
    )
