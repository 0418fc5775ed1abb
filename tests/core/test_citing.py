"""Which turn an observation belongs to, and how its sources are shown."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.citing import ShownSource, moment, offered, shown, source_lines, turns_of
from sources.core.entries import ObservationKind, Relationship, RetrievedSource
from sources.core.identifiers import identify
from sources.core.kinds import IdentifierType
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus

START = datetime(2026, 6, 25, 14, 0, tzinfo=UTC)
NOTHING = Identity(IdentifierType.NONE, "", "")
CET = timezone(timedelta(hours=1))


def at(minutes: int) -> datetime:
    return START + timedelta(minutes=minutes)


def begun(turn: tuple[str, datetime | None]) -> datetime | None:
    return turn[1]


@pytest.mark.parametrize(("minutes", "name"), [(-1, None), (0, "first"), (5, "first"), (10, "second"), (99, "second")])
def test_an_observation_belongs_to_the_last_turn_before_it(minutes: int, name: str | None) -> None:
    turns = [("second", at(10)), ("first", at(0)), ("without a time", None)]
    (found,) = turns_of([at(minutes)], turns, begun_at=begun)
    assert (found and found[0]) == name


def test_of_turns_in_one_second_the_last_is_taken() -> None:
    assert turns_of([at(0)], [("a", at(0)), ("b", at(0))], begun_at=begun) == [("b", at(0))]


def test_no_turns_hold_no_observation() -> None:
    assert turns_of([at(0)], [], begun_at=begun) == [None]


@settings(max_examples=60, deadline=None)
@given(starts=st.lists(st.integers(0, 20)), moments=st.lists(st.integers(-2, 22)))
def test_many_observations_are_placed_as_each_alone(starts: list[int], moments: list[int]) -> None:
    turns = [(str(minute), at(minute)) for minute in starts]
    found = turns_of([at(minute) for minute in moments], turns, begun_at=begun)
    for minute, turn in zip(moments, found, strict=True):
        before = [start for start in starts if start <= minute]
        assert (turn and turn[1]) == (at(max(before)) if before else None)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("2026-06-25 14:00:00", datetime(2026, 6, 25, 14, tzinfo=CET)),
        ("2026-06-25T14:00:00Z", START),
        (" 2026-06-25T16:00:00+02:00 ", START),
        ("2026-13-45 14:00:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_written_time_is_a_moment_in_its_zone(written: str, told: datetime | None) -> None:
    assert moment(written, zone=CET) == told


def test_an_observation_is_shown_with_its_sources_last() -> None:
    sources = [
        ShownSource(
            title="SPARQL 1.1 Query Language",
            identity=identify("10.1234/sparql"),
            relationship=Relationship.RETRIEVED,
        ),
        ShownSource(title="example-queries.go", identity=NOTHING, relationship=Relationship.RETRIEVED),
    ]
    assert shown(
        number=42,
        kind=ObservationKind.FINDING,
        created_at="2026-06-25 14:23:11",
        body="SPARQL federation queries\nrequire SERVICE blocks…",
        sources=sources,
    ) == (
        "Observation #42 [finding] (2026-06-25 14:23:11)\n"
        "  SPARQL federation queries\n"
        "  require SERVICE blocks…\n"
        "\n"
        "Sources:\n"
        "  [1] SPARQL 1.1 Query Language (doi:10.1234/sparql) — retrieved\n"
        "  [2] example-queries.go — retrieved\n"
    )


def test_an_observation_without_sources_has_no_such_heading() -> None:
    text = shown(number=1, kind=ObservationKind.NOTE, created_at="", body="x", sources=[])
    assert "Sources" not in text


def test_a_retracted_source_is_marked_and_its_note_follows() -> None:
    source = ShownSource(
        title="Tides",
        identity=identify("10.1234/tide"),
        relationship=Relationship.CITED,
        retraction=RetractionStatus.RETRACTED,
        retraction_note="Retracted\n2026-07-01",
    )
    assert source_lines([source])[1:] == [
        "  [1] Tides (doi:10.1234/tide) — cited [RETRACTED]",
        "⚠ Source 1 is marked retracted: “Retracted 2026-07-01”",
    ]


@pytest.mark.parametrize(
    ("identity", "title", "named"),
    [
        (identify("https://example.org/a"), "Tides", "Tides (https://example.org/a)"),
        (identify("arXiv:2604.03173"), "Tides", "Tides (arxiv:2604.03173)"),
        (identify("urn:nbn:de:101"), "Tides", "Tides (urn:nbn:de:101)"),
        (identify("10.1234/tide"), "", "doi:10.1234/tide"),
        (NOTHING, "", "(no title)"),
    ],
)
def test_a_source_is_named_by_its_title_and_identifier(identity: Identity, title: str, named: str) -> None:
    source = ShownSource(title=title, identity=identity, relationship=Relationship.INFERRED)
    assert source_lines([source]) == ["Sources:", f"  [1] {named} — inferred"]


def test_nothing_shown_can_move_a_terminals_cursor() -> None:
    source = ShownSource(
        title="\x1b[2Jx\u2028y",
        identity=NOTHING,
        relationship=Relationship.CITED,
        retraction=RetractionStatus.RETRACTED,
        retraction_note="\x9b",
    )
    text = shown(number=1, kind=ObservationKind.NOTE, created_at="\x07", body="a\x1b[1mb\rc\r\nd", sources=[source])
    assert not any((ord(letter) < 32 and letter != "\n") or 127 <= ord(letter) < 160 for letter in text)
    assert "\u2028" not in text


@pytest.mark.parametrize(
    ("retrieved", "title", "value"),
    [
        (RetrievedSource(source="a.md", title="Tides", locator="10.1234/Tide"), "Tides", "10.1234/tide"),
        (RetrievedSource(source="a.md", locator="https://example.org/a"), "a.md", "https://example.org/a"),
        (RetrievedSource(source="https://example.org/a", title="Tides"), "Tides", "https://example.org/a"),
        (RetrievedSource(source="https://example.org/a", locator="10.1/no"), *("https://example.org/a",) * 2),
        (RetrievedSource(source="a.md", lines="1–2"), "a.md", ""),
        (RetrievedSource(source="", locator="10.1234/tide"), "10.1234/tide", "10.1234/tide"),
        (RetrievedSource(source="javascript:alert(1)"), "javascript:alert(1)", ""),
    ],
)
def test_a_retrieved_document_is_offered_under_what_names_it(
    retrieved: RetrievedSource, title: str, value: str
) -> None:
    source = offered(retrieved)
    assert (source.title, source.identity.value, source.relationship) == (title, value, Relationship.RETRIEVED)
