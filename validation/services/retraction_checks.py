"""Asks providers whether works were retracted, and hands what they say to the registry.

A provider that could not be asked leaves its works unchecked: that is kept with its moment, what was known before
stays, and the works come up again. A registry that does not hold a work has not checked it either: a DOI of another
agency is neither clean nor made up.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Protocol

from django.db import transaction

from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from sources.services import retraction_records, retraction_standings, work_versions
from validation.adapters.retraction_world import RetractionWorld, retraction_world
from validation.core.ports import HandleLookup, NotRegistered, Unavailable
from validation.core.retraction_ids import WorkId
from validation.core.retraction_statements import RetractionProvider, Told, UpdatesFeed, UpdatesPage, all_failed, joined
from validation.models import RetractionFeed
from validation.queries.retractions import due_works, spoken_of, unmatched_sources
from validation.services import retraction_identities
from validation.services.retraction_import import claim
from validation.services.retraction_words import facts_of, version_facts_of

log = logging.getLogger(__name__)

ANSWER_HOLDS = timedelta(days=7)
FAILURE_HOLDS = timedelta(hours=6)
# A page more is read than was missed: an index is not up to date to the minute.
OVERLAP = timedelta(days=2)
FIRST_LOOK_BACK = timedelta(days=14)
_EVERY = timedelta(hours=20)
_HELD = timedelta(minutes=30)
_RETRY = timedelta(minutes=30)
_MOST_PAGES = 200
_STEP = 200


class OpensWorld(Protocol):
    """Opens the providers for one event loop."""

    def __call__(self) -> AbstractAsyncContextManager[RetractionWorld]:
        """The providers, closed with the block."""
        ...


@dataclass(slots=True)
class Tally:
    """What one provider said of so many works. `reason` says why the newest failed, '' where none did."""

    answered: int = 0
    unknown: int = 0
    failed: int = 0
    reason: str = ""


@dataclass(slots=True)
class Checked:
    """What came of a check. `by_provider` has those that were asked; `absent` why others were not.

    `unchecked` are works of which no provider knew anything: failed, unknown to all, or of a kind that nobody takes.
    Of these `unregistered` are DOIs that do not exist, as the DOI's own agency says.
    """

    asked: int = 0
    new_statements: int = 0
    changed_sources: int = 0
    by_provider: dict[Provider, Tally] = field(default_factory=dict)
    absent: Mapping[Provider, str] = field(default_factory=dict)
    unchecked: set[WorkId] = field(default_factory=set)
    unregistered: set[WorkId] = field(default_factory=set)


def match(*, at: datetime) -> int:
    """Has sources follow that came into the registry after something was said of them; gives how many there were.

    One join over keys finds them; twice finds none.
    """
    waiting = list(unmatched_sources())
    for start in range(0, len(waiting), 5_000):
        with transaction.atomic():
            retraction_standings.follow(source_ids=waiting[start : start + 5_000], at=at)
    return len(waiting)


def check(*, works: Iterable[WorkId], at: datetime, world: OpensWorld = retraction_world) -> Checked:
    """Asks all configured providers about the works, in parts, each written before the next is asked.

    Tie-breakers are asked only about works of which another has said something. Twice adds nothing but moments.
    """
    came = Checked()
    ordered = list(dict.fromkeys(works))
    given_up: dict[Provider, Unavailable] = {}
    for start in range(0, len(ordered), _STEP):
        part = ordered[start : start + _STEP]
        told, unregistered, ties, absent = asyncio.run(_ask_all(part, world, given_up))
        came.absent = absent
        came.unregistered.update(unregistered)
        retraction_identities.compare(
            registered={work: told_title for answer in told.values() for work, told_title in answer.titles.items()},
            known=frozenset().union(*(answer.answered for answer in told.values())),
            unregistered=unregistered,
            at=at,
        )
        for name, answer in told.items():
            _write(name, answer, came, at=at)
        if ties:
            contested = spoken_of(part, but=Provider.OPENALEX)
            if contested:
                more = asyncio.run(_ask_ties(sorted(contested), world, given_up))
                for name, answer in more.items():
                    _write(name, answer, came, at=at)
        known = frozenset().union(*(answer.answered for answer in told.values()))
        came.unchecked.update(set(part) - known)
        came.asked += len(part)
    return came


def check_due(*, at: datetime, limit: int = 500, world: OpensWorld = retraction_world) -> Checked:
    """Checks works of the registry whose newest answer is over a week old, or that failed six hours ago."""
    due = due_works(
        answered_before=at - ANSWER_HOLDS,
        failed_before=at - FAILURE_HOLDS,
        limit=limit,
        absent=asyncio.run(_absent_of(world)),
    )
    return check(works=due, at=at, world=world)


def read_updates(*, at: datetime, world: OpensWorld = retraction_world) -> dict[Provider, int]:
    """Reads what providers tell of changes since their last success, minus an overlap; new statements by provider.

    Page by page, each written before the next is asked. A failure moves nothing, is tried again from the first page
    (Crossref forgets its cursors after minutes), and is told in the feed's row.
    """
    return {name: _read_feed(name, at=at, world=world) for name in asyncio.run(_feeds_of(world))}


def _read_feed(name: Provider, *, at: datetime, world: OpensWorld) -> int:
    if not claim(name, every=_EVERY, held=_HELD, at=at):
        return 0
    feed = RetractionFeed.objects.get(provider=name)
    since = date.fromisoformat(feed.day) - OVERLAP if feed.day else at.date() - FIRST_LOOK_BACK
    new, cursor = 0, ""
    for _ in range(_MOST_PAGES):
        page = asyncio.run(_page_of(name, since.isoformat(), cursor, world))
        if isinstance(page, Unavailable):
            wait = max(_RETRY, timedelta(seconds=page.retry_after_s or 0))
            feed.problem, feed.retry_at, feed.held_until = page.reason[:300], at + wait, None
            feed.save()
            log.warning("%s did not tell what changed: %s", name.label, page.reason)
            return new
        new += retraction_records.record(assertions=[facts_of(one) for one in page.statements], at=at).new
        cursor = page.next_cursor
        if not cursor:
            break
    else:
        feed.problem = f"It tells of more changes since {since} than {_MOST_PAGES} pages hold; not all were read."
        feed.retry_at, feed.held_until = at + _RETRY, None
        feed.save()
        log.warning("%s: %s", name.label, feed.problem)
        return new
    feed.day, feed.succeeded_at, feed.problem = at.date().isoformat(), at, ""
    feed.retry_at = feed.held_until = None
    feed.save()
    return new


def _write(name: Provider, told: Told, came: Checked, *, at: datetime) -> None:
    done = retraction_records.record(assertions=[facts_of(one) for one in told.statements], at=at)
    work_versions.record(versions=[version_facts_of(one) for one in told.versions], at=at)
    open_ones = [*told.failed, *told.unknown]
    retraction_records.record_checks(identifiers=_pairs(told.answered), provider=name, outcome="answered", at=at)
    retraction_records.record_checks(identifiers=_pairs(open_ones), provider=name, outcome="failed", at=at)
    came.new_statements += done.new
    came.changed_sources += done.changed_sources
    tally = came.by_provider.setdefault(name, Tally())
    tally.answered += len(told.answered)
    tally.unknown += len(told.unknown)
    tally.failed += len(told.failed)
    for why in told.failed.values():
        tally.reason = why.reason


def _pairs(works: Collection[WorkId]) -> list[tuple[str, str]]:
    return [(work.type.value, work.value) for work in works]


async def _ask_all(
    works: Sequence[WorkId], world: OpensWorld, given_up: dict[Provider, Unavailable]
) -> tuple[dict[Provider, Told], set[WorkId], bool, Mapping[Provider, str]]:
    async with world() as there:
        askable = [work for work in works if there.is_askable(work)]
        told = await _ask_each(there.providers, askable, given_up)
        unregistered = await _unregistered(told.values(), there.handles)
        return told, unregistered, bool(there.tie_breakers), there.absent


async def _unregistered(told: Collection[Told], handles: HandleLookup | None) -> set[WorkId]:
    """Of the DOIs that nobody holds those that no agency has registered. An agency that is silent says nothing."""
    answered = frozenset().union(*(answer.answered for answer in told))
    held_nowhere = sorted(frozenset().union(*(answer.unknown for answer in told)) - answered)
    found = set()
    for work in held_nowhere:
        if handles is not None and work.type is IdentifierType.DOI:
            answer = await handles.lookup(work.value)
            if isinstance(answer, NotRegistered):
                found.add(work)
    return found


async def _ask_ties(
    works: Sequence[WorkId], world: OpensWorld, given_up: dict[Provider, Unavailable]
) -> dict[Provider, Told]:
    async with world() as there:
        return await _ask_each(there.tie_breakers, works, given_up)


async def _ask_each(
    providers: Sequence[RetractionProvider], works: Sequence[WorkId], given_up: dict[Provider, Unavailable]
) -> dict[Provider, Told]:
    """All providers at once, each in its own batches, what two of one name say together."""
    asked = [(one, [work for work in works if one.takes(work)]) for one in providers]
    asked = [(one, mine) for one, mine in asked if mine]
    answers = await asyncio.gather(*(_in_batches(one, mine, given_up) for one, mine in asked))
    by_name: dict[Provider, list[Told]] = {}
    for (one, _), answer in zip(asked, answers, strict=True):
        by_name.setdefault(one.name, []).append(answer)
    return {name: joined(parts) for name, parts in by_name.items()}


async def _in_batches(
    provider: RetractionProvider, works: Sequence[WorkId], given_up: dict[Provider, Unavailable]
) -> Told:
    """A provider of which a whole batch failed is left alone for the rest of this check."""
    parts: list[Told] = []
    for start in range(0, len(works), provider.at_once):
        batch = works[start : start + provider.at_once]
        if provider.name in given_up:
            parts.append(all_failed(batch, given_up[provider.name]))
            continue
        told = await provider.ask(batch)
        parts.append(told)
        if len(told.failed) == len(batch):
            given_up[provider.name] = next(iter(told.failed.values()))
    return joined(parts)


async def _absent_of(world: OpensWorld) -> Collection[Provider]:
    async with world() as there:
        return list(there.absent)


async def _feeds_of(world: OpensWorld) -> list[Provider]:
    async with world() as there:
        return [feed.name for feed in there.feeds]


async def _page_of(name: Provider, day: str, cursor: str, world: OpensWorld) -> UpdatesPage | Unavailable:
    async with world() as there:
        feed: UpdatesFeed = next(one for one in there.feeds if one.name == name)
        return await feed.since(day, cursor=cursor)
