"""Bodies are decoded once, under a cap, by what they are rather than by what they are called."""

import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.kit.outbound.decoding import BodyReader, Undecodable

PAGE = b"<!doctype html><title>Harbour survey</title>" + b"<p>quays and cranes</p>" * 40


def packed(data: bytes) -> bytes:
    """Gzip without the time in its header, so that every process names its tests alike."""
    return gzip.compress(data, mtime=0)


def raw_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-15)
    return squeeze.compress(data) + squeeze.flush()


def read(
    data: bytes, coding: str = "", *, piece: int = 16_384, max_raw: int = 10**6, max_body: int = 10**6
) -> BodyReader:
    reader = BodyReader(coding, max_raw=max_raw, max_body=max_body)
    for start in range(0, len(data), piece):
        reader.feed(data[start : start + piece])
        if reader.truncated:
            return reader
    reader.finish()
    return reader


@pytest.mark.parametrize("piece", [1, 7, 100_000])
@pytest.mark.parametrize(
    ("coding", "data"),
    [
        ("", PAGE),
        ("identity", PAGE),
        ("gzip", packed(PAGE)),
        ("x-gzip", packed(PAGE)),
        ("GZIP", packed(PAGE)),
        ("identity, gzip", packed(PAGE)),
        ("gzip", packed(PAGE[:100]) + packed(PAGE[100:])),
        ("gzip", packed(PAGE) + b"rubbish behind the end"),
        ("deflate", zlib.compress(PAGE)),
        ("deflate", raw_deflate(PAGE)),
        ("gzip", PAGE),
        ("deflate", PAGE),
        ("utf-8", PAGE),
        ("none", PAGE),
    ],
)
def test_a_body_is_decoded_whatever_its_label_and_its_pieces(coding: str, data: bytes, piece: int) -> None:
    reader = read(data, coding, piece=piece)
    assert reader.body == PAGE
    assert not reader.truncated


@pytest.mark.parametrize(
    "text", [b"", b"x", b"\x1f", b"ok", b'{"a": [1, 2, 3], "b": "long enough to be told from bytes"}' * 3]
)
@pytest.mark.parametrize("coding", ["", "gzip", "deflate"])
def test_a_short_or_plain_body_under_any_label_is_kept(text: bytes, coding: str) -> None:
    assert read(text, coding).body == text


@pytest.mark.parametrize("coding", ["gzip, gzip", "deflate, gzip", "gzip,br", "br", "zstd", "x-compress"])
def test_more_than_one_coding_or_one_not_offered_is_refused(coding: str) -> None:
    with pytest.raises(Undecodable):
        BodyReader(coding, max_raw=100, max_body=100)


def test_a_body_compressed_twice_is_decompressed_once() -> None:
    once = gzip.compress(PAGE)
    assert read(gzip.compress(once), "gzip").body == once


def test_a_damaged_body_is_undecodable_and_keeps_what_came_before() -> None:
    data = bytearray(gzip.compress(bytes(range(256)) * 400, compresslevel=0))
    data[len(data) // 2 : len(data) // 2 + 6] = b"\xff" * 6
    reader = BodyReader("gzip", max_raw=10**6, max_body=10**6)
    reader.feed(bytes(data[: len(data) // 3]))
    with pytest.raises(Undecodable):
        reader.feed(bytes(data[len(data) // 3 :]))
    assert reader.body.startswith(bytes(range(256)))


def test_a_compressed_body_that_ends_early_keeps_what_it_gave() -> None:
    data = gzip.compress(PAGE * 50, compresslevel=1)
    body = read(data[: len(data) // 2], "gzip").body
    assert body
    assert (PAGE * 50).startswith(body)


def test_a_bomb_stops_at_the_cap() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    reader = read(bomb, "gzip", max_body=100_000)
    assert reader.truncated
    assert len(reader.body) == 100_000


def test_raw_bytes_beyond_their_cap_are_not_taken() -> None:
    reader = read(b"x" * 5_000, max_raw=3_000, piece=999)
    assert reader.truncated
    assert reader.body == b"x" * 3_000


def test_a_body_of_exactly_the_cap_is_whole() -> None:
    for coding, data in (("", b"x" * 3_000), ("gzip", gzip.compress(b"x" * 3_000))):
        reader = read(data, coding, max_raw=3_000, max_body=3_000)
        assert not reader.truncated
        assert len(reader.body) == 3_000


@given(st.binary(max_size=2_000), st.sampled_from(["gzip", "deflate", ""]), st.integers(1, 700), st.integers(1, 3_000))
@settings(max_examples=60, deadline=None)
def test_what_comes_out_is_a_beginning_of_what_went_in(data: bytes, coding: str, piece: int, cap: int) -> None:
    sent = packed(data) if coding == "gzip" else zlib.compress(data) if coding else data
    reader = read(sent, coding, piece=piece, max_body=cap)
    assert reader.body == data[:cap]
    assert reader.truncated == (len(data) > cap)


@given(st.binary(max_size=500), st.sampled_from(["gzip", "deflate", "", "utf-8"]))
@settings(max_examples=60, deadline=None)
def test_any_bytes_give_a_body_under_the_cap_or_are_undecodable(data: bytes, coding: str) -> None:
    try:
        assert len(read(data, coding, max_body=300).body) <= 300
    except Undecodable:
        assert coding in {"gzip", "deflate"}


@pytest.mark.parametrize(("head", "taken"), [(b"%PDF-1.7\n", 400), (b"\n\n%PDF-1.4", 400), (b"<html>", 100)])
def test_a_pdf_may_be_larger_than_a_page_and_is_bounded_too(head: bytes, taken: int) -> None:
    reader = BodyReader("", max_raw=100, max_body=200, max_document=400)
    for _ in range(100):
        if not reader.truncated:
            reader.feed(head + b"x" * 50)
    assert (len(reader.body), reader.truncated) == (taken, True)
