"""Query strings: what is changed, what stays, and what a person sees of it."""

from django import forms
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from provenance_site.kit.filtering import active_filters, facet, query_with, query_without


class Narrow(forms.Form):
    q = forms.CharField(required=False, label="Search")
    verdict = forms.MultipleChoiceField(
        required=False, label="Verdict", choices=[("Good", [("fine", "Verified")]), ("bad", "Gone")]
    )
    project = forms.CharField(required=False, widget=forms.HiddenInput)


def test_a_change_keeps_what_it_does_not_name() -> None:
    assert query_with(QueryDict("q=harbour&verdict=a&verdict=b"), sort="-title") == (
        "?q=harbour&verdict=a&verdict=b&sort=-title"
    )


def test_a_change_goes_back_to_the_first_page() -> None:
    assert query_with(QueryDict("page=7"), sort="title") == "?sort=title"


def test_turning_the_page_keeps_the_filter() -> None:
    assert query_with(QueryDict("q=a+b&page=7"), page=8) == "?q=a+b&page=8"


def test_nothing_and_none_take_a_parameter_away() -> None:
    assert query_with(QueryDict("q=x&sort=y"), q="", sort=None) == "?"


def test_a_parameter_may_be_called_params() -> None:
    assert query_with(QueryDict(""), params=1) == "?params=1"


def test_one_of_several_values_is_taken_away() -> None:
    assert query_without(QueryDict("verdict=a&verdict=b&page=2"), "verdict", "a") == "?verdict=b"


def test_conditions_in_force_are_told_in_the_words_of_the_form() -> None:
    params = QueryDict("verdict=fine&verdict=bad&q=harbour&project=9")
    told = [(item.label, item.value, item.query) for item in active_filters(Narrow(params), params)]
    assert told == [
        ("Search", "harbour", "?verdict=fine&verdict=bad&project=9"),
        ("Verdict", "Verified", "?verdict=bad&q=harbour&project=9"),
        ("Verdict", "Gone", "?verdict=fine&q=harbour&project=9"),
    ]


def test_a_value_that_is_no_choice_is_not_told_as_a_condition() -> None:
    params = QueryDict("verdict=invented&q=++")
    assert active_filters(Narrow(params), params) == []


def test_a_facet_leaves_out_what_finds_nothing_unless_it_is_chosen() -> None:
    found = facet(
        name="verdict",
        legend="Verdict",
        counts=[("a", "A", 3), ("b", "B", 0), ("c", "C", 0)],
        params=QueryDict("verdict=c"),
    )
    assert [(option.value, option.count, option.is_on) for option in found.options] == [("a", 3, False), ("c", 0, True)]
    assert found.chosen == 1


@settings(max_examples=60, deadline=None)
@given(pairs=st.lists(st.tuples(st.sampled_from(["q", "v"]), st.text(min_size=1, max_size=12)), max_size=5))
def test_a_query_string_comes_back_as_it_was(pairs: list[tuple[str, str]]) -> None:
    params = QueryDict(mutable=True)
    for name, value in pairs:
        params.appendlist(name, value)
    assert QueryDict(query_with(params)[1:]) == params
