"""Stand-ins for a DOI agency and a search engine, held to the real adapters by `tests/contracts/`."""

from dataclasses import dataclass, field

from validation.core.ports import HandleAnswer, Hit, NotRegistered, Registered, SearchAnswer, Unavailable


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

    async def search(self, query: str, *, limit: int) -> SearchAnswer:
        """At most `limit` hits in the order of `pages`."""
        self.asked.append(query)
        if self.down:
            return Unavailable(self.name, self.down)
        words = set(query.lower().replace('"', " ").split())
        found = [(url, title) for url, title in self.pages if words & set(title.lower().split())]
        return tuple(Hit(url, title, self.name) for url, title in found[:limit])
