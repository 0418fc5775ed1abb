"""How long verdicts hold, when failures are tried again, when «dead» is final."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.findings import Cause, Evidence, Finding, Verdict
from sources.core.freshness import (
    DEAD,
    RETRY_WAITS,
    Freshness,
    PastCheck,
    Standing,
    freshness_of,
    needs_no_check,
    reads_history,
    weighed,
)
from tests.clock import NOW

URL = "https://harbour.example/a"
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)

few = settings(max_examples=60, deadline=None)


def found(
    verdict: Verdict,
    *,
    at: datetime = NOW,
    cause: Cause = Cause.DEADLINE,
    rules: str = "1",
    url: str = URL,
    wait: int | None = None,
) -> Finding:
    evidence = Evidence(requested_url=url, retry_after_s=wait)
    return Finding(verdict=verdict, cause=cause, at=at, rules_version=rules, evidence=evidence)


def failed(
    *, at: datetime = NOW, cause: Cause = Cause.SERVER_ERROR, wait: int | None = None, rules: str = "1"
) -> Finding:
    return found(Verdict.FETCH_FAILED, at=at, cause=cause, wait=wait, rules=rules)


def dead(*, at: datetime = NOW, verdict: Verdict = Verdict.HARD_404, rules: str = "1", url: str = URL) -> Finding:
    return found(verdict, at=at, cause=Cause.NOT_FOUND, rules=rules, url=url)


def past(finding: Finding) -> PastCheck:
    return PastCheck(
        verdict=finding.verdict,
        cause=finding.cause,
        at=finding.at,
        rules_version=finding.rules_version,
        requested_url=finding.evidence.requested_url,
        retry_after_s=finding.evidence.retry_after_s,
    )


def last_of(findings: Sequence[Finding]) -> Freshness:
    """How far the newest of `findings` carries after the others."""
    return freshness_of(findings[-1], [past(finding) for finding in findings[:-1]])


def retries(cause: Cause, *, wait: int | None = None) -> list[timedelta]:
    """The waits of a source that fails at every retry, until none is left."""
    history: list[Finding] = []
    waits: list[timedelta] = []
    at: datetime | None = NOW
    while at is not None:
        history.append(failed(at=at, cause=cause, wait=wait))
        at = last_of(history).retry_at
        if at is not None:
            waits.append(at - history[-1].at)
    return waits


# -- how long a verdict holds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "days"),
    [
        (Verdict.VERIFIED_ACCESSIBLE, 30),
        (Verdict.VERIFIED_VIA_REPUBLISH, 30),
        (Verdict.VERIFIED_GATED, 14),
        (Verdict.PAYWALL_STUB, 30),
        (Verdict.THIN, 30),
        (Verdict.TITLE_SWAPPED, 7),
    ],
)
def test_a_verdict_holds_as_long_as_its_class_does(verdict: Verdict, days: int) -> None:
    assert freshness_of(found(verdict), []) == Freshness(fresh_until=NOW + days * DAY)


@pytest.mark.parametrize("verdict", sorted(DEAD))
def test_dead_holds_for_three_days_and_is_then_checked_again_by_itself(verdict: Verdict) -> None:
    until = NOW + 3 * DAY
    assert freshness_of(found(verdict), []) == Freshness(fresh_until=until, retry_at=until)


def test_a_fabricated_pattern_holds_until_the_rules_change() -> None:
    carries = freshness_of(found(Verdict.HALLUCINATED_PATTERN), [])
    assert carries == Freshness(is_final=True)
    standing = Standing(Verdict.HALLUCINATED_PATTERN, NOW, "1", carries)
    assert needs_no_check(standing, rules_version="1", at=NOW + 1000 * DAY)
    assert not needs_no_check(standing, rules_version="2", at=NOW)


def test_a_verdict_ends_at_its_hour_and_with_its_rules() -> None:
    until = NOW + 30 * DAY
    standing = Standing(Verdict.VERIFIED_ACCESSIBLE, NOW, "1", Freshness(fresh_until=until))
    assert needs_no_check(standing, rules_version="1", at=until - MINUTE)
    assert not needs_no_check(standing, rules_version="1", at=until)
    assert not needs_no_check(standing, rules_version="2", at=NOW)
    assert not needs_no_check(replace(standing, carries=Freshness()), rules_version="1", at=NOW)


def test_what_was_never_checked_has_no_answer() -> None:
    assert not needs_no_check(Standing(None, None, "", Freshness()), rules_version="", at=NOW)


def test_a_failure_is_left_alone_until_its_retry_and_after_the_last_one_for_three_days() -> None:
    waits = Standing(Verdict.FETCH_FAILED, NOW, "1", Freshness(retry_at=NOW + HOUR))
    assert needs_no_check(waits, rules_version="1", at=NOW + 59 * MINUTE)
    assert not needs_no_check(waits, rules_version="1", at=NOW + HOUR)
    given_up = Standing(Verdict.FETCH_FAILED, NOW, "1", Freshness())
    assert needs_no_check(given_up, rules_version="1", at=NOW + 2 * DAY)
    assert not needs_no_check(given_up, rules_version="1", at=NOW + 3 * DAY)


# -- failures ----------------------------------------------------------------------------------------------------------


def test_a_failure_is_tried_again_four_times_and_then_left_to_a_person() -> None:
    assert retries(Cause.SERVER_ERROR) == list(RETRY_WAITS) == [15 * MINUTE, 6 * HOUR, DAY, 3 * DAY]


def test_what_a_server_asks_for_is_when_it_is_tried_again() -> None:
    assert last_of([failed(cause=Cause.RATE_LIMITED, wait=3600)]).retry_at == NOW + HOUR


def test_a_server_that_asks_for_seconds_does_not_use_up_the_retries() -> None:
    assert retries(Cause.RATE_LIMITED, wait=5) == list(RETRY_WAITS)


def test_a_server_that_asks_for_a_year_is_asked_after_a_week() -> None:
    assert last_of([failed(cause=Cause.RATE_LIMITED, wait=366 * 86400)]).retry_at == NOW + 7 * DAY


def test_asking_before_the_time_uses_up_no_retry() -> None:
    clicks = [failed(at=NOW + second * timedelta(seconds=1)) for second in range(10)]
    assert last_of(clicks).retry_at == NOW + 15 * MINUTE


def test_a_verdict_between_two_failures_starts_the_count_again() -> None:
    history = [failed(at=NOW), failed(at=NOW + HOUR), found(Verdict.THIN, at=NOW + DAY), failed(at=NOW + 2 * DAY)]
    assert last_of(history).retry_at == NOW + 2 * DAY + 15 * MINUTE


@pytest.mark.parametrize("cause", [Cause.NO_ADDRESS, Cause.UNUSABLE_URL, Cause.BLOCKED_ADDRESS, Cause.GIVEN_UP])
def test_what_a_retry_cannot_change_is_not_tried_again(cause: Cause) -> None:
    assert freshness_of(failed(cause=cause), []) == Freshness()


# -- dead --------------------------------------------------------------------------------------------------------------


def test_three_agreeing_checks_three_days_apart_make_dead_final() -> None:
    history = [dead(at=NOW + days * DAY) for days in (0, 3, 6)]
    assert not last_of(history[:2]).is_final
    assert last_of(history) == Freshness(fresh_until=NOW + 36 * DAY, is_final=True)


def test_a_page_that_says_gone_in_another_way_agrees() -> None:
    history = [
        dead(),
        dead(at=NOW + 3 * DAY, verdict=Verdict.SOFT_404_GRACEFUL),
        failed(at=NOW + 5 * DAY),
        dead(at=NOW + 6 * DAY),
    ]
    assert last_of(history).is_final


def test_three_checks_on_one_bad_day_are_one() -> None:
    history = [dead(at=NOW + hours * HOUR) for hours in range(12)]
    until = history[-1].at + 3 * DAY
    assert last_of(history) == Freshness(fresh_until=until, retry_at=until)


@pytest.mark.parametrize(
    "between",
    [
        found(Verdict.VERIFIED_ACCESSIBLE, at=NOW + 4 * DAY),
        found(Verdict.THIN, at=NOW + 4 * DAY),
        dead(at=NOW + 4 * DAY, rules="0"),
        dead(at=NOW + 4 * DAY, url="https://harbour.example/a?page=2"),
    ],
    ids=["alive", "thin", "other rules", "another spelling"],
)
def test_what_does_not_agree_starts_the_count_again(between: Finding) -> None:
    assert not last_of([dead(), dead(at=NOW + 3 * DAY), between, dead(at=NOW + 9 * DAY)]).is_final


# -- names and silence -------------------------------------------------------------------------------------------------


def test_a_name_unknown_twice_an_hour_apart_is_a_domain_that_is_gone() -> None:
    first = failed(cause=Cause.DNS)
    assert weighed(first, []) == first
    soon = failed(cause=Cause.DNS, at=NOW + 59 * MINUTE)
    assert weighed(soon, [past(first)]) == soon
    later = weighed(failed(cause=Cause.DNS, at=NOW + HOUR), [past(first)])
    assert (later.verdict, later.cause) == (Verdict.HARD_404, Cause.DOMAIN_GONE)
    assert later.evidence.signals[-1].text == "2026-03-02 09:30 UTC"
    assert weighed(later, [past(first)]) == later
    again = weighed(failed(cause=Cause.DNS, at=NOW + 4 * DAY), [past(first), past(later)])
    assert again.verdict is Verdict.HARD_404


def test_an_unknown_name_is_asked_for_again_when_the_answer_can_count() -> None:
    assert freshness_of(failed(cause=Cause.DNS), []).retry_at == NOW + HOUR


@pytest.mark.parametrize(
    "between",
    [
        failed(cause=Cause.CONNECTION, at=NOW + HOUR),
        found(Verdict.THIN, at=NOW + HOUR),
        failed(cause=Cause.DNS, at=NOW + HOUR, rules="0"),
    ],
    ids=["it resolved", "it answered", "other rules said so"],
)
def test_a_name_that_may_have_been_known_in_between_is_not_gone(between: Finding) -> None:
    newest = failed(cause=Cause.DNS, at=NOW + 2 * HOUR)
    assert weighed(newest, [past(failed(cause=Cause.DNS)), past(between)]) == newest


def test_a_name_server_that_is_down_proves_nothing_ever() -> None:
    history = [past(failed(cause=Cause.DNS_TEMPORARY, at=NOW + days * DAY)) for days in range(9)]
    newest = failed(cause=Cause.DNS_TEMPORARY, at=NOW + 9 * DAY)
    assert weighed(newest, history) == newest
    unknown = weighed(failed(cause=Cause.DNS, at=NOW + 9 * DAY), [past(failed(cause=Cause.DNS)), *history[1:]])
    assert unknown.verdict is Verdict.HARD_404


def test_silence_over_six_days_is_noted_and_is_never_death() -> None:
    history = [failed(cause=Cause.TIMEOUT), failed(cause=Cause.DEADLINE, at=NOW + 3 * DAY)]
    newest = failed(cause=Cause.TIMEOUT, at=NOW + 6 * DAY)
    noted = weighed(newest, [past(finding) for finding in history])
    assert (noted.verdict, noted.cause) == (Verdict.FETCH_FAILED, Cause.TIMEOUT)
    assert noted.evidence.signals[-1].name == "unreachable-from-here"
    assert "no answer at 3 checks since 2026-03-02" in noted.evidence.access_note
    assert weighed(noted, [past(finding) for finding in history]) == noted
    too_soon = replace(newest, at=NOW + 5 * DAY)
    assert weighed(too_soon, [past(finding) for finding in history]) == too_soon
    refused_between = [past(history[0]), past(failed(at=NOW + 3 * DAY))]
    assert weighed(newest, refused_between) == newest


def test_the_last_retry_of_a_silent_host_is_late_enough_for_the_note() -> None:
    assert sum(retries(Cause.TIMEOUT), timedelta()) == 6 * DAY


# -- whatever the history ----------------------------------------------------------------------------------------------

findings = st.builds(
    found,
    verdict=st.sampled_from(Verdict),
    cause=st.sampled_from([Cause.DNS, Cause.DNS_TEMPORARY, Cause.TIMEOUT, Cause.RATE_LIMITED, Cause.NO_ADDRESS]),
    at=st.integers(0, 40 * 24 * 60).map(lambda minutes: NOW + minutes * MINUTE),
    rules=st.sampled_from(["1", "2"]),
    url=st.sampled_from([URL, f"{URL}?b"]),
    wait=st.none() | st.integers(-5, 10**9),
)
histories = st.lists(findings.map(past), max_size=25)


@few
@given(findings, histories)
def test_a_failure_is_never_kept_and_only_it_and_the_dead_are_checked_by_themselves(
    finding: Finding, earlier: list[PastCheck]
) -> None:
    carries = freshness_of(finding, earlier)
    if finding.verdict is Verdict.FETCH_FAILED:
        assert carries.fresh_until is None
        assert not carries.is_final
        assert carries.retry_at is None or finding.at < carries.retry_at <= finding.at + 10 * DAY
    else:
        assert carries.retry_at == (carries.fresh_until if finding.verdict in DEAD and not carries.is_final else None)
        assert carries.fresh_until is None or finding.at < carries.fresh_until <= finding.at + 30 * DAY


@few
@given(findings, histories)
def test_a_retry_never_comes_before_the_server_s_time(finding: Finding, earlier: list[PastCheck]) -> None:
    retry_at = freshness_of(finding, earlier).retry_at
    asked = min(finding.evidence.retry_after_s or 0, 7 * 86400)
    assert retry_at is None or retry_at >= finding.at + timedelta(seconds=asked)


@few
@given(findings, histories)
def test_dead_is_final_only_after_six_days_of_agreement(finding: Finding, earlier: list[PastCheck]) -> None:
    carries = freshness_of(finding, earlier)
    if carries.is_final and finding.verdict in DEAD:
        agreeing = [check for check in earlier if check.verdict in DEAD and check.at < finding.at]
        assert finding.at - min(check.at for check in agreeing) >= 6 * DAY
        contrary = [check for check in earlier if check.verdict not in {*DEAD, Verdict.FETCH_FAILED}]
        recent = max((check.at for check in contrary if check.at < finding.at), default=NOW - DAY)
        assert finding.at - recent >= 6 * DAY


@few
@given(findings, histories, st.randoms())
def test_the_order_of_the_history_does_not_matter(finding: Finding, earlier: list[PastCheck], chance: Random) -> None:
    distinct = list({check.at: check for check in earlier}.values())
    shuffled = chance.sample(distinct, len(distinct))
    assert freshness_of(finding, shuffled) == freshness_of(finding, distinct)
    assert weighed(finding, shuffled) == weighed(finding, distinct)


@few
@given(findings, histories)
def test_weighing_twice_is_weighing_once_and_only_failures_change(finding: Finding, earlier: list[PastCheck]) -> None:
    once = weighed(finding, earlier)
    assert weighed(once, earlier) == once
    if finding.verdict is not Verdict.FETCH_FAILED:
        assert once == finding
    if once.verdict is not finding.verdict:
        assert (finding.cause, once.cause) == (Cause.DNS, Cause.DOMAIN_GONE)


@few
@given(findings, histories)
def test_without_a_say_the_history_changes_nothing(finding: Finding, earlier: list[PastCheck]) -> None:
    if not reads_history(finding):
        assert freshness_of(finding, earlier) == freshness_of(finding, [])
        assert weighed(finding, earlier) == finding
