"""The list of reputable publishers behind walls."""

import pytest

from validation.core.publishers import Publisher, gated_publisher, publisher_of, publishers


@pytest.mark.parametrize(
    ("host_or_url", "name"),
    [
        ("https://www.ft.com/content/1f2e", "Financial Times"),
        ("on.ft.com", "Financial Times"),
        ("WWW.WSJ.COM", "WSJ"),
        ("https://hbr.org/2024/01/x", "Harvard Business Review"),
        ("https://www.nature.com:443/articles/s1", "Nature"),
        ("http://continental-ledger.sample.localhost:8010/2024/rates", "The Continental Ledger"),
        ("//www.thelancet.com/journals", "The Lancet"),
        ("economist.com.", "The Economist"),
    ],
)
def test_a_host_and_what_lies_below_it_belong_to_the_publisher(host_or_url: str, name: str) -> None:
    publisher = gated_publisher(host_or_url)
    assert publisher is not None
    assert publisher.name == name


@pytest.mark.parametrize(
    "host", ["minecraft.com", "notwsj.com", "wsj.com.evil.net", "", "http://[broken", "com", "sample.localhost"]
)
def test_a_name_that_only_looks_alike_belongs_to_nobody(host: str) -> None:
    assert gated_publisher(host) is None


def test_extra_entries_are_asked_first() -> None:
    own = publisher_of({"name": "Own list", "domains": ["FT.com"], "access_note": "Own list: ask the library"})
    found = gated_publisher("https://www.ft.com/content/1", extra=[own])
    assert found is own


def test_the_list_has_the_publishers_an_editor_expects() -> None:
    names = {publisher.name for publisher in publishers() if not publisher.sample}
    assert len(names) == 23
    assert {"WSJ", "Reuters", "Gartner", "S&P Global", "Moody's", "McKinsey", "MIT Technology Review"} <= names


@pytest.mark.parametrize("publisher", publishers(), ids=lambda publisher: publisher.name)
def test_an_entry_is_complete(publisher: Publisher) -> None:
    assert publisher.access_note.startswith(f"{publisher.name}:")
    assert publisher.path_hints
    assert all(domain == domain.lower() and "/" not in domain for domain in publisher.domains)


def test_only_the_sample_sites_publisher_is_marked_as_a_sample() -> None:
    assert [publisher.name for publisher in publishers() if publisher.sample] == ["The Continental Ledger"]


def test_a_path_hint_points_at_the_gated_works() -> None:
    times = gated_publisher("ft.com")
    assert times is not None
    assert times.hints_at("https://www.ft.com/content/1f2e")
    assert not times.hints_at("https://www.ft.com/")
