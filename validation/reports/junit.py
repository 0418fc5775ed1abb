"""The ship gate as JUnit XML: a test case for each condition and for each link. Pure.

The shape is what the schemas in use agree on (Jenkins' `jenkins-junit.xsd`, Ant's by Windy Road): what only one of them
knows, such as `file` and `line` of a case, is left out, so places stand in names and texts.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC
from xml.sax.saxutils import escape, quoteattr

from provenance_site.kit.text import for_xml
from validation.core.shipping import CONDITIONS, Level, Remark, Rule, ShippedLink, ShipReport

_OF_LINKS = frozenset({Rule.FABRICATED, Rule.NOT_VERIFIED, Rule.SPOT_CHECK})


def junit(report: ShipReport) -> str:
    """The document with two suites: `ship gate` (a case a condition) and `links` (a case a distinct work).

    What blocks is a failure. A share that asks for a look is a failure too, since the command's exit code is 1 then; a
    link that is not verified while the share does not block is skipped with the reason, so that it is seen and breaks
    no pipeline. What is told and breaks nothing, acknowledged retractions among it, stands in the first suite's output.
    """
    by_rule: dict[Rule, list[Remark]] = defaultdict(list)
    for remark in report.remarks:
        by_rule[remark.rule].append(remark)
    of_link = {(one.address, one.line): one for one in report.remarks if one.rule in _OF_LINKS}
    conditions = [_condition(rule, by_rule[rule], report) for rule in CONDITIONS]
    links = [_link(link, of_link.get((link.address, link.line)), report) for link in report.links]
    told = [one for one in report.remarks if one.rule not in _OF_LINKS and not _breaks(one)]
    out = "\n".join([report.headline, *(_placed(remark, report) for remark in told)])
    suites = [_suite(0, "ship gate", conditions, report, out=out), _suite(1, "links", links, report)]
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{"".join(suites)}</testsuites>\n'


def _suite(number: int, name: str, cases: Sequence[str], report: ShipReport, *, out: str = "") -> str:
    moment = report.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    skipped = sum("<skipped" in case for case in cases)
    properties = {
        "project": report.project,
        "document": report.document,
        "decision": report.decision.value,
        "share verified": f"{report.gate.verified} of {report.gate.total} ({report.gate.percent} %)",
        "spot checks": f"{report.looked_at} of {report.drawn} looked at",
    }
    told = "".join(f"<property name={_attribute(key)} value={_attribute(value)}/>" for key, value in properties.items())
    return (
        f'<testsuite id="{number}" package="provenance-desk" name="{name}" timestamp="{moment}" hostname="localhost"'
        f' tests="{len(cases)}" failures="{_failures(cases)}" errors="0" skipped="{skipped}" time="0">\n'
        f"<properties>{told}</properties>\n"
        f"{''.join(cases)}<system-out>{_text(out)}</system-out>\n<system-err></system-err>\n</testsuite>\n"
    )


def _failures(cases: Iterable[str]) -> int:
    return sum("<failure" in case for case in cases)


def _condition(rule: Rule, remarks: Sequence[Remark], report: ShipReport) -> str:
    broken = [one for one in remarks if _breaks(one)]
    if not broken:
        return _case(rule.asks, report, "")
    message = broken[0].message if len(broken) == 1 else f"{len(broken)} places break it. {rule.way_out}"
    return _case(rule.asks, report, _failure(message, rule, "\n".join(_placed(one, report) for one in broken)))


def _breaks(remark: Remark) -> bool:
    """True for what keeps the text from being accepted."""
    return remark.level is Level.BLOCKS or remark.rule in {Rule.SHARE, Rule.SPOT_CHECK}


def _link(link: ShippedLink, remark: Remark | None, report: ShipReport) -> str:
    name = f"{link.address} (line {link.line}, column {link.column})"
    if remark is None:
        return _case(name, report, "")
    if remark.level is Level.BLOCKS:
        return _case(name, report, _failure(remark.message, remark.rule, _placed(remark, report)))
    return _case(name, report, f"<skipped message={_attribute(remark.message)}/>")


def _case(name: str, report: ShipReport, inside: str) -> str:
    start = f'<testcase classname={_attribute(report.path)} name={_attribute(name)} time="0"'
    return f"{start}>{inside}</testcase>\n" if inside else f"{start}/>\n"


def _failure(message: str, rule: Rule, text: str) -> str:
    return f'<failure type="{rule}" message={_attribute(message)}>{_text(text)}</failure>'


def _placed(remark: Remark, report: ShipReport) -> str:
    place = f"{report.path}:{remark.line}:{remark.column}" if remark.line else report.path
    return f"{place}: {remark.rule}: {remark.message}"


def _attribute(text: str) -> str:
    return quoteattr(for_xml(text))


def _text(text: str) -> str:
    return escape(for_xml(text))
