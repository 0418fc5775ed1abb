"""Fabricated shapes of addresses: the template is flagged, the publisher never."""

from datetime import UTC, datetime

import pytest

from sources.core.findings import Cause
from sources.core.kinds import IdentifierType
from tests.growth import assert_linear
from validation.core.patterns import Pattern, match, patterns

URL = IdentifierType.URL


@pytest.mark.parametrize("pattern", patterns(), ids=lambda pattern: pattern.name)
def test_the_examples_of_an_entry_hold(pattern: Pattern) -> None:
    assert pattern.hits
    assert pattern.passes
    for address in pattern.hits:
        found = match(address, URL)
        assert found is not None, address
        assert (found.name, found.cause) == (pattern.name, pattern.cause), address
    for address in pattern.passes:
        assert match(address, URL) is None, address


@pytest.mark.parametrize(
    "address",
    [
        "https://gazette.press/2024/harbour-survey",
        "https://www.gartner.com/en/articles/what-s-new-in-the-2024-hype-cycle",
        "https://www.idc.com/research/viewtoc.jsp?containerId=US49018922",
        "http://harbour-gazette.sample.localhost:8010/2024/harbour-survey",
        "https://doi.org/10.1002/(SICI)1097-4571(199806)49:8%3C693::AID-ASI4%3E3.0.CO;2-O",
        "https://doi.org/10.5555/provdesk.1",
        "https://arxiv.org/abs/2604.03173v2",
        "https://arxiv.org/abs/math/0309136",
        "https://babel.hathitrust.org/cgi/pt?id=pst.000003356951;view=1up;seq=1",
        "https://latest.press/contest/examples.com/",
        "",
        "not an address",
        "http://[broken",
    ],
)
def test_a_real_address_passes(address: str) -> None:
    assert match(address, URL) is None


@pytest.mark.parametrize(
    ("value", "kind", "name"),
    [
        ("10.12/abc", IdentifierType.DOI, "doi-registrant-too-short"),
        ("doi:10.xxxx/abc", IdentifierType.DOI, "doi-registrant-not-a-number"),
        ("2613.99999", IdentifierType.ARXIV, "arxiv-month"),
        ("10.1000/{suffix}", IdentifierType.DOI, "template-braces"),
    ],
)
def test_the_value_of_an_identifier_is_looked_at_too(value: str, kind: IdentifierType, name: str) -> None:
    found = match(value, kind)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("address", "invented"),
    [
        ("https://arxiv.org/abs/2612.00001", False),
        ("https://arxiv.org/abs/2701.00001", True),
        ("https://arxiv.org/pdf/9112.12345v2.pdf", True),
        ("arXiv:2803.01234", True),
        ("https://arxiv.org/abs/math/9912001", False),
        ("https://arxiv.org/abs/0704.0001", False),
        ("https://gazette.press/2803.01234", False),
    ],
)
def test_a_paper_of_a_month_to_come_is_invented(address: str, invented: bool) -> None:
    found = match(address, URL, at=datetime(2026, 11, 30, tzinfo=UTC))
    assert (found is not None and found.cause is Cause.IMPOSSIBLE_IDENTIFIER) == invented
    assert match(address, URL) is None


def test_a_match_shows_an_identifier_whole() -> None:
    found = match("https://arxiv.org/abs/2613.99999", URL)
    assert found is not None
    assert found.text == "2613.99999"


def test_a_match_shows_the_part_that_fired() -> None:
    found = match("https://www.example.com/report", URL)
    assert found is not None
    assert found.cause is Cause.PLACEHOLDER_HOST
    assert "example.com" in found.text


@pytest.mark.parametrize("pattern", patterns(), ids=lambda pattern: pattern.name)
def test_a_pattern_takes_linear_time_on_hostile_text(pattern: Pattern) -> None:
    """Eight times the text may take about eight times as long; a pattern that backtracks takes 64 times or for ever."""
    seeds = (
        "X" * 4,
        "{a",
        "%7B ",
        "[id",
        "10.1",
        "a/",
        "path/to",
        "-x",
        "your-",
        "https://www.gartner.com/en/documents/1",
    )
    for seed in seeds:
        assert_linear(pattern.expression.search, seed, 8_000)
        assert_linear(pattern.expression.search, seed, 8_000, before="https://")


def test_a_pattern_uses_nothing_that_a_linear_engine_lacks() -> None:
    for pattern in patterns():
        assert not any(part in pattern.expression.pattern for part in ("(?=", "(?!", "(?<", r"\1", "(?P="))
