"""Finds sources by what a person types: words, or an identifier or address exactly.

PostgreSQL asks its full-text index (words by their beginnings); SQLite looks for the words anywhere in the columns:
that takes 50 ms at 100,000 sources, needs no second copy of the texts, and cannot fall behind them.
"""

import re
from typing import Any

from django.db import connection
from django.db.models import BooleanField, F, Func, Q, QuerySet, Value

from sources.core.identifiers import BadIdentifier, identify
from sources.core.urls import UnusableUrl
from sources.models import Source, SourceAlias
from sources.queries.readable import readable

_COLUMNS = ("title", "authors", "publisher", "identifier_value")
# What a person types has ten words that matter at most; more would only cost.
_MOST_WORDS = 10
# As many hits are handed on as keys, so that the counts beside the table need not search again.
_MOST_KEYS = 10_000
_BETWEEN_WORDS = re.compile(r"[^\w]+|_+")


def search(queryset: QuerySet[Source], text: str) -> QuerySet[Source]:
    """The sources of `queryset` in which every word of `text` stands: in title, authors, publisher or identifier.

    An identifier or address finds its source in any spelling, by its own key or an alias's. At most ten words count;
    text without a letter or digit finds what has it as it stands. Costs one query now where it finds 10,000 or fewer.
    """
    text = text.strip().replace("\x00", "")
    if not text:
        return queryset
    found = queryset.filter(_has_words(text) | Q(pk__in=_exactly(queryset, text)))
    keys = list(found.order_by().values_list("pk", flat=True)[: _MOST_KEYS + 1])
    return queryset.filter(pk__in=keys) if len(keys) <= _MOST_KEYS else found


def _exactly(queryset: QuerySet[Source], text: str) -> list[int]:
    """The sources that go by `text` as an identifier; an ISBN or ISSN in any spelling too."""
    try:
        key = identify(text).key
    except (BadIdentifier, UnusableUrl):
        return []
    own = queryset.filter(canonical_key=key).order_by().values_list("pk", flat=True)
    others = (
        readable(SourceAlias.objects.all()).filter(canonical_key=key).order_by().values_list("source_id", flat=True)
    )
    return list(own.union(others))


def _has_words(text: str) -> Q | Func:
    if connection.vendor == "postgresql":
        words = [word for word in _BETWEEN_WORDS.split(text) if word][:_MOST_WORDS]
        return _in_index(words) if words else _anywhere(text)
    condition = Q()
    for word in text.split()[:_MOST_WORDS]:
        condition &= _anywhere(word)
    return condition


def _anywhere(word: str) -> Q:
    condition = Q()
    for column in _COLUMNS:
        condition |= Q(**{f"{column}__icontains": word})
    return condition


class _Words(Func):
    """The column `words`, which is the database's own: made by the migration, and no field of the model."""

    def as_sql(self, compiler: Any, connection: Any, **context: Any) -> Any:  # type: ignore[override]
        """The column of whatever name the table has in the query."""
        key, parameters = compiler.compile(self.get_source_expressions()[0])
        return f'{key.rpartition(".")[0]}."words"', parameters


def _in_index(words: list[str]) -> Q:
    wanted = Func(
        Value(" & ".join(f"{word}:*" for word in words)), template="to_tsquery('simple'::regconfig, %(expressions)s)"
    )
    return Q(
        Func(
            _Words(F("pk")),
            wanted,
            template="(%(expressions)s)",
            arg_joiner=" @@ ",
            output_field=BooleanField(),
        )
    )
