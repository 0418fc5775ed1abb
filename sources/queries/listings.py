"""Reads a project's list for exports: a fixed number of queries per 500 sources."""

from collections import defaultdict
from dataclasses import replace

from sources.core import proposals
from sources.core.catalog import CitationStatus
from sources.core.findings import Cause, Disposition, Evidence, Verdict
from sources.core.kinds import DecisionKind, IdentifierType
from sources.core.listing import DecisionNote, Entry, Listing
from sources.core.records import Identity
from sources.models import CatalogEntry, Citation, Decision, Project, Source
from sources.queries import decisions, evidence

_BATCH = 500


def listing_of(project: Project) -> Listing:
    """The project's whole list, in the order of its stable ids."""
    ids = list(CatalogEntry.objects.filter(project=project).order_by("number").values_list("pk", flat=True))
    entries: list[Entry] = []
    for start in range(0, len(ids), _BATCH):
        entries.extend(_entries(ids[start : start + _BATCH]))
    return Listing(
        project=project.name,
        firm=project.firm,
        versions=tuple(project.versions.order_by("label").values_list("label", flat=True)),
        entries=tuple(entries),
        created_at=project.created_at,
    )


def link_of(source: Source) -> str:
    """The address of a source that a person can open, '' where it has none."""
    return Identity(
        type=IdentifierType(source.identifier_type), value=source.identifier_value, request_url=source.request_url
    ).link


def _entries(ids: list[int]) -> list[Entry]:
    rows = list(
        CatalogEntry.objects.filter(pk__in=ids).select_related("source", "source__latest_check").order_by("number")
    )
    source_ids = [row.source_id for row in rows]
    holding = decisions.holding(source_ids)
    citations: dict[int, list[Citation]] = defaultdict(list)
    for citation in Citation.objects.filter(entry__in=ids).select_related("version", "section").order_by("pk"):
        citations[citation.entry_id].append(citation)
    return [_entry(row, decision=holding.get(row.source_id), citations=citations[row.pk]) for row in rows]


def _entry(row: CatalogEntry, *, decision: Decision | None, citations: list[Citation]) -> Entry:
    source, check = row.source, row.source.latest_check
    link = link_of(source)
    holds, reason = source.verdict, Cause(source.cause).explanation if source.cause else ""
    if decision and decision.kind == DecisionKind.OVERRIDE:
        holds = decision.override_verdict
        reason = f"in place of {source.verdict}: {reason}" if source.verdict else "never checked"
    seen = evidence.of(check) if check else Evidence()
    if decision and decision.check_seen:
        shown = evidence.of(decision.check_seen)
        if proposal := proposals.taken(shown, override=decision.as_override, reason=decision.reason):
            seen = replace(seen, recovery=proposal)
    # Of this project's texts only: what others in the workspace write must not change its exports.
    spelled = {citation.spelling for citation in citations}
    return Entry(
        stable_id=row.stable_id,
        title=_title(source, citations=citations, seen=seen),
        link=link,
        verdict=Verdict(holds) if holds else None,
        reason=reason,
        disposition=Disposition(source.disposition),
        checked_at=check.at if check else None,
        added_at=row.added_at,
        evidence=seen,
        status=_best_status(citations),
        sections=tuple(sorted({citation.section.slug for citation in citations if citation.section})),
        versions=tuple(sorted({citation.version.label for citation in citations})),
        variants=tuple(sorted(spelled - {link})),
        decision=DecisionNote(
            label=DecisionKind(decision.kind).label,
            by=decision.by.get_username(),
            at=decision.at,
            reason=decision.reason,
        )
        if decision
        else None,
        retraction_note=(source.retraction_note or "no note given") if source.retracted else None,
    )


def _title(source: Source, *, citations: list[Citation], seen: Evidence) -> str:
    """What the registry calls it, else the text, else the page itself where it was verified ("Page not found" is no
    title); for a work without an address at least its identifier. '' leaves the address to speak."""
    claimed = next((citation.claimed_title for citation in citations if citation.claimed_title), "")
    found = seen.title_found if source.verdict == Verdict.VERIFIED_ACCESSIBLE else ""
    match IdentifierType(source.identifier_type):
        case IdentifierType.ISBN | IdentifierType.ISSN as kind:
            named = f"{kind.upper()} {source.identifier_value}"
        case IdentifierType.URN:
            named = source.identifier_value
        case _:
            named = ""
    return source.title or claimed or found or named


def _best_status(citations: list[Citation]) -> CitationStatus:
    """When versions disagree, the best standing wins."""
    statuses = [CitationStatus(citation.status) for citation in citations]
    return min(statuses, key=lambda status: status.rank, default=CitationStatus.FOUND_IN_RESEARCH)
