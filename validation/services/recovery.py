"""Finds a work again whose address is dead or drifted: searched by its title, every candidate through the pipeline."""

from dataclasses import dataclass, field

from sources.core import urls
from sources.core.findings import Recovery, Signal, Verdict
from sources.core.records import Identity
from validation.adapters.registry import Outside
from validation.core.classify import Claimed, Judgement, classify
from validation.core.fetching import FetchResult, Page
from validation.core.ports import Hit, Unavailable

APPLIES_BY_ITSELF = 0.8
WORTH_PROPOSING = 0.6
_CANDIDATES = 5


@dataclass(slots=True)
class Found:
    """What a search for a lost work brought: the recovery that applies or None, the page it stands on, signals."""

    recovery: Recovery | None = None
    page: FetchResult | None = None
    judgement: Judgement | None = None
    signals: list[Signal] = field(default_factory=list)


async def recover(*, identity: Identity, claimed: Claimed, outside: Outside) -> Found:
    """Searches for the claimed title, first on the publisher's own domain, then by author.

    A candidate counts only when the same pipeline finds it accessible and its title agrees: 0.8 and above applies,
    0.6 to 0.8 is only told as a signal for a person (measured: a wrong sibling paper can reach 0.65).
    """
    found = Found()
    tried = {urls.identity_form(identity.request_url)}
    for query, matched_via in _queries(identity=identity, claimed=claimed):
        for search in outside.searches_for(identity.request_url):
            hits = await search.search(query, limit=_CANDIDATES)
            if isinstance(hits, Unavailable):
                found.signals.append(Signal("search-unavailable", f"{hits.provider}: {hits.reason}"))
                continue
            for hit in hits:
                if len(tried) > _CANDIDATES:
                    return found
                key = urls.identity_form(hit.url)
                if not key or key in tried:
                    continue
                tried.add(key)
                if await _fits(
                    hit, query=query, matched_via=matched_via, claimed=claimed, outside=outside, found=found
                ):
                    return found
    return found


def _queries(*, identity: Identity, claimed: Claimed) -> list[tuple[str, str]]:
    title = claimed.title.replace('"', " ")
    queries = []
    if identity.host:
        queries.append((f'"{title}" site:{identity.host}', "title on the publisher's site"))
    if claimed.author:
        queries.append((f'"{title}" "{claimed.author}"', "title and author"))
    return queries


async def _fits(hit: Hit, *, query: str, matched_via: str, claimed: Claimed, outside: Outside, found: Found) -> bool:
    page = await outside.fetcher.fetch(hit.url)
    judgement = classify(page, claimed)
    similarity = judgement.similarity or 0.0
    alive = judgement.verdict is Verdict.VERIFIED_ACCESSIBLE and isinstance(page, Page)
    told = f"{hit.url} — {judgement.title_found or hit.title} (similarity {similarity:.2f}, {judgement.verdict})"
    if not alive or similarity < WORTH_PROPOSING:
        found.signals.append(Signal("candidate-refused", told))
        return False
    if similarity < APPLIES_BY_ITSELF:
        found.signals.append(Signal("candidate-proposed", told))
        return False
    found.recovery = Recovery(
        recovered_url=page.final_url if isinstance(page, Page) else hit.url,
        recovered_title=judgement.title_found,
        matched_via=matched_via,
        query=query,
        provider=hit.provider,
        similarity=similarity,
    )
    found.page, found.judgement = page, judgement
    return True
