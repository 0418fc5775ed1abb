"""What a workspace may add to the rules, and how its publishers are known in a judgement."""

from dataclasses import replace

import pytest

from sources.core.findings import Cause, Verdict
from sources.core.kinds import IdentifierType
from tests.fakes.world import page
from validation.core import patterns
from validation.core.classify import Claimed, Judgement, classify
from validation.core.own_entries import (
    EntryRefused,
    PatternEntry,
    PublisherEntry,
    checked_pattern,
    checked_publisher,
    pattern_from,
    publisher_from,
    with_own_publishers,
)

PUBLISHER = PublisherEntry("The Gazette", ("gazette.org",))
PATTERN = PatternEntry(
    "Without a slug",
    r"^https://gazette\.org/article/\d+$",
    ("https://gazette.org/article/17",),
    ("https://gazette.org/article/17-harbour",),
)
URL = "https://gazette.org/2024/harbour-survey"


@pytest.mark.parametrize(
    ("given", "domain"),
    [
        ("gazette.org", "gazette.org"),
        ("GAZETTE.org.", "gazette.org"),
        ("www.gazette.org", "gazette.org"),
        ("https://www.gazette.org/2024/x?y#z", "gazette.org"),
        ("http://user:secret@gazette.org:8080/", "gazette.org"),
        ("*.gazette.org", "gazette.org"),
        ("gazette.co.uk", "gazette.co.uk"),
        ("gazette.substack.com", "gazette.substack.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("harbour-gazette.sample.localhost", "harbour-gazette.sample.localhost"),
    ],
)
def test_a_domain_is_kept_as_a_bare_host(given: str, domain: str) -> None:
    assert checked_publisher(replace(PUBLISHER, domains=(given,))).domains == (domain,)


@pytest.mark.parametrize(
    "given",
    [
        "com", "localhost", "co.uk", "com.au", "ac.jp", "github.io", "medium.com", "10.0.0.1", "[::1]", "a b.org", "http://",
        "..", "127.1",
    ],
)  # fmt: skip
def test_a_domain_that_strangers_share_or_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(EntryRefused) as refused:
        checked_publisher(replace(PUBLISHER, domains=(given,)))
    assert [problem.field for problem in refused.value.problems] == ["domains"]
    assert refused.value.problems[0].message.endswith(".")


def test_a_publisher_without_a_note_gets_one_and_twice_is_once() -> None:
    once = checked_publisher(PublisherEntry(" The  Gazette ", ("gazette.org", "www.gazette.org"), ("/a/",), "", " n "))
    assert once == PublisherEntry(
        "The Gazette", ("gazette.org",), ("/a/",), "The Gazette: requires a subscription", "n"
    )
    assert checked_publisher(once) == once


def test_every_field_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(EntryRefused) as refused:
        checked_publisher(PublisherEntry("", ("com",), ("articles",), "x" * 301, "\x07"))
    assert [problem.field for problem in refused.value.problems] == [
        "name", "domains", "path_hints", "access_note", "notes",
    ]  # fmt: skip


def test_a_pattern_with_good_examples_is_taken_as_the_examples_are_requested() -> None:
    entry = replace(PATTERN, passes=(*PATTERN.passes, "https://user:secret@gazette.org/article/ü", *PATTERN.passes))
    checked = checked_pattern(entry)
    assert checked.passes == (*PATTERN.passes, "https://gazette.org/article/%C3%BC")
    assert checked_pattern(checked) == checked


@pytest.mark.parametrize(
    ("change", "field", "told"),
    [
        ({"pattern": ""}, "pattern", "Write the pattern"),
        ({"pattern": "(?!x)gazette"}, "pattern", "cannot be read"),
        ({"pattern": "x*"}, "pattern", "matches every address"),
        ({"pattern": "//user:secret@gazette"}, "pattern", "password"),
        ({"hits": ()}, "hits", "at least one"),
        ({"passes": ()}, "passes", "at least one"),
        ({"hits": ("https://gazette.org/blog/17",)}, "hits", "is not matched"),
        ({"passes": ("https://gazette.org/article/18",)}, "passes", "although it is real"),
        ({"hits": ("ISBN 9780306406157",)}, "hits", "no web address"),
        ({"hits": ("javascript:alert(1)",)}, "hits", "javascript"),
        ({"hits": ("https://gazette.org/article/1",) * 21}, "hits", "at most 20"),
        ({"name": " "}, "name", "name"),
    ],
)
def test_a_pattern_with_a_fault_is_refused_at_its_field(change: dict[str, object], field: str, told: str) -> None:
    with pytest.raises(EntryRefused) as refused:
        checked_pattern(replace(PATTERN, **change))  # type: ignore[arg-type]
    assert field in [problem.field for problem in refused.value.problems]
    assert told in str(refused.value)


def test_an_own_pattern_is_asked_after_the_built_in_ones() -> None:
    own = pattern_from(replace(PATTERN, pattern=r"/documents/\d+|/article/\d+$"), key="own-numbers")
    found = patterns.match("https://gazette.org/article/17", IdentifierType.URL, [own])
    assert found is not None
    assert (found.name, found.cause, found.text) == ("own-numbers", Cause.PATTERN, "/article/17")
    built_in = patterns.match("https://www.gartner.com/en/documents/4021987", IdentifierType.URL, [own])
    assert built_in is not None
    assert built_in.name == "gartner-bare-document"
    assert patterns.match("https://gazette.org/article/17", IdentifierType.URL) is None


def stub() -> Judgement:
    offer = "Subscribe to continue reading. This article is for subscribers only. Already a subscriber? Sign in. "
    judged = classify(page(URL, title="Harbour survey results 2024", text=offer), Claimed())
    assert judged.verdict is Verdict.PAYWALL_STUB
    return judged


def test_a_paywall_stub_at_an_own_publisher_is_a_wall_with_its_note() -> None:
    own = [publisher_from(checked_publisher(PUBLISHER))]
    judged = with_own_publishers(stub(), (URL,), own)
    assert (judged.verdict, judged.cause) == (Verdict.FETCH_FAILED, Cause.PAY_WALL)
    assert judged.access_note == "The Gazette: requires a subscription"


def test_at_other_publishers_nothing_changes() -> None:
    own = [publisher_from(replace(PUBLISHER, domains=("other.org",)))]
    assert with_own_publishers(stub(), (URL,), own) == stub()
    assert with_own_publishers(stub(), (URL,), ()) == stub()
    article = classify(page(URL), Claimed())
    assert with_own_publishers(article, (URL,), [publisher_from(PUBLISHER)]) == article
