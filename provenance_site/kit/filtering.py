"""A filter lives in the query string and nowhere else: building it, taking parts away, counting what it would find."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.forms import BaseForm, BoundField
from django.http import QueryDict

PAGE = "page"


def query_with(params: QueryDict, /, **changes: object) -> str:
    """`?…` for the same page with `changes` applied; `?` alone when nothing is left.

    None and '' take a parameter away, a list or tuple sets each of its values. Any change but of the page itself goes
    back to the first page: page 7 of another filter is another place.
    """
    query = params.copy()
    if PAGE not in changes:
        query.pop(PAGE, None)
    for name, value in changes.items():
        items = value if isinstance(value, list | tuple) else [value]
        values = [str(item) for item in items if item not in (None, "")]
        if values:
            query.setlist(name, values)
        else:
            query.pop(name, None)
    return f"?{query.urlencode()}"


def query_without(params: QueryDict, name: str, value: str) -> str:
    """`?…` for the same page with this one value of `name` taken away; other values of `name` stay."""
    return query_with(params, **{name: [kept for kept in params.getlist(name) if kept != value]})


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """One condition in force, as words, and the query string without it."""

    label: str
    value: str
    query: str


def active_filters(form: BaseForm, params: QueryDict) -> list[ActiveFilter]:
    """The conditions of `form` that `params` sets, in field order, with the words a person chose them by.

    A value that is no choice of its field is left out, since it does not filter either.
    """
    return [
        ActiveFilter(label=str(bound.label), value=words, query=query_without(params, bound.html_name, raw))
        for bound in form
        if not bound.is_hidden
        for raw in params.getlist(bound.html_name)
        if raw.strip() and (words := _words_for(bound, raw))
    ]


def _words_for(bound: BoundField, raw: str) -> str:
    choices: Any = getattr(bound.field, "choices", None)
    if choices is None:
        return raw
    return next((label for value, label in _flat(choices) if value == raw), "")


def _flat(choices: Iterable[tuple[Any, Any]]) -> Iterator[tuple[str, str]]:
    for value, label in choices:
        if isinstance(label, list | tuple):
            yield from _flat(label)
        else:
            yield str(value), str(label)


@dataclass(frozen=True, slots=True)
class FacetOption:
    """One value of a facet: how many rows it would find, and whether it is chosen."""

    value: str
    label: str
    count: int
    is_on: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A group of values with counts, drawn as checkboxes of one GET form."""

    name: str
    legend: str
    options: tuple[FacetOption, ...]

    @property
    def chosen(self) -> int:
        """How many of its values are in force."""
        return sum(option.is_on for option in self.options)


def facet(*, name: str, legend: str, counts: Iterable[tuple[str, str, int]], params: QueryDict) -> Facet:
    """The facet `name` from (value, label, count) in the order given.

    `counts` must come from the list filtered by everything but this facet, so that the alternatives keep their numbers.
    A value that finds nothing is left out unless it is chosen: it must stay to be unchosen.
    """
    chosen = set(params.getlist(name))
    return Facet(
        name=name,
        legend=legend,
        options=tuple(
            FacetOption(value=value, label=label, count=count, is_on=value in chosen)
            for value, label, count in counts
            if count or value in chosen
        ),
    )
