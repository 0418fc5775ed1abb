"""Providers that remember: each wraps one of a port and asks it only for what is not kept. And a cache in memory."""

import threading
from collections import OrderedDict
from dataclasses import dataclass

from validation.core import lookups
from validation.core.ports import (
    ANYWHERE,
    AnswerCache,
    Archive,
    Capture,
    CaptureAnswer,
    Domains,
    NoCapture,
    NoWork,
    Registry,
    Search,
    SearchAnswer,
    Unavailable,
    Work,
    WorkAnswer,
    WorksAnswer,
)

_MOST_KEPT = 20_000


class MemoryLookups:
    """The AnswerCache of one process: the newest 20,000 answers, for as long as it lives (a script, a worker's call).

    A worker fills it from the database before it asks, and takes out what is new; see `services.lookups`. Safe from
    many threads: the worker's database and its network are in two.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._new: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        """The answer kept under `key`."""
        with self._lock:
            return self._kept.get(key)

    def put(self, key: str, answer: str) -> None:
        """Keeps an answer that was just given."""
        with self._lock:
            self._new[key] = answer
            if len(self._new) > _MOST_KEPT:  # a script takes nothing out
                del self._new[next(iter(self._new))]
            self._keep(key, answer)

    def seed(self, key: str, answer: str) -> None:
        """Keeps an answer that was given earlier, so that it is not new."""
        with self._lock:
            self._keep(key, answer)

    def take_new(self) -> dict[str, str]:
        """What was put since the last call, by key; the newest 20,000."""
        with self._lock:
            new, self._new = self._new, {}
            return new

    def _keep(self, key: str, answer: str) -> None:
        self._kept[key] = answer
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)


@dataclass(slots=True)
class CachedSearch:
    """A Search that asks each question once. `account` is a workspace's own, whose answers are kept apart."""

    inner: Search
    cache: AnswerCache
    account: str = ""

    @property
    def name(self) -> str:
        """The provider's own name."""
        return self.inner.name

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """The kept hits, else the provider's, which are then kept."""
        key = lookups.search_key(self.name, query, limit, account=self.account, domains=domains)
        kept = _kept(self.cache, key)
        if isinstance(kept, tuple):
            return tuple(hit for hit in kept if not isinstance(hit, Work))
        answer = await self.inner.search(query, limit=limit, domains=domains)
        if not isinstance(answer, Unavailable):
            self.cache.put(key, lookups.written(answer))
        return answer


@dataclass(slots=True)
class CachedRegistry:
    """A Registry that asks each question once."""

    inner: Registry
    cache: AnswerCache

    @property
    def name(self) -> str:
        """The registry's own name."""
        return self.inner.name

    async def by_doi(self, doi: str) -> WorkAnswer:
        """The kept record, else the registry's."""
        key = lookups.doi_key(self.name, doi)
        kept = _kept(self.cache, key)
        if isinstance(kept, Work | NoWork):
            return kept
        answer = await self.inner.by_doi(doi)
        if not isinstance(answer, Unavailable):
            self.cache.put(key, lookups.written(answer))
        return answer

    async def by_title(self, title: str, *, author: str = "", limit: int) -> WorksAnswer:
        """The kept works, else the registry's."""
        key = lookups.title_key(self.name, title, author, limit)
        kept = _kept(self.cache, key)
        if isinstance(kept, tuple):
            return tuple(work for work in kept if isinstance(work, Work))
        answer = await self.inner.by_title(title, author=author, limit=limit)
        if not isinstance(answer, Unavailable):
            self.cache.put(key, lookups.written(answer))
        return answer


@dataclass(slots=True)
class CachedArchive:
    """An Archive that asks each question once."""

    inner: Archive
    cache: AnswerCache

    @property
    def name(self) -> str:
        """The archive's own name."""
        return self.inner.name

    async def newest(self, url: str) -> CaptureAnswer:
        """The kept capture, else the archive's."""
        key = lookups.capture_key(self.name, url)
        kept = _kept(self.cache, key)
        if isinstance(kept, Capture | NoCapture):
            return kept
        answer = await self.inner.newest(url)
        if not isinstance(answer, Unavailable):
            self.cache.put(key, lookups.written(answer))
        return answer


def _kept(cache: AnswerCache, key: str) -> lookups.Kept | None:
    text = cache.get(key)
    return None if text is None else lookups.read(text)
