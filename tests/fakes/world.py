"""An outside world made of answers written down beforehand; it counts what was asked."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sources.core.findings import Cause, Hop
from validation.adapters.harvest_world import HarvestWorld
from validation.adapters.lookups import CachedArchive, CachedRegistry, CachedSearch, MemoryLookups
from validation.adapters.registry import Outside
from validation.core.fetching import Failure, FetchResult, Page
from validation.core.harvest_tools import Tool
from validation.core.ports import (
    ANYWHERE,
    Archive,
    Documents,
    Domains,
    HandleAnswer,
    Hit,
    NotRegistered,
    Registered,
    Registry,
    SearchAnswer,
    Unavailable,
)

SENTENCE = (
    "The survey counted the boats that came into the harbour on every day of the week and found more than before. "
)
ARTICLE = SENTENCE * 12


def page(url: str, *, title: str = "", text: str = ARTICLE, status: int = 200, **headers: str) -> Page:
    """An HTML page as the fetcher gives it."""
    html = f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Page(
        requested_url=url,
        final_url=url,
        status=status,
        headers={"content-type": "text/html; charset=utf-8", **named},
        body=html.encode(),
        hops=(Hop(url, status),),
        elapsed_ms=5,
    )


def gone(url: str) -> Page:
    """A clean 404."""
    return page(url, title="Not found", text="Nothing here.", status=404)


def wall(url: str) -> Page:
    """A plain 403, which proves nothing."""
    return page(url, title="Forbidden", text="Access denied.", status=403)


@dataclass
class World:
    """Pages by URL, registered DOIs with their landing pages, and hits that every search gives."""

    pages: Mapping[str, FetchResult] = field(default_factory=dict)
    registered: Mapping[str, str] = field(default_factory=dict)
    hits: tuple[Hit, ...] = ()
    registries: tuple[Registry, ...] = ()
    archive: Archive | None = None
    agency_is_down: bool = False
    documents: Documents | None = None
    pause_s: float = 0.0
    on_fetch: Callable[[str], None] | None = None
    name: str = "fake"
    fetched: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)

    async def fetch(self, url: str) -> FetchResult:
        """The page written down for `url`, else a failed connection."""
        self.fetched.append(url)
        if self.on_fetch is not None:
            self.on_fetch(url)
        await asyncio.sleep(self.pause_s)
        return self.pages.get(url) or Failure(requested_url=url, cause=Cause.CONNECTION)

    async def lookup(self, doi: str) -> HandleAnswer:
        """The registration written down for `doi`."""
        if self.agency_is_down:
            return Unavailable("doi.org", "down")
        landing = self.registered.get(doi)
        return Registered(doi, landing) if landing else NotRegistered(doi)

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """The first hits."""
        self.queries.append(query)
        return self.hits[:limit]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Outside]:
        """The world as the services take it."""
        lookups = MemoryLookups()
        yield Outside(
            fetcher=self,
            handles=self,
            searches=(CachedSearch(self, lookups),) if self.hits else (),
            registries=tuple(CachedRegistry(one, lookups) for one in self.registries),
            archive=CachedArchive(self.archive, lookups) if self.archive else None,
            documents=self.documents,
            lookups=lookups,
        )

    @asynccontextmanager
    async def open_searches(self) -> AsyncIterator[HarvestWorld]:
        """This world's search as SearXNG, as a harvest takes it."""
        yield HarvestWorld(installed={Tool.SEARXNG: self}, own=lambda accounts: ())  # type: ignore[arg-type]
