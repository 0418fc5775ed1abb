"""A deletion report for people (Markdown) and for machines (JSON). Same report, same bytes."""

import json
from collections.abc import Iterator

from lineage.core.deletion import DeletionReport, Fate, Gone

# What would end a table's cell or begin an element, in a ref or a reason that others wrote.
_IN_A_CELL = str.maketrans({"|": r"\|", "<": "&lt;", "`": "'", "\r": " ", "\n": " "})


def markdown(report: DeletionReport) -> Iterator[str]:
    """The report as Markdown, in pieces of whole lines."""
    yield "# Deletion report\n\n"
    yield "| removed | type | when | by | why |\n|---|---|---|---|---|\n"
    for gone in report.gone:
        cells = (_name(gone), gone.type, f"{gone.at:%Y-%m-%d %H:%M} UTC", gone.by or "the desk", gone.why)
        yield _row(*cells)
    counts = report.counts
    total = len(report.descendants)
    yield f"\n{total:,} rested on it.\n" if total else "\nNothing rested on it.\n"
    for fate in Fate:
        if not counts[fate]:
            continue
        yield f"\n## {fate.capitalize()}: {counts[fate]:,}\n\n{fate.explanation}\n\n"
        yield "| ref | type | note |\n|---|---|---|\n"
        for one in report.descendants:
            if one.fate is fate:
                yield _row(one.ref, one.type, one.note)


def as_json(report: DeletionReport) -> str:
    """The report as one JSON object: `removed`, `counts` by fate, `descendants`."""
    told = {
        "removed": [
            {
                "ref": gone.ref,
                "ref_key": gone.ref_key,
                "type": gone.type,
                "content_hash": gone.content_hash,
                "at": gone.at.isoformat(),
                "by": gone.by,
                "why": gone.why,
                "metadata_erased": gone.is_erased,
            }
            for gone in report.gone
        ],
        "counts": {fate.value: report.counts[fate] for fate in Fate},
        "descendants": [
            {"ref": one.ref, "type": one.type, "fate": one.fate, "retained": one.fate.is_retained, "note": one.note}
            for one in report.descendants
        ],
    }
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def _name(gone: Gone) -> str:
    return gone.ref or f"(erased, key {gone.ref_key[:12]}…)"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.translate(_IN_A_CELL) for cell in cells)} |\n"
