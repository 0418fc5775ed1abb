"""Stand-ins for DOI agencies, searches, registries and archives, held to the adapters by `tests/contracts/`."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Provider
from validation.core.ports import (
    ANYWHERE,
    Capture,
    CaptureAnswer,
    Domains,
    HandleAnswer,
    Hit,
    NoCapture,
    NotRegistered,
    NoWork,
    Registered,
    SearchAnswer,
    Unavailable,
    Work,
    WorkAnswer,
    WorksAnswer,
)
from validation.core.retraction_ids import WorkId
from validation.core.retraction_statements import Statement, Told, all_failed


@dataclass
class FakeHandles:
    """A HandleLookup over a dict from DOI to landing page; `down` makes it unavailable. `asked` keeps the questions."""

    registered: dict[str, str] = field(default_factory=dict)
    down: str = ""
    asked: list[str] = field(default_factory=list)

    async def lookup(self, doi: str) -> HandleAnswer:
        """What the agency says of `doi`; DOIs are compared without regard to case (DOI Handbook, 2.4)."""
        self.asked.append(doi)
        if self.down:
            return Unavailable("doi", self.down)
        known = {name.lower(): url for name, url in self.registered.items()}
        return Registered(doi, known[doi.lower()]) if doi.lower() in known else NotRegistered(doi)


@dataclass
class FakeSearch:
    """A Search over a list of (URL, title), best first; finds those whose title shares a word with the query."""

    pages: list[tuple[str, str]] = field(default_factory=list)
    down: str = ""
    asked: list[str] = field(default_factory=list)
    name: str = "fake"

    async def search(self, query: str, *, limit: int, domains: Domains = ANYWHERE) -> SearchAnswer:
        """At most `limit` hits in the order of `pages`."""
        self.asked.append(query)
        if self.down:
            return Unavailable(self.name, self.down)
        words = set(query.lower().replace('"', " ").split())
        found = [(url, title) for url, title in self.pages if words & set(title.lower().split())]
        return tuple(Hit(url, title, self.name) for url, title in found if domains.allow(url))[:limit]


@dataclass
class FakeRegistry:
    """A Registry over a list of works; `down` makes it unavailable. `asked` keeps the questions."""

    works: list[Work] = field(default_factory=list)
    down: str = ""
    asked: list[str] = field(default_factory=list)
    name: str = "fake"

    async def by_doi(self, doi: str) -> WorkAnswer:
        """The work of this DOI."""
        self.asked.append(doi)
        if self.down:
            return Unavailable(self.name, self.down)
        return next((work for work in self.works if work.doi == doi.lower()), NoWork(self.name))

    async def by_title(self, title: str, *, author: str = "", limit: int) -> WorksAnswer:
        """The works whose titles share a word with this one, in their order."""
        self.asked.append(title)
        if self.down:
            return Unavailable(self.name, self.down)
        words = set(title.lower().split())
        return tuple(work for work in self.works if words & set(work.title.lower().split()))[:limit]


@dataclass
class FakeArchive:
    """An Archive over a list of captures; only those with a status of 2xx are given, the newest first."""

    captures: list[Capture] = field(default_factory=list)
    down: str = ""
    asked: list[str] = field(default_factory=list)
    name: str = "fake"

    async def newest(self, url: str) -> CaptureAnswer:
        """The newest copy of `url` that was a success."""
        self.asked.append(url)
        if self.down:
            return Unavailable(self.name, self.down)
        good = [one for one in self.captures if one.original_url == url and 200 <= one.status < 300]
        return max(good, key=lambda one: one.at, default=NoCapture(self.name))


@dataclass
class FakeRetractions:
    """A RetractionProvider over a dict from works to what is said of them; `down` makes it unavailable."""

    said: dict[WorkId, tuple[Statement, ...]] = field(default_factory=dict)
    down: str = ""
    asked: list[tuple[WorkId, ...]] = field(default_factory=list)
    name: Provider = Provider.CROSSREF
    at_once: int = 50
    kinds: frozenset[IdentifierType] = frozenset({IdentifierType.DOI})

    def takes(self, work: WorkId) -> bool:
        """True for works of its kinds."""
        return work.type in self.kinds

    async def ask(self, works: Sequence[WorkId]) -> Told:
        """What is said of them; a work that is no key is unknown."""
        self.asked.append(tuple(works))
        if self.down:
            return all_failed(works, Unavailable(self.name, self.down))
        known = [work for work in works if work in self.said]
        return Told(
            statements=tuple(one for work in known for one in self.said[work]),
            answered=frozenset(known),
            unknown=frozenset(works) - frozenset(known),
        )
