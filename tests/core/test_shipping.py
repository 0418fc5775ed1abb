"""The ship gate over a document: what counts, what blocks, which links are drawn."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.citations import DEFAULT_POLICY, CorpusItem, Mode, Policy, Standing
from sources.core.findings import Verdict
from sources.core.gate import GateDecision
from validation.core import shipping
from validation.core.shipped_text import read_document
from validation.core.shipping import Level, Remark, Rule, ShippedLink, ShipReport, SpotResult

AT = datetime(2026, 5, 14, 10, 0, tzinfo=UTC)
GOOD, DEAD, FAKE = Verdict.VERIFIED_ACCESSIBLE, Verdict.HARD_404, Verdict.HALLUCINATED_PATTERN


def link(number: int, verdict: Verdict | None = GOOD, **more: object) -> ShippedLink:
    return ShippedLink(
        key=f"{number:064x}",
        address=f"https://gazette.org/{number}",
        line=number,
        column=3,
        verdict=verdict,
        reason="the server says that there is no such page",
        **more,  # type: ignore[arg-type]
    )


def report_of(*links: ShippedLink, standing: tuple[Remark, ...] = ()) -> ShipReport:
    return shipping.report(project="Harbour", document="memo.md", path="memo.md", at=AT, links=links, standing=standing)


@pytest.mark.parametrize(
    ("dead", "decision"), [(0, GateDecision.ACCEPT), (1, GateDecision.ACCEPT), (2, GateDecision.INVESTIGATE)]
)
def test_the_share_decides_where_nothing_else_does(dead: int, decision: GateDecision) -> None:
    links = [link(number, DEAD if number <= dead else GOOD) for number in range(1, 21)]
    assert report_of(*links).decision is decision


def test_less_than_ninety_percent_block_and_each_dead_link_is_an_error_then() -> None:
    told = report_of(*[link(number, DEAD if number <= 3 else GOOD) for number in range(1, 21)])
    assert told.decision is GateDecision.BLOCK
    assert [(one.level, one.line) for one in told.remarks if one.rule is Rule.NOT_VERIFIED] == [
        (Level.BLOCKS, number) for number in (1, 2, 3)
    ]


def test_a_dead_link_in_an_accepted_text_is_told_and_fails_nothing() -> None:
    told = report_of(*[link(number, DEAD if number == 1 else GOOD) for number in range(1, 21)])
    assert [(one.rule, one.level) for one in told.remarks] == [(Rule.NOT_VERIFIED, Level.WARNS)]
    assert "Open the link" in told.remarks[0].message


def test_a_text_without_a_source_blocks_and_says_so() -> None:
    told = report_of()
    assert told.decision is GateDecision.BLOCK
    assert "No source is cited" in told.remarks[0].message


def test_one_fabricated_address_blocks_whatever_the_share_is() -> None:
    told = report_of(*[link(number, FAKE if number == 1 else GOOD) for number in range(1, 101)])
    assert told.gate.percent == "99.0"
    assert told.decision is GateDecision.BLOCK


def test_a_condition_that_is_broken_blocks_whatever_the_share_is() -> None:
    outside = Remark(Rule.OUTSIDE, Level.BLOCKS, "not in the corpus", 1, 3)
    assert report_of(link(1), standing=(outside,)).decision is GateDecision.BLOCK
    acknowledged = Remark(Rule.ACKNOWLEDGED, Level.TELLS, "on purpose", 1, 3)
    assert report_of(link(1), standing=(acknowledged,)).decision is GateDecision.ACCEPT


def test_a_person_s_override_counts_in_the_machine_s_place() -> None:
    assert report_of(link(1, DEAD, override=GOOD)).decision is GateDecision.ACCEPT
    assert report_of(link(1, GOOD, override=FAKE)).decision is GateDecision.BLOCK


def test_a_failed_spot_check_counts_as_not_verified_and_never_lets_a_text_be_accepted() -> None:
    wrong = [link(number, spot=SpotResult.WRONG if number == 1 else None) for number in range(1, 101)]
    told = report_of(*wrong)
    assert (told.gate.verified, told.gate.total) == (99, 100)
    assert told.decision is GateDecision.INVESTIGATE
    assert report_of(link(1, spot=SpotResult.WRONG), link(2)).decision is GateDecision.BLOCK


def test_a_good_spot_check_makes_nothing_verified_that_the_machine_could_not_verify() -> None:
    assert report_of(link(1, Verdict.FETCH_FAILED, spot=SpotResult.GOOD)).decision is GateDecision.BLOCK


@settings(max_examples=60, deadline=None)
@given(keys=st.sets(st.text(min_size=1), max_size=40), seed=st.text(), shuffled=st.randoms())
def test_a_draw_is_the_same_for_the_same_seed_whatever_the_order(keys: set[str], seed: str, shuffled: object) -> None:
    order = sorted(keys)
    shuffled.shuffle(order)  # type: ignore[attr-defined]
    drawn = shipping.draw(order, seed=seed)
    assert drawn == shipping.draw(sorted(keys), seed=seed)
    assert len(drawn) == len(set(drawn)) == min(10, len(keys))
    assert set(drawn) <= keys


def test_another_seed_draws_others() -> None:
    keys = [str(number) for number in range(1000)]
    assert len({shipping.draw(keys, seed=str(seed)) for seed in range(20)}) == 20


@pytest.mark.parametrize("path", ["report", "a*b", "a)b", "q?x=(1|2"])
def test_a_source_that_is_cited_by_its_id_stands_where_the_id_does(path: str) -> None:
    item = CorpusItem("src-001", f"https://gazette.org/{path}", "", "Tides")
    read = read_document("One.\n\nTides rise [src-001].", corpus=[item], policy=DEFAULT_POLICY, acknowledged={})
    (cited,) = read.cited
    assert (cited.line, cited.column, read.remarks) == (3, 12, ())


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("Tides [rise](https://gazette.org/x).", DEFAULT_POLICY),
        ("Tides [rise](https://gazette.org/x).", Policy(mode=Mode.HYBRID)),
        ("Tides rise.[^1]\n\n[^1]: https://gazette.org/x", DEFAULT_POLICY),
        ("Tides rise [src-099].", DEFAULT_POLICY),
        ("Tides rise [src-001].", DEFAULT_POLICY),
    ],
)
def test_a_text_that_is_only_judged_is_not_told_that_something_was_done_to_it(text: str, policy: Policy) -> None:
    url = "https://gazette.org/tides"
    corpus = [CorpusItem("src-001", url, url, "Tides", standing=frozenset({Standing.RETRACTED}))]
    told = [one.message for one in read_document(text, corpus=corpus, policy=policy, acknowledged={}).remarks]
    assert told
    assert not [one for one in told if "taken out" in one or "left" in one or "the marker" in one]
