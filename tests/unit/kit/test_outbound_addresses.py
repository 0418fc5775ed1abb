"""The guard: which addresses may be contacted, and which texts are URLs that may be requested."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.kit.outbound.addresses import is_loopback, is_private_network, is_public
from provenance_site.kit.outbound.policy import OutboundPolicy
from provenance_site.kit.outbound.targets import UnusableTarget, joined, target_of

DANGEROUS = [
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "end of loopback"),
    ("0.0.0.0", "this host"),
    ("0.1.2.3", "this network"),
    ("10.0.0.1", "private"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private"),
    ("192.168.1.1", "private"),
    ("169.254.169.254", "metadata service"),
    ("169.254.170.2", "container credentials"),
    ("100.64.0.1", "carrier-grade NAT"),
    ("100.100.100.200", "metadata service behind carrier-grade NAT"),
    ("168.63.129.16", "cloud host agent"),
    ("192.0.0.192", "metadata service in the protocol block"),
    ("192.0.0.8", "dummy address"),
    ("192.0.2.1", "documentation"),
    ("198.51.100.7", "documentation"),
    ("203.0.113.9", "documentation"),
    ("192.88.99.1", "6to4 relay"),
    ("198.18.0.1", "benchmarks"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.250", "service discovery"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "broadcast"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::127.0.0.1", "IPv4-compatible loopback"),
    ("::ffff:127.0.0.1", "mapped loopback"),
    ("::ffff:10.0.0.1", "mapped private"),
    ("::ffff:169.254.169.254", "mapped metadata"),
    ("::ffff:100.64.0.1", "mapped carrier-grade NAT"),
    ("::ffff:0:127.0.0.1", "translated loopback"),
    ("64:ff9b::a9fe:a9fe", "NAT64 of metadata"),
    ("64:ff9b::7f00:1", "NAT64 of loopback"),
    ("64:ff9b:1::a00:1", "local NAT64 of private"),
    ("2002:7f00:1::1", "6to4 of loopback"),
    ("2002:a9fe:a9fe::1", "6to4 of metadata"),
    ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"),
    ("2001:db8::1", "documentation"),
    ("3fff::1", "documentation"),
    ("fc00::1", "unique local"),
    ("fd00:ec2::254", "metadata service"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "link-local with a scope"),
    ("fe90::1", "link-local"),
    ("fec0::1", "old site-local"),
    ("ff02::1", "multicast"),
    ("100::1", "discard"),
    ("5f00::1", "segment routing"),
    ("2606:4700::1111%eth0", "public with a scope"),
]

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.1",
    "93.184.215.14",
    "100.63.255.255",
    "100.128.0.1",
    "128.0.0.1",
    "168.63.129.15",
    "172.15.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "192.167.255.255",
    "223.255.255.255",
    "2001:200::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001::68",
    "::ffff:8.8.8.8",
]


@pytest.mark.parametrize(("address", "kind"), DANGEROUS)
def test_a_dangerous_address_is_not_public(address: str, kind: str) -> None:
    assert not is_public(address), kind


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "2130706433", "0x7f000001", "017700000001", "1.1.1.1 ", "1.1.1"]
)
def test_what_is_no_canonical_address_is_not_public(text: str) -> None:
    assert not is_public(text)


@given(st.ip_addresses())
@settings(max_examples=60, deadline=None)
def test_no_loopback_or_private_address_is_public(address: object) -> None:
    text = str(address)
    assert not (is_public(text) and (is_loopback(text) or is_private_network(text)))


def test_an_exemption_holds_for_its_exact_host_and_port_on_loopback_only() -> None:
    policy = OutboundPolicy(user_agent="t", loopback_hosts=frozenset({"desk.localhost:8010"}))
    assert policy.address_refusal("desk.localhost", 8010, "127.0.0.1") == ""
    assert policy.address_refusal("desk.localhost", 8011, "127.0.0.1")
    assert policy.address_refusal("other.localhost", 8010, "127.0.0.1")
    assert policy.address_refusal("desk.localhost", 8010, "10.0.0.1")
    assert policy.address_refusal("desk.localhost", 8010, "169.254.169.254")


def test_an_operators_host_may_lie_on_a_private_network_but_never_on_a_link_local_address() -> None:
    policy = OutboundPolicy(user_agent="t", private_hosts=frozenset({"search.internal:8080", "[fd00::5]:8080"}))
    for address in ("10.1.2.3", "172.18.0.4", "192.168.0.9", "127.0.0.1", "fd00::5"):
        assert policy.address_refusal("search.internal", 8080, address) == ""
    for address in ("169.254.169.254", "fe80::1", "224.0.0.1", "0.0.0.0"):
        assert policy.address_refusal("search.internal", 8080, address)
    assert policy.address_refusal("search.internal", 80, "10.1.2.3")
    assert policy.address_refusal("fd00::5", 8080, "fd00::5") == ""


def test_the_socket_is_refused_where_no_exemption_has_its_port() -> None:
    policy = OutboundPolicy(
        user_agent="t", loopback_hosts=frozenset({"desk.localhost:8010"}), private_hosts=frozenset({"engine:8080"})
    )
    assert policy.socket_refusal("8.8.8.8", 443) == ""
    assert policy.socket_refusal("127.0.0.1", 8010) == ""
    assert policy.socket_refusal("10.0.0.1", 8080) == ""
    assert policy.socket_refusal("127.0.0.1", 8000)
    assert policy.socket_refusal("10.0.0.1", 8010)
    assert policy.socket_refusal("169.254.169.254", 8080)


@pytest.mark.parametrize(
    "port", [22, 23, 25, 110, 143, 445, 587, 3306, 3389, 5432, 5900, 6379, 6667, 9200, 11211, 27017]
)
def test_ports_of_other_services_are_refused_unless_listed(port: int) -> None:
    assert OutboundPolicy(user_agent="t").port_refusal("a.example", port)
    listed = OutboundPolicy(user_agent="t", private_hosts=frozenset({f"a.example:{port}"}))
    assert listed.port_refusal("a.example", port) == ""


@pytest.mark.parametrize("port", [80, 443, 8000, 8080, 8443, 3000, 5000])
def test_ports_of_web_servers_are_used(port: int) -> None:
    assert OutboundPolicy(user_agent="t").port_refusal("a.example", port) == ""


@pytest.mark.parametrize(
    "text",
    [
        "file:///etc/passwd",
        "ftp://a.example/x",
        "gopher://a.example:70/1",
        "data:text/html,x",
        "jar:http://a.example!/x",
        "source:file:///etc/passwd",
        "javascript:alert(1)",
        "view-source:http://a.example/",
        "//a.example/x",
        "/x",
        "",
        "http:",
        "http:/a.example/x",
        "http://",
        "http:///x",
        "http://?x",
        "http://user@/x",
        "http://inside.example:8888\\@outside.example/",
        "http://a.example\\x/",
        "http://a.example:0/",
        "http://a.example:65536/",
        "http://a.example:80x/",
        "http://a.example:-1/",
        "http://a b.example/",
        "http://a.example\x00.b/",
        "http://a.example/\r\nX: y",
        "http://a.example/\tx",
        "http://%31%32%37.0.0.1/",
        "http://127.1/",
        "http://127.0.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://017700000001/",
        "http://0/",
        "http://1.2.3.4.5/",
        "http://a.0x10/",
        "http://127.0.0.01/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[fe80::1%25eth0]/",
        "http://[not-an-address]/",
        "http://::1/",
        "http://a..example/",
        "http://a.example../",
        "http://" + "a" * 64 + ".example/",
        "http://xn--\u00e4.example/",
        "http://a.example/" + "x" * 16_000,
    ],
)
def test_what_cannot_be_requested_safely_is_refused(text: str) -> None:
    with pytest.raises(UnusableTarget):
        target_of(text)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("http://127。0。0。1/", "127.0.0.1"),
        ("http://①②⑦.⓪.⓪.①/", "127.0.0.1"),
        ("http://ⓛocalhost/", "localhost"),
        ("http://LOCALHOST./", "localhost"),
        ("http://[::ffff:127.0.0.1]/", "127.0.0.1"),
        ("http://[2001:DB8:0:0::1]:8080/", "2001:db8::1"),
        ("http://good.example@inside.example/", "inside.example"),
        ("http://inside.example#@good.example/", "inside.example"),
        ("http://inside.example?@good.example/", "inside.example"),
        ("http://кц.рф/", "xn--j1ay.xn--p1ai"),
        ("http://STRASSE.example/", "strasse.example"),
        ("http://my_host.example/", "my_host.example"),
        ("http://a.example:/x:y@z", "a.example"),
    ],
)
def test_the_host_that_is_checked_is_the_one_that_will_be_asked(text: str, host: str) -> None:
    target = target_of(text)
    assert target.host == host
    assert target.url.raw_host.decode() == host


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("http://a.example/%7Euser/%e2%82%ac", "/%7Euser/%e2%82%ac"),
        ("http://a.example/?q=Falk%F6ping&x=%27b%27", "/?q=Falk%F6ping&x=%27b%27"),
        ("http://a.example/cgi/pt?id=p;view=1up;seq=1", "/cgi/pt?id=p;view=1up;seq=1"),
        ("http://a.example/web/2020/http://b.example//c", "/web/2020/http://b.example//c"),
        ("http://a.example/x?a[]=1+2%2B3#part", "/x?a[]=1+2%2B3"),
        ("http://a.example/100%", "/100%"),
        ("http://a.example/café?q=ü x", "/caf%C3%A9?q=%C3%BC%20x"),
        ("http://a.example", "/"),
        ("http://user:secret@a.example/x", "/x"),
    ],
)
def test_path_and_query_keep_the_users_bytes(text: str, sent: str) -> None:
    target = target_of(text)
    assert target.url.raw_path.decode() == sent
    assert "secret" not in str(target.url)


@pytest.mark.parametrize(
    ("location", "url"),
    [
        (b"/new", "http://a.example:8080/new"),
        (b"new?x=1", "http://a.example:8080/old/new?x=1"),
        (b"?page=2", "http://a.example:8080/old/page?page=2"),
        (b"//b.example/x", "http://b.example/x"),
        (b"https://b.example", "https://b.example/"),
        ("/straße/é".encode(), "http://a.example:8080/stra%C3%9Fe/%C3%A9"),
        ("/é".encode("latin-1"), "http://a.example:8080/%C3%A9"),
        (b" /padded ", "http://a.example:8080/padded"),
        (b"/with space", "http://a.example:8080/with%20space"),
        (b"../../up", "http://a.example:8080/up"),
    ],
)
def test_a_location_is_joined_to_where_it_was_met(location: bytes, url: str) -> None:
    assert str(joined(target_of("http://a.example:8080/old/page"), location).url) == url


@pytest.mark.parametrize("location", [b"javascript:alert(1)", b"file:///etc/passwd", b"http://[::1", b"http://127.1/"])
def test_a_location_that_cannot_be_requested_is_refused(location: bytes) -> None:
    with pytest.raises(UnusableTarget):
        joined(target_of("http://a.example/"), location)


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_is_a_target_or_refused_and_a_target_reads_the_same_twice(tail: str) -> None:
    try:
        target = target_of("http://" + tail)
    except UnusableTarget:
        return
    assert target_of(str(target.url)) == target
