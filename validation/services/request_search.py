"""Candidates for a claim: searched by its words, fetched and judged by the validator, with their best passages.

The row is the truth: a worker takes a request for a while, asks with no transaction open, and writes all that came in
one transaction, so that a dead worker's request is asked again and nothing of it is there twice.
"""

import asyncio
import re
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from sources.core.citations import best_passage
from sources.core.credentials import without_credentials
from sources.core.findings import Finding
from sources.core.identifiers import BadIdentifier, UnusableUrl, identify
from sources.core.records import Identity
from validation.adapters.registry import Outside, outside
from validation.core.classify import Claimed
from validation.core.harvest_tools import Tool
from validation.core.lookups import search_key, title_key
from validation.core.ports import Hit, Registry, Unavailable
from validation.core.providers import Account
from validation.core.source_requests import RequestState
from validation.models import HarvestRequest, RequestCandidate
from validation.queries.own_entries import rules_of
from validation.queries.provider_keys import accounts_by_workspace
from validation.services import lookups
from validation.services.harvest_witnesses import Listed
from validation.services.remembering import remembering
from validation.services.validate import Clock, Target, examine

OpenWorld = Callable[[], AbstractAsyncContextManager[Outside]]
PER_SEARCH = 5
MOST_CANDIDATES = 8
FROM_THE_DRAFT = "draft"
_MOST_ATTEMPTS = 3
_GIVEN_UP = "Three workers failed at this search; the log of this desk has more. Search again when it is mended."
_HELD = timedelta(minutes=10)
_AROUND = 800  # characters of the page on either side of the passage that the corpus keeps
# What no database stores in a text: NUL, and halves of surrogate pairs that JSON lets through.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_NO_SEARCH = "No search is configured. An admin can enter one on the page “Search providers”."


@dataclass(frozen=True, slots=True)
class _Found:
    """One address to look at, and who named it at which place."""

    hit: Hit
    rank: int
    identity: Identity


@dataclass(frozen=True, slots=True)
class _Judged:
    """What was found there, and the text of the page."""

    found: _Found
    finding: Finding
    text: str


def _among_workers() -> AbstractAsyncContextManager[Outside]:
    return outside(among_workers=True)


def work(*, clock: Clock, budget_s: float, open_world: OpenWorld = _among_workers) -> bool:
    """Searches for open requests, oldest first, for about `budget_s` seconds; True where this worker should go on."""
    until = clock() + timedelta(seconds=budget_s)
    while clock() < until:
        request = _claimed(at=clock())
        if request is None:
            return False
        if request.attempts > _MOST_ATTEMPTS:
            _give_up(request, at=clock())
            continue
        search(request, clock=clock, open_world=open_world)
    return is_waiting(at=clock())


def is_waiting(*, at: datetime) -> bool:
    """True where a request is open that nobody holds."""
    return _free(at).exists()


def search(request: HarvestRequest, *, clock: Clock, open_world: OpenWorld) -> None:
    """Searches, checks and writes what came of one open request.

    One search that fails stops no other; why it failed is told with the request.
    """
    workspace = request.draft.project.workspace
    accounts = accounts_by_workspace([workspace.pk]).get(workspace.pk, ())
    rules = rules_of(workspace)

    kept = _kept_answers(request, accounts, at=clock())

    async def ask() -> tuple[list[_Judged], list[str], dict[str, str]]:
        async with open_world() as opened:
            for key, answer in kept.items():
                opened.lookups.seed(key, answer)
            world, fetched = remembering(opened.with_accounts(accounts))
            found, told = await _candidates(request, world)
            targets = [
                Target(identity=one.identity, claimed=Claimed(title=one.hit.title), rules=rules) for one in found
            ]
            worlds = [_as_listed(one.hit, world) for one in found]
            checks = zip(targets, worlds, strict=True)
            findings = await asyncio.gather(*(examine(target, seen, clock=clock) for target, seen in checks))
            texts = [await fetched.text_of(finding) for finding in findings]
            judged = [_Judged(*each) for each in zip(found, findings, texts, strict=True)]
            return judged, told, opened.lookups.take_new()

    judged, told, new = asyncio.run(ask())
    at = clock()
    rows = [_row(request, one) for one in judged]
    with transaction.atomic():
        still_open = HarvestRequest.objects.filter(pk=request.pk, state=RequestState.OPEN)
        if still_open.update(state=RequestState.SEARCHED, told=told, searched_at=at, held_until=None):
            RequestCandidate.objects.filter(request=request).delete()
            RequestCandidate.objects.bulk_create(rows)
    lookups.keep(new, at=at)


def _kept_answers(request: HarvestRequest, accounts: Iterable[Account], *, at: datetime) -> dict[str, str]:
    """What searches and registries answered to this question within the last days, by key: it is not asked again."""
    query = request.query
    asked = [search_key(tool, query, PER_SEARCH) for tool in Tool]
    asked += [title_key(tool, query, "", PER_SEARCH) for tool in Tool if tool.finds_works]
    asked += [search_key(one.provider, query, PER_SEARCH, account=one.name) for one in accounts]
    return lookups.kept(asked, at=at)


def _give_up(request: HarvestRequest, *, at: datetime) -> None:
    still_open = HarvestRequest.objects.filter(pk=request.pk, state=RequestState.OPEN)
    still_open.update(state=RequestState.SEARCHED, told=[_GIVEN_UP], searched_at=at, held_until=None)


def _free(at: datetime) -> QuerySet[HarvestRequest]:
    free = Q(held_until__isnull=True) | Q(held_until__lte=at)
    return HarvestRequest.objects.filter(free, state=RequestState.OPEN)


def _claimed(*, at: datetime) -> HarvestRequest | None:
    for pk in _free(at).order_by("pk").values_list("pk", flat=True)[:5]:
        if _free(at).filter(pk=pk).update(held_until=at + _HELD, attempts=F("attempts") + 1):
            return HarvestRequest.objects.select_related("draft__project__workspace").get(pk=pk)
    return None


async def _candidates(request: HarvestRequest, world: Outside) -> tuple[list[_Found], list[str]]:
    """What is worth a look, the draft's own link first, then by rank; and what to tell of searches that failed."""
    asked: list[tuple[Hit, int]] = [(Hit(request.url, "", FROM_THE_DRAFT), 1)] if request.url else []
    # Where only the sample publishers are served, their own engine is the search there is.
    searches = world.searches or world.sample_searches
    if not request.query or not (searches or world.registries):
        return _distinct(asked), [] if searches or world.registries else [_NO_SEARCH]
    answers = await asyncio.gather(
        *(one.search(request.query, limit=PER_SEARCH) for one in searches),
        *(_works(one, request.query) for one in world.registries),
    )
    told = [f"{_label(one.provider)}: {one.reason}." for one in answers if isinstance(one, Unavailable)]
    hits = [
        (rank, order, hit)
        for order, answer in enumerate(answers)
        if not isinstance(answer, Unavailable)
        for rank, hit in enumerate(answer, start=1)
    ]
    asked.extend((hit, rank) for rank, _, hit in sorted(hits, key=lambda one: one[:2]))
    return _distinct(asked), told


def _label(provider: str) -> str:
    return Tool(provider).label if provider in set(Tool) else provider


def _as_listed(hit: Hit, world: Outside) -> Outside:
    """The world in which the search that listed a candidate is asked about it and no other: no call is paid for twice.

    A link of the draft was listed by nobody.
    """
    listed = () if hit.provider == FROM_THE_DRAFT else (Listed(hit.provider, (hit,)),)
    return replace(world, searches=listed)


async def _works(registry: Registry, query: str) -> tuple[Hit, ...] | Unavailable:
    works = await registry.by_title(query, limit=PER_SEARCH)
    if isinstance(works, Unavailable):
        return works
    return tuple(
        Hit(f"https://doi.org/{work.doi}", work.title, work.provider, published=str(work.year or ""))
        for work in works
        if work.doi
    )


def _distinct(asked: Iterable[tuple[Hit, int]]) -> list[_Found]:
    found: dict[str, _Found] = {}
    for hit, rank in asked:
        try:
            identity = identify(hit.url)
        except (BadIdentifier, UnusableUrl):
            continue
        if not identity.request_url:
            continue
        found.setdefault(identity.key, _Found(hit, rank, identity))
    return list(found.values())[:MOST_CANDIDATES]


def _row(request: HarvestRequest, one: _Judged) -> RequestCandidate:
    hit, finding = one.found.hit, one.finding
    text = _kept(one.text)
    passage = best_passage(text, claim=request.claim) if text and request.claim else None
    around = text[max(0, passage.start - _AROUND) : passage.end + _AROUND] if passage and passage.text else ""
    return RequestCandidate(
        request=request,
        key=one.found.identity.key,
        url=one.found.identity.request_url,
        title=" ".join(_kept(hit.title or finding.evidence.title_found).split()),
        tool=hit.provider[:50],
        rank=one.found.rank,
        snippet=_kept(hit.snippet),
        published=_kept(hit.published)[:40],
        verdict=finding.verdict.value,
        cause=finding.cause.value,
        reason=finding.reason,
        evidence=finding.evidence.as_json(),
        access_note=finding.evidence.access_note,
        sha256=finding.evidence.sha256,
        rules_version=finding.rules_version,
        passage=passage.text if passage else "",
        excerpt=around,
        score=passage.score if passage else 0.0,
        fetched_at=finding.at,
    )


def _kept(text: str) -> str:
    return without_credentials(_UNSTORABLE.sub("\ufffd", text))
