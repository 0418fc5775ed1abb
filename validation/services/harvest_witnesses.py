"""What a harvest's own searches say of a candidate, for the validator to ask: no call is made for it, none is paid for.

The validator asks searches about walls (does anybody list this page under this title?) and for what is gone. Here its
calls would come out of nobody's budget; and what was found by a search was listed by that search a moment ago.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from validation.adapters.registry import Outside
from validation.core.ports import ANYWHERE, Domains, Hit, Search, SearchAnswer
from validation.core.providers import Account, Provider
from validation.services.flight import OpenWorld


@dataclass(frozen=True, slots=True)
class Listed:
    """The Search that knows one candidate: under its tool's name, that it was listed under its title."""

    name: str
    hits: tuple[Hit, ...]

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """The candidate, whatever is asked."""
        return tuple(hit for hit in self.hits if domains.allow(hit.url))[:limit]


@dataclass(slots=True)
class Listings:
    """Candidates under the names of accounts that are nobody's: so that each target sees its own and no other."""

    _listed: dict[str, Listed] = field(default_factory=dict)

    def account_of(self, candidate_id: int, listed: Listed) -> tuple[Account, ...]:
        """What a target is given, so that the validator asks `listed` about it and nobody else."""
        name = f"candidate/{candidate_id}"
        self._listed[name] = listed
        return (Account(Provider.SEARXNG, name, ""),)

    def forget(self, candidate_ids: Iterable[int]) -> None:
        """Lets go of what is checked."""
        for candidate_id in candidate_ids:
            self._listed.pop(f"candidate/{candidate_id}", None)

    def searches(self, accounts: tuple[Account, ...]) -> tuple[Search, ...]:
        """The searches of these accounts."""
        return tuple(self._listed[one.name] for one in accounts if one.name in self._listed)

    def within(self, open_world: OpenWorld) -> OpenWorld:
        """The same world, in which no search is asked but these."""

        @asynccontextmanager
        async def opened() -> AsyncIterator[Outside]:
            async with open_world() as world:
                yield replace(world, searches=(), own_searches=self.searches)

        return opened
