"""How writers read many sources without holding them.

A writer that goes entry by entry takes any iterable of `ExportedSource`. One that groups them (by verdict, status or
section) takes `Holdings`: it looks at the briefs first and then reads the sources in the order it needs.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from sources.core.exported import Brief, ExportedSource


class Holdings(Protocol):
    """A project's sources in the order of their stable ids; every call begins anew and gives the same.

    `briefs` goes over all; `read` gives the sources at `positions` (0 is the first brief's), in that order, a batch at
    a time.
    """

    def briefs(self) -> Iterator[Brief]:
        """A brief of each source."""

    def read(self, positions: Iterable[int]) -> Iterator[ExportedSource]:
        """The sources at these places."""

    def __iter__(self) -> Iterator[ExportedSource]:
        """All of them."""


@dataclass(frozen=True, slots=True)
class Held:
    """Holdings of sources that are in memory already."""

    sources: Sequence[ExportedSource]

    def briefs(self) -> Iterator[Brief]:
        """A brief of each source."""
        return (source.brief for source in self.sources)

    def read(self, positions: Iterable[int]) -> Iterator[ExportedSource]:
        """The sources at these places."""
        return (self.sources[position] for position in positions)

    def __iter__(self) -> Iterator[ExportedSource]:
        return iter(self.sources)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Some of other holdings; `places` are their positions there, rising."""

    whole: Holdings
    places: Sequence[int]

    def briefs(self) -> Iterator[Brief]:
        """A brief of each chosen source."""
        chosen = iter(self.places)
        wanted = next(chosen, None)
        for position, brief in enumerate(self.whole.briefs()):
            if position == wanted:
                yield brief
                wanted = next(chosen, None)

    def read(self, positions: Iterable[int]) -> Iterator[ExportedSource]:
        """The sources at these places among the chosen."""
        return self.whole.read(self.places[position] for position in positions)

    def __iter__(self) -> Iterator[ExportedSource]:
        return self.whole.read(self.places)


class Remembered:
    """Holdings whose briefs are asked for once and kept: some 400 bytes a source, for files that need them often."""

    def __init__(self, whole: Holdings) -> None:
        self._whole = whole
        self._briefs: list[Brief] | None = None

    def briefs(self) -> Iterator[Brief]:
        """A brief of each source."""
        if self._briefs is None:
            self._briefs = list(self._whole.briefs())
        return iter(self._briefs)

    def read(self, positions: Iterable[int]) -> Iterator[ExportedSource]:
        """The sources at these places."""
        return self._whole.read(positions)

    def __iter__(self) -> Iterator[ExportedSource]:
        return iter(self._whole)


def for_outside(sources: Holdings) -> tuple[Holdings, int]:
    """What may leave the house, and how many sources (`internal_only`) were left out.

    Every export that goes to others begins with this; the number goes into `Export.left_out_internal`. Twice is safe:
    the second call leaves nothing out.
    """
    total, places = 0, []
    for total, brief in enumerate(sources.briefs(), start=1):
        if not brief.is_internal:
            places.append(total - 1)
    return (sources, 0) if len(places) == total else (Chosen(sources, places), total - len(places))
