"""One server that is all six searches and the pages they find, for harvests from end to end over real sockets."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.loopback import Loopback, Reply, Request, redirect, reply
from tests.pages import html, prose
from validation.core.harvest_tools import Tool

HOST = "gazette.sample.localhost"
TITLES = {
    "/market": "Harbour robots find their market in the north",
    "/history": "A short history of robots in the harbour",
    "/rejected": "Ten facts about harbour robots you must know",
    "/sonar": "Sonar measurements under the northern quay",
    "/gone": "A page about harbour robots that is gone",
}
DOI = "10.5555/provdesk.7"
FOUND: dict[Tool, list[str]] = {
    Tool.SEARXNG: ["/history", "/rejected"],
    Tool.TAVILY: ["/market", "/gone"],
    Tool.PERPLEXITY: ["/market", "/history"],
    Tool.FIRECRAWL: ["/market"],
    Tool.CROSSREF: [DOI],
    Tool.OPENALEX: [DOI],
}


@dataclass
class HarvestSite:
    """What was asked of whom, and which pages were fetched; searches in `down` answer with an error, and pages in
    `gone` are not found. `passages` are sentences in the middle of a page, `heads` what stands in its head,
    `dated` the date that a search tells of whatever it finds, `registered` what Crossref knows of the work."""

    down: set[Tool] = field(default_factory=set)
    titles: dict[str, str] = field(default_factory=lambda: dict(TITLES))
    found: dict[Tool, list[str]] = field(default_factory=lambda: dict(FOUND))
    gone: set[str] = field(default_factory=lambda: {"/gone"})
    passages: dict[str, str] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)
    dated: dict[Tool, str] = field(default_factory=dict)
    registered: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[Tool, Any]] = field(default_factory=list)
    fetched: Counter[str] = field(default_factory=Counter)
    server: Loopback = field(init=False)

    def __post_init__(self) -> None:
        self.server = Loopback(self._answer)

    def url(self, page: str) -> str:
        """The address of a page."""
        return f"http://{HOST}:{self.server.port}{page}"

    def configure(self, settings: Any) -> None:
        """Makes all six searches of this server, and its pages the sample's, which may lie on loopback."""
        settings.SAMPLE_HOSTS = (HOST, "doi.sample.localhost", "search.sample.localhost")
        settings.SAMPLE_PORT = self.server.port
        settings.SCHOLARLY, settings.ARCHIVE, settings.FETCH_DEADLINE_S = True, False, 5
        settings.SEARXNG_URL = self.server.url("/searxng")
        for name in ("TAVILY", "PERPLEXITY", "FIRECRAWL"):
            setattr(settings, f"{name}_KEY", f"key-of-{name.lower()}")
        for name in ("TAVILY", "PERPLEXITY", "FIRECRAWL", "CROSSREF", "OPENALEX"):
            setattr(settings, f"{name}_URL", self.server.url(f"/{name.lower()}"))

    def _answer(self, request: Request) -> Reply:
        host = request.headers["host"].partition(":")[0]
        path = urlsplit(request.target).path
        if host == "doi.sample.localhost":
            return redirect(self.url("/sonar"))
        if host == "search.sample.localhost":
            return reply(b'{"results": []}')
        if host == HOST:
            self.fetched[path] += 1
            title = self.titles.get(path)
            if title is None or path in self.gone:
                return reply(b"<title>Not found</title>", status="404 Not Found")
            main = f"{prose(120)}<p>{self.passages.get(path, '')}</p>{prose(60)}"
            return reply(html(title, main, head=self.heads.get(path, "")), "Content-Type: text/html; charset=utf-8")
        tool = Tool(path.split("/")[1])
        sent = json.loads(request.body) if request.body else parse_qs(urlsplit(request.target).query)
        self.asked.append((tool, sent))
        if tool in self.down:
            return reply(b"oops", status="500 Oops")
        return reply(json.dumps(self._found(tool)).encode(), "Content-Type: application/json")

    def _found(self, tool: Tool) -> dict[str, Any]:
        rows = [{"url": self.url(page), "title": self.titles[page]} for page in self.found[tool] if page in self.titles]
        if day := self.dated.get(tool):
            name = {Tool.SEARXNG: "publishedDate", Tool.TAVILY: "published_date"}.get(tool, "date")
            rows = [{**row, name: day} for row in rows]
        match tool:
            case Tool.SEARXNG:
                return {"results": [{**row, "content": "Robots.", "score": 2.5} for row in rows]}
            case Tool.TAVILY:
                return {"results": [{**row, "content": "Robots.", "score": 0.9} for row in rows]}
            case Tool.PERPLEXITY:
                prose_of = {"message": {"content": f"See {self.url('/invented')}."}}
                return {"search_results": [{**row, "snippet": "Robots."} for row in rows], "choices": [prose_of]}
            case Tool.FIRECRAWL:
                return {"success": True, "data": {"web": rows}}
            case Tool.CROSSREF:
                resource = {"primary": {"URL": self.url("/sonar")}}
                return {
                    "message": {
                        "items": [
                            {
                                "DOI": DOI,
                                "title": [self.titles["/sonar"]],
                                "score": 31.5,
                                "resource": resource,
                                **self.registered,
                            }
                        ]
                    }
                }
            case _:
                return {"results": [{"doi": f"https://doi.org/{DOI}", "display_name": self.titles["/sonar"]}]}


def opened(settings: Any) -> Iterator[HarvestSite]:
    """A site that is configured; for a fixture."""
    site = HarvestSite()
    with site.server:
        site.configure(settings)
        yield site
