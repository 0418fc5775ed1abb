"""Finds a work again whose address is dead or drifted: searched by its title, every candidate through the pipeline."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from sources.core import urls
from sources.core.findings import Recovery, Signal, Verdict
from sources.core.records import Identity
from sources.core.similarity import content_words, fold, title_similarity
from validation.adapters.registry import Outside
from validation.core import seeking
from validation.core.classify import Claimed, Judgement
from validation.core.fetching import FetchResult, Page
from validation.core.ports import Unavailable
from validation.core.publishers import Publisher, gated_publisher

APPLIES_BY_ITSELF = 0.8
WORTH_PROPOSING = 0.6
LIMIT = 5
_CANDIDATES = 5
# Below this a whole title of three words or more is another work's: no request is spent on it.
_HOPELESS = 0.3
_SHORT_TITLE = 4  # content words; shorter ones are shared by many works, so a second field has to agree
_READ_FOR_NAMES = 200_000
_CUT_OFF = ("…", "...")

Judge = Callable[[FetchResult, Claimed], Awaitable[Judgement]]


@dataclass(slots=True)
class Found:
    """What a search for a lost work brought: the recovery that applies or None, and the page it stands on.

    `proposals` are those that only a person can take, likest first. `unsearched`: no web search is configured.
    """

    recovery: Recovery | None = None
    page: FetchResult | None = None
    judgement: Judgement | None = None
    proposals: tuple[Recovery, ...] = ()
    signals: list[Signal] = field(default_factory=list)
    unsearched: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An address that somebody named. `is_record` is true for a registry's, whose word is a record of the work."""

    url: str
    title: str
    provider: str
    query: str
    matched_via: str
    is_record: bool = False
    credits: str = ""


async def recover(
    *,
    identity: Identity,
    claimed: Claimed,
    outside: Outside,
    judge: Judge,
    own_publishers: Sequence[Publisher] = (),
) -> Found:
    """Searches for the claimed title: on the publisher's own domain, by author, then in registries of works.

    Asks nothing where no title is held, or neither publisher, author nor date. At most five candidates are fetched and
    judged by `judge`, the pipeline of every source. A similarity of 0.8 and above applies; 0.6 to 0.8 is proposed to a
    person (measured: a wrong sibling paper can reach 0.65), and so is a title of fewer than four telling words that
    nothing else confirms. `own_publishers` are the workspace's, known beside the built-in ones.
    """
    found = Found()
    if not seeking.holds_enough(identity, claimed):
        return found
    tried = {urls.identity_form(identity.request_url)}
    fetched = 0
    async for candidate in _candidates(identity=identity, claimed=claimed, outside=outside, found=found):
        key = urls.identity_form(candidate.url)
        if not key or key in tried:
            continue
        tried.add(key)
        if reason := _hopeless(candidate, claimed):
            found.signals.append(Signal("candidate-refused", f"{candidate.url} — {candidate.title} ({reason})"))
            continue
        if fetched == _CANDIDATES:
            break
        fetched += 1
        page = await outside.fetcher.fetch(candidate.url)
        judgement = _as_gated(candidate, page, await judge(page, claimed), claimed, own_publishers)
        if _weigh(candidate, page, judgement, identity=identity, claimed=claimed, found=found):
            break
    return found


async def _candidates(
    *, identity: Identity, claimed: Claimed, outside: Outside, found: Found
) -> AsyncIterator[_Candidate]:
    """Who is asked next is asked only when the one before has named nothing that fits."""
    address = identity.request_url
    searches = outside.searches_for(address)
    if not searches:
        found.unsearched = not outside.searches
        reason = "no search engine is configured" if found.unsearched else "its address lies inside a network"
        found.signals.append(Signal("no-search", reason))
    for query in seeking.queries_for(identity, claimed):
        for search in searches:
            hits = await search.search(query.text, limit=LIMIT)
            if isinstance(hits, Unavailable):
                found.signals.append(_unavailable(hits))
                continue
            for hit in hits:
                yield _Candidate(hit.url, hit.title, hit.provider, query.text, query.matched_via)
    if not seeking.is_scholarly(identity, claimed):
        return
    author = seeking.first_author(claimed.author)
    for registry in outside.registries_for(address):
        works = await registry.by_title(claimed.title, author=author, limit=LIMIT)
        if isinstance(works, Unavailable):
            found.signals.append(_unavailable(works))
            continue
        for work in works:
            if work.doi:
                yield _Candidate(
                    url=f"https://doi.org/{work.doi}",
                    title=work.title,
                    provider=work.provider,
                    query=f"{claimed.title} {author}".strip(),
                    matched_via="title in a registry of works",
                    is_record=True,
                    credits=" ".join((*work.authors, str(work.year or ""))),
                )


def _unavailable(answer: Unavailable) -> Signal:
    return Signal("search-unavailable", f"{answer.provider}: {answer.reason}")


def _hopeless(candidate: _Candidate, claimed: Claimed) -> str:
    """Why no request is spent on a candidate; '' where it is worth one."""
    if seeking.is_archive(candidate.url):
        return "an archive's copy is no republication"
    title = candidate.title.strip()
    if title.endswith(_CUT_OFF) or content_words(title) < 3:
        return ""
    similarity = title_similarity(claimed.title, title)
    least = WORTH_PROPOSING if candidate.is_record else _HOPELESS
    return f"similarity {similarity:.2f}, not fetched" if similarity < least else ""


def _as_gated(
    candidate: _Candidate,
    page: FetchResult,
    judgement: Judgement,
    claimed: Claimed,
    own_publishers: Sequence[Publisher],
) -> Judgement:
    """A wall before the candidate: whoever named this address under this title is its witness (see `witness`)."""
    if not judgement.cause.is_wall:
        return judgement
    reached = page.final_url if isinstance(page, Page) else candidate.url
    publisher = gated_publisher(candidate.url, own_publishers) or gated_publisher(reached, own_publishers)
    similarity = title_similarity(claimed.title, candidate.title)
    if similarity < APPLIES_BY_ITSELF or not (candidate.is_record or publisher):
        return judgement
    note = publisher.access_note if publisher else f"{judgement.cause.explanation}; the work is registered"
    return replace(
        judgement,
        verdict=Verdict.VERIFIED_GATED,
        title_found=candidate.title,
        similarity=similarity,
        access_note=note,
    )


def _weigh(
    candidate: _Candidate,
    page: FetchResult,
    judgement: Judgement,
    *,
    identity: Identity,
    claimed: Claimed,
    found: Found,
) -> bool:
    """Takes the candidate, proposes it or refuses it; True where the search is over."""
    title = judgement.title_found or candidate.title
    similarity = judgement.similarity
    if similarity is None:  # a page without a title: the hit's title is somebody else's word, so a person looks at it
        similarity = min(title_similarity(claimed.title, candidate.title), APPLIES_BY_ITSELF - 0.01)
    reached = page.final_url if isinstance(page, Page) else ""
    alive = judgement.verdict.is_verified and isinstance(page, Page) and not seeking.is_archive(reached)
    told = f"{candidate.url} — {title} (similarity {similarity:.2f}, {judgement.verdict})"
    if not alive or similarity < WORTH_PROPOSING:
        found.signals.append(Signal("candidate-refused", told))
        return False
    recovery = Recovery(
        # A DOI outlives the page that it leads to today.
        recovered_url=candidate.url if candidate.is_record else reached,
        recovered_title=title,
        matched_via=candidate.matched_via,
        query=candidate.query,
        provider=candidate.provider,
        similarity=similarity,
    )
    # Behind a wall nobody has read the page: a record of the work is enough, a search engine's word is for a person.
    seen = judgement.verdict is Verdict.VERIFIED_ACCESSIBLE or candidate.is_record
    same = similarity >= APPLIES_BY_ITSELF and _confirmed(candidate, page, identity=identity, claimed=claimed)
    certain = seen and same
    if not certain:
        found.signals.append(Signal("candidate-proposed", told))
        found.proposals = tuple(sorted((*found.proposals, recovery), key=lambda one: -one.similarity))
        return False
    found.recovery, found.page, found.judgement = recovery, page, judgement
    found.proposals, found.unsearched = (), False
    return True


def _confirmed(candidate: _Candidate, page: FetchResult, *, identity: Identity, claimed: Claimed) -> bool:
    """True where the title is telling enough by itself, or the publisher, an author or the year agrees as well."""
    if content_words(claimed.title) >= _SHORT_TITLE:
        return True
    if identity.host and _same_site(identity.host, candidate.url):
        return True
    body = page.body[:_READ_FOR_NAMES].decode("utf-8", "ignore") if isinstance(page, Page) else ""
    words = set(fold(f"{candidate.credits} {body}").split())
    author = fold(seeking.first_author(claimed.author)).split()
    publisher = fold(claimed.publisher).split()
    year = seeking.year_in(claimed.published_date)
    return any(named and set(named) <= words for named in (author, publisher, [year] if year else []))


def _same_site(host: str, url: str) -> bool:
    other = url.partition("://")[2].partition("/")[0].partition(":")[0].lower().removeprefix("www.")
    return other == host or other.endswith(f".{host}") or host.endswith(f".{other}")
