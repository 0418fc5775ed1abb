"""Checks what a harvest found, by the validator of every source, and puts what is verified into the corpus.

As in `work`: claimed under a lease, asked with no transaction open, written in short transactions that begin by asking
whether the lease still holds. A killed worker's candidates are claimed again; each is written once.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from provenance_site.accounts.models import User
from provenance_site.changes.models import ChangeSet
from provenance_site.jobs import services as jobs
from provenance_site.jobs.services import ClaimedItem
from sources import permissions
from sources.core.findings import Finding
from sources.core.identifiers import identify
from sources.models import Section
from sources.services import corpora, projects
from sources.services.corpora import KeptFinding
from validation.adapters.registry import Outside
from validation.core import stored
from validation.core.classify import Claimed
from validation.core.harvest_states import CandidateState, HarvestState
from validation.core.imprint import Imprint, imprint
from validation.core.ports import Hit
from validation.core.reading import PageText
from validation.models import Candidate, HarvestHit, HarvestRun
from validation.queries.own_entries import rules_by_workspace
from validation.services import lookups
from validation.services.flight import Flight, Landed, OpenWorld, keep_leases
from validation.services.harvest_choosing import CHECK_JOB_KIND, held_rows
from validation.services.harvest_witnesses import Listed, Listings
from validation.services.targets import claimed_of_known
from validation.services.validate import Clock, Target

LEASE_S = 12
_HEARTBEAT_S = 3
_GATHER_S = 1.0  # what lands within it is one deed in the history
_MOST_WRITTEN = 50
_IN_HAND = 48
EXCERPT = 4_000
_CUT_OFF = ("…", "...")
_GIVEN_UP = "Three workers died over it."
_NOBODY = "Who started the harvest may not add sources any more. Start one yourself."

log = logging.getLogger(__name__)


def work(*, clock: Clock, until: datetime, open_world: OpenWorld, run_id: int | None = None) -> bool:
    """Checks claimed candidates until none is left or the time is over; True where work was left for the next call."""
    job_id = HarvestRun.objects.filter(pk=run_id).values_list("check_job", flat=True).first() if run_id else None
    if run_id and job_id is None:
        return False
    first = _claim(limit=_IN_HAND, at=clock(), job_id=job_id)
    if not first:
        return False
    listings = Listings()
    with Flight(listings.within(open_world), clock=clock) as flight:
        _take_off(first, flight, listings, at=clock())
        next_heartbeat = clock() + timedelta(seconds=_HEARTBEAT_S)
        while flight.aboard:
            down = flight.landed(gather_s=_GATHER_S if len(flight.aboard) > 1 else 0.1, most=_MOST_WRITTEN)
            if clock() >= next_heartbeat:
                keep_leases(flight, down, until=clock() + timedelta(seconds=LEASE_S))
                next_heartbeat = clock() + timedelta(seconds=_HEARTBEAT_S)
            if down:
                _write(down, flight.world, at=clock())
                listings.forget(one.item.subject_id for one in down)
            room = _IN_HAND - len(flight.aboard)
            if clock() < until and room >= _IN_HAND // 4:
                _take_off(_claim(limit=room, at=clock(), job_id=job_id), flight, listings, at=clock())
    return clock() >= until


def _claim(*, limit: int, at: datetime, job_id: int | None) -> list[ClaimedItem]:
    with transaction.atomic():
        claim = jobs.claim(kind=CHECK_JOB_KIND, limit=limit, at=at, lease_s=LEASE_S, job_id=job_id)
        given_up = [item.subject_id for item in claim.lost]
        Candidate.objects.filter(pk__in=given_up).update(state=CandidateState.DROPPED, reason=_GIVEN_UP)
    _finish({item.job_id for item in claim.lost}, at=at)
    return list(claim.items)


def _take_off(items: Sequence[ClaimedItem], flight: Flight, listings: Listings, *, at: datetime) -> None:
    if not items:
        return
    rows = Candidate.objects.select_related("run__project").in_bulk([item.subject_id for item in items])
    rules = rules_by_workspace({row.run.project.workspace_id for row in rows.values()})
    tools: dict[int, str] = {}
    hits = HarvestHit.objects.filter(candidate__in=rows, call__isnull=False).order_by("-rank", "-pk")
    tools.update(hits.values_list("candidate", "call__tool"))
    claimed: dict[tuple[int, str], Claimed] = {}
    for workspace_id in {row.run.project.workspace_id for row in rows.values()}:
        keys = [row.key for row in rows.values() if row.run.project.workspace_id == workspace_id]
        told = claimed_of_known(workspace_id=workspace_id, keys=keys)
        claimed.update({(workspace_id, key): one for key, one in told.items()})
    targets = {
        pk: Target(
            identity=identify(row.url),
            claimed=claimed.get((row.run.project.workspace_id, row.key))
            or Claimed(title=_claimed_title(row), publisher=row.publisher, published_date=row.published),
            rules=rules[row.run.project.workspace_id],
            accounts=listings.account_of(pk, Listed(tools[pk], (Hit(row.url, row.title, tools[pk]),)))
            if pk in tools
            else (),
        )
        for pk, row in rows.items()
    }
    lookups.load(targets=targets.values(), outside=flight.world, at=at)
    flight.take_off((item, targets[item.subject_id]) for item in items if item.subject_id in targets)


def _write(down: Iterable[Landed], world: Outside, *, at: datetime) -> None:
    """Writes what is still held by its lease: what is verified into the corpora of its sections, all else as dropped
    with the reason."""
    found = {}
    for item, finding, fault in down:
        if finding is None:
            # A fault of ours. The item is not written; its lease runs out, and after three such ends it is given up.
            log.error("check of candidate %s failed", item.subject_id, exc_info=fault)
        else:
            found[item] = finding
    if not found:
        return
    _begin_deeds(found, at=at)
    try:
        _write_once(found, world, at=at)
    except projects.SourceMerged:
        _write_once(found, world, at=at)
    _finish({item.job_id for item in found}, at=at)


def _begin_deeds(found: dict[ClaimedItem, Finding], *, at: datetime) -> None:
    """Gives each harvest that keeps something the one deed that its batches are steps of; another one where a person
    has undone it meanwhile.

    In transactions of its own, before any item is held: who stops a harvest locks its row first and its items then.
    """
    good = [item.subject_id for item, finding in found.items() if finding.verdict.is_verified]
    runs = set(Candidate.objects.filter(pk__in=good).values_list("run", flat=True))
    without = Q(deed=None) | Q(deed__undone_by__isnull=False)
    for pk in HarvestRun.objects.filter(without, pk__in=runs).order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            run = held_rows().select_related("project", "check_job__created_by").get(pk=pk)
            if run.state != HarvestState.CHECKING:
                continue  # stopped meanwhile: nothing of it will be written
            if run.deed is None or ChangeSet.objects.filter(undoes=run.deed).exists():
                by = run.check_job.created_by if run.check_job else None
                run.deed = corpora.begin_deed(project=run.project, note=f"{run.project}, harvest", by=by, at=at)
                run.save(update_fields=["deed"])


def _write_once(found: dict[ClaimedItem, Finding], world: Outside, *, at: datetime) -> None:
    words: dict[UUID, dict[int, str]] = defaultdict(dict)
    for item, finding in found.items():
        words[item.lease][item.id] = finding.verdict.value
    with transaction.atomic():
        held = jobs.complete_many(outcomes=words, at=at)
        findings = {item.subject_id: finding for item, finding in found.items() if item.id in held}
        rows = Candidate.objects.select_related("run__project", "run__check_job__created_by", "run__deed").in_bulk(
            list(findings)
        )
        by_run: dict[int, list[Candidate]] = defaultdict(list)
        for pk in sorted(rows):
            by_run[rows[pk].run_id].append(rows[pk])
        for candidates in by_run.values():
            _settle(candidates, findings, at=at)
        lookups.save(outside=world, at=at)


def _settle(candidates: Sequence[Candidate], findings: dict[int, Finding], *, at: datetime) -> None:
    run = candidates[0].run
    by = run.check_job.created_by if run.check_job else None
    verified = []
    for one in candidates:
        finding = findings[one.pk]
        one.verdict = finding.verdict
        if finding.verdict.is_verified:
            verified.append(one)
        else:
            one.state, one.reason = CandidateState.DROPPED, finding.reason[:500]
    if by is not None and permissions.can_curate(by, run.project.workspace_id):
        _keep(run, verified, findings, by=by, at=at)
    else:
        for one in verified:
            one.state, one.reason = CandidateState.DROPPED, _NOBODY
    Candidate.objects.bulk_update(candidates, ["verdict", "state", "reason", "stable_id"])


def _keep(
    run: HarvestRun, verified: Sequence[Candidate], findings: dict[int, Finding], *, by: User, at: datetime
) -> None:
    """Puts each into the corpus of every section that it was found for, by the best place where it was found."""
    hits = HarvestHit.objects.filter(candidate__in=verified).select_related("call__query")
    hits = hits.order_by("call__query__position", "rank", "pk")
    # Ids are given in this order: the sections as the plan has them, in each the best places first.
    best: dict[int, dict[int, HarvestHit]] = defaultdict(dict)
    for hit in hits:
        there = best[hit.section_id].setdefault(hit.candidate_id, hit)
        if hit.rank < there.rank:
            best[hit.section_id][hit.candidate_id] = hit
    rows = {one.pk: one for one in verified}
    left_out: dict[int, str] = {}
    sections = Section.objects.in_bulk(list(best))
    for section in (sections[pk] for pk in best):
        ranked = sorted(best[section.pk].items(), key=lambda one: (one[1].rank, one[1].pk))
        told = {rows[pk].url: _finding(rows[pk], findings[pk], hit) for pk, hit in ranked}
        kept = corpora.keep(
            project=run.project,
            section=section,
            findings=list(told.values()),
            by=by,
            at=at,
            run_id=run.run_id,
            deed=run.deed,
        )
        for pk in best[section.pk]:
            one = rows[pk]
            if one.url in kept.ids:
                one.state, one.stable_id, one.reason = CandidateState.KEPT, kept.ids[one.url], ""
            else:
                left_out[pk] = kept.left_out.get(one.url, "It was left out.")
    for pk, reason in left_out.items():
        if rows[pk].state != CandidateState.KEPT:
            rows[pk].state, rows[pk].reason = CandidateState.DROPPED, reason[:500]


def _finding(one: Candidate, finding: Finding, hit: HarvestHit) -> KeptFinding:
    evidence = finding.evidence
    page = stored.page_of(evidence.reading)
    tool = hit.call.tool if hit.call else "list"
    told = imprint(Imprint(one.publisher, one.published), page, tool=tool, verdict=finding.verdict)
    return KeptFinding(
        url=one.url,
        title=_claimed_title(one) or evidence.title_found or one.title,
        publisher=told.publisher,
        published=told.published,
        snippet=hit.snippet,
        excerpt=excerpt_of(page),
        body_sha256=evidence.sha256,
        query=hit.call.query.text if hit.call else "",
        tool=tool,
        rank=hit.rank,
        score=hit.score,
        verdict=finding.verdict,
        cause=finding.cause,
        evidence=evidence,
        rules_version=finding.rules_version,
        fetched_at=finding.at,
        access_note=evidence.access_note,
    )


def _claimed_title(one: Candidate) -> str:
    """The title to hold the page to; '' where the search shows only its beginning, which is no other work's title."""
    return "" if one.title.endswith(_CUT_OFF) else one.title


def excerpt_of(page: PageText) -> str:
    """The beginning of the main text, at most 4,000 characters; '' where nothing was read."""
    return "\n".join(block.text for block in page.main)[:EXCERPT].strip()


def _finish(job_ids: Iterable[int], *, at: datetime) -> None:
    for job_id in sorted(set(job_ids)):
        jobs.finish_if_done(job_id, at=at)
