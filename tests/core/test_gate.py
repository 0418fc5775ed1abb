"""The ship gate counts exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.core.findings import Verdict
from sources.core.gate import GateDecision, gate_of


@pytest.mark.parametrize(
    ("verified", "failed", "decision"),
    [
        (95, 5, GateDecision.ACCEPT),
        (9499, 501, GateDecision.INVESTIGATE),
        (90, 10, GateDecision.INVESTIGATE),
        (8999, 1001, GateDecision.BLOCK),
        (0, 0, GateDecision.BLOCK),
        (1, 0, GateDecision.ACCEPT),
    ],
)
def test_the_borders_belong_to_the_better_side(verified: int, failed: int, decision: GateDecision) -> None:
    assert gate_of({Verdict.VERIFIED_GATED: verified, Verdict.FETCH_FAILED: failed}).decision is decision


def test_one_fabricated_pattern_blocks() -> None:
    gate = gate_of({Verdict.VERIFIED_ACCESSIBLE: 999, Verdict.HALLUCINATED_PATTERN: 1})
    assert gate.decision is GateDecision.BLOCK
    assert gate.decision.exit_code == 2


def test_unchecked_sources_count_as_not_verified() -> None:
    assert gate_of({Verdict.VERIFIED_ACCESSIBLE: 94, None: 6}).decision is GateDecision.INVESTIGATE


@given(counts=st.dictionaries(st.sampled_from([*Verdict, None]), st.integers(0, 10_000)))
def test_the_share_is_cut_and_never_rounded_up(counts: dict[Verdict | None, int]) -> None:
    gate = gate_of(counts)
    if gate.total:
        assert float(gate.percent) <= gate.verified / gate.total * 100 + 1e-9
        assert float(gate.percent) + 0.1 > gate.verified / gate.total * 100 - 1e-9
