"""What may be entered as a search's key or address, and what of it may be shown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.core.providers import Account, Provider, SecretRefused, checked_secret, hint_of

KEYED = [one for one in Provider if one is not Provider.SEARXNG]
KEY = "tvly-dev-4fQx81Zk0pLmA9-WXYZ"


@pytest.mark.parametrize("provider", KEYED)
def test_a_key_is_taken_without_the_space_around_it(provider: Provider) -> None:
    assert checked_secret(provider, f"  {KEY}\r\n") == KEY


@pytest.mark.parametrize(
    "text", ["", "short", "two words here", "a\nbcdefghij", "schlüssel-12345", "https://x.org/k", "k" * 501]
)
def test_what_no_key_looks_like_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(SecretRefused) as refused:
        checked_secret(Provider.TAVILY, text)
    assert not text or text not in str(refused.value)


@pytest.mark.parametrize(
    ("entered", "kept"),
    [
        ("https://searx.example.org", "https://searx.example.org/"),
        (" http://SEARX.example.org:8080/find/ ", "http://searx.example.org:8080/find/"),
        ("https://söarx.example.org/", "https://xn--sarx-5qa.example.org/"),
    ],
)
def test_an_address_is_kept_as_it_is_asked(entered: str, kept: str) -> None:
    assert checked_secret(Provider.SEARXNG, entered) == kept


@pytest.mark.parametrize(
    "entered",
    [
        "",
        "ftp://searx.example.org/",
        "https://ada:quay@searx.example.org/",
        "https://searx.example.org/?q=x",
        "https://searx.example.org/#top",
        "https://localhost/",
        "http://127.0.0.1:8888/",
        "http://2130706433/",
        "http://10.1.2.3/",
        "http://[::1]/",
        "http://searx/",
        "http://searx.internal/",
        "http://search.sample.localhost:8010/",
        "http://169.254.169.254/latest",
    ],
)
def test_an_address_inside_a_network_or_with_more_than_a_place_is_refused(entered: str) -> None:
    with pytest.raises(SecretRefused):
        checked_secret(Provider.SEARXNG, entered)


def test_four_characters_of_a_long_key_are_shown_and_none_of_a_short_one() -> None:
    assert hint_of(Provider.TAVILY, KEY) == "WXYZ"
    assert hint_of(Provider.TAVILY, "a-short-key") == ""
    assert hint_of(Provider.SEARXNG, "https://searx.example.org:8443/secret-place/") == "searx.example.org:8443"


@given(st.text(min_size=20, max_size=80))
@settings(max_examples=60, deadline=None)
def test_no_account_shows_its_secret(secret: str) -> None:
    told = repr(Account(provider=Provider.TAVILY, name="n", secret=f"%{secret}%"))
    assert f"%{secret}%" not in told
