"""Findings for tests: short ways to say what a check saw."""

from dataclasses import replace
from datetime import datetime

from sources.core.findings import Cause, Evidence, Finding, Recovery, SourceFinding, Verdict
from sources.models import Source
from sources.services import registry
from sources.services.review import Seen
from tests.clock import NOW

_CAUSES = {
    Verdict.VERIFIED_ACCESSIBLE: Cause.CONTENT,
    Verdict.VERIFIED_GATED: Cause.PAY_WALL,
    Verdict.VERIFIED_VIA_REPUBLISH: Cause.RECOVERED_BY_SEARCH,
    Verdict.THIN: Cause.LITTLE_TEXT,
    Verdict.TITLE_SWAPPED: Cause.OTHER_TITLE,
    Verdict.FETCH_FAILED: Cause.DEADLINE,
    Verdict.PAYWALL_STUB: Cause.PAY_WALL,
    Verdict.SOFT_404_GRACEFUL: Cause.SAYS_GONE,
    Verdict.HARD_404: Cause.NOT_FOUND,
    Verdict.HALLUCINATED_PATTERN: Cause.PATTERN,
}


def finding(verdict: Verdict, *, at: datetime = NOW, **seen: object) -> Finding:
    """A finding with a fitting cause; `seen` are fields of its evidence."""
    evidence = replace(Evidence(requested_url="https://harbour.example/a", status=200), **seen)  # type: ignore[arg-type]
    if verdict is Verdict.VERIFIED_VIA_REPUBLISH and evidence.recovery is None:
        recovery = Recovery(
            "https://harbour.example/new", "Harbour survey", "title", '"Harbour survey"', "search", 0.93
        )
        evidence = replace(evidence, recovery=recovery)
    return Finding(verdict=verdict, cause=_CAUSES[verdict], at=at, rules_version="1", evidence=evidence)


def apply(source: Source, verdict: Verdict, *, at: datetime = NOW, **seen: object) -> Source:
    """Has the registry take a finding about `source`, and gives the source as it is then."""
    told = SourceFinding(source_id=source.pk, finding=finding(verdict, at=at, **seen))
    registry.apply_findings(findings=[told], at=at)
    source.refresh_from_db()
    return source


def seen(source: Source) -> dict[str, object]:
    """The fields of the decision form that say what lay before the person: the state of `source` now."""
    now = Seen.of(source)
    return {
        "row_version": now.row_version,
        "check_seen": now.check_id or "",
        "decision_seen": now.decision_id or "",
    }
