"""Which retrieved source a citation means: by address, by identifier, else by its title."""

from collections.abc import Sequence
from dataclasses import dataclass

from sources.core.citations.corpus import CorpusIndex, CorpusItem
from sources.core.citations.definitions import link_address
from sources.core.citations.outcome import ChangeKind
from sources.core.extraction.definitions import Definition, read_definition
from sources.core.near_titles import ALIKE, title_keys
from sources.core.similarity import fold, title_similarity


@dataclass(frozen=True, slots=True)
class Support:
    """What was found for a citation; `item` is None where it is to be dropped."""

    kind: ChangeKind
    item: CorpusItem | None
    reason: str


class Retrieved:
    """What was truly retrieved, to be asked for. Titles meet under pairs of their words (`core.near_titles`), so that
    each is compared with the few that it is near."""

    def __init__(self, items: Sequence[CorpusItem]) -> None:
        self.index = CorpusIndex(items)
        self._by_title: dict[int, list[CorpusItem]] = {}
        self._by_wording: dict[str, CorpusItem] = {}
        for item in items:
            self._by_wording.setdefault(fold(item.title), item)
            for key in title_keys(item.title):
                self._by_title.setdefault(key, []).append(item)

    def support(self, *, address: str, titles: Sequence[str], defined: str = "") -> Support:
        """The source at the address; else one whose title is at least 0.8 alike; else none.

        `titles` are what the draft may call the work; `defined` is a whole definition, whose metadata are compared.
        """
        item = self.index.at(address) if address else None
        if item is not None:
            wrong = _wrong(item, address, titles, defined)
            if wrong:
                return Support(ChangeKind.CORRECTED, item, f"Retrieved as {item.id}; corrected: {', '.join(wrong)}.")
            return Support(ChangeKind.KEPT, item, f"Retrieved as {item.id}.")
        best, score = self._titled(titles)
        if best is None:
            named = "This address was not retrieved" if address else "It names no address"
            return Support(ChangeKind.DROPPED, None, f"{named}, and no retrieved source has this title.")
        if not address:
            return Support(ChangeKind.CORRECTED, best, f"Retrieved as {best.id} by its title; corrected: address.")
        reason = f"This address was not retrieved; {best.id} has the same title ({score:.0%} alike)."
        return Support(ChangeKind.SUBSTITUTED, best, reason)

    def _titled(self, titles: Sequence[str]) -> tuple[CorpusItem | None, float]:
        best: CorpusItem | None = None
        highest = 0.0
        for title in titles:
            if not title:
                continue
            near = {item.id: item for key in title_keys(title) for item in self._by_title.get(key, ())}
            for item in near.values():
                score = title_similarity(title, item.title, site=item.publisher)
                if score >= ALIKE and score > highest:
                    best, highest = item, score
            same = self._by_wording.get(fold(title))
            if same is not None and len(fold(title).split()) > 1 and highest < 1.0:
                best, highest = same, 1.0
        return (self.index.named(best.id) if best else None), highest


def _wrong(item: CorpusItem, address: str, titles: Sequence[str], defined: str) -> list[str]:
    """What the draft says of a source and the source does not."""
    if defined.strip() == item.definition:
        return []
    wrong = [] if address in (item.url, item.canonical_url, link_address(item.url)) else ["address"]
    told = read_definition(defined) if defined else Definition(next((each for each in titles if each), ""), "", "", "")
    if defined and item.title and told.title and title_similarity(told.title, item.title, site=item.publisher) < 1.0:
        wrong.append("title")
    if item.publisher and told.publisher and fold(told.publisher) != fold(item.publisher):
        wrong.append("publisher")
    if item.published and told.published_date and not item.published.startswith(told.published_date):
        wrong.append("date")
    return wrong
