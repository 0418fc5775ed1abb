"""Lines of a terminal: one per source, then the counts. Pure."""

from collections.abc import Mapping

from sources.core.findings import Cause, Disposition, Finding, Verdict
from sources.core.gate import Gate

_CONTROL = dict.fromkeys([*range(32), 127, *range(128, 160), *range(8234, 8239), *range(8294, 8298)])


def source_line(address: str, verdict: Verdict, reason: str) -> str:
    """`<url>  <verdict>  <reason>`; control and direction characters of strangers' text are taken out."""
    return f"{clean(address)}  {verdict}  {clean(reason)}"


def finding_line(address: str, finding: Finding) -> str:
    """The line of one finding."""
    return source_line(address, finding.verdict, finding.reason)


def reason_of(cause: str, detail: str) -> str:
    """The reason in words from what is stored of a check."""
    words = Cause(cause).explanation
    return f"{words} ({detail})" if detail else words


def count_lines(by_disposition: Mapping[Disposition, int], gate: Gate) -> list[str]:
    """The counts by disposition, aligned, and the share verified with what follows from it."""
    width = max(len(disposition.label) for disposition in Disposition)
    lines = [
        f"  {disposition.label:<{width}}  {by_disposition.get(disposition, 0):>5}"
        for disposition in Disposition
        if disposition is not Disposition.UNCHECKED or by_disposition.get(disposition, 0)
    ]
    return [*lines, f"  {gate.verified} of {gate.total} verified ({gate.percent} %): {gate.decision}"]


def clean(text: str) -> str:
    """`text` without characters that move a terminal's cursor or turn its writing round."""
    return text.translate(_CONTROL)
