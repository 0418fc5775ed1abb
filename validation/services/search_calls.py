"""Asks searches, whoever wants their answers: a harvest for its queries, a claim of a draft for its own.

One way for all: what was answered within the last days is not asked again, each question is asked once, none holds up
another, and whatever a provider does, each question comes back with hits or with the reason why not, in bounded time.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime

from validation.adapters.harvest_world import HarvestWorld
from validation.core import lookups
from validation.core.harvest_tools import Tool
from validation.core.ports import Domains, Hit, SearchAnswer, Unavailable, Work
from validation.core.providers import Account
from validation.models import LookupCache

OpenSearches = Callable[[], AbstractAsyncContextManager[HarvestWorld]]
HITS = 10

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """One question to one search, by a workspace with these accounts."""

    tool: Tool
    text: str
    domains: Domains
    accounts: tuple[Account, ...] = field(default=(), repr=False)

    @property
    def key(self) -> str:
        """Under which its answer is kept: what a workspace's own account is told stays with that account."""
        named = {Tool(one.provider.value): one.name for one in self.accounts}
        return lookups.search_key(self.tool, self.text, HITS, account=named.get(self.tool, ""), domains=self.domains)


def kept(keys: Collection[str], *, at: datetime) -> dict[str, tuple[Hit, ...]]:
    """What was answered under these keys within `core.lookups.TTL`. One query."""
    rows = LookupCache.objects.filter(key__in=set(keys), stored_at__gt=at - lookups.TTL)
    found: dict[str, tuple[Hit, ...]] = {}
    for key, text in rows.values_list("key", "answer"):
        answer = lookups.read(text)
        if isinstance(answer, tuple):
            found[key] = tuple(hit for hit in answer if not isinstance(hit, Work))
    return found


def keep(answers: Mapping[str, SearchAnswer], *, at: datetime) -> None:
    """Keeps what was answered; what could not be asked is not kept. Twice is safe."""
    good = {key: answer for key, answer in answers.items() if not isinstance(answer, Unavailable)}
    LookupCache.objects.bulk_create(
        [LookupCache(key=key, answer=lookups.written(good[key]), stored_at=at) for key in sorted(good)],
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["answer", "stored_at"],
    )


def asked(questions: Iterable[Question], open_searches: OpenSearches, *, patience_s: float) -> dict[str, SearchAnswer]:
    """The answers by key: each key is asked once, all at once, and who has not answered after `patience_s` (waiting for
    a turn at its host included) is told so. No transaction may be open, and no event loop may run."""
    once = {one.key: one for one in questions}
    return asyncio.run(_ask(once, open_searches, patience_s=patience_s)) if once else {}


def told(answer: Unavailable) -> str:
    """Why a search gave nothing, as a sentence."""
    return f"{answer.reason[:1].upper()}{answer.reason[1:]}."


async def _ask(
    once: Mapping[str, Question], open_searches: OpenSearches, *, patience_s: float
) -> dict[str, SearchAnswer]:
    async with open_searches() as world:
        answers = await asyncio.gather(
            *(_answer(one, world, patience_s=patience_s) for one in once.values()), return_exceptions=True
        )
    return {
        key: _or_fault(one.tool, answer, patience_s=patience_s)
        for (key, one), answer in zip(once.items(), answers, strict=True)
    }


async def _answer(one: Question, world: HarvestWorld, *, patience_s: float) -> SearchAnswer:
    search = world.searches(one.accounts).get(one.tool)
    if search is None:
        return Unavailable(one.tool.value, "it is not configured any more")
    async with asyncio.timeout(patience_s):
        return await search.search(one.text, limit=HITS, domains=one.domains)


def _or_fault(tool: Tool, answer: SearchAnswer | BaseException, *, patience_s: float) -> SearchAnswer:
    """The answer; a fault of ours in one adapter is told, and costs the others nothing."""
    match answer:
        case TimeoutError():
            return Unavailable(tool.value, f"it did not answer within {patience_s:g} s")
        case Exception():
            log.error("search %s failed", tool.value, exc_info=answer)
            return Unavailable(tool.value, "a fault of this desk; its log has more")
        case BaseException():
            raise answer
        case _:
            return answer
