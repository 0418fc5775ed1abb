"""What is asked about a lost work, and about which addresses nobody is asked."""

import pytest

from sources.core.identifiers import identify
from validation.core import seeking
from validation.core.classify import Claimed

URL = identify("https://www.gazette.org/2024/harbour")
DOI = identify("10.1016/j.harbour.2024.01.001")
TITLE = "Harbour survey"


def texts(claimed: Claimed, identity: object = URL) -> list[str]:
    return [query.text for query in seeking.queries_for(identity, claimed)]  # type: ignore[arg-type]


def test_the_publishers_domain_is_asked_before_the_author() -> None:
    claimed = Claimed(title='The "Harbour"  survey', author="Quay, Ada; Low, Ben")
    assert texts(claimed) == ['"The Harbour survey" site:gazette.org', '"The Harbour survey" "Quay, Ada"']


@pytest.mark.parametrize(
    ("claimed", "asked"),
    [
        (Claimed(title=TITLE), []),
        (Claimed(author="Ada Quay", publisher="FT"), []),
        (Claimed(title=TITLE, publisher="Financial Times"), [f'"{TITLE}" site:ft.com']),
        (Claimed(title=TITLE, publisher="www.press.org"), [f'"{TITLE}" site:press.org']),
        (Claimed(title=TITLE, publisher="Quay Press"), [f'"{TITLE}" "Quay Press"']),
        (Claimed(title=TITLE, published_date="4 April 2024"), [f'"{TITLE}" 2024']),
        (Claimed(title=TITLE, author="Ada Quay and Ben Low"), [f'"{TITLE}" "Ada Quay"']),
    ],
)
def test_a_doi_needs_a_second_field(claimed: Claimed, asked: list[str]) -> None:
    """Its host is a resolver's, which publishes nothing."""
    assert texts(claimed, DOI) == asked


@pytest.mark.parametrize(
    "address", ["https://gazette.org/x", "10.1000/182", "https://8.8.8.8.example.org/", "doi:10.1/x"]
)
def test_public_names_may_be_asked_about(address: str) -> None:
    assert seeking.is_askable(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://10.0.0.7/x",
        "http://[fd00::1]:80/x",
        "http://intranet/x",
        "http://wiki.corp.internal/x",
        "http://nas.local:8080/x",
        "http://harbour.sample.localhost:8010/x",
        "http://user@nas.local/x",
        "http://nas.local./x",
        "http://nas.local?x=.org",
    ],
)
def test_addresses_inside_a_network_stay_inside(address: str) -> None:
    assert not seeking.is_askable(address)


@pytest.mark.parametrize(
    ("address", "claimed", "scholarly"),
    [
        ("10.1016/j.harbour.2024.01.001", Claimed(title=TITLE), True),
        ("https://people.press.edu/quay/", Claimed(title=TITLE), True),
        ("https://gazette.org/paper.pdf?x=1", Claimed(title=TITLE), True),
        ("https://gazette.org/x", Claimed(title=TITLE, publisher="Journal of Harbours"), True),
        ("https://gazette.org/x", Claimed(title="Boats count harbour spring tides survey", author="Ada Quay"), True),
        ("https://gazette.org/x", Claimed(title=TITLE, author="Ada Quay"), False),
        ("https://gazette.org/x", Claimed(title=TITLE), False),
        ("10.1016/j.harbour.2024.01.001", Claimed(), False),
    ],
)
def test_registries_are_for_scholarly_works(address: str, claimed: Claimed, scholarly: bool) -> None:
    assert seeking.is_scholarly(identify(address), claimed) is scholarly


@pytest.mark.parametrize(
    ("url", "is_copy"),
    [
        ("https://web.archive.org/web/2024/https://gazette.org/", True),
        ("https://archive.ph/AbC12", True),
        ("https://vault.press.org/wayback/2024/http://gazette.org/", True),
        ("https://archive.org/details/harbour-book", False),
        ("https://arxiv.org/abs/2401.00001", False),
        ("https://gazette.org/?u=https://other.org/", False),
    ],
)
def test_copies_are_known(url: str, is_copy: bool) -> None:
    assert seeking.is_archive(url) is is_copy
