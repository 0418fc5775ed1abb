"""Holdings: parts of a list, what may leave the house, and the order of labels."""

from collections.abc import Iterable, Iterator

import pytest

from sources.core.catalog import CitationStatus
from sources.core.exported import Brief, ExportedSource, Use, in_order
from sources.core.findings import Disposition
from sources.core.holdings import Held, Remembered, for_outside
from sources.core.kinds import Sensitivity
from tests.unit.sources.exports import doi, recovered, source, web

INTERNAL = Sensitivity.INTERNAL_ONLY
MIXED = Held([source(1), source(2, record_sensitivity=INTERNAL), source(3), source(4, record_sensitivity=INTERNAL)])


class Counting:
    """Holdings that count how often their briefs are asked for."""

    def __init__(self, *sources: ExportedSource) -> None:
        self._held = Held(sources)
        self.asked = 0

    def briefs(self) -> Iterator[Brief]:
        self.asked += 1
        return self._held.briefs()

    def read(self, positions: Iterable[int]) -> Iterator[ExportedSource]:
        return self._held.read(positions)

    def __iter__(self) -> Iterator[ExportedSource]:
        return iter(self._held)


def test_internal_sources_never_leave_and_are_counted() -> None:
    kept, left_out = for_outside(MIXED)
    assert left_out == 2
    assert [one.stable_id for one in kept] == ["src-001", "src-003"]
    assert [one.stable_id for one in kept.briefs()] == ["src-001", "src-003"]
    assert [one.stable_id for one in kept.read([1])] == ["src-003"]


def test_asking_twice_leaves_nothing_more_out() -> None:
    kept, _ = for_outside(MIXED)
    again, left_out = for_outside(kept)
    assert (list(again), left_out) == (list(kept), 0)


@pytest.mark.parametrize("sources", [(), (source(1),)], ids=["none", "one"])
def test_where_all_may_leave_all_are_kept(sources: tuple[ExportedSource, ...]) -> None:
    kept, left_out = for_outside(Held(sources))
    assert (tuple(kept), left_out) == (sources, 0)


def test_where_none_may_leave_none_is_kept() -> None:
    kept, left_out = for_outside(Held([source(1, record_sensitivity=INTERNAL)]))
    assert (list(kept), list(kept.briefs()), left_out) == ([], [], 1)


def test_remembered_briefs_are_asked_for_once() -> None:
    counting = Counting(source(1), source(2))
    remembered = Remembered(counting)
    assert list(remembered.briefs()) == list(remembered.briefs()) == list(counting.briefs())
    assert counting.asked == 2
    assert list(remembered) == list(remembered.read([0, 1]))


def test_the_best_status_wins_over_all_runs_and_in_each_section() -> None:
    one = source(
        1,
        uses=(
            Use("05-team", "v2", CitationStatus.FOUND_IN_RESEARCH),
            Use("02-market", "v1", CitationStatus.VALID_NOT_CITED),
            Use("02-market", "v10", CitationStatus.ADDED_BY_CORRECTION),
            Use("", "v9", CitationStatus.FOUND_IN_RESEARCH),
        ),
    )
    assert one.status is CitationStatus.ADDED_BY_CORRECTION
    assert one.brief.sections == (
        ("02-market", CitationStatus.ADDED_BY_CORRECTION),
        ("05-team", CitationStatus.FOUND_IN_RESEARCH),
    )
    assert one.sections == ("02-market", "05-team")
    assert one.versions == ("v1", "v2", "v9", "v10")


def test_a_source_that_no_text_uses_was_found_in_research() -> None:
    assert source(1, uses=()).status is CitationStatus.FOUND_IN_RESEARCH


def test_labels_stand_in_the_order_in_which_people_count() -> None:
    labels = ["Deal-v0.0.10", "draft", "Deal-v0.0.9", "2", "10", "Deal-v0.0.9b", "٣"]
    assert in_order(labels) == ("2", "10", "Deal-v0.0.9", "Deal-v0.0.9b", "Deal-v0.0.10", "draft", "٣")
    assert in_order(reversed(labels)) == in_order(labels)


def test_a_work_found_again_is_read_at_its_new_address() -> None:
    found = recovered(1, "https://harbour.example/new")
    assert (found.address, found.recovered_from) == ("https://harbour.example/new", "https://harbour.example/1")
    refused = recovered(1, "https://harbour.example/new", disposition=Disposition.DROP)
    assert (refused.address, refused.recovered_from) == ("https://harbour.example/1", "")


def test_the_link_is_that_of_the_best_identifier_that_has_one() -> None:
    ids = (doi("10.5555/a"), web("https://harbour.example/a"))
    assert source(1, record_identities=ids).link == "https://doi.org/10.5555/a"
    assert source(1, record_identities=()).link == ""
