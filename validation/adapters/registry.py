"""Builds the outside world from the settings: who fetches, whom to ask about a DOI, where to search."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from django.conf import settings

from provenance_site.kit.outbound import OutboundClient, OutboundPolicy
from validation.adapters.crossref import CrossrefRegistry
from validation.adapters.documents import PdfDocuments
from validation.adapters.doi import HandleApi
from validation.adapters.hostlimit import HostLimit, SharedLimit
from validation.adapters.lookups import CachedArchive, CachedRegistry, CachedSearch, MemoryLookups
from validation.adapters.openalex import OpenAlexRegistry
from validation.adapters.sample import SampleHandles, SampleRoutes
from validation.adapters.search.firecrawl import FirecrawlSearch
from validation.adapters.search.perplexity import PerplexitySearch
from validation.adapters.search.searxng import SearxngSearch
from validation.adapters.search.tavily import TavilySearch
from validation.adapters.turns import shared_turns
from validation.adapters.wayback import WaybackArchive
from validation.adapters.web import WebFetcher
from validation.core.pacing import Manners
from validation.core.ports import Archive, Documents, Fetcher, HandleLookup, Registry, Search
from validation.core.seeking import is_askable
from validation.core.siblings import Sibling

_DEFAULT_PORTS = {"http": 80, "https": 443}
# Without a key one is a guest: Crossref gave lists three times a second and told its guests to ask one by one (2026);
# the archive's doors are slow. The workers share that rate.
_GUEST_INTERVAL_S = 0.35


@dataclass(frozen=True, slots=True)
class Outside:
    """The outside world of one event loop.

    `searches` are the configured providers in the order in which they are asked; empty where none is configured, which
    is a normal state. `handles` and `fetcher` send the sample publishers' DOIs to the sample's own agency unasked.
    `documents` opens PDF files; None leaves them unread. `siblings` remembers, by directory, what a site shows at
    made-up addresses.
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

    def searches_for(self, address: str) -> tuple[Search, ...]:
        """The searches to ask about the work at `address` (a URL or a bare DOI): the sample's own engine for what the
        sample publishers hold, which no other knows; the configured ones for everything else.
        """
        if self._is_of_sample(address):
            return self.sample_searches
        return self.searches if is_askable(address) else ()

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
        web = await stack.enter_async_context(OutboundClient(_policy(loopback_hosts=sample.exempt), turns=limit))
        fetcher = WebFetcher(web, reroute=sample.reroute)
        stack.push_async_callback(fetcher.aclose)
        agency = await _provider(stack, settings.DOI_RESOLVER_URL)
        handles: HandleLookup = HandleApi(settings.DOI_RESOLVER_URL, agency)
        lookups = MemoryLookups()
        searches = tuple(CachedSearch(one, lookups) for one in await _searches(stack))
        registries = tuple(CachedRegistry(one, lookups) for one in await _registries(stack))
        archive = CachedArchive(await _archive(stack), lookups) if settings.ARCHIVE else None
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


async def _searches(stack: AsyncExitStack) -> list[Search]:
    """The configured searches in their order."""
    found: list[Search] = []
    if settings.SEARXNG_URL:
        found.append(SearxngSearch(settings.SEARXNG_URL, await _provider(stack, settings.SEARXNG_URL)))
    if settings.TAVILY_KEY:
        client = await _keyed_provider(stack, settings.TAVILY_URL)
        found.append(TavilySearch(settings.TAVILY_URL, settings.TAVILY_KEY, client))
    if settings.PERPLEXITY_KEY:
        client = await _keyed_provider(stack, settings.PERPLEXITY_URL)
        found.append(PerplexitySearch(settings.PERPLEXITY_URL, settings.PERPLEXITY_KEY, client))
    if settings.FIRECRAWL_KEY:
        client = await _keyed_provider(stack, settings.FIRECRAWL_URL)
        found.append(FirecrawlSearch(settings.FIRECRAWL_URL, settings.FIRECRAWL_KEY, client))
    return found


async def _registries(stack: AsyncExitStack) -> list[Registry]:
    if not settings.SCHOLARLY:
        return []
    mailto = settings.CONTACT_EMAIL
    crossref = await _provider(stack, settings.CROSSREF_URL, manners=_as_a_guest())
    openalex = await _provider(stack, settings.OPENALEX_URL, manners=_as_a_guest())
    return [
        CrossrefRegistry(settings.CROSSREF_URL, crossref, mailto=mailto),
        OpenAlexRegistry(settings.OPENALEX_URL, openalex, mailto=mailto),
    ]


async def _archive(stack: AsyncExitStack) -> Archive:
    client = await _provider(stack, settings.ARCHIVE_URL, settings.ARCHIVE_INDEX_URL, manners=_as_a_guest())
    return WaybackArchive(settings.ARCHIVE_URL, client, index_url=settings.ARCHIVE_INDEX_URL)


def _policy(
    *, loopback_hosts: frozenset[str] = frozenset(), private_hosts: frozenset[str] = frozenset()
) -> OutboundPolicy:
    return OutboundPolicy(
        user_agent=f"Mozilla/5.0 (compatible; ProvenanceDesk/{settings.PRODUCT_VERSION}; +{settings.CONTACT_URL})",
        deadline_s=settings.FETCH_DEADLINE_S,
        loopback_hosts=loopback_hosts,
        private_hosts=private_hosts,
    )


def _as_a_guest() -> Manners:
    return Manners(at_once=1, interval_s=_GUEST_INTERVAL_S * max(1, settings.WORKER_SLOTS))


async def _provider(stack: AsyncExitStack, *base_urls: str, manners: Manners | None = None) -> OutboundClient:
    """A client for one configured provider; its exact hosts and ports may lie on a private network."""
    own = frozenset(_authority(base_url) for base_url in base_urls)
    return await stack.enter_async_context(OutboundClient(_policy(private_hosts=own), turns=HostLimit(manners)))


async def _keyed_provider(stack: AsyncExitStack, base_url: str) -> OutboundClient:
    """The same for one that is given a key, which crosses no public network in plain http: see `Bearer.header_for`."""
    if base_url.lower().startswith("http://") and is_askable(base_url):
        return await stack.enter_async_context(OutboundClient(_policy(), turns=HostLimit()))
    return await _provider(stack, base_url)


def _authority(base_url: str) -> str:
    parts = urlsplit(base_url)
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{name}:{port}"
