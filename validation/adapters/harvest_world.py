"""Builds the searches that a harvest asks: the web searches of the operator and of a workspace, and the registries of
works. None of them remembers: what was answered before is looked up by the harvest, which counts what it spends.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings

from provenance_site.kit.outbound import OutboundClient
from validation.adapters.clients import policy, provider
from validation.adapters.crossref import ToldPace
from validation.adapters.hostlimit import HostLimit
from validation.adapters.registry import GUEST, as_a_guest
from validation.adapters.sample import SampleRoutes
from validation.adapters.search.crossref import CrossrefSearch
from validation.adapters.search.openalex import OpenAlexSearch
from validation.adapters.search.searxng import SearxngSearch
from validation.adapters.searches import OwnSearches, installed_providers, installed_searches
from validation.core.harvest_tools import Tool
from validation.core.ports import Search
from validation.core.providers import Account


class _NothingKept:
    """An AnswerCache that keeps nothing."""

    def get(self, key: str) -> str | None:
        """None."""
        return None

    def put(self, key: str, answer: str) -> None:
        """Lets it go."""


@dataclass(slots=True)
class HarvestWorld:
    """The searches of one event loop; what a workspace brings goes before the operator's of the same provider."""

    installed: Mapping[Tool, Search]
    own: OwnSearches
    _made: dict[tuple[Account, ...], Mapping[Tool, Search]] = field(default_factory=dict)

    def searches(self, accounts: tuple[Account, ...]) -> Mapping[Tool, Search]:
        """Whom a workspace with these accounts can ask."""
        if accounts not in self._made:
            brought = {Tool(search.name): search for search in self.own(accounts)}
            self._made[accounts] = {**self.installed, **brought}
        return self._made[accounts]


def tools_for(accounts: tuple[Account, ...]) -> frozenset[Tool]:
    """Whom a workspace with these accounts can ask, without asking. No socket is opened."""
    tools = {Tool(one.value) for one in installed_providers()} | {Tool(one.provider.value) for one in accounts}
    if settings.SAMPLE_PORT:
        tools.add(Tool.SEARXNG)
    if settings.SCHOLARLY:
        tools |= {Tool.CROSSREF, Tool.OPENALEX}
    return frozenset(tools)


@asynccontextmanager
async def harvest_world() -> AsyncIterator[HarvestWorld]:
    """The searches for as long as the block lasts.

    While the sample publishers are served and no SearXNG is configured, their own search engine stands in its place.
    """
    sample = SampleRoutes(hosts=frozenset(settings.SAMPLE_HOSTS), port=settings.SAMPLE_PORT)
    async with AsyncExitStack() as stack:
        installed: dict[Tool, Search] = {Tool(one.name): one for one in installed_searches(stack)}
        if sample.exempt and Tool.SEARXNG not in installed:
            installed[Tool.SEARXNG] = _sample_search(stack, sample)
        if settings.SCHOLARLY:
            installed |= _registries(stack)
        yield HarvestWorld(installed=installed, own=OwnSearches(stack, _NothingKept()))


def _sample_search(stack: AsyncExitStack, sample: SampleRoutes) -> Search:
    client = OutboundClient(policy(loopback_hosts=sample.exempt), turns=HostLimit())
    stack.push_async_exit(client)
    return SearxngSearch(sample.search_url, client)


def _registries(stack: AsyncExitStack) -> dict[Tool, Search]:
    mailto = settings.CONTACT_EMAIL
    limit = HostLimit(as_a_guest())
    pace = ToldPace(limit, guest=GUEST, workers=settings.WORKER_SLOTS)
    crossref = provider(stack, settings.CROSSREF_URL, limit=limit)
    openalex = provider(stack, settings.OPENALEX_URL, limit=HostLimit(as_a_guest()))
    return {
        Tool.CROSSREF: CrossrefSearch(
            settings.CROSSREF_URL, crossref, mailto=mailto, heard=partial(pace.heard, "list")
        ),
        Tool.OPENALEX: OpenAlexSearch(settings.OPENALEX_URL, openalex, mailto=mailto),
    }
