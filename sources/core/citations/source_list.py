"""The list of a draft's sources: their numbers by first use, and one definition each, where one was or at the end."""

from collections.abc import Iterator, Sequence, Set

from sources.core.citations.corpus import CorpusItem
from sources.core.citations.edits import Edit
from sources.core.citations.layout import Layout
from sources.core.citations.notes import ReadNote
from sources.core.citations.outcome import Citation, Place


def definition_line(number: int, item: CorpusItem) -> str:
    """`[^1]: …`, without a line end."""
    return f"[^{number}]: {item.definition}"


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


def list_edits(layout: Layout, *, own: Sequence[ReadNote], cited: Sequence[tuple[int, CorpusItem]]) -> Iterator[Edit]:
    """The edits after which the draft defines exactly `cited`, in order; none where it does already.

    `own` are the definitions of sources that it has now. They are written anew where the first of them stands, else at
    the end of the list of sources, else under a heading of their own at the end.
    """
    if _is_up_to_date(layout, own, cited):
        return
    lines = [definition_line(number, item) for number, item in cited]
    runs = list(_runs(layout, own))
    for at, (start, end) in enumerate(runs):
        if at == 0 and lines:
            ended = layout.text[start:end].endswith(("\n", "\r"))
            written = layout.newline.join(lines) + (layout.newline if ended else "")
            alone = layout.text[start:end].lstrip(" ").startswith("[")
            yield Edit(start, end, written if alone else _apart(layout, start, end, written))
        else:
            yield Edit(start, _behind_blank_line(layout, start, end), "")
    if lines and not runs:
        yield _inserted(layout, lines)


def _is_up_to_date(layout: Layout, own: Sequence[ReadNote], cited: Sequence[tuple[int, CorpusItem]]) -> bool:
    if len(own) != len(cited):
        return False
    return all(
        each.note.label == str(number)
        and layout.text[each.note.body_start : each.note.body_end].strip() == item.definition
        for each, (number, item) in zip(own, cited, strict=True)
    )


def _runs(layout: Layout, own: Sequence[ReadNote]) -> Iterator[tuple[int, int]]:
    """Definitions with nothing but blanks between them, as one."""
    start = end = -1
    for each in own:
        if end >= 0 and not layout.text[end : each.note.start].strip():
            end = each.note.end
            continue
        if end >= 0:
            yield start, end
        start, end = each.note.start, each.note.end
    if end >= 0:
        yield start, end


def _apart(layout: Layout, start: int, end: int, written: str) -> str:
    """A list that stood in bullets or a quotation, and now stands by itself: blank lines keep what is around it off."""
    above = layout.text[layout.line_start(start - 1) : start] if start > layout.first else ""
    below = layout.text[end : layout.line_end(end)]
    return (layout.newline if above.strip() else "") + written + (layout.newline if below.strip() else "")


def _behind_blank_line(layout: Layout, start: int, end: int) -> int:
    """`end`, or behind the blank line there where another stands before `start`: two would be left."""
    before = layout.text[max(0, start - 4) : start].replace("\r\n", "\n").replace("\r", "\n")
    if start and not before.endswith("\n\n"):
        return end
    line = layout.line_end(end)
    if end < len(layout.text) and not layout.text[end:line].strip():
        return line + len(layout.newline) if layout.text.startswith(layout.newline, line) else end
    return end


def _inserted(layout: Layout, lines: Sequence[str]) -> Edit:
    """The list as one insertion: behind the last line of an existing list, else at the end of the draft."""
    at = layout.tail if layout.list_end is None else layout.list_end
    newline, before, after = layout.newline, layout.text[:at], layout.text[at:]
    written = newline.join(lines) + newline
    if layout.list_end is None:
        # A draft that begins with a rule would have front matter, could the next rule close it.
        rule = "***" if layout.lines[0].rstrip() == "---" and not layout.has_front_matter else "---"
        written = f"{rule}{newline}{newline}## References{newline}{newline}{written}"
    follows_note = any(note.end == at for note in layout.notes[-1:]) and layout.list_end is not None
    if before.strip("\ufeff") and not before.endswith(("\n", "\r")):
        written = newline + ("" if follows_note else newline) + written
    elif before.strip("\ufeff \t\r\n") and not follows_note and not _ends_with_blank_line(before):
        written = newline + written
    if after and not after.startswith(("\n", "\r")):
        written += newline
    return Edit(at, at, written)


def _ends_with_blank_line(text: str) -> bool:
    tail = text[-200:].replace("\r\n", "\n").replace("\r", "\n")
    lines = tail.split("\n")
    return len(lines) >= 2 and not lines[-1].strip() and not lines[-2].strip()
