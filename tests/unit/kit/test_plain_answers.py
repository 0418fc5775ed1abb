"""What is plain is not mended and not read twice: the short ways give what the long ones would."""

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.kit.outbound import tolerance
from provenance_site.kit.outbound.targets import target_of

names = st.from_regex(r"[A-Za-z][A-Za-z0-9-]{0,12}", fullmatch=True)
values = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
lengths = st.sampled_from(["Content-Length: 12", "content-length: 0", "Content-Length: 12\r\nContent-Length: 12", ""])


@settings(max_examples=60, deadline=None)
@given(
    status=st.integers(200, 599),
    headers=st.lists(st.tuples(names, values), max_size=6),
    length=lengths,
)
def test_a_plain_head_is_what_mending_would_make_of_it(
    status: int, headers: list[tuple[str, str]], length: str
) -> None:
    lines = [
        f"HTTP/1.1 {status} So it is",
        *(f"{name}: {value}" for name, value in headers),
        *([length] if length else []),
    ]
    raw = "\r\n".join(lines).encode()
    told = tolerance.legal_head(raw)
    # A line end of its own kind is no plain head, and means the same.
    mended = tolerance.legal_head(raw.replace(b"\r\n", b"\n"))
    assert told is not None
    assert mended is not None
    assert (told.status, told.length, told.is_doubtful) == (mended.status, mended.length, mended.is_doubtful)
    assert _fields(told.data) == _fields(mended.data)


def _fields(head: bytes) -> list[tuple[bytes, bytes]]:
    lines = head.strip(b"\r\n").split(b"\r\n")[1:]
    return [(name.lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)]


@settings(max_examples=60, deadline=None)
@given(st.from_regex(r"(/[A-Za-z0-9._~-]{0,6}){1,4}(\?[A-Za-z0-9._~=&-]{0,12})?", fullmatch=True))
def test_a_plain_address_goes_out_as_the_http_library_would_write_it(path: str) -> None:
    written = f"https://harbour.org{path}"
    assert target_of(written).text == str(httpx.URL(written))
    assert target_of(written).url == httpx.URL(written)


@pytest.mark.parametrize("path", ["/a/../b", "/./a", "/a/..", "/a b", "/é", "/a%2Fb", "/a?x='1'", "/a?ü", "/a\\b"])
def test_every_other_address_is_read_by_the_library(path: str) -> None:
    assert target_of(f"https://harbour.org{path}").text == str(httpx.URL(f"https://harbour.org{path}"))
