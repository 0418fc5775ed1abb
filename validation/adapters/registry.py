"""Builds the outside world from the settings: who fetches, whom to ask about a DOI, where to search."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

from django.conf import settings

from provenance_site.kit.outbound import OutboundClient
from validation.adapters.clients import policy, provider
from validation.adapters.crossref import CrossrefRegistry, ToldPace
from validation.adapters.documents import PdfDocuments
from validation.adapters.doi import HandleApi
from validation.adapters.hostlimit import HostLimit, SharedLimit
from validation.adapters.lookups import CachedArchive, CachedRegistry, CachedSearch, MemoryLookups
from validation.adapters.openalex import OpenAlexRegistry
from validation.adapters.sample import SampleHandles, SampleRoutes
from validation.adapters.search.searxng import SearxngSearch
from validation.adapters.searches import OwnSearches, installed_searches
from validation.adapters.turns import shared_turns
from validation.adapters.wayback import WaybackArchive
from validation.adapters.web import WebFetcher
from validation.core.pacing import Manners
from validation.core.ports import Archive, Documents, Fetcher, HandleLookup, Registry, Search
from validation.core.providers import Account
from validation.core.seeking import is_askable
from validation.core.siblings import Sibling

# Without a key one is a guest: Crossref gave lists three times a second and told its guests to ask one by one (2026);
# the archive's doors are slow. The workers share that rate. Crossref's own word, once it has answered, goes before.
GUEST = Manners(at_once=1, interval_s=0.35)


def _none_own(accounts: tuple[Account, ...]) -> tuple[Search, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Outside:
    """The outside world of one event loop.

    `searches` are the configured providers in the order in which they are asked; empty where none is configured, which
    is a normal state. `handles` and `fetcher` send the sample publishers' DOIs to the sample's own agency unasked.
    `own_searches` gives the searches of a workspace's accounts; on the event loop only. `documents` opens PDF files;
    None leaves them unread. `lookups` holds what providers have answered, `siblings`, by directory, what a site shows
    at made-up addresses. `sample` says what the sample publishers hold, None where none is served.
    """

    fetcher: Fetcher
    handles: HandleLookup
    searches: tuple[Search, ...] = ()
    sample: SampleRoutes | None = None
    sample_searches: tuple[Search, ...] = ()
    registries: tuple[Registry, ...] = ()
    archive: Archive | None = None
    documents: Documents | None = None
    lookups: MemoryLookups = field(default_factory=MemoryLookups)
    siblings: dict[str, Sibling] = field(default_factory=dict, repr=False)
    own_searches: Callable[[tuple[Account, ...]], tuple[Search, ...]] = _none_own

    def with_accounts(self, accounts: tuple[Account, ...]) -> "Outside":
        """This world as a workspace with `accounts` sees it: its own searches first, in their order, then the
        configured ones of other providers. A provider that the workspace has brought itself is asked on its account
        alone. On the event loop only; all that is remembered stays shared.
        """
        if not accounts:
            return self
        own = self.own_searches(accounts)
        brought = {search.name for search in own}
        return replace(self, searches=(*own, *(one for one in self.searches if one.name not in brought)))

    def searches_for(self, address: str) -> tuple[Search, ...]:
        """The searches to ask about the work at `address` (a URL or a bare DOI): the sample's own engine for what the
        sample publishers hold, which no other knows; the configured ones for everything else.
        """
        if self._is_of_sample(address):
            return self.sample_searches
        return self.searches if is_askable(address) else ()

    def accounts_for(self, address: str, accounts: tuple[Account, ...]) -> tuple[Account, ...]:
        """Those of a workspace's `accounts` that may be asked about `address`: all or none. Any thread."""
        return accounts if is_askable(address) and not self._is_of_sample(address) else ()

    def registries_for(self, address: str) -> tuple[Registry, ...]:
        """The registries to ask about the work at `address`; none for the sample's and for what is inside a network."""
        return self.registries if is_askable(address) and not self._is_of_sample(address) else ()

    def archive_for(self, address: str) -> Archive | None:
        """The archive to ask about `address`; None for the sample's and for what lies inside a network."""
        return self.archive if is_askable(address) and not self._is_of_sample(address) else None

    def _is_of_sample(self, address: str) -> bool:
        return self.sample is not None and self.sample.holds(address)


@asynccontextmanager
async def outside(*, among_workers: bool = False) -> AsyncIterator[Outside]:
    """The outside world for as long as the block lasts; connections are reused in it and closed at its end.

    Sources are fetched under the guard without exemption but the sample's hosts. A provider that the operator has
    configured may lie on a private network, for the client that asks it and for no other. `among_workers` paces the
    fetches by the due times that all workers share.
    """
    sample = SampleRoutes(hosts=frozenset(settings.SAMPLE_HOSTS), port=settings.SAMPLE_PORT)
    async with AsyncExitStack() as stack:
        limit = HostLimit()
        if among_workers:
            limit = SharedLimit(shared_turns(), Manners().shared_by(settings.WORKER_SLOTS))
            stack.push_async_callback(limit.aclose)
        web = await stack.enter_async_context(OutboundClient(policy(loopback_hosts=sample.exempt), turns=limit))
        fetcher = WebFetcher(web, reroute=sample.reroute)
        stack.push_async_callback(fetcher.aclose)
        agency = provider(stack, settings.DOI_RESOLVER_URL)
        handles: HandleLookup = HandleApi(settings.DOI_RESOLVER_URL, agency)
        lookups = MemoryLookups()
        searches = tuple(CachedSearch(one, lookups) for one in installed_searches(stack))
        registries = tuple(CachedRegistry(one, lookups) for one in _registries(stack))
        archive = CachedArchive(_archive(stack), lookups) if settings.ARCHIVE else None
        documents = PdfDocuments()
        stack.push_async_callback(documents.aclose)
        world = Outside(
            fetcher=fetcher,
            handles=handles,
            searches=searches,
            registries=registries,
            archive=archive,
            documents=documents,
            lookups=lookups,
            own_searches=OwnSearches(stack, lookups),
        )
        if not sample.exempt:
            yield world
            return
        yield replace(
            world,
            handles=SampleHandles(routes=sample, of_sample=HandleApi(sample.agency_url, web), others=handles),
            sample=sample,
            sample_searches=(SearxngSearch(sample.search_url, web),),
        )


def _registries(stack: AsyncExitStack) -> list[Registry]:
    if not settings.SCHOLARLY:
        return []
    mailto = settings.CONTACT_EMAIL
    limit = HostLimit(as_a_guest())
    pace = ToldPace(limit, guest=GUEST, workers=settings.WORKER_SLOTS)
    crossref = provider(stack, settings.CROSSREF_URL, limit=limit)
    openalex = provider(stack, settings.OPENALEX_URL, limit=HostLimit(as_a_guest()))
    return [
        CrossrefRegistry(settings.CROSSREF_URL, crossref, mailto=mailto, pace=pace),
        OpenAlexRegistry(settings.OPENALEX_URL, openalex, mailto=mailto),
    ]


def _archive(stack: AsyncExitStack) -> Archive:
    client = provider(stack, settings.ARCHIVE_URL, settings.ARCHIVE_INDEX_URL, limit=HostLimit(as_a_guest()))
    return WaybackArchive(settings.ARCHIVE_URL, client, index_url=settings.ARCHIVE_INDEX_URL)


def as_a_guest() -> Manners:
    """The manners of one worker among all that ask as one guest."""
    return replace(GUEST, interval_s=GUEST.interval_s * max(1, settings.WORKER_SLOTS))
