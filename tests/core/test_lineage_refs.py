"""Refs: every one of the specification, refs that hurt, and one normal form."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage.core import refs
from lineage.core.asked import normal
from lineage.core.refs import BadRef, TypeConflict, UnknownType, Unpinned
from lineage.core.relations import EntityType
from tests.growth import assert_linear

HASH = "ab" * 32

# (as written, told beside it, path, version) — the specification's own, in its order.
OF_THE_SPECIFICATION: list[tuple[str, dict[str, Any], str, str]] = [
    ("document-ir://doc123/v3", {"version": "3"}, "doc123", "v3"),
    ("artifact://tenant_A/raw123", {"sha256": f"sha256:{HASH}"}, "tenant_A/raw123", HASH),
    ("block://doc123/v3/page12/b7", {}, "doc123/v3/page12/b7", "v3"),
    ("source://drive/file456/v42", {}, "drive/file456", "v42"),
    ("source://doc/42/v7", {}, "doc/42", "v7"),
    ("document-ir://42/p3", {"version": "2"}, "42/p3", "2"),
    ("chunk://42/17", {"sha256": HASH}, "42/17", HASH),
    ("embedding://42/17/e3", {"version": "3"}, "42/17/e3", "3"),
    ("run://R18/hit4", {"version": "1"}, "R18/hit4", "1"),
    ("claim://C9", {"sha256": HASH}, "C9", HASH),
    ("report://Q4", {"version": "2026-01"}, "Q4", "2026-01"),
    ("answer://RUN-42/final", {"sha256": HASH}, "RUN-42/final", HASH),
    ("task://brief", {"version": "1"}, "brief", "1"),
    ("context://RUN-42/v1", {}, "RUN-42", "v1"),
    ("evidence-set://RUN-42/e3", {"version": "3"}, "RUN-42/e3", "3"),
    ("router-decision://r7", {"version": "1"}, "r7", "1"),
    ("prompt://answer/v7", {}, "answer", "v7"),
    ("skill://research/v4", {}, "research", "v4"),
]
HURTS = [
    "chunk://naïve/v1",
    "chunk://a:b#c%2F d?@v1",
    "chunk://1337:1234/v1",
    "chunk://x'}) DETACH DELETE n///v1",
    "chunk://\u05d0\u200d\U0001f6a2/v1",
    f"chunk://{'x' * 2000}/v1",
]


@pytest.mark.parametrize(
    ("piece", "before", "after"),
    [(" ", "chunk://c@", "x"), ("@1", "chunk://c", " "), ("\u0316\u0301", "chunk://c", "/v1"), ("/", "chunk://c", "c")],
)
def test_a_long_text_that_is_no_ref_is_told_in_its_share_of_time(piece: str, before: str, after: str) -> None:
    assert_linear(normal, piece, 20_000, before=before, after=after)
    with pytest.raises(BadRef, match="at most"):
        refs.read(f"{before}{piece * 20_000}{after}")


def test_every_ref_of_the_specification_is_read_and_found_again() -> None:
    for text, beside, path, version in OF_THE_SPECIFICATION:
        ref = refs.read(text, **beside)
        assert (ref.path, ref.version) == (path, version), text
        assert refs.read(str(ref), version=version if "@" in str(ref) else "") == ref, text


def test_the_refs_of_the_specification_as_they_are_written_there() -> None:
    """Without anything told beside them: those that name no version are refused, or taken as unresolved."""
    unpinned = [text for text, *_ in OF_THE_SPECIFICATION if not any(part[:1] == "v" for part in text.split("/")[3:])]
    assert len(unpinned) == 11
    for text, _, path, version in OF_THE_SPECIFICATION:
        if text in unpinned:
            with pytest.raises(Unpinned):
                refs.read(text)
            assert (refs.read(text, lenient=True).path, str(refs.read(text, lenient=True))) == (path, text)
        else:
            assert (refs.read(text).version, str(refs.read(text))) == (version, text)


def test_a_numbered_ref_names_one_node_whether_its_hash_is_told_or_not() -> None:
    assert refs.read("source://doc/42/v7", sha256=HASH) == refs.read("source://doc/42/v7")
    assert refs.read("source://doc/42", sha256=HASH).version == HASH


def test_refs_that_hurt_come_back_as_they_were() -> None:
    for text in HURTS:
        ref = refs.read(text)
        assert refs.read(str(ref)) == ref
    assert refs.read("chunk://nai\u0308ve/v1") == refs.read("chunk://na\u00efve/v1")
    assert refs.read("chunk://а/v1") != refs.read("chunk://a/v1")


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "chunk",
        "chunk://",
        "chunk:///",
        "chunk://a\n/v1",
        "chunk://a\x00/v1",
        "chunk://\ud800/v1",
        f"chunk://{'x' * 2200}/v1",
    ],
)
def test_what_is_no_ref_is_refused(bad: str) -> None:
    with pytest.raises(BadRef):
        refs.read(bad)


@pytest.mark.parametrize(
    "text",
    [
        "chunk://a",
        "chunk://a@latest",
        "chunk://a@LATEST",
        "chunk://a@",
        "chunk://a@*",
        "chunk://a@v1 ",
        "chunk://a@head",
    ],
)
def test_what_names_no_fixed_version_is_refused_or_unresolved(text: str) -> None:
    with pytest.raises(BadRef):
        refs.read(text)
    if not text.endswith("v1 "):
        ref = refs.read(text, lenient=True)
        assert not ref.is_pinned
        assert str(ref) == "chunk://a"


@pytest.mark.parametrize("version", ["latest", "Latest", "*", "v*", " v1", "a/b"])
def test_a_version_beside_a_ref_is_fixed_too(version: str) -> None:
    with pytest.raises(Unpinned):
        refs.read("chunk://a", version=version)


def test_two_versions_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(BadRef):
        refs.read("source://doc/v7", version="8")
    with pytest.raises(BadRef):
        refs.read(f"artifact://a/{HASH}", sha256="cd" * 32)


def test_a_type_is_named_once() -> None:
    with pytest.raises(UnknownType):
        refs.read("thing://a/v1")
    with pytest.raises(TypeConflict):
        refs.read("block://a/v1", entity_type="source")
    assert refs.read("context://a/v1", entity_type="config").type == "config"


def test_an_address_in_a_path_is_no_version() -> None:
    with pytest.raises(Unpinned):
        refs.read("source://mail/a@b.org")


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(EntityType)),
    st.text(min_size=1, max_size=40),
    st.sampled_from(["v1", "v20", HASH, "3", "2026.1"]),
)
def test_the_normal_form_is_read_as_itself(kind: EntityType, path: str, version: str) -> None:
    try:
        ref = refs.make(kind, path, version)
    except BadRef:
        return
    again = refs.read(str(ref), version=version)
    assert str(again) == str(ref) == unicodedata.normalize("NFC", str(ref))
