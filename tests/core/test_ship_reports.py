"""The ship gate's writers: JUnit, SARIF, GitHub's annotations, text and JSON, each in the shape that others read."""

import json
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import pytest

from sources.core.findings import Verdict
from validation.core import shipping
from validation.core.shipping import CONDITIONS, Level, Remark, Rule, ShippedLink, ShipReport
from validation.reports.github_annotations import github_annotations
from validation.reports.junit import junit
from validation.reports.sarif import sarif
from validation.reports.ship_json import ship_json
from validation.reports.ship_text import ship_text

AT = datetime(2026, 5, 14, 10, 0, tzinfo=UTC)
HOSTILE = "a<b>&\"'\x00\x1b[31m\u202e ]]> 100%, done:\r\n::error::no"


def some_report(
    *, path: str = "texts/memo.md", good: int = 18, standing: tuple[Remark, ...] = (), bad: Verdict = Verdict.HARD_404
) -> ShipReport:
    """Twenty links, `good` of them verified."""
    links = [
        ShippedLink(
            key=str(number),
            address=f"https://gazette.org/{number}",
            line=number,
            column=5,
            verdict=Verdict.VERIFIED_ACCESSIBLE if number <= good else bad,
            reason="no such page",
            is_drawn=number > 10,
        )
        for number in range(1, 21)
    ]
    return shipping.report(project="Harbour", document="memo.md", path=path, at=AT, links=links, standing=standing)


OUTSIDE = Remark(Rule.OUTSIDE, Level.BLOCKS, HOSTILE, 7, 12, "https://else.org/")
ACKNOWLEDGED = Remark(Rule.ACKNOWLEDGED, Level.TELLS, "src-002 is retracted; cited on purpose", 3, 1, "src-002")


def case_of(suites: ElementTree.Element, rule: Rule) -> ElementTree.Element:
    return next(case for case in suites.findall("testsuite/testcase") if case.attrib["name"] == rule.asks)


def test_junit_has_the_shape_that_servers_read() -> None:
    told = junit(some_report(standing=(OUTSIDE, ACKNOWLEDGED)))
    suites = ElementTree.fromstring(told)  # noqa: S314  # our own
    assert suites.tag == "testsuites"
    cases = suites.findall("testsuite/testcase")
    assert len(cases) == len(CONDITIONS) + 20
    assert suites.attrib == {}
    counts = {"tests", "failures", "errors", "skipped", "time"}
    for number, suite in enumerate(suites):
        assert suite.tag == "testsuite"
        assert {"id", "package", "name", "timestamp", "hostname"} | counts == set(suite.attrib)
        assert suite.attrib["id"] == str(number)
        datetime.strptime(suite.attrib["timestamp"], "%Y-%m-%dT%H:%M:%S")  # noqa: DTZ007  # the schema's form
        own = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(own)
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped"))
        assert [part.tag for part in suite] == ["properties", *["testcase"] * len(own), "system-out", "system-err"]
        for case in own:
            assert set(case.attrib) == {"classname", "name", "time"}
            assert len(case) <= 1
            assert {part.tag for part in case} <= {"failure", "skipped"}
            assert all({"type", "message"} == set(part.attrib) for part in case.findall("failure"))


def test_junit_fails_what_blocks_and_skips_what_does_not() -> None:
    suites = ElementTree.fromstring(junit(some_report(good=18, standing=(OUTSIDE,))))  # noqa: S314
    failed = [case.attrib["name"] for case in suites.findall("testsuite/testcase") if case.find("failure") is not None]
    assert failed == [Rule.SHARE.asks, Rule.OUTSIDE.asks]
    assert len(suites.findall("testsuite/testcase/skipped")) == 2
    text = case_of(suites, Rule.OUTSIDE).findtext("failure") or ""
    assert text.startswith("texts/memo.md:7:12: link-outside-corpus: a<b>&\"'\ufffd\ufffd[31m")
    accepted = ElementTree.fromstring(junit(some_report(good=19)))  # noqa: S314
    assert accepted.findall("testsuite/testcase/failure") == []


def test_junit_tells_an_acknowledged_retraction_and_its_case_passes() -> None:
    suites = ElementTree.fromstring(junit(some_report(good=20, standing=(ACKNOWLEDGED,))))  # noqa: S314
    case = case_of(suites, Rule.RETRACTED)
    assert len(case) == 0
    assert "cited on purpose" in (suites.findtext("testsuite/system-out") or "")


def test_sarif_has_the_required_shape() -> None:
    told: dict[str, Any] = json.loads(sarif(some_report(path="a: b/memo 1.md", standing=(OUTSIDE, ACKNOWLEDGED))))
    assert told["version"] == "2.1.0"
    assert told["$schema"].endswith("sarif-2.1.0.json")
    (run,) = told["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
    assert len(run["results"]) == 5  # share, two dead links, one outside, one acknowledged
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"note", "warning", "error"}
        assert result["message"]["text"]
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "a%3A%20b/memo%201.md"
        assert place["region"]["startLine"] >= 1
        assert place["region"]["startColumn"] >= 1
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 2}]


def test_a_result_is_known_again_when_lines_above_it_have_moved() -> None:
    def known(line: int) -> str:
        at = Remark(Rule.OUTSIDE, Level.BLOCKS, "outside", line, 12, "https://else.org/")
        (result,) = json.loads(sarif(some_report(good=20, standing=(at,))))["runs"][0]["results"]
        return str(result["partialFingerprints"]["shipGate/v1"])

    assert known(7) == known(80)


def test_annotations_escape_as_the_toolkit_does() -> None:
    first, last = github_annotations(some_report(path="a,b:c%.md", good=20, standing=(OUTSIDE,))).splitlines()
    assert first == (
        "::error file=a%2Cb%3Ac%25.md,line=7,col=12,title=Ship gate%3A link-outside-corpus"
        "::a<b>&\"'[31m ]]> 100%25, done:::error::no"
    )
    assert last.startswith("::notice title=Ship gate::memo.md: block. 20 of 20 verified (100.0 %25)")


def test_annotations_have_a_command_for_each_level_and_none_can_be_smuggled_in() -> None:
    told = github_annotations(some_report(standing=(OUTSIDE, ACKNOWLEDGED))).splitlines()
    assert [line.split(" ", 1)[0] for line in told] == [
        "::warning",  # the share, of the whole document
        "::notice",
        "::error",
        "::warning",
        "::warning",
        "::notice",
    ]
    assert told[0].startswith("::warning file=texts/memo.md,title=Ship gate%3A share-verified::18 of 20")


@pytest.mark.parametrize("good", [20, 18, 3])
def test_text_ends_with_the_decision_and_tells_the_spot_check(good: int) -> None:
    told = some_report(good=good)
    lines = ship_text(told).splitlines()
    assert lines[-1] == f"memo.md: {told.decision}. {good} of 20 verified ({told.gate.percent} %)."
    assert "Spot check: 0 of 10 drawn links looked at by a person." in lines
    assert lines[-2] == "  line 20: https://gazette.org/20  not looked at yet"


def test_text_writes_places_as_compilers_do_and_takes_control_characters_out() -> None:
    told = ship_text(some_report(good=20, standing=(OUTSIDE,)))
    assert "texts/memo.md:7:12: error link-outside-corpus: a<b>" in told
    assert "\x1b" not in told
    assert len(told.splitlines()) == 13


def test_json_is_the_same_for_the_same_report_and_names_every_link() -> None:
    told = json.loads(ship_json(some_report(standing=(OUTSIDE,))))
    assert ship_json(some_report(standing=(OUTSIDE,))) == ship_json(some_report(standing=(OUTSIDE,)))
    assert (told["decision"], told["verified"], told["total"], len(told["links"])) == ("block", 18, 20, 20)
    assert told["links"][19]["counts_as_verified"] is False
