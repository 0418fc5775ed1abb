"""What validation needs of the outside world, as small protocols. `validation.adapters` answers them for real.

Answers are values: what is expected of a network (no registration, no result, not reachable) is not an exception.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from urllib.parse import urlsplit

from validation.core.documents import Document
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
    """One result of a search. `snippet`, `published` and `publisher` are the provider's words, '' where it has none;
    `score` is its own, None where it tells none: scores of two providers are no measure of each other.
    """

    url: str
    title: str
    provider: str
    snippet: str = ""
    score: float | None = None
    published: str = ""
    publisher: str = ""


@dataclass(frozen=True, slots=True)
class Domains:
    """Where a search may find something: only below `include` (anywhere where it is empty), and not below `exclude`.

    Bare hosts in lower case; what lies below one belongs to it.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def allow(self, url: str) -> bool:
        """True where `url` lies in one of `include`, if there are any, and in none of `exclude`."""
        try:
            host = (urlsplit(url).hostname or "").removeprefix("www.")
        except ValueError:
            return False
        if any(host == one or host.endswith(f".{one}") for one in self.exclude):
            return False
        return not self.include or any(host == one or host.endswith(f".{one}") for one in self.include)


ANYWHERE = Domains()


SearchAnswer = tuple[Hit, ...] | Unavailable


@dataclass(frozen=True, slots=True)
class Work:
    """A work as a registry of scholarly works records it. `landing_url` is where its publisher shows it, '' if unknown.

    `doi` is in normal form (`10.…`, lower case), '' where the registry knows none. `authors` are full names.
    """

    doi: str
    title: str
    provider: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    landing_url: str = ""


@dataclass(frozen=True, slots=True)
class NoWork:
    """The registry holds no such work; others may."""

    provider: str


WorkAnswer = Work | NoWork | Unavailable
WorksAnswer = tuple[Work, ...] | Unavailable


@dataclass(frozen=True, slots=True)
class Capture:
    """An archive's copy of `original_url`, answered with `status` (2xx) when it was captured at `at` (UTC)."""

    archived_url: str
    original_url: str
    status: int
    at: datetime
    provider: str


@dataclass(frozen=True, slots=True)
class NoCapture:
    """The archive holds no copy of the address that was a success when it was captured."""

    provider: str


CaptureAnswer = Capture | NoCapture | Unavailable


@dataclass(frozen=True, slots=True)
class Starts:
    """Starts taken at a host: the first is due in `first_s` seconds, the others follow at the interval.

    `parked_s` is how long the host still wants to be left alone; 0 for most.
    """

    first_s: float = 0.0
    parked_s: float = 0.0


class HostTurns(Protocol):
    """Due times of hosts, one queue per host for all workers. Taking is one short exchange for any number of hosts."""

    def take(self, wanted: Mapping[str, int], *, interval_s: float) -> Mapping[str, Starts]:
        """Takes so many starts at each host, the next ones that nobody has taken."""
        ...

    def park(self, host: str, *, for_s: float) -> None:
        """Tells all workers to leave `host` alone for so long. Never shortens a parking."""
        ...

    def close(self) -> None:
        """Lets go of what is held. All three are called in one thread."""
        ...


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

    @property
    def name(self) -> str:
        """What it is called in evidence and logs."""
        ...

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """At most `limit` hits, best first, all of them in `domains`, which the provider is told by its own parameter
        where it has one, and in no case by words of the query."""
        ...


class Registry(Protocol):
    """A registry of scholarly works."""

    @property
    def name(self) -> str:
        """What it is called in evidence and logs."""
        ...

    async def by_doi(self, doi: str) -> WorkAnswer:
        """The record of the work that `doi` (normal form) names."""
        ...

    async def by_title(self, title: str, *, author: str = "", limit: int) -> WorksAnswer:
        """At most `limit` works whose records are likest to this title (and author), best first. They may be others."""
        ...


class Archive(Protocol):
    """An archive of web pages."""

    @property
    def name(self) -> str:
        """What it is called in evidence and logs."""
        ...

    async def newest(self, url: str) -> CaptureAnswer:
        """The newest copy of `url` whose own status was 2xx."""
        ...


class AnswerCache(Protocol):
    """Keeps answers of providers for some days, so that checking again does not ask again. Keys are `core.lookups`'."""

    def get(self, key: str) -> str | None:
        """The answer kept under `key`, None where there is none."""
        ...

    def put(self, key: str, answer: str) -> None:
        """Keeps `answer` under `key`; the newest wins."""
        ...


class Documents(Protocol):
    """Opens fetched files that are no web pages."""

    async def read(self, body: bytes, *, is_cut: bool = False) -> Document:
        """What stands in the PDF `body`; never raises for what is in it, and ends within a bounded time.

        `is_cut`: `body` is the beginning of a longer file.
        """
        ...
