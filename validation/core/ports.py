"""What validation needs of the outside world, as small protocols. `validation.adapters` answers them for real.

Answers are values: what is expected of a network (no registration, no result, not reachable) is not an exception.
"""

from dataclasses import dataclass
from typing import Protocol

from validation.core.fetching import FetchResult


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The provider could not be asked or did not answer usefully; nothing is known."""

    provider: str
    reason: str
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class Registered:
    """A DOI is registered and leads to `url`."""

    doi: str
    url: str


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """The DOI's agency says that there is no such DOI."""

    doi: str


HandleAnswer = Registered | NotRegistered | Unavailable


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search."""

    url: str
    title: str
    provider: str


SearchAnswer = tuple[Hit, ...] | Unavailable


class Fetcher(Protocol):
    """Fetches one URL with GET, through every guard; never raises for what a network does."""

    async def fetch(self, url: str) -> FetchResult:
        """The page at the end of the redirects, or why there is none. Ends within the deadline of the adapter."""
        ...


class HandleLookup(Protocol):
    """Asks a DOI's registration agency."""

    async def lookup(self, doi: str) -> HandleAnswer:
        """Whether `doi` (normal form, `10.…`) is registered, and where it leads."""
        ...


class Search(Protocol):
    """A web search."""

    name: str

    async def search(self, query: str, *, limit: int) -> SearchAnswer:
        """At most `limit` hits, best first."""
        ...
