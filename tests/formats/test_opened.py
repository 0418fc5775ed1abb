"""Files as lines of text, whatever their encoding and line ends."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.formats.opened import head_of, lines_of, opened


def lines(path: Path, data: bytes) -> list[str]:
    path.write_bytes(data)
    told = list(lines_of(path))
    assert [line.number for line in told] == list(range(1, len(told) + 1))
    return [line.text for line in told]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_the_same_in_every_encoding_and_with_every_end(codec: str, end: str, tmp_path: Path) -> None:
    assert lines(tmp_path / "f", f"first{end}Häfen{end}{end}last".encode(codec)) == ["first", "Häfen", "", "last"]


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_a_line_end_across_two_chunks_is_one(codec: str, tmp_path: Path) -> None:
    long = "x" * (2**20 - 1)
    assert lines(tmp_path / "f", f"{long}\r\nend\r\n".encode(codec)) == [long, "end"]
    short = "x" * (2**19 - 2)
    assert lines(tmp_path / "f", f"{short}\r\nend".encode(codec)) == [short, "end"]


def test_only_the_lines_that_were_mended_are_told(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes("ä\n".encode() + "ö\n".encode("latin-1") + b"a\x00b\n" + b"\x81\n")
    file = opened(path)
    assert file.text == "ä\nö\nab\n\x81"
    assert set(file.repaired) == {2, 3, 4}
    assert file.warnings(1, 1) == []
    assert "Line 2" in file.warnings(1, 3)[0]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("aä€𝄞\n"), max_size=40), st.integers(min_value=0, max_value=160))
def test_a_head_cut_inside_a_character_is_still_utf_8(text: str, cut: int) -> None:
    head = head_of(text.encode()[:cut], is_whole=False)
    assert text.startswith(head.text)
