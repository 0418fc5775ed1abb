"""User names and passwords are found wherever an address stands, and nothing else is touched."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.credentials import holds_credentials, without_credentials

PASSWORDS = st.text(alphabet="abcXYZ019!$&'()*+,;=:@%._~-", min_size=1, max_size=12).map(lambda tail: "Zq9" + tail)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("see https://user:pw@example.com/x.", "see https://***@example.com/x."),
        ("https://user@example.com/", "https://***@example.com/"),
        ("https://user:p@w@example.com/", "https://***@example.com/"),
        ("https://user:p/w@example.com/", "https://***@example.com/"),
        ("https://user:p?w#@example.com/", "https://***@example.com/"),
        ('https://user:p"w@example.com/', "https://***@example.com/"),
        ("ssh://git:pw@example.com/x", "ssh://***@example.com/x"),
        (
            "[a](https://u:p@a.example) and <http://u:p@b.example>",
            "[a](https://***@a.example) and <http://***@b.example>",
        ),
        (
            "https://a.example/?to=https%3A%2F%2Fu%3Ap%40b.example",
            "https://a.example/?to=https%3A%2F%2F***%40b.example",
        ),
        ("http://a.example\\@b.example/", "http://***\\\\@b.example/"),
        ("x%253A%252F%252Fu%253Ap%2540b", "x%253A%252F%252F***%2540b"),
    ],
)
def test_userinfo_is_masked(text: str, masked: str) -> None:
    assert without_credentials(text) == masked
    assert without_credentials(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "https://medium.example/@writer",
        "https://a.example:8080/@x and me@b.example",
        "mailto:me@a.example",
        "https://a.example?u=@x",
        "https://a.example/#@x",
        '<a href="https://a.example">me@a.example</a>',
        "https://a.example: write to me@a.example",
        "https://[::1]:80/@x",
        "no address @ all",
        "",
    ],
)
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert without_credentials(text) == text


@given(password=PASSWORDS, before=st.text(max_size=20), after=st.text(max_size=20))
@settings(max_examples=60, deadline=None)
def test_no_password_survives_in_any_text(password: str, before: str, after: str) -> None:
    text = f"{before} https://user:{password}@host.example/{after}"
    masked = without_credentials(text)
    assert password not in masked
    assert without_credentials(masked) == masked
    assert masked.count("\n") == text.count("\n")


def test_a_password_further_inside_is_seen() -> None:
    assert holds_credentials("/web/2020/http://u:p@a.example/")
    assert holds_credentials("/web/2020/http://***@a.example/")
    assert holds_credentials("?to=http%3A%2F%2Fu%3Ap%40a")
    assert not holds_credentials("/web/2020/https://medium.example/@writer?x=%20")
