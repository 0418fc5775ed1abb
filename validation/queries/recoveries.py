"""Reads which addresses of a project were replaced."""

from sources.core import proposals
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind, Sensitivity
from sources.models import CatalogEntry, Check, Decision, Project
from sources.queries import decisions, evidence
from sources.queries.listings import link_of
from validation.reports.recovery_log import LoggedRecovery


def recoveries_of(project: Project, *, external: bool = True) -> list[LoggedRecovery]:
    """Every replacement that a check found or a person took, each pair once (its newest), in the list's order.

    `external` leaves out sources that must not leave the house. Three queries.
    A later check that failed does not strike out what was found before; an undone decision is none.
    """
    entries = CatalogEntry.objects.filter(project=project, source__merged_into__isnull=True).select_related("source")
    if external:
        entries = entries.exclude(source__sensitivity=Sensitivity.INTERNAL_ONLY)
    numbers = {entry.source_id: (entry.number, link_of(entry.source)) for entry in entries}
    found: dict[tuple[int, str], LoggedRecovery] = {}
    checks = Check.objects.filter(source__entries__project=project, verdict=Verdict.VERIFIED_VIA_REPUBLISH)
    for check in checks.order_by("at", "pk"):
        recovery = evidence.of(check).recovery
        if recovery is not None and check.source_id in numbers:
            original = evidence.of(check).requested_url or numbers[check.source_id][1]
            found[check.source_id, recovery.recovered_url] = LoggedRecovery(original, recovery, check.at)
    overridden = Decision.objects.filter(source__entries__project=project, kind=DecisionKind.OVERRIDE)
    for decision in decisions.holding(set(overridden.values_list("source_id", flat=True))).values():
        seen = evidence.of(decision.check_seen) if decision.check_seen else None
        recovery = (
            proposals.taken(seen, override=decision.as_override, reason=decision.reason) if seen is not None else None
        )
        if seen is not None and recovery is not None and decision.source_id in numbers:
            original = seen.requested_url or numbers[decision.source_id][1]
            key = (decision.source_id, recovery.recovered_url)
            found[key] = LoggedRecovery(original, recovery, decision.at, by_person=True)
    ordered = sorted(found.items(), key=lambda pair: (numbers[pair[0][0]][0], pair[1].at, pair[0][1]))
    return [entry for _, entry in ordered]
