"""Judges stored readings again when the rules have changed: no fetch, no search, no witness.

What the world outside said stays as it was said. A verdict that rests on it (verified-gated, verified-via-republish,
DOI not registered, a catch-all site, a domain that is gone) is kept while the page itself is still judged to be of the
same class, since that is what the world was asked about; where it is not, the page's own new judgement stands, and the
next check asks again. A judgement that is new and would have a witness looked for waits for the next check as well.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db import transaction

from sources.core.findings import Cause, Evidence, Finding, Signal, SourceFinding, Verdict
from sources.models import Check, Project, Source
from sources.queries import evidence
from sources.services import registry
from validation.core import patterns, stored
from validation.core.classify import RULES_VERSION, Judgement, judge
from validation.core.facts import Facts
from validation.core.own_entries import with_own_publishers
from validation.services.targets import targets_of
from validation.services.validate import Target

_BATCH = 500
_ORIGINAL_WAS = "original-was"
Ruled = tuple[Verdict, Cause]


@dataclass(frozen=True, slots=True)
class Difference:
    """A source whose verdict or cause the new rules change."""

    source_id: int
    name: str
    was: Ruled
    now: Ruled


@dataclass(slots=True)
class Rejudged:
    """What came of it: how many readings were judged and gave the same, how many checks have none, and what differs.

    `kept` counts verdicts that rest on the world outside and stand although the page is judged a little otherwise now.
    """

    same: int = 0
    kept: int = 0
    unread: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def judged(self) -> int:
        """How many checks were judged again."""
        return self.same + self.kept + len(self.differences)


@dataclass(frozen=True, slots=True)
class _Again:
    """One check judged again: what holds now, and the evidence that goes with it."""

    check: Check
    verdict: Verdict
    cause: Cause
    evidence: Evidence
    kept: bool = False

    @property
    def differs(self) -> bool:
        return (self.verdict, self.cause) != (self.check.as_verdict, self.check.as_cause)


def rejudge(*, project: Project | None = None, every: bool = False, dry_run: bool = False, at: datetime) -> Rejudged:
    """Judges the newest check of each source again (of `project`, or of all), where other rules than today's made it.

    `every` takes those of today's rules as well. Writes a new check for each that could be judged, dated as the old one
    since nothing was looked at anew, through the registry's one door; with `dry_run` writes nothing. Twice is safe.
    """
    told = Rejudged()
    for sources in _batches(project=project, every=every):
        checks = {source.pk: source.latest_check for source in sources if source.latest_check is not None}
        read = evidence.readings(check.pk for check in checks.values())
        targets = targets_of(checks)
        judged: list[_Again] = []
        for source in sources:
            check = checks[source.pk]
            again = _judge_again(check, read.get(check.pk), targets[source.pk])
            if again is None:
                told.unread += 1
                continue
            judged.append(again)
            _count(told, source, again)
        if not dry_run:
            _write(judged, at=at)
    return told


def _batches(*, project: Project | None, every: bool) -> Iterator[list[Source]]:
    wanted = Source.objects.standing().filter(latest_check__isnull=False).select_related("latest_check").order_by("pk")
    if not every:
        wanted = wanted.exclude(latest_check__rules_version=RULES_VERSION)
    if project is not None:
        wanted = wanted.filter(pk__in=project.entries.values("source_id"))
    last = 0
    while part := list(wanted.filter(pk__gt=last)[:_BATCH]):
        yield part
        last = part[-1].pk


def _judge_again(check: Check, reading: dict[str, object] | None, target: Target) -> _Again | None:
    """What the rules of today say of a check; None where nothing that they could judge is stored."""
    seen = evidence.of(check)
    identity, own = target.identity, target.rules.patterns
    found = patterns.match(identity.request_url, identity.type, extra=own, at=check.at)
    if found is not None:
        signal = Signal(f"pattern-{found.name}", found.text)
        told = Evidence(requested_url=seen.requested_url, snippet=found.text, signals=(signal,), detail=found.text)
        return _Again(check, Verdict.HALLUCINATED_PATTERN, found.cause, told)
    facts = stored.unpack(reading) if reading else None
    if reading is None or facts is None:
        return None
    judgement = judge(facts, target.claimed)
    was, then, now = (check.as_verdict, check.as_cause), stored.judged_as(reading), _ruled(judgement)
    again = json.dumps({**reading, "judged": [str(now[0]), str(now[1])]})
    if now == then or (was != then and _class_of(now) == _class_of(then)):
        return _Again(check, *was, replace(seen, reading=again), kept=now != then)
    if seen.recovery is not None:
        return _without_recovery(check, seen)
    reached = (facts.final_url, facts.requested_url) if isinstance(facts, Facts) else ()
    judgement = with_own_publishers(judgement, reached, target.rules.publishers)
    return _Again(check, *_ruled(judgement), replace(_evidence(check, seen, judgement), reading=again))


def _class_of(ruled: Ruled) -> str:
    """What a page is to the world outside: behind a wall, or of a verdict."""
    verdict, cause = ruled
    return "wall" if cause.is_wall else str(verdict)


def _ruled(judgement: Judgement) -> Ruled:
    return judgement.verdict, judgement.cause


def _without_recovery(check: Check, seen: Evidence) -> _Again | None:
    """The page that stood in for the original does not any more: what was said of the original holds again."""
    said = next((signal.text for signal in seen.signals if signal.name == _ORIGINAL_WAS), "")
    verdict, _, cause = said.partition(", ")
    try:
        ruled = Verdict(verdict), Cause(cause)
    except ValueError:
        return None
    told = Evidence(requested_url=seen.requested_url, signals=(_was(check), *seen.signals), detail=seen.detail)
    return _Again(check, *ruled, told)


def _evidence(check: Check, seen: Evidence, judgement: Judgement) -> Evidence:
    """What was seen, with the new judgement on it."""
    return replace(
        seen,
        title_found=judgement.title_found,
        similarity=judgement.similarity,
        snippet=judgement.snippet,
        signals=(*judgement.signals, _was(check)),
        word_count=judgement.word_count,
        access_note=judgement.access_note,
        detail=judgement.detail,
    )


def _was(check: Check) -> Signal:
    return Signal("rejudged", f"was {check.verdict}, {check.cause} by rules {check.rules_version}")


def _count(told: Rejudged, source: Source, again: _Again) -> None:
    if again.differs:
        was = (again.check.as_verdict, again.check.as_cause)
        told.differences.append(Difference(source.pk, str(source), was, (again.verdict, again.cause)))
    elif again.kept:
        told.kept += 1
    else:
        told.same += 1


@transaction.atomic
def _write(judged: Sequence[_Again], *, at: datetime) -> None:
    """Writes a batch. A source that was checked in the meantime is left alone: its new check is the better one."""
    ids = [again.check.source_id for again in judged]
    locked = Source.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    newest = dict(locked.values_list("pk", "latest_check_id"))
    registry.apply_findings(
        findings=[
            SourceFinding(
                source_id=again.check.source_id,
                finding=Finding(
                    verdict=again.verdict,
                    cause=again.cause,
                    at=again.check.at,
                    rules_version=RULES_VERSION,
                    evidence=again.evidence,
                ),
                rejudged=True,
            )
            for again in judged
            if newest.get(again.check.source_id) == again.check.pk
        ],
        at=at,
    )
