"""What an ingest does to a store's passages: a plan that brings the new ones and loses nothing without a word."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.chunking import Ingest, Passage, hash_of, ingest, store_name, title_from

PASSAGES = st.lists(
    st.builds(Passage, source=st.sampled_from(["", "a.md", "b.md", "c.md"]), content_hash=st.sampled_from("123456")),
    max_size=12,
)


def passages(source: str, hashes: str) -> list[Passage]:
    return [Passage(source, one) for one in hashes]


def test_a_changed_file_keeps_replaces_and_adds() -> None:
    plan = ingest(passages("a.md", "123") + passages("b.md", "9"), passages("a.md", "1456"))
    assert plan == Ingest(
        unchanged=(Passage("a.md", "1"),),
        replaced=((Passage("a.md", "2"), Passage("a.md", "4")), (Passage("a.md", "3"), Passage("a.md", "5"))),
        added=(Passage("a.md", "6"),),
        removed=(),
    )
    assert plan.stale == ("a.md",)


def test_a_shorter_file_loses_the_passages_that_are_left_over() -> None:
    plan = ingest(passages("a.md", "123"), passages("a.md", "4"))
    assert (plan.replaced, plan.removed) == (
        ((Passage("a.md", "1"), Passage("a.md", "4")),),
        (Passage("a.md", "2"), Passage("a.md", "3")),
    )


def test_a_file_without_passages_empties_its_source_only() -> None:
    plan = ingest(passages("a.md", "12") + passages("b.md", "3"), [], sources={"a.md"})
    assert plan.removed == (Passage("a.md", "1"), Passage("a.md", "2"))
    assert plan.stale == ("a.md",)


def test_new_passages_alone_make_nothing_stale() -> None:
    plan = ingest(passages("a.md", "1"), passages("a.md", "12") + passages("b.md", "3"))
    assert plan.stale == ()
    assert plan.added == (Passage("a.md", "2"), Passage("b.md", "3"))


def test_a_stored_row_without_a_hash_is_replaced() -> None:
    plan = ingest([Passage("a.md", "")], passages("a.md", "1"))
    assert plan.replaced == ((Passage("a.md", ""), Passage("a.md", "1")),)


@pytest.mark.parametrize(("new", "sources"), [([Passage("a.md", "")], None), ([Passage("a.md", "1")], ["b.md"])])
def test_what_the_caller_must_not_give_is_refused(new: list[Passage], sources: list[str] | None) -> None:
    with pytest.raises(ValueError):
        ingest([], new, sources=sources)


@settings(max_examples=60, deadline=None)
@given(stored=PASSAGES, new=PASSAGES, is_whole_store=st.booleans())
def test_carrying_out_the_plan_gives_the_new_passages(
    stored: list[Passage], new: list[Passage], is_whole_store: bool
) -> None:
    every = {one.source for one in stored + new}
    plan = ingest(stored, new, sources=every if is_whole_store else None)
    concerned = every if is_whole_store else {one.source for one in new}
    before = {one for one in stored if one.source in concerned}
    old, successors = [one for one, _ in plan.replaced], [one for _, one in plan.replaced]
    assert sorted([*plan.unchanged, *old, *plan.removed]) == sorted(before)
    assert sorted([*plan.unchanged, *successors, *plan.added]) == sorted(set(new))
    assert all(one.source == successor.source for one, successor in plan.replaced)
    assert set(plan.stale) == {one.source for one in before - set(new)}
    assert not any(one.source in {added.source for added in plan.added} for one in plan.removed)


@settings(max_examples=60, deadline=None)
@given(stored=PASSAGES, new=PASSAGES)
def test_the_second_ingest_changes_nothing(stored: list[Passage], new: list[Passage]) -> None:
    after = [one for one in stored if one.source not in {told.source for told in new}] + new
    plan = ingest(after, new)
    assert (plan.replaced, plan.added, plan.removed, plan.stale) == ((), (), (), ())
    assert set(plan.unchanged) == set(new)


def test_the_hash_is_the_sha_256_of_the_content() -> None:
    assert hash_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("sparqlset.db", "sparqlset"),
        ("agents/rag/sparqlset.db", "sparqlset"),
        (r"C:\rag\sparqlset.DB", "sparqlset"),
        ("my.notes.sqlite3", "my.notes"),
        ("sparqlset", "sparqlset"),
    ],
)
def test_a_store_has_one_name_in_files_and_in_notes(written: str, name: str) -> None:
    assert store_name(written) == name


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("docs/paper.md", "paper"),
        (r"C:\docs\paper.v2.pdf", "paper.v2"),
        ("https://example.org/tide/?x=1.5#top", "tide"),
        ("https://example.org/tide.html?x", "tide"),
        (".bashrc", ".bashrc"),
        ("README", "README"),
        ("", ""),
    ],
)
def test_a_title_that_nobody_gave_is_the_stem_of_the_source(source: str, title: str) -> None:
    assert title_from(source) == title
