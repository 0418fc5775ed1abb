"""The fetcher of a search for candidates, which remembers what it fetched, so that passages are sought in whole pages.

What a check keeps of a page is its beginning; a claim may be carried by a sentence far below.
"""

from dataclasses import replace

from sources.core.findings import Finding
from validation.adapters.registry import Outside
from validation.core.fetching import FetchResult, Page
from validation.core.ports import Documents, Fetcher
from validation.core.reading import read_page
from validation.core.sniffing import is_pdf

MAX_TEXT = 200_000


class Remembering:
    """A Fetcher that keeps each page under the address that was asked for and the one that it came from."""

    def __init__(self, inner: Fetcher, documents: Documents | None) -> None:
        self._inner = inner
        self._documents = documents
        self._pages: dict[str, Page] = {}

    async def fetch(self, url: str) -> FetchResult:
        """What the inner fetcher gives."""
        result = await self._inner.fetch(url)
        if isinstance(result, Page) and 200 <= result.status < 300:
            self._pages[result.requested_url] = self._pages[result.final_url] = result
        return result

    async def text_of(self, finding: Finding) -> str:
        """The main text of the page that was judged, its paragraphs apart, at most 200,000 characters; '' where none
        was read."""
        evidence = finding.evidence
        page = self._pages.get(evidence.final_url) or self._pages.get(evidence.requested_url)
        if page is None:
            return ""
        if self._documents and is_pdf(page.body):
            page = replace(page, document=await self._documents.read(page.body, is_cut=page.truncated))
        read = read_page(page)
        return "\n\n".join(block.text for block in read.main or read.blocks)[:MAX_TEXT]


def remembering(world: Outside) -> tuple[Outside, Remembering]:
    """The world with a fetcher that remembers, and that fetcher."""
    fetcher = Remembering(world.fetcher, world.documents)
    return replace(world, fetcher=fetcher), fetcher
