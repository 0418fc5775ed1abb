"""Where a source stands in a report, and what the gate says of all of them."""

from datetime import UTC, datetime

import pytest

from sources.core.findings import Disposition, Verdict
from validation.core import gate_words
from validation.core.report import Head, Section, Standing, counts_of, shown_sections, sizes_of

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def standing(
    verdict: Verdict | None, disposition: Disposition | None = None, *, found: Verdict | None = None, number: int = 1
) -> Standing:
    follows = disposition or (verdict.disposition if verdict else Disposition.UNCHECKED)
    return Standing(number, number, None, verdict, found or verdict, follows)


def head(*verdicts: Verdict | None) -> Head:
    standings = tuple(standing(verdict, number=place) for place, verdict in enumerate(verdicts, start=1))
    return Head("Harbour memo", "", AT, counts_of(standings), sizes_of(standings))


@pytest.mark.parametrize(
    ("one", "section"),
    [
        (standing(Verdict.VERIFIED_ACCESSIBLE), Section.VERIFIED),
        (standing(Verdict.VERIFIED_VIA_REPUBLISH), Section.VERIFIED),
        (standing(Verdict.VERIFIED_GATED), Section.GATED),
        (standing(Verdict.THIN), Section.FLAGGED),
        (standing(Verdict.TITLE_SWAPPED), Section.FLAGGED),
        (standing(Verdict.FETCH_FAILED), Section.FLAGGED),
        (standing(Verdict.PAYWALL_STUB), Section.DROPPED),
        (standing(Verdict.SOFT_404_GRACEFUL), Section.DROPPED),
        (standing(Verdict.HARD_404), Section.DROPPED),
        (standing(Verdict.HALLUCINATED_PATTERN), Section.DROPPED),
        (standing(None), Section.UNCHECKED),
        (standing(Verdict.THIN, Disposition.KEEP), Section.KEPT),
        (standing(None, Disposition.KEEP), Section.KEPT),
        (standing(Verdict.VERIFIED_ACCESSIBLE, Disposition.DROP), Section.DROPPED),
        (standing(Verdict.VERIFIED_GATED, found=Verdict.FETCH_FAILED), Section.GATED),
    ],
)
def test_every_source_stands_in_one_list(one: Standing, section: Section) -> None:
    assert one.section is section
    lists = [where for where in Section if where is not Section.RECOVERED and one.stands_in(where)]
    assert lists == [section]


def test_a_work_found_again_is_a_pair_as_well_unless_a_person_refused_it() -> None:
    assert standing(Verdict.VERIFIED_VIA_REPUBLISH).is_recovered
    assert not standing(Verdict.VERIFIED_VIA_REPUBLISH, Disposition.DROP).is_recovered
    assert not standing(Verdict.VERIFIED_VIA_REPUBLISH, found=Verdict.HARD_404).is_recovered


def test_the_five_lists_are_always_written_and_the_others_where_they_hold_something() -> None:
    five = [Section.VERIFIED, Section.GATED, Section.FLAGGED, Section.DROPPED, Section.RECOVERED]
    assert shown_sections(head()) == five
    assert shown_sections(head(None)) == [*five, Section.UNCHECKED]


GOOD, DEAD, INVENTED = Verdict.VERIFIED_ACCESSIBLE, Verdict.HARD_404, Verdict.HALLUCINATED_PATTERN


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ([], "No source is cited; an empty list blocks"),
        (
            [GOOD] * 19 + [DEAD] * 15 + [INVENTED] * 3,
            "19 of 37 verified; 3 fabricated patterns block",
        ),
        ([GOOD] * 99 + [INVENTED], "99 of 100 verified; 1 fabricated pattern blocks"),
        ([GOOD] * 89 + [DEAD] * 11, "89 of 100 verified; less than 90 % blocks"),
        ([GOOD] * 90 + [DEAD] * 10, "90 of 100 verified; less than 95 % asks for a look"),
        ([GOOD] * 1899 + [DEAD] * 101, "1,899 of 2,000 verified; less than 95 % asks for a look"),
        ([GOOD] * 95 + [DEAD] * 5, "95 of 100 verified; 95 % or more is accepted"),
    ],
)
def test_the_gate_says_what_it_decides_and_why(verdicts: list[Verdict], said: str) -> None:
    assert gate_words.headline(head(*verdicts).gate) == said


def test_the_reasons_say_how_far_the_next_mark_is() -> None:
    said = gate_words.reasons(head(*[GOOD] * 91, *[DEAD] * 7, Verdict.FETCH_FAILED, None))
    assert said == [
        "The share is 91.0 %, cut after one decimal and never rounded up.",
        "4 more verified sources would reach 95 %.",
        "Counted as not verified: 1 that could not be fetched and 1 without a verdict.",
    ]


def test_as_many_as_the_reasons_ask_for_do_reach_the_mark() -> None:
    for total in range(1, 60):
        for verified in range(total + 1):
            said = gate_words.reasons(head(*[GOOD] * verified, *[DEAD] * (total - verified)))
            wanted = {line.split()[-2]: int(line.split()[0]) for line in said if "would reach" in line}
            for mark, number in wanted.items():
                assert (verified + number) * 100 >= int(mark) * total > (verified + number - 1) * 100


def test_the_chart_draws_every_verdict_and_tells_the_same_in_words() -> None:
    chart = gate_words.chart_of(head(GOOD, GOOD, DEAD))
    assert [bar.label for bar in chart.bars] == [verdict.label for verdict in Verdict]
    drawn = {bar.label: (bar.count, bar.share, bar.width) for bar in chart.bars if bar.count}
    assert drawn == {"Verified": (2, "66.6", "66.67%"), "Gone": (1, "33.3", "33.33%")}
    assert chart.summary == "3 sources. Verified: 2; Gone: 1."
    assert chart.verified_width == "66.67%"


def test_the_chart_of_nothing_is_empty_and_divides_by_nothing() -> None:
    chart = gate_words.chart_of(head())
    assert {bar.width for bar in chart.bars} == {"0%"}
    assert chart.summary == "0 sources. no sources."
