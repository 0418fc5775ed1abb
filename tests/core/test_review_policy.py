"""What a new finding means beside a person's decision."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sources.core.findings import Cause, Disposition, Evidence, Finding, Verdict
from sources.core.kinds import DecisionKind, ReviewReason
from sources.core.review_policy import Decided, consequence, fingerprint
from tests.clock import NOW

THIN = Finding(Verdict.THIN, Cause.LITTLE_TEXT, NOW, "1", Evidence(title_found="Harbour survey"))
DEAD = Finding(Verdict.HARD_404, Cause.NOT_FOUND, NOW, "1")
FAILED = Finding(Verdict.FETCH_FAILED, Cause.DEADLINE, NOW, "1")
FINE = Finding(Verdict.VERIFIED_ACCESSIBLE, Cause.CONTENT, NOW, "1")

verdicts = st.sampled_from(list(Verdict))
causes = st.sampled_from(list(Cause))
decisions = st.builds(
    Decided, kind=st.sampled_from(list(DecisionKind)), override_verdict=verdicts, evidence_fingerprint=st.just("")
)
findings = st.builds(Finding, verdict=verdicts, cause=causes, at=st.just(NOW), rules_version=st.just("1"))


def accepted(finding: Finding) -> Decided:
    return Decided(DecisionKind.ACCEPT, None, fingerprint(finding))


def test_a_verdict_without_a_decision_has_its_own_disposition_and_question() -> None:
    assert consequence(THIN, None).disposition is Disposition.REVIEW
    assert consequence(THIN, None).open_reason is ReviewReason.THIN
    assert consequence(FINE, None).open_reason is None
    assert consequence(DEAD, None).disposition is Disposition.DROP


def test_the_same_evidence_after_a_decision_is_silence() -> None:
    again = replace(THIN, evidence=replace(THIN.evidence, sha256="ab" * 32, elapsed_ms=7))
    assert consequence(again, accepted(THIN)).open_reason is None


def test_contrary_evidence_after_a_decision_opens_a_question_and_moves_nothing() -> None:
    follows = consequence(DEAD, accepted(THIN))
    assert follows.disposition is Disposition.KEEP
    assert follows.open_reason is ReviewReason.NEW_EVIDENCE


def test_a_dropped_source_that_is_alive_again_opens_a_question() -> None:
    dropped = Decided(DecisionKind.DROP, None, fingerprint(DEAD))
    assert consequence(FINE, dropped).open_reason is ReviewReason.NEW_EVIDENCE


def test_a_failed_fetch_is_no_news() -> None:
    assert consequence(FAILED, accepted(THIN)).open_reason is None


@given(finding=findings, decided=decisions)
def test_no_finding_ever_moves_a_decision(finding: Finding, decided: Decided) -> None:
    assert consequence(finding, decided).disposition is decided.disposition


@given(finding=findings)
def test_every_verdict_that_a_person_decides_opens_a_question(finding: Finding) -> None:
    follows = consequence(finding, None)
    if follows.disposition is Disposition.REVIEW:
        assert follows.open_reason is not None
