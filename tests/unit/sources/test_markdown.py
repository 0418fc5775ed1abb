"""What strangers wrote stays text: a Markdown reader shows the very words, and follows the very address."""

from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sources.reports.markdown import link, moment, plain

_READER = MarkdownIt("commonmark")
# Letters, and whatever has a meaning in Markdown, HTML or on a terminal.
_HOSTILE = "ab1 \t\r\n\\`*_[]()<>|~!#&;+-.:/\"'=?@%$^{}\x00\x07\x1b\x7f\x9b\u00a0\u2028\u202e\u2066é漢"
_ADDRESS = "ab1()[]<>\\\"'&;amplt#?=/*_~!%20. \t\n\u00a0\u2028é"


def seen(text: str) -> str:
    """`text` as it can be shown: on one line, without controls."""
    shown = " ".join(text.split())
    return " ".join("".join(sign for sign in shown if sign.isprintable() or sign == " ").split())


def read(markdown: str) -> tuple[str, list[str]]:
    """The words a reader of `markdown` sees, and the addresses they lead to."""
    words, targets = [], []
    for block in _READER.parse(markdown):
        assert block.type not in {"html_block", "fence", "code_block", "hr"}
        for token in block.children or []:
            assert token.type in {"text", "text_special", "link_open", "link_close", "strong_open", "strong_close"}
            words.append(token.content)
            targets += [str(token.attrs["href"])] if token.type == "link_open" else []
    return "".join(words), targets


@given(text=st.text(st.sampled_from(_HOSTILE), max_size=30))
@settings(max_examples=60, deadline=None)
@example("![x](javascript:alert(1))")
@example("AT&amp;T &#60;b&#62; &copy;")
@example("a_b __c__ _d_ snake_case_")
@example("ends with \\")
@example("Part one #")
@example("[link]: https://elsewhere.example")
def test_a_title_is_read_as_the_very_words(text: str) -> None:
    assert read(f"- **{link(text + 'x', 'https://harbour.example/a')}**") == (
        seen(text + "x"),
        ["https://harbour.example/a"],
    )
    assert read(f"  - Reason: {plain(text)}")[0] == f"Reason: {seen(text)}".strip()
    assert read(f"# Project {plain(text)}")[0] == f"Project {seen(text)}".strip()


@given(rest=st.text(st.sampled_from(_ADDRESS), max_size=20))
@settings(max_examples=60, deadline=None)
@example("a)b(c")
@example("Mercury_(planet)")
@example("((((((((a")
@example("?a=1&lt;b=2")
@example("a\\*b")
@example("a\u00a0b\u2028")
def test_an_address_leads_where_it_says(rest: str) -> None:
    words, targets = read(f"- **{link('Harbour survey', 'https://harbour.example/' + rest)}** after")
    assert words == "Harbour survey after"
    assert [unquote(target) for target in targets] == [unquote("https://harbour.example/" + rest)]


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//x.example", ""]
)
def test_an_address_that_is_not_of_the_web_makes_no_link(address: str) -> None:
    assert link("Harbour survey", address) == "Harbour survey"


def test_words_joined_by_underscores_are_left_as_they_are() -> None:
    assert plain("http://www.canonical.example/path/?utm_source=x") == "http://www.canonical.example/path/?utm_source=x"


@pytest.mark.parametrize("hostile", ["\x1b[2J\x1b]0;title\x07", "\x9b31m", "gpj.\u202eexe", "a\x00b\x08c", "\ud800"])
def test_nothing_that_acts_on_a_terminal_comes_through(hostile: str) -> None:
    for written in (plain(hostile), link(hostile, f"https://harbour.example/{hostile}")):
        assert written.isprintable()
        written.encode()


def test_a_password_never_comes_through() -> None:
    secret = "https://anna:hunter2@harbour.example/a"
    assert "hunter2" not in plain(f"see {secret} for it")
    assert "hunter2" not in link(secret, secret)


def test_a_moment_is_written_in_utc() -> None:
    at = datetime(2026, 5, 14, 12, 11, 12, tzinfo=timezone(timedelta(hours=2)))
    assert moment(at) == moment(at.astimezone(UTC)) == "2026-05-14 10:11:12"
