"""The numbers of a draft's notes: by first use, the same for the same source, around those that others hold."""

from collections.abc import Set

from sources.core.citations.corpus import CorpusItem
from sources.core.citations.outcome import Citation, Place
from sources.core.citations.source_list import definition_line


class Numbering:
    """Numbers given so far. `reserved` are never given."""

    def __init__(self, reserved: Set[int]) -> None:
        self._reserved = reserved
        self._last = 0
        self._numbers: dict[str, int] = {}
        self._items: dict[str, CorpusItem] = {}
        self._places: dict[str, list[Place]] = {}

    def number(self, item: CorpusItem, place: tuple[int, int]) -> int:
        """The number of a source that is cited at a place (line and column)."""
        if item.id not in self._numbers:
            self._last += 1
            while self._last in self._reserved:
                self._last += 1
            self._numbers[item.id] = self._last
            self._items[item.id] = item
        self._places.setdefault(item.id, []).append(Place(*place))
        return self._numbers[item.id]

    def has(self, item: CorpusItem) -> bool:
        """True where the source is cited."""
        return item.id in self._numbers

    def cited(self) -> list[tuple[int, CorpusItem]]:
        """Cited sources with their numbers, in order."""
        return [(number, self._items[name]) for name, number in self._numbers.items()]

    def citations(self) -> tuple[Citation, ...]:
        """The same as the gate gives them back."""
        return tuple(
            Citation(number, item.id, definition_line(number, item), tuple(self._places[item.id]))
            for number, item in self.cited()
        )
