"""A second witness for pages behind a wall: proof from elsewhere that this very page exists.

A wall proves neither life nor death: a fabricated path on a reputable domain answers 403 too.
"""

from dataclasses import dataclass

from sources.core import urls
from sources.core.findings import Signal
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.similarity import title_similarity
from validation.adapters.registry import Outside
from validation.core.ports import Registered, Unavailable

SAME_TITLE = 0.8
_LIMIT = 5


@dataclass(frozen=True, slots=True)
class Witness:
    """Who says that the page exists. `is_record` is true for a DOI agency, whose word stands without a publisher's."""

    signal: Signal
    is_record: bool


async def find(*, identity: Identity, title: str, outside: Outside) -> Witness | None:
    """The first witness found: the DOI agency's record, else a search hit with this address and this title."""
    if identity.type is IdentifierType.DOI:
        answer = await outside.handles.lookup(identity.value)
        if isinstance(answer, Registered):
            return Witness(Signal("witness-doi-record", f"{answer.doi} is registered and leads to {answer.url}"), True)
    if not title:
        return None
    wanted = urls.identity_form(identity.request_url)
    for search in outside.searches_for(identity.request_url):
        hits = await search.search(f'"{title}"', limit=_LIMIT)
        if isinstance(hits, Unavailable):
            continue
        for hit in hits:
            if urls.identity_form(hit.url) == wanted and title_similarity(title, hit.title) >= SAME_TITLE:
                return Witness(
                    Signal("witness-search-hit", f"{search.name} lists {hit.title!r} at this address"), False
                )
    return None
