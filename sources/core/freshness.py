"""How long a verdict holds, when a failure is tried again, and when «dead» is final. Pure and total.

Times to live by class and the three agreeing checks at least three days apart follow the link-check study: archive bots
that called a page dead on one bad day had to take it back. A failed fetch is no verdict on the page (a 429 must not be
stored, RFC 6585, 4); it has a time to try again instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import assert_never

from sources.core.findings import Cause, Finding, Signal, Verdict

__all__ = [
    "AGREEING_CHECKS",
    "DEAD",
    "HISTORY",
    "RETRY_WAITS",
    "Freshness",
    "PastCheck",
    "Standing",
    "freshness_of",
    "needs_no_check",
    "reads_history",
    "weighed",
]

_MONTH = timedelta(days=30)
_LIFE: dict[Verdict, timedelta] = {
    Verdict.VERIFIED_ACCESSIBLE: _MONTH,
    Verdict.VERIFIED_VIA_REPUBLISH: _MONTH,
    Verdict.VERIFIED_GATED: timedelta(days=14),
    Verdict.PAYWALL_STUB: _MONTH,
    Verdict.THIN: _MONTH,
    Verdict.TITLE_SWAPPED: timedelta(days=7),
}

DEAD = frozenset({Verdict.HARD_404, Verdict.SOFT_404_GRACEFUL})
AGREEING_CHECKS = 3
_APART = timedelta(days=3)

# The wait after the first failure in a row, the second … After the last one a person decides.
RETRY_WAITS = (timedelta(minutes=15), timedelta(hours=6), timedelta(days=1), timedelta(days=3))
_LONGEST_WAIT = timedelta(days=7)
# Asking again changes nothing (no address, an address nobody may ask), or may cost another three workers.
_HOPELESS = frozenset({Cause.NO_ADDRESS, Cause.UNUSABLE_URL, Cause.BLOCKED_ADDRESS, Cause.GIVEN_UP})

_NO_SUCH_NAME_APART = timedelta(hours=1)
# Silence: the host may refuse the networks of data centres and answer every reader.
_SILENT = frozenset({Cause.TIMEOUT, Cause.DEADLINE})
_SILENT_CHECKS = 3
_SILENT_FOR = timedelta(days=6)

# Checks of a source that are looked back at. More of them in one streak only make it ask a little more often.
HISTORY = 20


@dataclass(frozen=True, slots=True)
class PastCheck:
    """What counts of a check when it is looked back at. `requested_url` is the spelling that was asked."""

    verdict: Verdict
    cause: Cause
    at: datetime
    rules_version: str
    requested_url: str = ""
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far a verdict carries.

    `fresh_until`: until then nothing is asked again; None for failures, which are never cached, and for fabricated
    patterns, which hold until the rules change. `retry_at`: when the source is checked again by itself, a failure or a
    page that is dead for now; None where the retries are over or would change nothing. `is_final`: a dead verdict that
    enough checks agree on, or a pattern.
    """

    fresh_until: datetime | None = None
    retry_at: datetime | None = None
    is_final: bool = False


def reads_history(finding: Finding) -> bool:
    """True where earlier checks have a say in how far `finding` carries."""
    return finding.verdict in DEAD or finding.verdict is Verdict.FETCH_FAILED


def freshness_of(finding: Finding, earlier: Sequence[PastCheck]) -> Freshness:
    """How far `finding` carries, given earlier checks of the source (in any order; later ones are passed over)."""
    match finding.verdict:
        case Verdict.HALLUCINATED_PATTERN:
            return Freshness(is_final=True)
        case Verdict.FETCH_FAILED:
            return Freshness(retry_at=_retry_at(finding, earlier))
        case Verdict.HARD_404 | Verdict.SOFT_404_GRACEFUL:
            if _agreeing(finding, earlier) >= AGREEING_CHECKS:
                return Freshness(fresh_until=finding.at + _MONTH, is_final=True)
            until = finding.at + max(_APART, _asked_for(_past(finding)))
            return Freshness(fresh_until=until, retry_at=until)
        case (
            Verdict.VERIFIED_ACCESSIBLE
            | Verdict.VERIFIED_VIA_REPUBLISH
            | Verdict.VERIFIED_GATED
            | Verdict.PAYWALL_STUB
            | Verdict.THIN
            | Verdict.TITLE_SWAPPED
        ):
            return Freshness(fresh_until=finding.at + _LIFE[finding.verdict])
        case _:
            assert_never(finding.verdict)


@dataclass(frozen=True, slots=True)
class Standing:
    """What is stored of a source's newest check; `verdict` is None where it was never checked."""

    verdict: Verdict | None
    checked_at: datetime | None
    rules_version: str
    carries: Freshness


def needs_no_check(standing: Standing, *, rules_version: str, at: datetime) -> bool:
    """Whether a run may take the stored verdict for its answer at `at`, without asking.

    What other rules said is stale. A failure never answers for good, but is left alone until its retry; where the
    retries are over, for as long as the last of them waited.
    """
    if standing.verdict is None or standing.rules_version != rules_version:
        return False
    carries = standing.carries
    match standing.verdict:
        case Verdict.HALLUCINATED_PATTERN:
            return carries.is_final
        case Verdict.FETCH_FAILED:
            if carries.retry_at is not None:
                return at < carries.retry_at
            return standing.checked_at is not None and at < standing.checked_at + RETRY_WAITS[-1]
        case _:
            return carries.fresh_until is not None and at < carries.fresh_until


def weighed(finding: Finding, earlier: Sequence[PastCheck]) -> Finding:
    """`finding` with what earlier checks add to it; idempotent.

    A name that does not exist at two checks an hour or more apart is a domain that is gone; one such answer proves
    nothing. A host that is silent at three checks over six days stays a failure, since silence is never death, with a
    note for the person who decides.
    """
    if finding.verdict is not Verdict.FETCH_FAILED:
        return finding
    if finding.cause is Cause.DNS:
        return _weighed_name(finding, earlier)
    return _weighed_silence(finding, earlier) if finding.cause in _SILENT else finding


def _weighed_name(finding: Finding, earlier: Sequence[PastCheck]) -> Finding:
    for past in _before(finding, earlier):
        if past.cause is Cause.DNS_TEMPORARY:
            continue
        if past.cause not in {Cause.DNS, Cause.DOMAIN_GONE} or past.rules_version != finding.rules_version:
            return finding
        if past.cause is Cause.DOMAIN_GONE or finding.at - past.at >= _NO_SUCH_NAME_APART:
            signal = Signal("no-such-name-before", f"{past.at:%Y-%m-%d %H:%M} UTC")
            evidence = replace(finding.evidence, signals=(*finding.evidence.signals, signal))
            return replace(finding, verdict=Verdict.HARD_404, cause=Cause.DOMAIN_GONE, evidence=evidence)
    return finding


def _weighed_silence(finding: Finding, earlier: Sequence[PastCheck]) -> Finding:
    evidence = finding.evidence
    since, checks = finding.at, 1
    for past in _failures_before(finding, earlier):
        if past.cause not in _SILENT:
            break
        since, checks = past.at, checks + 1
    long_enough = checks >= _SILENT_CHECKS and finding.at - since >= _SILENT_FOR
    if not long_enough or any(signal.name == "unreachable-from-here" for signal in evidence.signals):
        return finding
    said = f"no answer at {checks} checks since {since:%Y-%m-%d}"
    note = f"Unreachable from here: {said}. It may answer elsewhere: open it yourself."
    signals = (*evidence.signals, Signal("unreachable-from-here", said))
    return replace(finding, evidence=replace(evidence, signals=signals, access_note=evidence.access_note or note))


def _retry_at(finding: Finding, earlier: Sequence[PastCheck]) -> datetime | None:
    """When to try again. A check that came before its time (a person asked) uses up no retry."""
    if finding.cause in _HOPELESS:
        return None
    streak = [*reversed(_failures_before(finding, earlier)), _past(finding)]
    failures, retry_at = 0, None
    for check in streak:
        if retry_at is not None and check.at < retry_at:
            retry_at = max(retry_at, check.at + _asked_for(check))
            continue
        failures += 1
        retry_at = _after_failure(failures, check, first=streak[0].at)
    return retry_at


def _after_failure(failures: int, check: PastCheck, *, first: datetime) -> datetime | None:
    if failures > len(RETRY_WAITS):
        return None
    wait = RETRY_WAITS[failures - 1]
    asked = _asked_for(check)
    if asked >= RETRY_WAITS[0]:  # what a server asks for; a few seconds would only use up the retries
        return check.at + asked
    if check.cause is Cause.DNS:
        wait = max(wait, _NO_SUCH_NAME_APART)
    if check.cause in _SILENT and failures == len(RETRY_WAITS):
        return max(check.at + wait, first + _SILENT_FOR)  # so that the last retry can tell silence from a bad week
    return check.at + wait


def _asked_for(check: PastCheck) -> timedelta:
    seconds = min(max(check.retry_after_s or 0, 0), int(_LONGEST_WAIT.total_seconds()))
    return timedelta(seconds=seconds)


def _agreeing(finding: Finding, earlier: Sequence[PastCheck]) -> int:
    """Dead checks in a row, by the same rules and of the same spelling, counted where they are three days apart.

    Failures between them say nothing and are passed over.
    """
    streak = [_past(finding)]
    for past in _before(finding, earlier):
        if past.verdict is Verdict.FETCH_FAILED:
            continue
        same = (past.rules_version, past.requested_url) == (finding.rules_version, finding.evidence.requested_url)
        if past.verdict not in DEAD or not same:
            break
        streak.append(past)
    counted = 0
    last: datetime | None = None
    for check in reversed(streak):
        if last is None or check.at - last >= _APART:
            counted, last = counted + 1, check.at
    return counted


def _failures_before(finding: Finding, earlier: Sequence[PastCheck]) -> list[PastCheck]:
    """The failures in a row up to `finding`, newest first."""
    failures = []
    for past in _before(finding, earlier):
        if past.verdict is not Verdict.FETCH_FAILED:
            break
        failures.append(past)
    return failures


def _before(finding: Finding, earlier: Sequence[PastCheck]) -> list[PastCheck]:
    return sorted((past for past in earlier if past.at < finding.at), key=lambda past: past.at, reverse=True)


def _past(finding: Finding) -> PastCheck:
    return PastCheck(
        verdict=finding.verdict,
        cause=finding.cause,
        at=finding.at,
        rules_version=finding.rules_version,
        requested_url=finding.evidence.requested_url,
        retry_after_s=finding.evidence.retry_after_s,
    )
