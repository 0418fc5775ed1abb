"""The ship gate as JSON. Pure: same report, same bytes. The dataclasses are its schema, in the order it is written."""

import json
import re
from dataclasses import asdict, dataclass
from datetime import UTC

from sources.core.findings import Verdict
from sources.core.gate import GateDecision
from validation.core.shipping import Level, Remark, Rule, ShippedLink, ShipReport, SpotResult

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ShipRemarkOut:
    """One thing to be told. `line` and `column` count from 1 in the document as given; 0 for the whole document."""

    rule: Rule
    level: Level
    message: str
    line: int
    column: int
    address: str


@dataclass(frozen=True, slots=True)
class ShippedLinkOut:
    """One distinct work that the document cites. `verdict` is the machine's, made for this check alone; `override` is a
    person's that counts in its place. `id` is '' for what is not in the project. `is_drawn`: a person is to look at it;
    `spot_check` is null before."""

    id: str
    address: str
    title: str
    line: int
    column: int
    verdict: Verdict | None
    reason: str
    override: Verdict | None
    counts_as_verified: bool
    is_drawn: bool
    spot_check: SpotResult | None
    spot_check_note: str


@dataclass(frozen=True, slots=True)
class ShipReportOut:
    """The ship gate over one document. `decision` is null while links are still being fetched."""

    project: str
    document: str
    checked_at: str
    is_running: bool
    decision: GateDecision | None
    headline: str
    total: int
    verified: int
    percent: str
    fabricated: int
    spot_checks_drawn: int
    spot_checks_looked_at: int
    remarks: list[ShipRemarkOut]
    links: list[ShippedLinkOut]


def ship_document(report: ShipReport) -> ShipReportOut:
    """The report in the form in which it is told to machines."""
    return ShipReportOut(
        project=report.project,
        document=report.document,
        checked_at=report.at.astimezone(UTC).isoformat(),
        is_running=report.is_running,
        decision=None if report.is_running else report.decision,
        headline=report.headline,
        total=report.gate.total,
        verified=report.gate.verified,
        percent=report.gate.percent,
        fabricated=report.gate.fabricated,
        spot_checks_drawn=report.drawn,
        spot_checks_looked_at=report.looked_at,
        remarks=[_remark(one) for one in report.remarks],
        links=[_link(one) for one in report.links],
    )


def ship_json(report: ShipReport) -> str:
    """`ship_document` as indented JSON that ends with a line end."""
    told = json.dumps(asdict(ship_document(report)), ensure_ascii=False, indent=2)
    return _LONE_SURROGATE.sub("\ufffd", told) + "\n"


def _remark(remark: Remark) -> ShipRemarkOut:
    return ShipRemarkOut(remark.rule, remark.level, remark.message, remark.line, remark.column, remark.address)


def _link(link: ShippedLink) -> ShippedLinkOut:
    return ShippedLinkOut(
        id=link.stable_id,
        address=link.address,
        title=link.title,
        line=link.line,
        column=link.column,
        verdict=link.verdict,
        reason=link.reason,
        override=link.override,
        counts_as_verified=link.is_verified,
        is_drawn=link.is_drawn,
        spot_check=link.spot,
        spot_check_note=link.spot_note,
    )
