"""Builds the outside world from the settings: who fetches, whom to ask about a DOI, where to search."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from provenance_site.kit.outbound import OutboundClient, OutboundPolicy
from validation.adapters.doi import HandleApi
from validation.adapters.hostlimit import HostLimit
from validation.adapters.sample import SampleHandles, SampleRoutes
from validation.adapters.search.searxng import SearxngSearch
from validation.adapters.web import WebFetcher
from validation.core.ports import Fetcher, HandleLookup, Search

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Outside:
    """The outside world of one event loop.

    `searches` are the configured providers in the order in which they are asked; empty where none is configured, which
    is a normal state. `handles` and `fetcher` send the sample publishers' DOIs to the sample's own agency unasked.
    """

    fetcher: Fetcher
    handles: HandleLookup
    searches: tuple[Search, ...] = ()
    sample: SampleRoutes | None = None
    sample_searches: tuple[Search, ...] = ()

    def searches_for(self, address: str) -> tuple[Search, ...]:
        """The searches to ask about the work at `address` (a URL or a bare DOI): the sample's own engine for what the
        sample publishers hold, which no other knows; the configured ones for everything else.
        """
        if self.sample is not None and self.sample.holds(address):
            return self.sample_searches
        return self.searches


@asynccontextmanager
async def outside() -> AsyncIterator[Outside]:
    """The outside world for as long as the block lasts; connections are reused in it and closed at its end.

    Sources are fetched under the guard without exemption but the sample's hosts. A provider that the operator has
    configured may lie on a private network, for the client that asks it and for no other.
    """
    sample = SampleRoutes(hosts=frozenset(settings.SAMPLE_HOSTS), port=settings.SAMPLE_PORT)
    async with AsyncExitStack() as stack:
        web = await stack.enter_async_context(OutboundClient(_policy(loopback_hosts=sample.exempt), turns=HostLimit()))
        fetcher = WebFetcher(web, reroute=sample.reroute)
        stack.push_async_callback(fetcher.aclose)
        agency = await stack.enter_async_context(_provider(settings.DOI_RESOLVER_URL))
        handles: HandleLookup = HandleApi(settings.DOI_RESOLVER_URL, agency)
        searches: tuple[Search, ...] = ()
        if settings.SEARXNG_URL:
            engine = await stack.enter_async_context(_provider(settings.SEARXNG_URL))
            searches = (SearxngSearch(settings.SEARXNG_URL, engine),)
        if not sample.exempt:
            yield Outside(fetcher=fetcher, handles=handles, searches=searches)
            return
        yield Outside(
            fetcher=fetcher,
            handles=SampleHandles(routes=sample, of_sample=HandleApi(sample.agency_url, web), others=handles),
            searches=searches,
            sample=sample,
            sample_searches=(SearxngSearch(sample.search_url, web),),
        )


def _policy(
    *, loopback_hosts: frozenset[str] = frozenset(), private_hosts: frozenset[str] = frozenset()
) -> OutboundPolicy:
    return OutboundPolicy(
        user_agent=f"Mozilla/5.0 (compatible; ProvenanceDesk/{settings.PRODUCT_VERSION}; +{settings.CONTACT_URL})",
        deadline_s=settings.FETCH_DEADLINE_S,
        loopback_hosts=loopback_hosts,
        private_hosts=private_hosts,
    )


def _provider(base_url: str) -> OutboundClient:
    """A client for one configured provider; its exact host and port may lie on a private network."""
    parts = urlsplit(base_url)
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return OutboundClient(_policy(private_hosts=frozenset({f"{name}:{port}"})), turns=HostLimit())
