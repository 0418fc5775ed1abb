"""Where a work stands: the cases that other tools got wrong, and what holds whatever is asserted in whatever order."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.retraction_status import Asserted, Checked, Nature, Provider, Status, derive
from tests.clock import NOW

RW, CROSSREF, OPENALEX = Provider.RETRACTION_WATCH, Provider.CROSSREF, Provider.OPENALEX
PUBMED, ARXIV = Provider.PUBMED, Provider.ARXIV


def said(
    provider: Provider,
    nature: Nature,
    date: str = "",
    notice: str = "",
    *,
    record: str = "",
    seen: datetime = NOW,
) -> Asserted:
    name = record or f"{provider}/{notice}/{date}"
    return Asserted(provider, name, nature, seen, seen, notice_identifier=notice, notice_date=date)


CASES = {
    "an in-situ retraction, with a notice and an erratum, is retracted once": (
        [
            said(CROSSREF, Nature.RETRACTED, "2021-03-01", "10.5555/own"),
            said(RW, Nature.RETRACTED, "2023-07-01", "10.5555/notice"),
            said(CROSSREF, Nature.CORRECTED, "2023-07-01", "10.5555/notice"),
        ],
        Status.RETRACTED,
    ),
    "a cited notice is a notice": ([said(CROSSREF, Nature.NOTICE)], Status.NOTICE),
    "a notice that was itself retracted is retracted": (
        [said(CROSSREF, Nature.NOTICE), said(RW, Nature.RETRACTED, "2019")],
        Status.RETRACTED,
    ),
    "errata alone are corrections": ([said(CROSSREF, Nature.CORRECTED, "2020-01-02", "10.5555/e")], Status.CORRECTED),
    "a concern alone is a concern": ([said(CROSSREF, Nature.CONCERN, "2020-01-02")], Status.CONCERN),
    "a concern stays one beside a later correction": (
        [said(RW, Nature.CONCERN, "2020-01-02"), said(RW, Nature.CORRECTED, "2021-01-02")],
        Status.CONCERN,
    ),
    "a concern after a retraction changes nothing": (
        [said(RW, Nature.RETRACTED, "2010-02-06"), said(PUBMED, Nature.CONCERN, "2011-11")],
        Status.RETRACTED,
    ),
    "what one calls a correction and the other a retraction is retracted by a later, plain notice": (
        [
            said(RW, Nature.CORRECTED, "2004-03-06", "10.5555/first"),
            said(PUBMED, Nature.RETRACTED, "2004-03-06", "10.5555/first"),
            said(RW, Nature.RETRACTED, "2010-02-06", "10.5555/second"),
        ],
        Status.RETRACTED,
    ),
    "the same without the later notice is a conflict": (
        [
            said(RW, Nature.CORRECTED, "2004-03-06", "10.5555/first"),
            said(PUBMED, Nature.RETRACTED, "2004-03-06", "10.5555/first"),
        ],
        Status.CONFLICT,
    ),
    "reinstated later": (
        [said(RW, Nature.RETRACTED, "2011"), said(RW, Nature.REINSTATED, "2017-05-02")],
        Status.REINSTATED,
    ),
    "retracted again after it was reinstated": (
        [
            said(RW, Nature.RETRACTED, "2011"),
            said(RW, Nature.REINSTATED, "2017"),
            said(RW, Nature.WITHDRAWN, "2019"),
        ],
        Status.WITHDRAWN,
    ),
    "retracted and reinstated on one day is a conflict": (
        [said(RW, Nature.RETRACTED, "2017-05-02"), said(CROSSREF, Nature.REINSTATED, "2017-05-02")],
        Status.CONFLICT,
    ),
    "an undated reinstatement is a conflict": (
        [said(RW, Nature.RETRACTED, "2011-01-02"), said(RW, Nature.REINSTATED)],
        Status.CONFLICT,
    ),
    "a reinstatement dated after tomorrow is undated": (
        [said(RW, Nature.RETRACTED, "2011-01-02"), said(RW, Nature.REINSTATED, "2999-01-01")],
        Status.CONFLICT,
    ),
    "an undated word on a dated notice has its date": (
        [
            said(RW, Nature.RETRACTED, "2011-01-02", "10.5555/n"),
            said(PUBMED, Nature.RETRACTED, "", "10.5555/n"),
            said(RW, Nature.REINSTATED, "2017"),
        ],
        Status.REINSTATED,
    ),
    "a preprint withdrawn at its second version is withdrawn": (
        [said(ARXIV, Nature.WITHDRAWN, "2020-02-02")],
        Status.WITHDRAWN,
    ),
    "partly retracted, which another source has as an erratum": (
        [said(CROSSREF, Nature.PARTIAL, "2016", "10.5555/p"), said(PUBMED, Nature.CORRECTED, "2016", "10.5555/p")],
        Status.PARTIAL,
    ),
    "retracted and replaced, where another says retracted of the same notice": (
        [said(CROSSREF, Nature.RETRACTED, "2018", "10.5555/r"), said(RW, Nature.REPLACED, "2018", "10.5555/r")],
        Status.REPLACED,
    ),
    "replaced, and then retracted for good": (
        [said(RW, Nature.REPLACED, "2018", "10.5555/r"), said(RW, Nature.RETRACTED, "2020", "10.5555/q")],
        Status.RETRACTED,
    ),
    "PubMed alone retracts": ([said(PUBMED, Nature.RETRACTED)], Status.RETRACTED),
    "OpenAlex's no does not lift what Retraction Watch has": (
        [said(OPENALEX, Nature.NONE), said(RW, Nature.RETRACTED, "2020")],
        Status.RETRACTED,
    ),
    "OpenAlex alone proposes": ([said(OPENALEX, Nature.RETRACTED)], Status.CONFLICT),
    "OpenAlex does not disturb a reinstatement": (
        [
            said(RW, Nature.RETRACTED, "2011"),
            said(RW, Nature.REINSTATED, "2017"),
            said(OPENALEX, Nature.RETRACTED),
        ],
        Status.REINSTATED,
    ),
    "a nature that nobody has mapped is no all-clear": ([said(RW, Nature.UNKNOWN)], Status.UNCHECKED),
    "an answer that nothing is known": ([said(OPENALEX, Nature.NONE)], Status.NONE_FOUND),
    "nothing asserted and nobody asked": ([], Status.UNCHECKED),
}


@pytest.mark.parametrize("case", CASES)
def test_a_work_stands_where_its_assertions_put_it(case: str) -> None:
    assertions, status = CASES[case]
    derived = derive(assertions, now=NOW)
    assert derived.status is status
    assert derived.is_retracted == (status in {Status.RETRACTED, Status.WITHDRAWN, Status.REMOVED})
    if status in {Status.PARTIAL, Status.REPLACED, Status.CONFLICT}:
        assert derived.needs_editor


@pytest.mark.parametrize("case", ["OpenAlex's no does not lift what Retraction Watch has", "OpenAlex alone proposes"])
def test_a_disagreement_about_the_bit_is_said_beside_the_status(case: str) -> None:
    assert derive(CASES[case][0], now=NOW).disagrees


def test_a_failed_check_is_unchecked_with_the_age_of_the_last_answer() -> None:
    earlier = NOW - timedelta(days=30)
    answered = Checked(RW, answered_at=NOW)
    clean = derive([], now=NOW, checks=[answered, Checked(CROSSREF, answered_at=earlier)])
    assert (clean.status, clean.as_of, clean.unchecked) == (Status.NONE_FOUND, earlier, ())
    failed = derive([], now=NOW, checks=[answered, Checked(CROSSREF, answered_at=earlier, failed_at=NOW)])
    assert (failed.status, failed.as_of, failed.unchecked) == (Status.UNCHECKED, earlier, (CROSSREF,))
    never = derive([], now=NOW, checks=[Checked(CROSSREF, failed_at=NOW)])
    assert (never.status, never.as_of) == (Status.UNCHECKED, None)
    known = derive([said(RW, Nature.RETRACTED)], now=NOW, checks=[Checked(RW, answered_at=earlier, failed_at=NOW)])
    assert (known.status, known.as_of) == (Status.RETRACTED, earlier)


def test_a_mended_date_of_a_record_takes_the_place_of_the_old_one() -> None:
    slip = said(RW, Nature.RETRACTED, "2021-01-01", record="7", seen=NOW - timedelta(days=9))
    mended = said(RW, Nature.RETRACTED, "2011-01-01", record="7")
    back = said(RW, Nature.REINSTATED, "2017-01-01", record="8")
    assert derive([slip, back], now=NOW).status is Status.RETRACTED
    assert derive([mended, slip, back], now=NOW).status is Status.REINSTATED


ASSERTED = st.builds(
    Asserted,
    provider=st.sampled_from(Provider),
    record_id=st.sampled_from("abcd"),
    nature=st.sampled_from(Nature),
    first_seen_at=st.sampled_from([NOW, NOW - timedelta(days=1)]),
    last_seen_at=st.just(NOW),
    notice_identifier=st.sampled_from(["", "10.5555/n", "10.5555/m"]),
    notice_date=st.sampled_from(["", "2010", "2010-02", "2010-02-06", "2011-13", "2017-05-02"]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ASSERTED, max_size=8).flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_order_in_which_assertions_come_never_matters(both: tuple[list[Asserted], list[Asserted]]) -> None:
    rows, shuffled = both
    assert derive(rows, now=NOW) == derive([*shuffled, *shuffled], now=NOW)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(ASSERTED, max_size=8),
    st.sampled_from([Nature.CORRECTED, Nature.CONCERN, Nature.NOTICE, Nature.NONE]),
    st.sampled_from(["", "2018-01-01"]),
)
def test_a_correction_or_a_concern_on_a_notice_of_its_own_never_moves_the_bit(
    rows: list[Asserted], nature: Nature, date: str
) -> None:
    later = said(CROSSREF, nature, date, "10.5555/of-its-own", record="its own")
    assert derive([*rows, later], now=NOW).is_retracted == derive(rows, now=NOW).is_retracted
    if nature is not Nature.CONCERN:
        assert derive([*rows, later], now=NOW).evidence_fingerprint == derive(rows, now=NOW).evidence_fingerprint


@settings(max_examples=60, deadline=None)
@given(st.lists(ASSERTED, max_size=8))
def test_only_a_reinstatement_takes_the_bit_from_a_plain_retraction(rows: list[Asserted]) -> None:
    plain = said(RW, Nature.RETRACTED, "2009-01-01", "10.5555/plain", record="plain")
    others = [row for row in rows if row.nature not in {Nature.REINSTATED, Nature.REPLACED}]
    assert derive([*others, plain], now=NOW).is_retracted
