"""Which network a request is counted for; nothing a client writes can change it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.accounts.networks import UNKNOWN, network_of


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", UNKNOWN),
        ("unix:", UNKNOWN),
    ],
)
def test_an_address_is_counted_as_its_network(remote: str, expected: str) -> None:
    assert network_of(remote=remote, forwarded="", proxies=0) == expected


@given(forwarded=st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_without_proxies_of_ours_the_header_means_nothing(forwarded: str) -> None:
    assert network_of(remote="192.0.2.7", forwarded=forwarded, proxies=0) == "192.0.2.7"


@given(invented=st.lists(st.ip_addresses().map(str), max_size=4))
@settings(max_examples=60, deadline=None)
def test_what_the_client_invents_stands_left_of_what_our_proxies_wrote(invented: list[str]) -> None:
    chain = ", ".join([*invented, "203.0.113.9"])
    assert network_of(remote="10.0.0.1", forwarded=chain, proxies=1) == "203.0.113.9"
    chain = ", ".join([*invented, "203.0.113.9", "10.0.0.2"])
    assert network_of(remote="10.0.0.1", forwarded=chain, proxies=2) == "203.0.113.9"


@pytest.mark.parametrize("forwarded", ["", "   ", "203.0.113.9", "not an address, neither"])
def test_a_request_that_came_past_the_proxies_is_counted_for_its_own_address(forwarded: str) -> None:
    assert network_of(remote="10.0.0.1", forwarded=forwarded, proxies=3) == "10.0.0.1"


def test_an_entry_that_is_no_address_counts_for_the_proxy() -> None:
    assert network_of(remote="10.0.0.1", forwarded="_hidden", proxies=1) == "10.0.0.1"
