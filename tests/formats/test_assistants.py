"""How assistants write their sources, one answer each: every address is found under the title it is given."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.entries import SourceRecord, as_json, from_json
from sources.formats import drafts
from tests.formats.given import errors, named, read, records
from tests.growth import assert_linear

GROWTH, GATES = "https://gazette.example/growth", "https://news.example/gates"
SAID = "The harbour grew by three per cent last year{}, and the ferry line carried more people than ever before{}.\n\n"

ANSWERS = {
    "links in parentheses": SAID.format(
        f" ([Harbour growth]({GROWTH}?utm_source=chatgpt.com))", f" ([Storm gates open]({GATES}?utm_source=openai))"
    ),
    "numbered links": SAID.format(" ([Gazette][1])", " ([News][2])")
    + f'[1]: {GROWTH}?utm_source=chatgpt.com "Harbour growth"\n[2]: {GATES} "Storm gates open"\n',
    "numbers and a list under a word": SAID.format("[1]", "[1][2]")
    + f"Sources\n[1] Harbour growth {GROWTH}\n[2] Storm gates open {GATES}\n",
    "notes with a part number": SAID.format("[^1_1]", "[^1_2]")
    + f"[^1_1]: [Harbour growth]({GROWTH})\n\n[^1_2]: [Storm gates open]({GATES})\n",
    "raised notes": SAID.format("[^1^]", "[^2^]")
    + f"[^1^]: [Harbour growth]({GROWTH})\n[^2^]: [Storm gates open]({GATES})\n",
    "raised numbers and a conversation": SAID.format("¹", "²")
    + f"Source: Conversation with Copilot, 12/3/2024\n(1) Harbour growth. {GROWTH}.\n(2) Storm gates open. {GATES}.\n",
    "works cited with days": SAID.format("1", "2")
    + f"#### **Works cited**\n\n1. Harbour growth, accessed May 3, 2025, [{GROWTH}]({GROWTH})\n"
    + f"2. Storm gates open, accessed May 3, 2025, [{GATES}]({GATES})\n",
    "bullets under a bold word": SAID.format("", "")
    + f"**Sources:**\n- [Harbour growth]({GROWTH})\n- Storm gates open: {GATES}\n",
}  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_every_source_of_an_answer_is_found_under_its_title(answer: str, tmp_path: Path) -> None:
    items = read(answer, tmp_path)
    assert errors(items) == []
    assert [(named(one), one.title) for one in records(items)] == [
        (GROWTH, "Harbour growth"),
        (GATES, "Storm gates open"),
    ]


def test_a_source_that_an_assistant_calls_undefined_has_no_title(tmp_path: Path) -> None:
    text = SAID.format("¹", "") + f"Source: Conversation with Copilot, 12/3/2024\n(1) undefined. {GROWTH}.\n"
    assert [one.title for one in records(read(text, tmp_path))] == [""]


def test_keys_of_a_bibliography_file_that_is_not_there_are_told_once(tmp_path: Path) -> None:
    text = (
        SAID.format(" [@okoro2020, p. 3; @marek2019]", " [see @okoro2020]")
        + f"Write to [me@quay.example]. See [@ada]({GROWTH}).\n"
    )
    (error,) = errors(read(text, tmp_path))
    assert error.line == 1
    assert "@okoro2020, @marek2019 of a bibliography file" in error.message


def test_keys_that_the_text_itself_explains_are_no_errors(tmp_path: Path) -> None:
    text = SAID.format(" [@okoro2020]", "") + (
        "# References\n\n::: {#refs .csl-bib-body}\n::: {#ref-okoro2020 .csl-entry}\n"
        'Okoro, Ada. 2020. "Storm Gates." *J Harb* 12 (3): 45--67. <https://doi.org/10.1000/jhs.1>.\n:::\n:::\n'
    )
    items = read(text, tmp_path)
    assert errors(items) == []
    assert [(named(one), one.title, str(one.authors[0])) for one in records(items)] == [
        ("10.1000/jhs.1", "Storm Gates", "Okoro, Ada")
    ]


PIECES = st.sampled_from(
    ["\n", "\n\n", " ", "# References\n\n", "[1] ", "1. ", "- ", "Okoro, A. (2020). ", "Storm gates. ", "J Harb, 4(2),",
     " 1–9.", "https://a.example/x", "10.1000/", "abc.1", "“", "”", "[@key]", "[cite: 1]", "【1†a】", "\x00", "\x01",
     "citeturn0search0", "——. ", "\ufeff", "[^1]", "[^1]: ", ":::", "*", "(", ")", "é", "港", "\x0c",
     "Source: Conversation with X\n"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=60, deadline=None)
def test_any_draft_gives_records_that_survive_being_kept(text: str) -> None:
    lines = text.replace("\r\n", "\n").split("\n")
    for item in drafts.read_text(text):
        assert 1 <= item.line <= len(lines)
        if isinstance(item, SourceRecord):
            assert (item.title + item.context + item.spelling).isprintable()
            assert from_json(as_json(item)) == item
            assert item.title or item.identities
            assert len(item.title) <= 300


@pytest.mark.parametrize(
    "piece",
    [
        "[@a",
        "[@a; ",
        "【1†",
        "[cite: 1,",
        "citeturn0search0",
        "turn0search0",
        "# References\n",
        "References\n\nOkoro 2020\n\n",
    ],
)
def test_hostile_drafts_grow_linearly(piece: str) -> None:
    assert_linear(drafts.read_text, piece, 40_000, before=SAID)
