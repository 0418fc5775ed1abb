"""Reads ship checks: as a report, and as their pages show them."""

from dataclasses import dataclass
from datetime import datetime

from provenance_site.jobs.queries import progress
from provenance_site.jobs.states import JobState
from sources.core.findings import Verdict
from sources.models import Draft, DraftVersion, Project
from validation.core import shipping
from validation.core.shipping import Level, Remark, Rule, ShippedLink, ShipReport
from validation.models import ShipCheck, SpotCheck
from validation.queries.readable_work import readable_work
from validation.queries.runs import poll_s


@dataclass(frozen=True, slots=True)
class ShipState:
    """How far a check is, and how soon to ask again (None: never)."""

    done: int
    total: int
    poll_s: int | None
    line: str


def report_of(check: ShipCheck) -> ShipReport:
    """The check as it is told, by what was found for it and by the spot checks so far. Two queries.

    While links are still being fetched they count as not verified, and nothing is remarked of them.
    """
    spots = list(SpotCheck.objects.filter(check_made=check))
    by_link = {spot.link_id: spot for spot in spots}
    links = []
    for row in check.links.order_by("position"):
        spot = by_link.get(row.pk)
        links.append(
            ShippedLink(
                key=row.key,
                address=row.address,
                line=row.line,
                column=row.column,
                title=row.title,
                stable_id=row.stable_id,
                verdict=Verdict(row.verdict) if row.verdict else None,
                reason=row.reason,
                override=Verdict(row.override) if row.override else None,
                is_drawn=spot is not None,
                spot=spot.as_result if spot else None,
                spot_note=spot.note if spot else "",
            )
        )
    return shipping.report(
        project=check.project.name,
        document=check.document,
        path=check.path,
        at=check.job.finished_at or check.job.created_at,
        links=links,
        standing=[remark_from(one) for one in check.standing],
        is_running=check.job.state == JobState.RUNNING,
    )


def remark_from(told: dict[str, object]) -> Remark:
    """The remark that is stored as this object."""
    return Remark(
        rule=Rule(str(told["rule"])),
        level=Level(str(told["level"])),
        message=str(told["message"]),
        line=int(str(told["line"])),
        column=int(str(told["column"])),
        address=str(told["address"]),
    )


def state_of(check: ShipCheck, *, at: datetime) -> ShipState:
    """How far the check is at `at`. One query."""
    told = progress(check.job, at=at)
    settled = told.total - told.open
    return ShipState(
        done=settled,
        total=told.total,
        poll_s=poll_s(check.job, at=at),
        line=f"{settled:,} of {told.total:,} links fetched",
    )


def checks_of(project: Project, *, limit: int = 20) -> list[ShipCheck]:
    """The project's newest ship checks. One query."""
    found = (
        readable_work(ShipCheck.objects.all())
        .filter(project=project)
        .select_related("job__created_by", "version__draft")
    )
    return list(found.order_by("-job_id")[:limit])


def checks_of_draft(draft: Draft, *, limit: int = 20) -> list[ShipCheck]:
    """The newest ship checks of the draft's versions. One query."""
    found = (
        readable_work(ShipCheck.objects.all())
        .filter(version__draft=draft)
        .select_related("job__created_by", "version__draft")
    )
    return list(found.order_by("-job_id")[:limit])


def newest_of(version: DraftVersion) -> ShipCheck | None:
    """The newest ship check of a version of a draft, None where there is none. One query."""
    found = readable_work(ShipCheck.objects.all()).filter(version=version).select_related("job", "project")
    return found.order_by("-job_id").first()


def spots_of(check: ShipCheck) -> list[SpotCheck]:
    """The drawn links in the order to look at them. One query."""
    found = SpotCheck.objects.filter(check_made=check).select_related("link__source", "by")
    return list(found.order_by("position"))
