"""Numbered lists of references, `[1] Title. https://…` or `1. Title`, which a text uses as `[1]`, `[1, 4-6]`."""

import re

from sources.core.citations.layout import Layout, Note
from sources.core.citations.notes import NoteKind, ReadNote
from sources.core.extraction.bibliography import entries_in, shelves

_RANGE = re.compile(r"([0-9]{1,4})\s*[–-]\s*([0-9]{1,4})")
_WIDEST = 50


def numbered_entries(layout: Layout) -> list[ReadNote]:
    """The numbered entries under headings such as “References”, each as if a note; its `address` is its text.

    Where one list writes `[1]` and another `1.`, the text's `[1]` means the former.
    """
    found: list[tuple[bool, ReadNote]] = []
    lines, starts = layout.lines, layout.starts
    for shelf in shelves(lines):
        for entry in entries_in(lines, shelf.start, shelf.end):
            first, opening = entry.line - 1, lines[entry.line - 1].lstrip()
            if not entry.number or opening.startswith("[^") or not layout.is_text(starts[first]):
                continue
            last = next((at for at in range(first, entry.end) if not lines[at].strip()), entry.end)
            text = entry.text if last == entry.end else entries_in(lines, first, last)[0].text
            end = starts[last] if last < len(starts) else len(layout.text)
            note = Note(str(int(entry.number)), starts[first], end, starts[first], end)
            found.append((opening.startswith("["), ReadNote(note, NoteKind.OUTSIDE, address=text)))
    bracketed = {each.note.label for in_brackets, each in found if in_brackets}
    return [each for in_brackets, each in found if in_brackets or each.note.label not in bracketed]


def numbers_in(written: str) -> list[str]:
    """`1, 4-6` as 1, 4, 5, 6; a range of over fifty is its two ends."""
    found: list[str] = []
    for part in re.split(r"[,;]", written):
        whole = _RANGE.search(part)
        first, last = (int(whole[1]), int(whole[2])) if whole else (int(part), int(part))
        numbers = range(first, last + 1) if 0 <= last - first <= _WIDEST else (first, last)
        found += [str(number) for number in numbers]
    return found
