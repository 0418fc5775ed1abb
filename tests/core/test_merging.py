"""Which record stays and what it says afterwards."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.kinds import Classification, DecisionKind, FieldRule, IdentifierType, Sensitivity, Survivor
from sources.core.merging import FIELDS, Facts, join, survivor
from tests.clock import NOW


def record(number: int, *, days: int = 0, decided: str = "", **told: Any) -> Facts:
    values = {name: told.get(name, "") for name in FIELDS}
    return Facts(
        source_id=number,
        values=values,
        author_list=told.get("author_list", []),
        bibliography=told.get("bibliography", {}),
        identifier_type=told.get("identifier_type", IdentifierType.URL),
        classification=told.get("classification", Classification.INTERNAL),
        sensitivity=told.get("sensitivity", Sensitivity.CITABLE_EXTERNALLY),
        decided=decided,
        seen_at=NOW + timedelta(days=days),
    )


OLD = record(1, title="Survey")
FULL = record(2, title="Survey", publisher="Port", rights="CC BY")
SEEN = record(3, days=9, title="Survey")
ACCEPTED = record(4, title="Survey", decided=DecisionKind.ACCEPT)


@pytest.mark.parametrize(
    ("rule", "stays"),
    [
        (Survivor.OLDEST, OLD),
        (Survivor.NEWEST, SEEN),
        (Survivor.MOST_COMPLETE, FULL),
        (Survivor.ACCEPTED, ACCEPTED),
    ],
)
def test_each_rule_has_its_survivor(rule: Survivor, stays: Facts) -> None:
    assert survivor([ACCEPTED, SEEN, FULL, OLD], rule) is stays


def test_where_nobody_accepted_the_fullest_stays() -> None:
    assert survivor([OLD, FULL, record(5, decided=DecisionKind.DROP)], Survivor.ACCEPTED) is FULL


def test_a_lasting_identifier_makes_a_record_fuller() -> None:
    doi = record(9, title="Survey", identifier_type=IdentifierType.DOI)
    assert survivor([OLD, doi], Survivor.MOST_COMPLETE) is doi


@pytest.mark.parametrize(
    ("rule", "title"), [(FieldRule.OWN, "Survey"), (FieldRule.NEWEST, "Tides"), (FieldRule.LONGEST, "Harbour survey")]
)
def test_each_rule_takes_its_value(rule: FieldRule, title: str) -> None:
    joined = join(OLD, [record(2, title="Harbour survey"), record(3, days=2, title="Tides")], rule=rule)
    assert joined.values["title"] == title


def test_authors_as_text_and_structured_come_from_one_record() -> None:
    other = record(2, authors="Lind, Ana", author_list=[{"family": "Lind"}])
    joined = join(OLD, [other], rule=FieldRule.OWN)
    assert (joined.values["authors"], joined.author_list) == ("Lind, Ana", [{"family": "Lind"}])


TEXTS = st.sampled_from(["", "a", "bb", "ccc"])
RECORDS = st.lists(
    st.tuples(TEXTS, TEXTS, st.integers(0, 3), st.sampled_from(Classification), st.sampled_from(Sensitivity)),
    min_size=2,
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(told=RECORDS, rule=st.sampled_from(FieldRule))
def test_no_rule_loses_a_field_or_loosens_a_label(told: list[tuple[Any, ...]], rule: FieldRule) -> None:
    records = [
        record(number, title=title, publisher=publisher, days=days, classification=label, sensitivity=sensitivity)
        for number, (title, publisher, days, label, sensitivity) in enumerate(told, start=1)
    ]
    joined = join(records[0], records[1:], rule=rule)
    for name in ("title", "publisher"):
        given_values = {one.values[name] for one in records}
        assert joined.values[name] in given_values
        assert joined.values[name] or given_values == {""}
    for labels, label in ((list(Classification), joined.classification), (list(Sensitivity), joined.sensitivity)):
        of_all = [getattr(one, "classification" if label in list(Classification) else "sensitivity") for one in records]
        assert max(of_all, key=labels.index) == label
