"""How two texts differ, line by line, with a little of what is the same around each change. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from enum import StrEnum
from itertools import accumulate, zip_longest

from sources.core.preview import lines_of

AROUND = 2
# A memo has a fifth of them.
MAX_LINES = 6_000
# Pairs of like lines that are looked at. difflib's work grows with the cube of the length where single lines repeat
# among others: two texts made for it took it half a minute. Memos need a thousandth of this.
_MOST_STEPS = 3_000_000


class RowKind(StrEnum):
    """What a row of the comparison shows."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    NEW = "new"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line of both texts, or of one; line numbers from 1, 0 where a text has no such line. A gap stands for
    `skipped` lines that are the same in both."""

    kind: RowKind
    before_line: int = 0
    after_line: int = 0
    before: str = ""
    after: str = ""
    skipped: int = 0


class TooLong(ValueError):
    """The texts have more lines than are compared; the message says how many."""


def diff(before: str, after: str) -> list[DiffRow]:
    """The rows that show every change, [] where the texts have the same lines. Raises `TooLong`."""
    old, new = lines_of(before), lines_of(after)
    for lines in (old, new):
        if len(lines) > MAX_LINES:
            raise TooLong(f"At most {MAX_LINES:,} lines are compared; this text has {len(lines):,}.")
    if old == new:
        return []
    return list(_rows(old, new))


def _rows(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffRow]:
    codes = _Bounded(old, new).get_opcodes()
    for place, (tag, i1, i2, j1, j2) in enumerate(codes):
        if tag != "equal":
            for one, two in zip_longest(range(i1, i2), range(j1, j2)):
                yield _changed(old, new, one, two)
            continue
        before = AROUND if place > 0 else 0
        after = AROUND if place < len(codes) - 1 else 0
        if i2 - i1 <= before + after + 1:
            yield from (_same(old, i1 + step, j1 + step) for step in range(i2 - i1))
            continue
        yield from (_same(old, i1 + step, j1 + step) for step in range(before))
        yield DiffRow(RowKind.GAP, skipped=i2 - i1 - before - after)
        yield from (_same(old, i2 - step, j2 - step) for step in range(after, 0, -1))


class _Bounded(SequenceMatcher[str]):
    """Once it has looked at enough, what is left differs as a whole."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new)
        places = self.b2j  # type: ignore[attr-defined]  # documented by difflib, not typed
        self._steps = [0, *accumulate(1 + len(places.get(line, ())) for line in old)]
        self._end = len(old)
        self._left = _MOST_STEPS

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """As difflib's, or the empty match."""
        self._left -= self._steps[self._end if ahi is None else ahi] - self._steps[alo]
        return Match(alo, blo, 0) if self._left < 0 else super().find_longest_match(alo, ahi, blo, bhi)


def _changed(old: Sequence[str], new: Sequence[str], one: int | None, two: int | None) -> DiffRow:
    if one is None:
        assert two is not None  # noqa: S101
        return DiffRow(RowKind.NEW, after_line=two + 1, after=new[two])
    if two is None:
        return DiffRow(RowKind.GONE, before_line=one + 1, before=old[one])
    return DiffRow(RowKind.CHANGED, before_line=one + 1, after_line=two + 1, before=old[one], after=new[two])


def _same(old: Sequence[str], one: int, two: int) -> DiffRow:
    return DiffRow(RowKind.SAME, before_line=one + 1, after_line=two + 1, before=old[one], after=old[one])
