"""A report as a table: one row a source, in the order of the lists. Pure: same report, same bytes.

RFC 4180 with every cell quoted. Cells are guarded against computing (`lineage.core.spreadsheet`). A source that was
found again stands once, in its own list, with its pair in the columns from `original_url` on. The last columns say of
the whole report what its head says, the same in every row: a table has no other place for it.
"""

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime

from lineage.core.spreadsheet import neutral
from sources.core.credentials import without_credentials
from validation.core.report import Head, Report, ReportEntry, Section

COLUMNS = (
    "list",
    "id",
    "title",
    "url",
    "identifier",
    "verdict",
    "machine_verdict",
    "cause",
    "reason",
    "disposition",
    "counts_as_verified",
    "provisional",
    "http_status",
    "title_found",
    "publisher",
    "access_note",
    "checked_at",
    "next_try_at",
    "decision",
    "decided_by",
    "decided_at",
    "decision_reason",
    "retraction_status",
    "retraction_note",
    "original_url",
    "original_was",
    "recovered_url",
    "recovered_title",
    "matched_via",
    "query",
    "provider",
    "similarity",
    "proposed_urls",
    "archived_url",
    "source",
    "gate",
    "gate_verified",
    "gate_total",
    "gate_percent",
    "left_out",
)
BOM = "\ufeff"


def write(report: Report, *, bom: bool = False) -> str:
    """The whole file. `bom` puts a byte order mark first, by which Excel knows UTF-8."""
    out = io.StringIO(newline="")
    rows = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    whole = tuple(_whole(report.head))
    for section in Section:
        if section is not Section.RECOVERED:
            rows.writerows([neutral(cell) for cell in (*_cells(entry), *whole)] for entry in report.of(section))
    return (BOM if bom else "") + out.getvalue()


def _cells(entry: ReportEntry) -> Iterator[str]:
    standing, decision = entry.standing, entry.decision
    pair = entry.recovery if standing.is_recovered else None
    yield standing.section.value
    yield entry.stable_id
    yield entry.title
    yield without_credentials(entry.address)
    yield entry.identifier
    yield standing.verdict.value if standing.verdict else ""
    yield standing.found.value if standing.found else ""
    yield entry.cause.value if entry.cause else ""
    yield without_credentials(entry.reason)
    yield standing.disposition.value
    yield "yes" if standing.verdict and standing.verdict.is_verified else "no"
    yield "yes" if entry.is_provisional else "no"
    yield "" if entry.status is None else str(entry.status)
    yield entry.title_found
    yield entry.publisher
    yield entry.access_note
    yield _moment(entry.checked_at)
    yield _moment(entry.next_try_at)
    yield decision.label if decision else ""
    yield decision.by if decision else ""
    yield _moment(decision.at if decision else None)
    yield decision.reason if decision else ""
    yield entry.retraction.value if entry.retraction.label else ""
    yield entry.retraction_note or ""
    yield without_credentials(entry.link) if pair else ""
    yield entry.original_was if pair else ""
    yield without_credentials(pair.recovered_url) if pair else ""
    yield pair.recovered_title if pair else ""
    yield pair.matched_via if pair else ""
    yield pair.query if pair else ""
    yield pair.provider if pair else ""
    yield f"{pair.similarity:.4f}" if pair else ""
    yield " ".join(without_credentials(proposed.recovered_url) for proposed in entry.proposals)
    yield without_credentials(entry.archived_url)
    yield entry.uuid


def _whole(head: Head) -> Iterator[str]:
    gate = head.gate
    yield gate.decision.value
    yield str(gate.verified)
    yield str(gate.total)
    yield gate.percent
    yield str(head.left_out)


def _moment(at: datetime | None) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else ""
