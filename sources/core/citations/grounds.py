"""What the notes, list entries, numbers and links of a draft rest on, each held once against what was retrieved."""

from bisect import bisect_right
from collections.abc import Sequence

from sources.core.citations.constructs import Construct
from sources.core.citations.notes import NoteKind, Notes, ReadNote
from sources.core.citations.numbered_list import numbered_entries
from sources.core.citations.outcome import ChangeKind
from sources.core.citations.placing import begins_line
from sources.core.citations.reading import Reading
from sources.core.citations.supporting import Retrieved, Support
from sources.core.extraction.definitions import read_definition
from sources.core.extraction.wording import title_of_link


class Grounds:
    """`entries` are those of numbered lists of references; `told` the keys of link definitions that were asked for."""

    def __init__(self, reading: Reading, retrieved: Retrieved) -> None:
        self._reading, self._retrieved = reading, retrieved
        layout = reading.layout
        self.entries = Notes(numbered_entries(layout))
        self.told: set[str] = set()
        self._entry_lines = [(each.note.start, each.note.end) for each in self.entries.all]
        self._entry_starts = {start for start, _ in self._entry_lines}
        self._by_number = {each.label: each for each in reversed(layout.links) if each.label.isdecimal()}
        self._titles = {each.key: each.title for each in reversed(layout.links)}
        self._supports: dict[int, Support] = {}

    def begin_again(self) -> None:
        """Entries are asked for in the order of the text; this is its beginning once more."""
        self.entries = Notes(self.entries.all)

    def is_of_list(self, each: Construct) -> bool:
        """True for the `[1]` that begins a line, where it numbers an entry, whether of a list that was found or not;
        and for one inside an entry, which is no citation of the text's."""
        return begins_line(self._reading.layout, each.start) or is_within(each.start, self._entry_lines)

    def of_note(self, note: ReadNote) -> Support:
        """What a definition or an entry rests on."""
        at = note.note.start
        if at not in self._supports:
            self._supports[at] = self._sought(note)
        return self._supports[at]

    def of_number(self, label: str, at: int) -> Support | None:
        """What a number means: an entry of a numbered list, or a link's definition; None where it is neither."""
        entry = self.entries.meant(label, at)
        if entry:
            return self.of_note(entry)
        link = self._by_number.get(label)
        if link is None:
            return None
        self.told.add(link.key)
        return self._retrieved.support(address=link.target, titles=(link.title,))

    def of_link(self, each: Construct, said: str) -> Support:
        """What a link or address rests on; `said` are the words that it stands behind."""
        self.told.add(each.label)
        title = self._titles.get(each.label, each.title) if each.label else each.title
        return self._retrieved.support(address=each.target, titles=(title, title_of_link(said)))

    def _sought(self, note: ReadNote) -> Support:
        if note.kind is NoteKind.OUTSIDE and note.address == "" and note.id:
            return Support(ChangeKind.DROPPED, None, f"{note.id} was not retrieved.")
        if note.id and note.item:
            return Support(ChangeKind.KEPT, note.item, f"Retrieved as {note.id}.")
        is_entry = note.note.start in self._entry_starts
        defined = note.address if is_entry else self._reading.layout.text[note.note.body_start : note.note.body_end]
        told = read_definition(defined)
        address = told.address if is_entry else note.address or told.address
        titles = (told.title, *(each.title for each in self._reading.inside(note)))
        return self._retrieved.support(address=address, titles=titles, defined=defined)


def is_within(at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """True for a place in one of the ranges, which are in order and do not overlap."""
    index = bisect_right(ranges, at, key=lambda each: each[0]) - 1
    return index >= 0 and at < ranges[index][1]
