"""The ship gate on a terminal: the remarks by place, the spot check, and the decision last. Pure."""

from validation.core.shipping import Remark, ShippedLink, ShipReport
from validation.reports.terminal import clean


def ship_text(report: ShipReport) -> str:
    """Lines as compilers write them (`draft.md:12:5: error link-outside-corpus: …`), then the links drawn for the spot
    check with what was said of them, then the headline. Ends with a line end. Control characters of strangers' text are
    taken out.
    """
    lines = [_line(remark, path=report.path) for remark in report.remarks]
    if report.drawn:
        lines.append(f"Spot check: {report.looked_at} of {report.drawn} drawn links looked at by a person.")
        lines.extend(
            clean(f"  line {link.line}: {link.address}  {_said(link)}") for link in report.links if link.is_drawn
        )
    return "\n".join([*lines, clean(report.headline), ""])


def _said(link: ShippedLink) -> str:
    return link.spot.label if link.spot else "not looked at yet"


def _line(remark: Remark, *, path: str) -> str:
    place = f"{path}:{remark.line}:{remark.column}" if remark.line else path
    return clean(f"{place}: {remark.level} {remark.rule}: {remark.message}")
