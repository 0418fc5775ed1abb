"""Reads which addresses of a project were replaced."""

from django.db.models import Q

from sources.core import proposals
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind, IdentifierType, Sensitivity
from sources.core.records import Identity
from sources.models import CatalogEntry, Check, Decision, Project
from sources.queries import decisions, evidence
from sources.queries.readable import readable
from validation.reports.recovery_log import LoggedRecovery


def recoveries_of(project: Project, *, external: bool = True) -> list[LoggedRecovery]:
    """Every replacement that a check found or a person took, each pair once (its newest), in the list's order.

    `external` leaves out sources that must not leave the house. Three queries.
    A later check that failed does not strike out what was found before; an undone decision is none.
    """
    replaced = Q(source__checks__verdict=Verdict.VERIFIED_VIA_REPUBLISH) | Q(source__decided=DecisionKind.OVERRIDE)
    entries = (
        readable(CatalogEntry.objects.all())
        .filter(replaced, project=project, source__merged_into__isnull=True)
        .distinct()
    )
    if external:
        entries = entries.exclude(source__sensitivity=Sensitivity.INTERNAL_ONLY)
    columns = ("source_id", "number", "source__identifier_type", "source__identifier_value", "source__request_url")
    numbers = {
        pk: (number, Identity(IdentifierType(kind), value, url).link)
        for pk, number, kind, value, url in entries.values_list(*columns)
    }
    found: dict[tuple[int, str], LoggedRecovery] = {}
    checks = readable(Check.objects.all()).filter(
        source__entries__project=project, verdict=Verdict.VERIFIED_VIA_REPUBLISH
    )
    for check in checks.order_by("at", "pk").iterator(500):
        recovery = evidence.of(check).recovery
        if recovery is not None and check.source_id in numbers:
            original = evidence.of(check).requested_url or numbers[check.source_id][1]
            found[check.source_id, recovery.recovered_url] = LoggedRecovery(original, recovery, check.at)
    overridden = readable(Decision.objects.all()).filter(source__entries__project=project, kind=DecisionKind.OVERRIDE)
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
