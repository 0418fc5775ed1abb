"""A second witness for pages behind a wall: proof from elsewhere that this very page exists.

A wall proves neither life nor death: a fabricated path on a reputable domain answers 403 too. Witnesses are asked in
this order, and the first one ends the search: the record of a DOI or handle, a registry's record of a work of this
title at this very address, a search hit with both, an archive's copy whose own status was 2xx, a verdict of ours from
when the page could be read.
"""

from dataclasses import dataclass, field

from sources.core import urls
from sources.core.findings import Signal
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.similarity import title_similarity
from validation.adapters.registry import Outside
from validation.core import seeking
from validation.core.classify import Claimed
from validation.core.ports import Capture, Registered, Unavailable, Work
from validation.core.retraction_words import bare_title

SAME_TITLE = 0.8
# A record below this names another work: the DOI is real, and cited for what it is not.
_OTHER_TITLE = 0.6
LIMIT = 5


@dataclass(frozen=True, slots=True)
class Witness:
    """Who says that the page exists. `is_record` is true for a record of the work, which stands without a publisher's
    good name."""

    signal: Signal
    is_record: bool


@dataclass(slots=True)
class Hearing:
    """The witness found, None without one; `signals` tell who was asked and could not answer, or spoke against it.

    `other_title` is the title under which the cited DOI is registered, '' unless it is another work's.
    """

    witness: Witness | None = None
    other_title: str = ""
    signals: list[Signal] = field(default_factory=list)


async def find(*, identity: Identity, claimed: Claimed, outside: Outside, verified_before: bool = False) -> Hearing:
    """The first witness for this address. `verified_before`: a check of ours has read the page at some time."""
    hearing = Hearing()
    hearing.witness = await _record(identity, claimed, outside, hearing)
    if hearing.other_title:
        return hearing  # whatever else is found at this address, the DOI was cited for what it is not
    hearing.witness = (
        hearing.witness
        or await _search_hit(identity, claimed, outside, hearing)
        or await _capture(identity, outside, hearing)
        or (
            Witness(Signal("witness-earlier-verdict", "an earlier check could read the page"), is_record=False)
            if verified_before
            else None
        )
    )
    return hearing


async def _record(identity: Identity, claimed: Claimed, outside: Outside, hearing: Hearing) -> Witness | None:
    handle = _handle_of(identity)
    if not handle:
        return await _landing_page(identity, claimed, outside, hearing)
    answer = await outside.handles.lookup(handle)
    if not isinstance(answer, Registered):
        if isinstance(answer, Unavailable):
            hearing.signals.append(_unavailable(answer))
        return None
    if identity.type is IdentifierType.DOI and claimed.title:
        for registry in outside.registries_for(identity.request_url):
            work = await registry.by_doi(identity.value)
            if isinstance(work, Unavailable):
                hearing.signals.append(_unavailable(work))
            if not isinstance(work, Work) or not work.title:
                continue
            # Publishers put «RETRACTED:» in front of a title; it is the same work's.
            if title_similarity(bare_title(claimed.title), bare_title(work.title)) < _OTHER_TITLE:
                hearing.other_title = work.title
                hearing.signals.append(Signal("record-of-another-work", f"{registry.name}: {work.title}"))
                return None
            break
    return Witness(Signal("witness-doi-record", f"{answer.doi} is registered and leads to {answer.url}"), True)


async def _landing_page(identity: Identity, claimed: Claimed, outside: Outside, hearing: Hearing) -> Witness | None:
    """A registry's record that leads to this very address and bears this title."""
    if not seeking.is_scholarly(identity, claimed):
        return None
    wanted = urls.identity_form(identity.request_url)
    author = seeking.first_author(claimed.author)
    for registry in outside.registries_for(identity.request_url):
        works = await registry.by_title(claimed.title, author=author, limit=LIMIT)
        if isinstance(works, Unavailable):
            hearing.signals.append(_unavailable(works))
            continue
        for work in works:
            here = urls.identity_form(work.landing_url) == wanted if work.landing_url else False
            if here and title_similarity(claimed.title, work.title) >= SAME_TITLE:
                return Witness(Signal("witness-registry-record", f"{registry.name} records {work.title!r} here"), True)
    return None


async def _search_hit(identity: Identity, claimed: Claimed, outside: Outside, hearing: Hearing) -> Witness | None:
    if not claimed.title:
        return None
    wanted = urls.identity_form(identity.request_url)
    for search in outside.searches_for(identity.request_url):
        hits = await search.search(seeking.witness_query(claimed.title), limit=LIMIT)
        if isinstance(hits, Unavailable):
            hearing.signals.append(_unavailable(hits))
            continue
        for hit in hits:
            if urls.identity_form(hit.url) == wanted and title_similarity(claimed.title, hit.title) >= SAME_TITLE:
                told = f"{search.name} lists {hit.title!r} at this address"
                return Witness(Signal("witness-search-hit", told), False)
    return None


async def _capture(identity: Identity, outside: Outside, hearing: Hearing) -> Witness | None:
    copy = await captured(identity.request_url, outside)
    if isinstance(copy, Unavailable):
        hearing.signals.append(_unavailable(copy))
    if not isinstance(copy, Capture):
        return None
    told = f"{copy.provider} holds a copy of {copy.at:%Y-%m-%d} with status {copy.status}: {copy.archived_url}"
    return Witness(Signal("witness-archive-capture", told), False)


async def captured(url: str, outside: Outside) -> Capture | Unavailable | None:
    """The newest archived copy of exactly this address; None where there is none or nobody may be asked about it."""
    archive = outside.archive_for(url)
    if archive is None:
        return None
    answer = await archive.newest(url)
    if isinstance(answer, Capture):
        # An archive may answer with a copy of a near address, which says nothing of this one.
        return answer if urls.identity_form(answer.original_url) == urls.identity_form(url) else None
    return answer if isinstance(answer, Unavailable) else None


def _handle_of(identity: Identity) -> str:
    """The handle under which the work is registered, '' where its identifier is none."""
    match identity.type:
        case IdentifierType.DOI | IdentifierType.HANDLE:
            return identity.value
        case IdentifierType.ARXIV:
            return f"10.48550/arxiv.{identity.value}"
        case _:
            return ""


def _unavailable(answer: Unavailable) -> Signal:
    return Signal("witness-unavailable", f"{answer.provider}: {answer.reason}")
