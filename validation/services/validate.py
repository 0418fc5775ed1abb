"""The validator: one source in, one finding out. The same code serves the worker, the command line and the API.

Order: a fabricated pattern in the address (no request), one GET, the pure classification of the answer, a witness for
walls, a search for what is gone. Nothing here touches the database.
"""

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from sources.core import identifiers
from sources.core.findings import Cause, Evidence, Finding, Signal, Verdict
from sources.core.freshness import DEAD
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from validation.adapters.registry import Outside, outside
from validation.core import patterns, stored
from validation.core.classify import RULES_VERSION, Claimed, Judgement, Kept, classify
from validation.core.fetching import Failure, FetchResult, Page
from validation.core.own_entries import NO_OWN_RULES, OwnRules, with_own_publishers
from validation.core.ports import NotRegistered, Unavailable
from validation.core.providers import Account
from validation.core.publishers import gated_publisher
from validation.core.sniffing import is_pdf
from validation.services import reading, recovery, sibling, spellings, witness

# A net under all else: one source may need a fetch, a witness and five candidates, each of which waits for its turn at
# a host that others ask too. Every single fetch has a deadline of its own, which counts no waiting.
SOURCE_DEADLINE_S = 300
IN_FLIGHT = 24

Clock = Callable[[], datetime]
Reached = tuple[Verdict, Cause, Evidence]


def utc_now() -> datetime:
    """The clock of the door functions below; workers and tests bring their own."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be checked: the identity, what the citation claims of it, and what its workspace adds to the rules.

    `verified_before`: an earlier check has read the page, which is a witness when a wall stands before it now.
    `other_urls`: other spellings of the address that were cited; tried before the page is called dead. `accounts` are
    the searches that its workspace brings.
    """

    identity: Identity
    claimed: Claimed
    rules: OwnRules = NO_OWN_RULES
    verified_before: bool = False
    other_urls: tuple[str, ...] = ()
    accounts: tuple[Account, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """The answer of `validate`: the address as understood, the verdict with its cause, and the evidence."""

    url: str
    identity: Identity
    finding: Finding

    @property
    def verdict(self) -> Verdict:
        """One of ten."""
        return self.finding.verdict

    @property
    def cause(self) -> Cause:
        """The finer reason."""
        return self.finding.cause

    @property
    def evidence(self) -> Evidence:
        """What was seen."""
        return self.finding.evidence


def validate(
    url: str,
    *,
    claimed_title: str | None = None,
    publisher: str | None = None,
    author: str | None = None,
    published_date: str | None = None,
) -> ValidationResult:
    """Checks one URL or identifier against the world and says what it is worth as a source.

    Needs configured settings but no database and no worker. Raises `UnusableUrl` or `BadIdentifier` (both ValueError)
    where `url` is neither; whatever the network does comes back as a verdict.
    """
    claimed = Claimed(
        title=claimed_title or "", publisher=publisher or "", author=author or "", published_date=published_date or ""
    )
    target = Target(identity=identifiers.identify(url), claimed=claimed)
    return ValidationResult(url=url, identity=target.identity, finding=validate_all([target])[0])


def validate_all(targets: Sequence[Target], *, clock: Clock = utc_now) -> list[Finding]:
    """Checks many targets at once, politely, and gives the findings in the order of the targets."""
    found = dict(validate_each(targets, clock=clock))
    return [found[index] for index in range(len(targets))]


def validate_each(targets: Sequence[Target], *, clock: Clock = utc_now) -> Iterator[tuple[int, Finding]]:
    """Checks many targets at once and gives each finding with its target's index as soon as it is there.

    At most `IN_FLIGHT` are under way; the network is let go when the iterator is closed.
    """
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        world = runner.run(stack.enter_async_context(outside()))
        try:
            waiting = deque(enumerate(targets))
            flight: dict[asyncio.Task[Finding], int] = {}
            while waiting or flight:
                runner.run(_take_off(flight, waiting, world, clock=clock))
                yield from runner.run(_landed(flight))
        finally:
            runner.run(stack.aclose())


async def _take_off(
    flight: dict[asyncio.Task[Finding], int], waiting: deque[tuple[int, Target]], world: Outside, *, clock: Clock
) -> None:
    while waiting and len(flight) < IN_FLIGHT:
        index, target = waiting.popleft()
        flight[asyncio.create_task(examine(target, world, clock=clock))] = index


async def _landed(flight: dict[asyncio.Task[Finding], int]) -> list[tuple[int, Finding]]:
    done, _ = await asyncio.wait(flight, return_when=asyncio.FIRST_COMPLETED)
    return [(flight.pop(task), task.result()) for task in done]


async def examine(target: Target, world: Outside, *, clock: Clock) -> Finding:
    """The finding for one target, dated by `clock` when it was reached.

    Never raises for what a network does, and ends within `SOURCE_DEADLINE_S`.
    """
    verdict, cause, evidence = await _examine(target, world, at=clock())
    return Finding(verdict=verdict, cause=cause, at=clock(), rules_version=RULES_VERSION, evidence=evidence)


async def _examine(target: Target, world: Outside, *, at: datetime) -> Reached:
    if not target.identity.request_url:
        return _failed(target, Cause.NO_ADDRESS)
    match = patterns.match(target.identity.request_url, target.identity.type, extra=target.rules.patterns, at=at)
    if match is not None:
        evidence = Evidence(
            requested_url=target.identity.request_url,
            snippet=match.text,
            signals=(Signal(f"pattern-{match.name}", match.text),),
            detail=match.text,
        )
        return Verdict.HALLUCINATED_PATTERN, match.cause, evidence
    try:
        async with asyncio.timeout(SOURCE_DEADLINE_S):
            return await _ask(target, world.with_accounts(target.accounts))
    except TimeoutError:
        return _failed(target, Cause.DEADLINE)


async def _ask(target: Target, world: Outside) -> Reached:
    result = await world.fetcher.fetch(target.identity.request_url)
    judge = partial(_judged, target=target, world=world)
    judgement = await judge(result, target.claimed)
    judgement = await _with_witness(target, result, judgement, world)
    judgement = await _with_registration(target, judgement, world)
    if judgement.verdict in DEAD and judgement.cause is not Cause.DOI_NOT_REGISTERED:
        alive = await spellings.alive_elsewhere(
            target.other_urls, dead=judgement, claimed=target.claimed, world=world, judge=judge
        )
        result, judgement = alive or (result, judgement)
    if not judgement.verdict.wants_recovery:
        return judgement.verdict, judgement.cause, _evidence(result, judgement)
    found = await recovery.recover(
        identity=target.identity,
        claimed=target.claimed,
        outside=world,
        judge=judge,
        own_publishers=target.rules.publishers,
    )
    judgement = replace(judgement, signals=(*judgement.signals, *found.signals))
    if found.recovery and found.page and found.judgement:
        seen = _evidence(found.page, found.judgement)
        evidence = replace(
            seen,
            requested_url=target.identity.request_url,
            signals=(*judgement.signals, Signal("original-was", f"{judgement.verdict}, {judgement.cause}")),
            detail=found.recovery.recovered_url,
            recovery=found.recovery,
        )
        return Verdict.VERIFIED_VIA_REPUBLISH, Cause.RECOVERED_BY_SEARCH, evidence
    seen = _evidence(result, judgement)
    evidence = replace(seen, proposals=found.proposals, unsearched=found.unsearched)
    if judgement.verdict in DEAD:
        evidence = await _with_copy(target, evidence, world)
    return judgement.verdict, judgement.cause, evidence


async def _judged(result: FetchResult, claimed: Claimed, *, target: Target, world: Outside) -> Judgement:
    """The pipeline of every page, the cited one and those found in its place."""
    if isinstance(result, Page) and world.documents and 200 <= result.status < 300 and is_pdf(result.body):
        result = replace(result, document=await world.documents.read(result.body, is_cut=result.truncated))
    reached = (result.final_url,) if isinstance(result, Page) else ()
    judgement = await reading.read(partial(_read_whole, result, claimed), size=len(result.body))
    judgement = await sibling.seen_through(result, judgement, world)
    return with_own_publishers(judgement, (*reached, result.requested_url), target.rules.publishers)


def _read_whole(result: FetchResult, claimed: Claimed) -> Judgement:
    """The judgement with what is kept of the page, so that a page is handed over only once."""
    judgement = classify(result, claimed)
    has_content = isinstance(result, Page) and result.body and 200 <= result.status < 300
    sha256 = hashlib.sha256(result.body).hexdigest() if has_content else ""
    return replace(judgement, kept=Kept(sha256, stored.written(judgement.read) if judgement.read else ""))


async def _with_copy(target: Target, evidence: Evidence, world: Outside) -> Evidence:
    """The newest archived copy beside a dead page: something to read, no proof that the work stands anywhere now."""
    copy = await witness.captured(target.identity.request_url, world)
    if isinstance(copy, Unavailable):
        signal = Signal("archive-unavailable", f"{copy.provider}: {copy.reason}")
        return replace(evidence, signals=(*evidence.signals, signal))
    return replace(evidence, archived_url=copy.archived_url) if copy else evidence


async def _with_witness(target: Target, result: FetchResult, judgement: Judgement, world: Outside) -> Judgement:
    """A wall becomes verified-gated when a witness stands and the publisher is known, or the witness is a record."""
    if not (judgement.cause.is_wall or judgement.verdict is Verdict.PAYWALL_STUB):
        return judgement
    # A DOI or short link leads to its publisher: the wall that answered is the one to know.
    reached = result.final_url if isinstance(result, Page) else ""
    own = target.rules.publishers
    publisher = gated_publisher(target.identity.request_url, own) or gated_publisher(reached, own)
    own_title = judgement.similarity is not None and judgement.similarity >= witness.SAME_TITLE
    if publisher and judgement.cause is Cause.PAY_WALL and own_title:
        hearing = witness.Hearing(witness.Witness(Signal("witness-own-title", judgement.title_found), False))
    else:
        hearing = await witness.find(
            identity=target.identity,
            claimed=target.claimed,
            outside=world,
            verified_before=target.verified_before,
        )
    seen = hearing.witness
    if hearing.other_title:
        # The dominant fabrication: a real DOI, cited for a work that it does not name. A person decides.
        return replace(
            judgement,
            verdict=Verdict.TITLE_SWAPPED,
            cause=Cause.OTHER_TITLE,
            title_found=hearing.other_title,
            signals=(*judgement.signals, *hearing.signals),
        )
    if seen is None:
        return replace(judgement, signals=(*judgement.signals, *hearing.signals, Signal("no-witness")))
    hint: tuple[Signal, ...] = ()
    if publisher and publisher.hints_at(target.identity.request_url):
        hint = (Signal("path-of-gated-works", publisher.name),)
    signals = (*judgement.signals, *hint, *hearing.signals, seen.signal)
    if not (publisher or seen.is_record):
        return replace(judgement, signals=signals)
    note = publisher.access_note if publisher else f"{judgement.cause.explanation}; the work is registered"
    return replace(judgement, verdict=Verdict.VERIFIED_GATED, signals=signals, access_note=note)


async def _with_registration(target: Target, judgement: Judgement, world: Outside) -> Judgement:
    """A dead DOI link is told apart: not registered at all, or registered with a landing page that is gone."""
    if target.identity.type is not IdentifierType.DOI or judgement.verdict is not Verdict.HARD_404:
        return judgement
    answer = await world.handles.lookup(target.identity.value)
    if isinstance(answer, NotRegistered):
        signal = Signal("doi-not-registered", answer.doi)
        return replace(judgement, cause=Cause.DOI_NOT_REGISTERED, signals=(*judgement.signals, signal))
    return judgement


def _evidence(result: FetchResult, judgement: Judgement) -> Evidence:
    return Evidence(
        requested_url=result.requested_url,
        final_url=result.final_url if isinstance(result, Page) else "",
        status=result.status if isinstance(result, Page) else None,
        hops=result.hops,
        media_type=judgement.media_type,
        title_found=judgement.title_found,
        similarity=judgement.similarity,
        snippet=judgement.snippet,
        signals=judgement.signals,
        sha256=judgement.kept.sha256 if judgement.kept else "",
        byte_count=len(result.body),
        word_count=judgement.word_count,
        elapsed_ms=result.elapsed_ms,
        access_note=judgement.access_note,
        detail=judgement.detail or (result.detail if isinstance(result, Failure) else ""),
        retry_after_s=result.retry_after_s,
        reading=judgement.kept.reading if judgement.kept else "",
    )


def _failed(target: Target, cause: Cause) -> Reached:
    return Verdict.FETCH_FAILED, cause, Evidence(requested_url=target.identity.request_url)
