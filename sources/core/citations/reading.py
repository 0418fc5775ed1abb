"""A draft read once: its layout, its constructs stretch by stretch, its notes, its sentences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sources.core.citations.constructs import Construct, Kind
from sources.core.citations.corpus import CorpusIndex
from sources.core.citations.layout import Layout, Note, Stretch
from sources.core.citations.notes import NoteKind, Notes, ReadNote, is_number, number_of, read_note
from sources.core.citations.scanning import constructs_in
from sources.core.citations.sentences import Sentences

_SILENT = frozenset({NoteKind.SOURCE, NoteKind.OUTSIDE, NoteKind.NAMED, NoteKind.ID})


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch with what stands in it. `silent` where it is a definition that is judged as a whole."""

    stretch: Stretch
    constructs: list[Construct]
    sentences: Sentences
    silent: bool


class Reading:
    """`pieces` in the order of the text; `notes` by use. `stays` as `constructs_in` asks it."""

    def __init__(self, text: str, index: CorpusIndex, stays: Callable[[str], bool]) -> None:
        self.layout = Layout(text)
        self._index = index
        labels = {each.key: each.target for each in reversed(self.layout.links)}
        found: list[tuple[Stretch, list[Construct]]] = []
        self._inside: dict[int, list[Construct]] = {}
        for stretch in self.layout.stretches:
            piece = text[stretch.start : stretch.end]
            constructs = constructs_in(piece, base=stretch.start, labels=labels, stays=stays, row=stretch.row)
            found.append((stretch, constructs))
            if stretch.note:
                self._inside.setdefault(stretch.note.start, []).extend(constructs)
        read = [read_note(self.layout, note, self._inside.get(note.start, []), index) for note in self.layout.notes]
        self.notes = Notes(read)
        silent = {each.note.start for each in read if each.kind in _SILENT}
        self.pieces = [
            Piece(stretch, constructs, Sentences(text, stretch, constructs), _start(stretch.note) in silent)
            for stretch, constructs in found
        ]

    def inside(self, note: ReadNote) -> Sequence[Construct]:
        """What stands in a definition."""
        return self._inside.get(note.note.start, [])

    def undefined(self) -> set[int]:
        """Numbers of notes that are used and nowhere defined; of `[^1](address)` where the address is not known."""
        return {
            number_of(each.label.removeprefix("^"))
            for piece in self.pieces
            if not piece.silent
            for each in piece.constructs
            if is_number(each.label.removeprefix("^")) and self._leads_nowhere(each)
        }

    def _leads_nowhere(self, each: Construct) -> bool:
        if each.kind is Kind.NOTE:
            return not self.notes.defines(each.label)
        return each.kind is Kind.LINK and each.label.startswith("^") and self._index.at(each.target) is None


def _start(note: Note | None) -> int:
    return -1 if note is None else note.start
