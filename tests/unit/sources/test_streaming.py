"""Writers hold no list: they give the first pieces before they have read the last source."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice

import pytest

from sources.core.exported import Brief, ExportedSource
from sources.core.holdings import Holdings
from sources.reports import (
    best_sources,
    bibtex,
    csl_json,
    csv_table,
    kb_export,
    master_sources,
    ris,
    sourced_corpus,
    sources_md,
)
from sources.reports.master_sources import Layout
from tests.unit.sources.exports import EXPORT, source

ENTRY_BY_ENTRY: dict[str, Callable[[Iterable[ExportedSource]], Iterator[str]]] = {
    "BibTeX": lambda sources: bibtex.stream(sources, EXPORT),
    "RIS": ris.stream,
    "CSL-JSON": csl_json.stream,
    "CSV": csv_table.stream,
    "JSON Lines": lambda sources: kb_export.stream(sources, EXPORT),
}
GROUPED: dict[str, Callable[[Holdings], Iterator[str]]] = {
    "by verdict": lambda sources: master_sources.stream(sources, EXPORT, layout=Layout.VERDICT),
    "for memos": lambda sources: master_sources.stream(sources, EXPORT, layout=Layout.MEMO),
    "best": lambda sources: best_sources.stream(sources, EXPORT, section="02-market"),
    "corpus": lambda sources: sourced_corpus.stream(sources, section="02-market"),
    "codified": lambda sources: sources_md.stream(sources, EXPORT),
}


class Counted:
    """A hundred sources; `read_so_far` counts those that were read in full."""

    def __init__(self) -> None:
        self.read_so_far = 0

    def briefs(self) -> Iterator[Brief]:
        return (source(number).brief for number in range(1, 101))

    def read(self, positions: Iterable[int]) -> Iterator[ExportedSource]:
        for position in positions:
            self.read_so_far += 1
            yield source(position + 1)

    def __iter__(self) -> Iterator[ExportedSource]:
        return self.read(range(100))


@pytest.mark.parametrize("name", ENTRY_BY_ENTRY)
def test_an_endless_list_begins_at_once(name: str) -> None:
    pieces = list(islice(ENTRY_BY_ENTRY[name](source(number) for number in count(1)), 20))
    assert "Harbour survey 10" in "".join(pieces)


@pytest.mark.parametrize("name", GROUPED)
def test_a_grouped_list_reads_each_source_when_its_turn_comes(name: str) -> None:
    counted = Counted()
    pieces = GROUPED[name](counted)
    text = "".join(islice(pieces, 10))
    assert "harbour.example/2" in text
    assert 2 <= counted.read_so_far <= 10
    assert "harbour.example/100" in "".join(pieces)
    assert counted.read_so_far == 100
