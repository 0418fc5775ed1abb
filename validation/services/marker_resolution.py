"""Markers of drafts: each one's claim becomes a request for a source, a person picks, the draft gets a new version."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes.models import Channel
from sources import permissions
from sources.core.citations import Marker, MarkerKind, markers_of, resolve_marker
from sources.core.drafting import DraftOrigin
from sources.core.findings import Cause, Verdict
from sources.models import Check, Draft, DraftVersion, Section
from sources.queries import evidence
from sources.queries.corpora import sections_of
from sources.queries.drafts import version_of
from sources.services import corpora, drafts, projects
from sources.services.corpora import KeptFinding
from validation.core.source_requests import (
    CALLS,
    CANDIDATES,
    MOST_CALLS,
    MOST_CANDIDATES,
    RequestKind,
    RequestState,
    query_of,
)
from validation.models import HarvestRequest, RequestCandidate
from validation.services.request_plans import headings_above


class BudgetRefused(ValueError):
    """No search may be given this budget; the message says which number can be."""


class PickRefused(ValueError):
    """The candidate cannot be taken; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request is made of. `url` is '' for a marker."""

    kind: RequestKind
    claim: str
    url: str
    line: int

    @property
    def key(self) -> str:
        """The same for the same wish."""
        return hashlib.sha256(f"{self.kind}\n{self.claim}\n{self.url}".encode()).hexdigest()


def open_markers(version: DraftVersion) -> list[Marker]:
    """The version's markers for claims without a source, each claim once, in the order of the text."""
    found = [one for one in markers_of(version.gated_text) if one.kind is MarkerKind.NEEDS_SOURCE and one.claim]
    return list({one.claim: one for one in found}.values())


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """What the search for one claim may spend: calls of searches, candidates that are fetched and checked."""

    calls: int = CALLS
    candidates: int = CANDIDATES

    def __post_init__(self) -> None:
        """Raises BudgetRefused for what is out of range."""
        if not 0 <= self.calls <= MOST_CALLS:
            raise BudgetRefused(f"Calls: enter a number from 0 to {MOST_CALLS}.")
        if not 1 <= self.candidates <= MOST_CANDIDATES:
            raise BudgetRefused(f"Candidates: enter a number from 1 to {MOST_CANDIDATES}.")


def request_sources(
    *,
    version: DraftVersion,
    claims: Collection[str] | None = None,
    by: User,
    at: datetime,
    budget: SearchBudget | None = None,
) -> list[HarvestRequest]:
    """Asks for sources for the version's markers, or for those with these claims; gives their requests in order.
    `budget` is what each may spend; where none is given, the default or what it had.

    A claim that was asked before keeps its request, also one for a link that a corrected text brought for it; one that
    is closed is opened again, since its marker stands there. Workers are woken by `dispatch`.
    """
    markers = [one for one in open_markers(version) if claims is None or one.claim in claims]
    links = HarvestRequest.objects.filter(draft=version.draft, kind=RequestKind.NEW_LINK)
    links = links.exclude(state=RequestState.DISMISSED).order_by("-pk")
    brought = {one.claim: one.url for one in links}
    wanted = [
        Wanted(
            RequestKind.NEW_LINK if one.claim in brought else RequestKind.MARKER,
            one.claim,
            brought.get(one.claim, ""),
            one.line,
        )
        for one in markers
    ]
    return ask(version=version, wanted=wanted, by=by, at=at, budget=budget)


def ask(
    *, version: DraftVersion, wanted: Sequence[Wanted], by: User, at: datetime, budget: SearchBudget | None = None
) -> list[HarvestRequest]:
    """A request for each of these, in their order; what the draft asked before is that request. Twice is safe."""
    permissions.check_can_curate(by, version.draft.project.workspace_id)
    rows = [
        HarvestRequest(
            draft=version.draft,
            version=version,
            kind=one.kind.value,
            key=one.key,
            claim=one.claim,
            url=one.url,
            line=one.line,
            query=query_of(one.claim),
            asked_at=at,
            asked_by=by,
            **_spend(budget or SearchBudget()),
        )
        for one in wanted
    ]
    keys = [row.key for row in rows]
    with transaction.atomic():
        HarvestRequest.objects.bulk_create(rows, ignore_conflicts=True)
        mine = HarvestRequest.objects.filter(draft=version.draft, key__in=keys)
        mine.filter(state__in=[RequestState.DISMISSED, RequestState.PICKED]).update(
            state=RequestState.OPEN,
            asked_at=at,
            asked_by=by,
            attempts=0,
            calls_spent=0,
            closed_at=None,
            closed_by=None,
            **(_spend(budget) if budget else {}),
        )
        found = {row.key: row for row in mine.select_related("draft__project", "version")}
    return [found[key] for key in dict.fromkeys(keys)]


def _spend(budget: SearchBudget) -> dict[str, int]:
    return {"call_budget": budget.calls, "candidate_budget": budget.candidates}


def search_again(*, request: HarvestRequest, by: User, at: datetime, budget: SearchBudget | None = None) -> None:
    """Has a request searched anew, but for one that was picked; what was found before goes when new answers come.

    It is a new search with a budget of its own: this one, else the same as before.
    """
    permissions.check_can_curate(by, request.draft.project.workspace_id)
    HarvestRequest.objects.filter(pk=request.pk).exclude(state=RequestState.PICKED).update(
        state=RequestState.OPEN,
        asked_at=at,
        asked_by=by,
        attempts=0,
        calls_spent=0,
        held_until=None,
        closed_at=None,
        closed_by=None,
        **(_spend(budget) if budget else {}),
    )


def dismiss(*, request: HarvestRequest, by: User, at: datetime) -> None:
    """Closes a request without a source: the marker stays in the draft. Twice is safe."""
    permissions.check_can_curate(by, request.draft.project.workspace_id)
    HarvestRequest.objects.filter(pk=request.pk).exclude(state=RequestState.PICKED).update(
        state=RequestState.DISMISSED, closed_at=at, closed_by=by
    )


def pick(
    *, candidate: RequestCandidate, section: Section | None = None, by: User, channel: Channel, at: datetime
) -> DraftVersion:
    """Takes a candidate: it joins the corpus by the registry's door, and the draft's newest version gets its id in the
    marker's place, as a new version through the gate.

    `section` is whose corpus it joins; where none is given that of the heading above the marker, else the project's
    first. Raises `PickRefused`: for one that is not verified, that a person rejected before, or whose marker is not in
    the draft any more. All or nothing.
    """
    request = candidate.request
    draft = request.draft
    permissions.check_can_curate(by, draft.project.workspace_id)
    if not candidate.may_be_picked:
        raise PickRefused(f"It is not verified: {candidate.reason}. Choose another one, or search again.")
    with transaction.atomic():
        locked = HarvestRequest.objects.select_for_update(of=("self",), no_key=True).get(pk=request.pk)
        if locked.state == RequestState.PICKED:
            raise PickRefused("A source was chosen for this claim already. Look at the draft's newest version.")
        # Before the graph: whoever gives the draft another version at this moment comes before or after all of this.
        Draft.objects.select_for_update(no_key=True).get(pk=draft.pk)
        newest = _newest(draft)
        marker = _marker_of(newest, request)
        kept = corpora.keep(
            project=draft.project,
            section=section or section_for(newest, before=marker.start if marker else len(newest.gated_text)),
            findings=[_finding(candidate)],
            by=by,
            at=at,
            channel=channel,
            run_id=f"validation.harvest-request/{request.uuid}",
        )
        stable_id = kept.ids.get(candidate.url)
        if stable_id is None:
            raise PickRefused(f"It stays out of the corpus: {kept.left_out.get(candidate.url, 'it was left out')}")
        version = drafts.add_version(
            draft=draft,
            text=resolve_marker(newest.gated_text, marker, stable_id) if marker else newest.gated_text,
            by=by,
            at=at,
            channel=channel,
            origin=DraftOrigin.RESOLVED,
            note=f"{stable_id} for “{request.claim}”",
            seen=newest.number,
        )
        RequestCandidate.objects.filter(pk=candidate.pk).update(picked_id=stable_id)
        HarvestRequest.objects.filter(pk=request.pk).update(
            state=RequestState.PICKED, closed_at=at, closed_by=by, held_until=None
        )
    return version


def section_for(version: DraftVersion, *, before: int) -> Section:
    """The section of the project that the last headings before this place of the gated text name, else the first of its
    outline; made by the draft's name where the project has none."""
    project = version.draft.project
    slugs = headings_above(version, before=before)
    by_slug = {section.slug: section for section in Section.objects.filter(project=project, slug__in=slugs)}
    for slug in slugs:
        if slug in by_slug:
            return by_slug[slug]
    listed = sections_of(project)
    if listed:
        return listed[0][0]
    return projects.sections_named(project=project, titles=[version.draft.name])[version.draft.name]


def _newest(draft: Draft) -> DraftVersion:
    newest = version_of(draft)
    if newest is None:
        raise PickRefused("The draft has no version any more.")
    newest.draft = draft
    return newest


def _marker_of(version: DraftVersion, request: HarvestRequest) -> Marker | None:
    """The claim's marker; None for a link that a hybrid draft kept, which the gate knows once the corpus has it."""
    for marker in markers_of(version.gated_text):
        if marker.kind is MarkerKind.NEEDS_SOURCE and marker.claim == request.claim:
            return marker
    if request.url and request.url in version.gated_text:
        return None
    raise PickRefused(
        "The marker of this claim is not in the draft's newest version any more. Look at the draft; where it has "
        "another marker, choose a source for that one."
    )


def _finding(candidate: RequestCandidate) -> KeptFinding:
    return KeptFinding(
        url=candidate.url,
        title=candidate.title,
        publisher=candidate.publisher,
        published=candidate.published,
        snippet=candidate.snippet,
        excerpt=candidate.excerpt,
        body_sha256=candidate.sha256,
        query=candidate.query or candidate.request.query,
        tool=candidate.tool,
        rank=candidate.rank,
        score=candidate.score,
        verdict=Verdict(candidate.verdict),
        cause=Cause(candidate.cause),
        evidence=evidence.of(Check(evidence=candidate.evidence)),
        rules_version=candidate.rules_version,
        fetched_at=candidate.fetched_at,
        access_note=candidate.access_note,
    )
