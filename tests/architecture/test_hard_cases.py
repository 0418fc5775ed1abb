"""Every case that users of other link checkers have reported has a test on a real socket that names it."""

import re

from tests.environment import ROOT

# Their numbers in the study that docs/verdicts.md tells of; those left out there were doubles.
REPORTED = frozenset(
    {"01", "02", "03", "05", "06", "08", "09", "11", "12", "14", "15", "16", "18", "20", "22", "23", "25", "26", "28"}
    | {"29", "30", "32", "33", "35", "36", "37", "38", "40", "42", "43", "44", "45", "46", "48", "49", "51", "53", "54"}
    | {"55", "57"}
)
_NAMED = re.compile(r'def test_((?:\d\d_)+)|"(\d\d)-[a-z0-9]')


def test_each_reported_case_has_a_test_that_bears_its_number() -> None:
    named: set[str] = set()
    for path in (ROOT / "tests" / "unit" / "validation" / "hard").glob("test_*.py"):
        for of_test, of_parameter in _NAMED.findall(path.read_text(encoding="utf-8")):
            named.update(filter(None, (*of_test.split("_"), of_parameter)))
    assert named >= REPORTED, sorted(REPORTED - named)
    assert named <= REPORTED, sorted(named - REPORTED)


def test_the_documentation_tells_their_number() -> None:
    told = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    assert f"all {len(REPORTED)} reported cases" in " ".join(told.split())
