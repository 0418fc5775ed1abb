"""Reads the entries that a report writes out: source, check, decision and cited title of each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sources.core import proposals, urls
from sources.core.findings import Cause, Evidence, Recovery, Verdict
from sources.core.kinds import DecisionKind, UseKind
from sources.core.listing import DecisionNote
from sources.core.retraction import RetractionStatus
from sources.models import Check, Citation, Decision, Source
from sources.queries import decisions, evidence
from sources.queries.listings import link_of
from sources.queries.readable import readable
from sources.queries.retraction_evidence import meant, tell
from validation.core.publishers import Publisher, gated_publisher
from validation.core.report import ReportEntry, Standing


def taken_by(decision: Decision) -> Recovery | None:
    """The proposed address that the person took, None where the decision takes none."""
    if decision.check_seen is None:
        return None
    seen = evidence.of(decision.check_seen)
    return proposals.taken(seen, override=decision.as_override, reason=decision.reason)


def entries_of(standings: Sequence[Standing], *, project_id: int, own: Sequence[Publisher]) -> list[ReportEntry]:
    """What the report says of each of these sources of a project, in their order. Seven queries.

    `own` are the workspace's publishers. A source that has just left the registry has no entry.
    """
    source_ids = [standing.source_id for standing in standings]
    sources = readable(Source.objects.all()).in_bulk(source_ids)
    checks = readable(Check.objects.all()).in_bulk([standing.check_id for standing in standings if standing.check_id])
    holding = decisions.holding(source_ids)
    titles = _claimed_titles(source_ids, project_id=project_id)
    tell(sources.values())
    kept = {use: row.reason for use, row in meant(use_kind=UseKind.PROJECT, use_ids=[project_id]).items()}
    return [
        _entry(
            standing,
            sources[standing.source_id],
            check=checks.get(standing.check_id) if standing.check_id else None,
            decision=holding.get(standing.source_id),
            claimed=titles.get(standing.source_id, ""),
            own=own,
            meant_because=kept.get((standing.source_id, project_id), ""),
        )
        for standing in standings
        if standing.source_id in sources
    ]


def _claimed_titles(source_ids: Sequence[int], *, project_id: int) -> Mapping[int, str]:
    """The first title that the project's text gives each source."""
    cited = readable(Citation.objects.all()).filter(entry__project_id=project_id, entry__source_id__in=source_ids)
    rows = cited.exclude(claimed_title="").order_by("-pk").values_list("entry__source_id", "claimed_title")
    return dict(rows)


def _entry(
    standing: Standing,
    source: Source,
    *,
    check: Check | None,
    decision: Decision | None,
    claimed: str,
    own: Sequence[Publisher],
    meant_because: str,
) -> ReportEntry:
    seen = evidence.of(check) if check else Evidence()
    cause = Cause(check.cause) if check else None
    pair, was = seen.recovery, next((signal.text for signal in seen.signals if signal.name == "original-was"), "")
    if standing.is_taken and decision and (proposal := taken_by(decision)):
        pair = replace(proposal, matched_via=f"{proposal.matched_via}, taken by a person")
        was = f"{standing.found}, {cause}" if standing.found else ""
    # What the source says of its next check belongs to its newest one.
    is_newest = check is not None and check.pk == source.latest_check_id
    gated = standing.verdict is Verdict.VERIFIED_GATED
    reason = cause.explanation if cause else ""
    found = seen.title_found if standing.found is Verdict.VERIFIED_ACCESSIBLE else ""
    return ReportEntry(
        standing=standing,
        stable_id=f"src-{standing.number:03d}" if standing.number else "",
        uuid=str(source.uuid),
        title=source.title or claimed or found,
        link=link_of(source),
        identifier=f"{source.identifier_type}:{source.identifier_value}" if source.identifier_value else "",
        cause=cause,
        reason=f"{reason} ({seen.detail})" if seen.detail and not seen.recovery else reason,
        status=seen.status,
        title_found=seen.title_found,
        similarity=seen.similarity,
        publisher=_publisher(source, seen, own) if gated else source.publisher,
        access_note=seen.access_note,
        recovery=pair,
        original_was=was,
        proposals=() if pair or decision else seen.proposals,
        archived_url=seen.archived_url,
        unsearched=seen.unsearched,
        decision=_note(decision) if decision else None,
        checked_at=check.at if check else None,
        next_try_at=source.retry_at if is_newest and standing.found is Verdict.FETCH_FAILED else None,
        is_provisional=is_newest and source.is_provisional,
        retraction=source.told or RetractionStatus.UNKNOWN,
        meant=meant_because,
        retraction_note=(source.retraction_note or "no note given") if source.retracted else None,
    )


def _publisher(source: Source, seen: Evidence, own: Sequence[Publisher]) -> str:
    """Who keeps the page behind a wall: by the lists of publishers, else by what is known of the source."""
    known = gated_publisher(source.request_url, own) or gated_publisher(seen.final_url, own)
    if known:
        return known.name
    return source.publisher or _answered(seen) or source.host


def _answered(seen: Evidence) -> str:
    """The host that answered at last, as a DOI is followed to its publisher; '' where none did."""
    try:
        return urls.parse_url(seen.hops[-1].url).host if seen.hops else ""
    except urls.UnusableUrl:
        return ""


def _note(decision: Decision) -> DecisionNote:
    return DecisionNote(
        label=DecisionKind(decision.kind).label,
        by=decision.by.get_username(),
        at=decision.at,
        reason=decision.reason,
    )
