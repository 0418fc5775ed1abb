"""Request and canonical form of web addresses: pairs, refusals, and laws that hold for every address."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.hosts import UnusableHost, legal_host
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.urls import UnusableUrl, canonical_url, request_url

HOSTS = st.sampled_from(
    ["a.example", "www.A.example", "news.b.example.", "münchen.example", "10.1.2.3", "[2001:DB8::7]"]
)
PATHS = st.text(alphabet="abC/.%~é ()+;:!*'\u0301", max_size=20)
ESCAPES = st.lists(st.sampled_from(["%2F", "%2e", "%7E", "%c3%a9", "%F6", "%25", "%", "%zz", "%41"]), max_size=4).map(
    "".join
)
QUERIES = st.lists(
    st.tuples(
        st.sampled_from(["b", "a", "utm_source", "ref", "q", "é", ""]), st.text(alphabet="xyZ.=%2 é", max_size=6)
    ),
    max_size=5,
).map(lambda pairs: "&".join(f"{name}={value}" for name, value in pairs))


@st.composite
def addresses(draw: st.DrawFn) -> str:
    """Addresses of every sort that people write, without a fragment that names a page."""
    scheme = draw(st.sampled_from(["http", "https", "HTTP", "Https"]))
    port = draw(st.sampled_from(["", ":", ":80", ":443", ":8080"]))
    query = draw(QUERIES)
    fragment = draw(st.sampled_from(["", "#", "#part", "#:~:text=x"]))
    rest = f"/{draw(PATHS)}{draw(ESCAPES)}{draw(PATHS)}" + (f"?{query}" if query else "")
    return f"{scheme}://{draw(HOSTS)}{port}{rest}{fragment}"


@pytest.mark.parametrize(
    ("given_address", "canonical"),
    [
        ("HTTP://User:pw@Example.COM:80/a/../b/./c?b=2&a=1#frag", "https://example.com/b/c?a=1&b=2"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com./x", "https://example.com/x"),
        ("https://example.com/%7Euser/%e2%82%ac", "https://example.com/~user/%E2%82%AC"),
        ("https://example.com/caf\u00e9", "https://example.com/caf%C3%A9"),
        ("https://example.com/cafe\u0301", "https://example.com/caf%C3%A9"),
        ("https://example.com/cafe%CC%81", "https://example.com/caf%C3%A9"),
        ("http://кц.рф/ru/", "https://xn--j1ay.xn--p1ai/ru"),
        ("https://example.com/a%2fb", "https://example.com/a%2Fb"),
        ("https://example.com/cmp/Dia%25", "https://example.com/cmp/Dia%25"),
        ("https://example.com/p?utm_source=x&id=7&fbclid=abc", "https://example.com/p?id=7"),
        ("https://example.com/doc?source=bill-12&uid=99&ref=main", "https://example.com/doc?ref=main&source=bill-12&uid=99"),
        (
            "https://babel.hathitrust.org/cgi/pt?id=pst.000003356951;view=1up;seq=1",
            "https://babel.hathitrust.org/cgi/pt?id=pst.000003356951;view=1up;seq=1",
        ),
        (
            "https://web.archive.org/web/2020/http://example.com/a?utm_source=b",
            "https://web.archive.org/web/2020/http://example.com/a?utm_source=b",
        ),
        ("https://example.com/?q=Falk%F6ping", "https://example.com/?q=Falk%F6ping"),
        ("https://example.com/x#:~:text=hello", "https://example.com/x"),
        ("https://example.com/app#!/route/5", "https://example.com/app#!/route/5"),
        ("https://example.com/app#/route/5", "https://example.com/app#/route/5"),
        ("http://[2001:DB8::1]:80/x", "https://[2001:db8::1]/x"),
        ("http://www.example.com/a/", "https://example.com/a"),
        ("https://example.com/a//b/", "https://example.com/a//b"),
        ("https://example.com/a?", "https://example.com/a"),
        ("https://example.com/a?b=1&&a=2&", "https://example.com/a?a=2&b=1"),
        ("https://example.com/a?x=2&x=1&a", "https://example.com/a?a&x=2&x=1"),
        ("https://example.com/a+b?q=c+d%20e%2B", "https://example.com/a+b?q=c+d%20e%2B"),
        ("https://example.com/;jsessionid=1/x", "https://example.com/;jsessionid=1/x"),
        ("https://example.com/%2e%2e/a", "https://example.com/a"),
        ("http://example.com:8010/x", "https://example.com:8010/x"),
        ("https://www.example.com/?ref=chatgpt.com", "https://example.com/"),
        ("https://example.com/a?ref=newsletter&source=twitter", "https://example.com/a"),
        ("https://example.com/a?referrer=https%3A%2F%2Fnews.example.org%2F", "https://example.com/a"),
        ("https://example.com/a?source=report.md", "https://example.com/a?source=report.md"),
        ("https://example.com/a?UTM_Campaign=x&mc_cid=1&_hsenc=2&hsCtaTracking=3&gclid=4", "https://example.com/a"),
        ("https://example.com/p?cid=123&eid=9&keyword=cats", "https://example.com/p?cid=123&eid=9&keyword=cats"),
        ("https://example.com/a?url=https%3A%2F%2Fb.example%2F%3Futm_source%3Dx", None),
    ],
)  # fmt: skip
def test_two_spellings_of_a_page_have_one_canonical_form(given_address: str, canonical: str | None) -> None:
    assert canonical_url(given_address) == (canonical or given_address)


@pytest.mark.parametrize(
    ("given_address", "request_form"),
    [
        ("HTTP://Example.COM:80/a/../b?b=2&a=1#frag", "http://example.com:80/a/../b?b=2&a=1"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com?x", "https://example.com/?x"),
        ("https://example.com/a b", "https://example.com/a%20b"),
        ("https://example.com/%7e;x=%2f+", "https://example.com/%7e;x=%2f+"),
        ("https://example.com/100%", "https://example.com/100%25"),
        ("https://example.com/a[1]{x}|y\\z", "https://example.com/a%5B1%5D%7Bx%7D%7Cy%5Cz"),
        ("https://example.com/cafe\u0301", "https://example.com/cafe%CC%81"),
        ("  https://example.com/x\u200b", "https://example.com/x"),
        ("https://user:secret@example.com:/x", "https://example.com/x"),
        ("https://a@b@example.com/x", "https://example.com/x"),
        ("https://bücher.example/ß", "https://xn--bcher-kva.example/%C3%9F"),
        ("https://my_site-.example.com/", "https://my_site-.example.com/"),
    ],
)
def test_the_request_is_what_was_written_made_legal(given_address: str, request_form: str) -> None:
    assert request_url(given_address) == request_form


@pytest.mark.parametrize(
    "address",
    [
        "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://017700000001/", "http://0/",
        "http://127.0.0.01/", "http://127.0.0.256/", "http://1.2.3/", "http://example.0x10/",
        "http://127。0。0。1/", "http://１２７.0.0.1/", "http://①②⑦.⓪.⓪.①/",
        "http://inside:8888\\@outside.example/", "http://good.example\\.evil.example/", "http:\\\\example.com/",
        "http://exa mple.com/", "http://exa\tmple.com/", "http://example.com\n.evil.example/", "http://exa%6dple.com/",
        "http://exa／mple.com/", "http://example.com＠evil.example/", "http://[fe80::1%25eth0]/", "http://[::1/", "http://[::1]x/",
        "http://{domain}/x", "http://a..example/", "http://", "http:///x", "http:/example.com", "https://https://example.com/",
        "http://example.com:0/", "http://example.com:65536/", "http://example.com:80a/", "http://example.com:８０/",
        "http://" + "a" * 64 + ".example/", "http://" + "a." * 130 + "example/", "http://❤.example/", "http://xn--\u00fc.example/",
        "", "   ", "example.com/x", "//example.com/x", "http://example.com/\x00", "http://example.com/\u2028x",
        "http://example.com/\ud800",
    ],
)  # fmt: skip
def test_an_address_that_could_be_read_in_two_ways_is_refused(address: str) -> None:
    with pytest.raises(UnusableUrl) as refused:
        request_url(address)
    message = str(refused.value)
    assert message.endswith(".")
    assert len(message) < 300
    with pytest.raises(UnusableUrl):
        canonical_url(address)


@pytest.mark.parametrize(
    ("address", "scheme"),
    [
        ("javascript:alert(1)", "javascript:"),
        ("JavaScript://example.com/%0aalert(1)", "javascript:"),
        ("file:///home/me/report.pdf", "file:"),
        ("data:text/html,hello", "data:"),
        ("ftp://example.com/x", "ftp:"),
        ("mailto:me@example.com", "mailto:"),
        ("view-source:https://example.com/", "view-source:"),
        ("C:\\papers\\x.pdf", "c:"),
    ],
)
def test_a_wrong_scheme_is_named_with_the_way_out(address: str, scheme: str) -> None:
    with pytest.raises(UnusableUrl, match=f"“{scheme}”.*https://"):
        request_url(address)


def test_an_address_is_at_most_eight_thousand_characters_long() -> None:
    head = "https://example.com/"
    assert len(request_url(head + "a" * (8_000 - len(head)))) == 8_000
    with pytest.raises(UnusableUrl, match=r"20,000 characters.*8,000"):
        request_url(head + "a" * (20_000 - len(head)))
    with pytest.raises(UnusableUrl, match="8,000"):
        request_url(head + "é" * 2_000)


@pytest.mark.parametrize(
    "address",
    [
        "https://web.archive.org/web/2020/http://user:hunter2@example.com/a",
        "https://example.com/go?to=https%3A%2F%2Fuser%3Ahunter2%40example.org%2F",
        "https://example.com/go?to=https%253A%252F%252Fuser%253Ahunter2%2540example.org",
    ],
)
def test_a_password_in_an_address_inside_another_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(UnusableUrl, match="password") as refused:
        request_url(address)
    assert "hunter2" not in str(refused.value)


def test_an_at_sign_that_is_no_password_is_left_alone() -> None:
    for address in ("https://medium.example/@writer/post", "https://maps.example/@40.7,-74,17z?u=a@b.example"):
        assert request_url(address) == address


@pytest.mark.parametrize("host", ["EXAMPLE.com", "example.com.", "example.com"])
def test_a_host_has_one_form(host: str) -> None:
    assert legal_host(host) == "example.com"


def test_a_long_host_is_refused_in_short() -> None:
    with pytest.raises(UnusableHost) as refused:
        legal_host("a" * 100_000)
    assert len(str(refused.value)) < 200


@given(addresses())
@settings(max_examples=60, deadline=None)
def test_canonical_twice_is_canonical_once(address: str) -> None:
    once = canonical_url(address)
    assert canonical_url(once) == once


@given(addresses())
@settings(max_examples=60, deadline=None)
def test_the_request_of_an_address_has_its_canonical_form(address: str) -> None:
    request = request_url(address)
    assert request_url(request) == request
    assert request.isascii()
    assert canonical_url(request) == canonical_url(address)


@given(
    path=PATHS.filter(lambda path: "//" not in path),
    host=st.sampled_from(["example.com", "news.example.org"]),
    scheme=st.sampled_from(["http", "https", "HTTPS"]),
    www=st.sampled_from(["", "www.", "WWW."]),
    upper=st.booleans(),
    with_port=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_the_key_is_the_same_under_every_spelling_of_the_host(
    path: str, host: str, scheme: str, www: str, upper: bool, with_port: bool
) -> None:
    port = {"http": ":80", "https": ":443"}[scheme.lower()] if with_port else ""
    spelled = f"{scheme}://{www}{host.upper() if upper else host}{port}/{path}"
    plain = f"https://{host}/{path}"
    assert _key(spelled) == _key(plain)


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        request = request_url("http://" + text)
    except UnusableUrl:
        return
    assert request_url(request) == request
    assert canonical_url(canonical_url(request)) == canonical_url(request)


def _key(address: str) -> str:
    return Identity(IdentifierType.URL, canonical_url(address), request_url(address)).key
