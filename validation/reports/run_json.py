"""A report as JSON. Pure: same report, same bytes. The dataclasses are its schema, in the order it is written."""

import json
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from sources.core.credentials import without_credentials
from sources.core.findings import Verdict
from sources.core.gate import GateDecision
from sources.core.retraction import RetractionStatus
from validation.core.gate_words import headline, reasons
from validation.core.report import Head, Report, ReportEntry, Section

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class GateOut:
    """The ship gate: `verified` of `total` sources, cut to one decimal in `percent`, never rounded."""

    decision: GateDecision
    total: int
    verified: int
    percent: str
    fabricated: int
    headline: str
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class DecisionOut:
    """What a person decided."""

    kind: str
    by: str
    at: str
    reason: str


@dataclass(frozen=True, slots=True)
class ProposalOut:
    """Where the work may be found again; only a person can take it."""

    url: str
    title: str
    query: str
    provider: str
    similarity: float


@dataclass(frozen=True, slots=True)
class EntryOut:
    """One source. `verdict` holds (an override in the machine's place), `machine_verdict` is the machine's own."""

    id: str
    source: str
    title: str
    url: str
    identifier: str
    verdict: Verdict | None
    machine_verdict: Verdict | None
    cause: str
    reason: str
    provisional: bool
    http_status: int | None
    title_found: str
    publisher: str
    access_note: str
    checked_at: str | None
    next_try_at: str | None
    decision: DecisionOut | None
    retraction_status: RetractionStatus
    retraction_note: str | None
    meant: str
    original_url: str | None
    original_was: str | None
    proposals: list[ProposalOut]
    archived_url: str | None
    unsearched: bool


@dataclass(frozen=True, slots=True)
class PairOut:
    """One work that was found again: the fields of a line of the recovery log, its title and the source's id."""

    original_url: str
    recovered_url: str
    recovered_title: str
    matched_via: str
    query: str
    provider: str
    similarity: float
    at: str | None
    id: str
    source: str


@dataclass(frozen=True, slots=True)
class ReportOut:
    """The report: counts, gate, the five lists, and those kept by a person or not checked yet.

    Moments are ISO 8601 in UTC. `run`, `state`, `started_at`, `finished_at` and `rules_version` are empty or null for a
    project. `counts` are sources by the verdict that holds, `unchecked` those without one. `left_out` counts internal
    sources, of which nothing else is told; `internal` those that are told of, in a report that is not to be handed on.
    """

    project: str
    firm: str
    run: str | None
    state: str | None
    started_at: str | None
    finished_at: str | None
    rules_version: str | None
    generated_at: str
    gate: GateOut
    left_out: int
    internal: int
    counts: dict[str, int]
    verified: list[EntryOut]
    gated: list[EntryOut]
    flagged: list[EntryOut]
    dropped: list[EntryOut]
    recovered: list[PairOut]
    kept: list[EntryOut]
    unchecked: list[EntryOut]


def write(report: Report) -> str:
    """The whole file, two spaces a level, ending in one newline."""
    text = json.dumps(asdict(document(report)), ensure_ascii=False, indent=2)
    return _LONE_SURROGATE.sub("\ufffd", text) + "\n"


def document(report: Report) -> ReportOut:
    """The report as a tree of plain values."""
    head = report.head
    return ReportOut(
        project=head.project,
        firm=head.firm,
        run=head.run or None,
        state=head.state or None,
        started_at=_moment(head.started_at),
        finished_at=_moment(head.finished_at),
        rules_version=head.rules_version or None,
        generated_at=head.as_of.astimezone(UTC).isoformat(timespec="seconds"),
        gate=_gate(head),
        left_out=head.left_out,
        internal=head.internal,
        counts={verdict.value if verdict else "unchecked": number for verdict, number in head.counts.items()},
        verified=_entries(report, Section.VERIFIED),
        gated=_entries(report, Section.GATED),
        flagged=_entries(report, Section.FLAGGED),
        dropped=_entries(report, Section.DROPPED),
        recovered=[pair for pair in map(_pair, report.of(Section.RECOVERED)) if pair],
        kept=_entries(report, Section.KEPT),
        unchecked=_entries(report, Section.UNCHECKED),
    )


def _gate(head: Head) -> GateOut:
    gate = head.gate
    return GateOut(
        decision=gate.decision,
        total=gate.total,
        verified=gate.verified,
        percent=gate.percent,
        fabricated=gate.fabricated,
        headline=headline(gate),
        reasons=reasons(head),
    )


def _entries(report: Report, section: Section) -> list[EntryOut]:
    return [_entry(entry) for entry in report.of(section)]


def _entry(entry: ReportEntry) -> EntryOut:
    standing, decision = entry.standing, entry.decision
    return EntryOut(
        id=entry.stable_id,
        source=entry.uuid,
        title=entry.title,
        url=without_credentials(entry.address),
        identifier=entry.identifier,
        verdict=standing.verdict,
        machine_verdict=standing.found,
        cause=entry.cause.value if entry.cause else "",
        reason=without_credentials(entry.reason),
        provisional=entry.is_provisional,
        http_status=entry.status,
        title_found=entry.title_found,
        publisher=entry.publisher,
        access_note=entry.access_note,
        checked_at=_moment(entry.checked_at),
        next_try_at=_moment(entry.next_try_at),
        decision=DecisionOut(decision.label.lower(), decision.by, _moment(decision.at) or "", decision.reason)
        if decision
        else None,
        retraction_status=entry.retraction,
        retraction_note=entry.retraction_note,
        meant=entry.meant,
        original_url=without_credentials(entry.link) if standing.is_recovered else None,
        original_was=(entry.original_was or None) if standing.is_recovered else None,
        proposals=[
            ProposalOut(
                url=without_credentials(one.recovered_url),
                title=one.recovered_title,
                query=one.query,
                provider=one.provider,
                similarity=round(one.similarity, 4),
            )
            for one in entry.proposals
        ],
        archived_url=without_credentials(entry.archived_url) or None,
        unsearched=entry.unsearched,
    )


def _pair(entry: ReportEntry) -> PairOut | None:
    pair = entry.recovery
    if pair is None:
        return None
    return PairOut(
        original_url=without_credentials(entry.link),
        recovered_url=without_credentials(pair.recovered_url),
        recovered_title=pair.recovered_title,
        matched_via=pair.matched_via,
        query=pair.query,
        provider=pair.provider,
        similarity=round(pair.similarity, 4),
        at=_moment(entry.decision.at if entry.standing.is_taken and entry.decision else entry.checked_at),
        id=entry.stable_id,
        source=entry.uuid,
    )


def _moment(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else None
