"""A draft as a page shows it: blocks and pieces, no HTML of its own, no address but of the web; and two compared."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.citations import gate
from sources.core.draft_diff import MAX_LINES, DiffRow, RowKind, TooLong, diff
from sources.core.preview import BlockKind, Piece, PieceKind, blocks_of, lines_of, pieces_of
from tests.growth import assert_linear

DRAFT = """\
# Tides

The *tide* rises **twice** a day. [^1] <b>No tag</b>
It is `measured`. <needs-source claim="The &quot;gauge&quot; is old.">

- high water
  - spring tide
> as they say

```
[src-001] stays
```
***
[^1]: 2024. [Gauge](https://harbour.example/g_(1)). Harbour.
"""


def test_a_draft_becomes_blocks_with_their_lines() -> None:
    told = [(block.kind, block.line, block.level, block.label) for block in blocks_of(DRAFT)]
    assert told == [
        (BlockKind.HEADING, 1, 1, ""),
        (BlockKind.PARAGRAPH, 3, 0, ""),
        (BlockKind.ITEM, 6, 0, ""),
        (BlockKind.ITEM, 7, 1, ""),
        (BlockKind.QUOTE, 8, 0, ""),
        (BlockKind.CODE, 10, 0, ""),
        (BlockKind.RULE, 13, 0, ""),
        (BlockKind.NOTE, 14, 0, "1"),
    ]


def test_pieces_say_what_they_are() -> None:
    pieces = blocks_of(DRAFT)[1].pieces
    assert [(piece.kind, piece.text) for piece in pieces if piece.kind is not PieceKind.TEXT] == [
        (PieceKind.EMPHASIS, "tide"),
        (PieceKind.STRONG, "twice"),
        (PieceKind.CITED, "1"),
        (PieceKind.CODE, "measured"),
        (PieceKind.MARKER, 'The "gauge" is old.'),
    ]
    assert " <b>No tag</b>\nIt is " in [piece.text for piece in pieces]
    assert Piece(PieceKind.LINK, "Gauge", "https://harbour.example/g_(1)") in blocks_of(DRAFT)[-1].pieces


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "vbscript:x", "/p/"])
def test_what_is_no_address_of_the_web_is_no_link(address: str) -> None:
    assert pieces_of(f"[here]({address})") == (Piece(PieceKind.TEXT, "here"),)


@pytest.mark.parametrize("piece", ["[", "*a", "`", "<needs-source ", "[^", "\\", "[a](", "**", "> ", "- ", "# ", "\n|"])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    assert_linear(blocks_of, piece, 160_000)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x0b", "\u2028", "\x85"])
def test_lines_are_counted_as_the_gate_counts_them(end: str) -> None:
    text = f"One.{end}Two.{end}Three. [src-009]{end}"
    (problem,) = gate(text, corpus=[]).problems
    assert "[src-009]" in lines_of(text)[problem.line - 1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=25), st.lists(st.sampled_from("abc"), max_size=25))
def test_the_rows_of_a_comparison_make_both_texts(before: list[str], after: list[str]) -> None:
    rows = diff("\n".join(before), "\n".join(after))
    old, new = "\n".join(before).split("\n"), "\n".join(after).split("\n")
    if old == new:
        assert rows == []
        return
    skipped = sum(row.skipped for row in rows)
    for lines, at, text in (
        (old, [row.before_line for row in rows], [row.before for row in rows]),
        (new, [row.after_line for row in rows], [row.after for row in rows]),
    ):
        shown = {line: words for line, words in zip(at, text, strict=True) if line}
        assert list(shown) == sorted(shown)
        assert len(shown) + skipped == len(lines)
        assert all(lines[line - 1] == words for line, words in shown.items())


def test_far_from_a_change_lines_are_counted_alone() -> None:
    lines = [str(number) for number in range(40)]
    rows = diff("\n".join(lines), "\n".join([*lines[:20], "other", *lines[21:]]))
    assert [row.kind for row in rows] == [
        RowKind.GAP,
        *[RowKind.SAME] * 2,
        RowKind.CHANGED,
        *[RowKind.SAME] * 2,
        RowKind.GAP,
    ]
    assert [row.skipped for row in rows if row.skipped] == [18, 17]


def test_texts_that_are_too_long_are_not_compared() -> None:
    with pytest.raises(TooLong, match="At most 6,000 lines"):
        diff("x\n" * (MAX_LINES + 1), "y")


def _repeating(own: str, number: int) -> str:
    """Lines of a few kinds, each between two that stand nowhere else."""
    kinds = number // (number // 50 + 2) + 1
    return "\n".join(f"{own} {at}" if at % 2 else f"all {at // 2 % kinds}" for at in range(number))


def test_texts_made_to_be_slow_to_compare_cost_their_share() -> None:
    def compared(text: str) -> list[DiffRow]:
        return diff(_repeating("old", len(text)), _repeating("new", len(text)))

    assert_linear(compared, "x", MAX_LINES - 10)
    rows = compared("x" * 600)
    assert [row.before for row in rows if row.before_line] == lines_of(_repeating("old", 600))
    assert [row.after for row in rows if row.after_line] == lines_of(_repeating("new", 600))


def test_a_long_memo_with_edits_all_over_is_compared_to_its_end() -> None:
    old = [f"Line {at} of the memo." if at % 3 else "" for at in range(MAX_LINES)]
    new = ["Another line." if at % 40 == 1 else line for at, line in enumerate(old)]
    rows = diff("\n".join(old), "\n".join(new))
    assert sum(row.kind is RowKind.CHANGED for row in rows) == MAX_LINES // 40
    assert {row.kind for row in rows} == {RowKind.CHANGED, RowKind.SAME, RowKind.GAP}
