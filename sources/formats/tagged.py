"""Files of lines that begin with a tag, cut into records: what RIS, MEDLINE, ISI and EndNote's `.enw` share."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from sources.formats.opened import Line

Split = Callable[[str], tuple[str, str] | None]
"""Tag and value of a line, None for a line that goes on with the value before it."""


@dataclass(slots=True)
class Tagged:
    """One record: its fields in order, each value in lines. `is_closed` is False where its end mark is missing."""

    line: int
    fields: list[tuple[str, list[str]]] = field(default_factory=list)
    is_closed: bool = True
    warnings: list[str] = field(default_factory=list)

    def first(self, *tags: str) -> str:
        """The first value that is not empty, of the first of `tags` that has one; '' where none has."""
        for wanted in tags:
            for tag, lines in self.fields:
                if tag == wanted and (told := "\n".join(lines).strip()):
                    return told
        return ""

    def all(self, *tags: str) -> list[str]:
        """Every value of these tags that is not empty, in the order of the file."""
        values = ("\n".join(lines).strip() for tag, lines in self.fields if tag in tags)
        return [value for value in values if value]

    def others(self, used: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Tag and value of all other fields."""
        for tag, lines in self.fields:
            if tag not in used:
                yield tag, "\n".join(lines)


def records(
    lines: Iterable[Line],
    split: Split,
    *,
    opens: str,
    closes: str = "",
    blank_ends: bool = False,
    between: frozenset[str] = frozenset(),
) -> Iterator[Tagged]:
    """The records of `lines`, one at a time.

    A line tagged `opens` begins one whatever came before, one tagged `closes` ends it; with `blank_ends` the first
    tagged line after a blank one begins one too. Tags `between` are of the file and belong to no record.
    """
    current: Tagged | None = None
    blank = False
    for line in lines:
        if not line.text.strip():
            blank = True
            continue
        pair = split(line.text)
        if pair is None:
            if current and current.fields:
                if blank:
                    current.fields[-1][1].append("")
                current.fields[-1][1].append(line.text.strip())
                _tell(current, line)
            blank = False
            continue
        tag, value = pair
        if tag in between:
            continue
        if closes and tag == closes:
            if current:
                yield current
            current = None
            continue
        if current and (tag == opens or (blank and blank_ends)):
            current.is_closed = not closes
            yield current
            current = None
        blank = False
        current = current or Tagged(line.number)
        current.fields.append((tag, [value]))
        _tell(current, line)
    if current:
        current.is_closed = not closes
        yield current


def _tell(record: Tagged, line: Line) -> None:
    if line.repaired and len(record.warnings) < 3:
        record.warnings.append(line.repaired)
