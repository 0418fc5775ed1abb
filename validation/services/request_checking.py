"""Checks what was found for a claim by the validator of every source, and seeks the passages that carry it."""

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sources.core.citations import best_passage
from sources.core.credentials import without_credentials
from sources.core.findings import Finding
from validation.adapters.registry import Outside
from validation.core import stored
from validation.core.classify import Claimed
from validation.core.imprint import Imprint, imprint
from validation.core.own_entries import OwnRules
from validation.core.ports import Hit
from validation.models import HarvestRequest, RequestCandidate
from validation.services.flight import OpenWorld
from validation.services.harvest_witnesses import Listed
from validation.services.remembering import Remembering, remembering
from validation.services.request_asking import FROM_THE_DRAFT, Found, Searched
from validation.services.validate import Clock, Target, examine

_CHECKS_S = 60
_AROUND = 800  # characters of the page on either side of the passage that the corpus keeps
# What no database stores in a text: NUL, and halves of surrogate pairs that JSON lets through.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found there, and the text of the page."""

    found: Found
    finding: Finding
    text: str


async def checked(
    searched: Searched, rules: OwnRules, claimed: Mapping[str, Claimed], *, clock: Clock, open_world: OpenWorld
) -> tuple[list[Judged], list[str], dict[str, str]]:
    """What the validator says of what was found, in its order, within a minute; what to tell of those that it did not
    get to; and what providers answered meanwhile. `claimed` is what the registry says of those it knows, by key."""
    if not searched.found:
        return [], [], {}
    async with open_world() as opened:
        # Who has not answered a moment ago would keep each page waiting in turn.
        registries = tuple(one for one in opened.registries if one.name not in searched.failed)
        world, fetched = remembering(replace(opened, registries=registries))
        checks = [
            asyncio.create_task(
                _judged(one, _as_listed(one.hit, world), fetched, rules, claimed.get(one.identity.key), clock=clock)
            )
            for one in searched.found
        ]
        _, late = await asyncio.wait(checks, timeout=_CHECKS_S)
        for check in late:
            check.cancel()
        ends = await asyncio.gather(*checks, return_exceptions=True)
        judged = [one for one in ends if isinstance(one, Judged)]
        faults = [one for one in ends if isinstance(one, Exception)]
        for fault in faults:
            log.error("check of a candidate failed", exc_info=fault)
        told = [f"Not checked within {_CHECKS_S} s: {len(late)} of what was found. Search again."] if late else []
        told += [f"Not checked by a fault of this desk: {len(faults)}; its log has more."] if faults else []
        return judged, told, opened.lookups.take_new()


async def _judged(
    one: Found, world: Outside, fetched: Remembering, rules: OwnRules, claimed: Claimed | None, *, clock: Clock
) -> Judged:
    target = Target(identity=one.identity, claimed=claimed or Claimed(title=one.hit.title), rules=rules)
    finding = await examine(target, world, clock=clock)
    return Judged(one, finding, await fetched.text_of(finding))


def _as_listed(hit: Hit, world: Outside) -> Outside:
    """The world in which the search that listed a candidate is asked about it and no other: no call is paid for twice.

    A link of the draft was listed by nobody.
    """
    listed = () if hit.provider == FROM_THE_DRAFT else (Listed(hit.provider, (hit,)),)
    return replace(world, searches=listed)


def row_of(request: HarvestRequest, one: Judged) -> RequestCandidate:
    """The candidate as it is kept, with the passage of the whole page that fits the claim best."""
    hit, finding = one.found.hit, one.finding
    page = stored.page_of(finding.evidence.reading)
    told = imprint(Imprint(hit.publisher, hit.published), page, tool=hit.provider, verdict=finding.verdict)
    text = _kept(one.text)
    passage = best_passage(text, claim=request.claim) if text and request.claim else None
    around = text[max(0, passage.start - _AROUND) : passage.end + _AROUND] if passage and passage.text else ""
    return RequestCandidate(
        request=request,
        key=one.found.identity.key,
        url=one.found.identity.request_url,
        title=" ".join(_kept(hit.title or finding.evidence.title_found).split()),
        tool=hit.provider[:50],
        query=one.found.query,
        rank=one.found.rank,
        snippet=_kept(hit.snippet),
        publisher=_kept(told.publisher)[:300],
        published=_kept(told.published)[:40],
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
