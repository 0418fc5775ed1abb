"""Counts beside the sources table. Columns with few values are counted together, in one query for all of them."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet

from sources.models import CatalogEntry, Citation, ObservationSource, Source, Tag
from sources.queries.readable import readable

# Counted together; `retracted` and `observed` as "true" and "false".
JOINT = (
    "disposition",
    "verdict",
    "identifier_type",
    "authority",
    "classification",
    "sensitivity",
    "retracted",
    "observed",
)
_TOP = 20


@dataclass(frozen=True, slots=True)
class Joint:
    """How many sources there are of each combination of values, in the order of `JOINT`."""

    numbers: Mapping[tuple[str, ...], int]

    def total(self, chosen: Mapping[str, Collection[str]]) -> int:
        """The sources that have a chosen value in each column in which any is chosen."""
        return sum(number for values, number in self.numbers.items() if _fits(values, chosen))

    def counts(self, name: str, chosen: Mapping[str, Collection[str]]) -> dict[str, int]:
        """The sources of each value of one column, what is chosen in that column itself left aside."""
        others = {column: values for column, values in chosen.items() if column != name}
        at = JOINT.index(name)
        found: Counter[str] = Counter()
        for values, number in self.numbers.items():
            if _fits(values, others):
                found[values[at]] += number
        return found


def _fits(values: tuple[str, ...], chosen: Mapping[str, Collection[str]]) -> bool:
    return all(value in chosen[name] for name, value in zip(JOINT, values, strict=True) if chosen.get(name))


def joint_counts(sources: QuerySet[Source]) -> Joint:
    """The combinations in `sources`, a filtered list without the filters of these columns. One query."""
    observed = Exists(readable(ObservationSource.objects.all()).filter(source=OuterRef("pk")))
    rows = sources.order_by().annotate(observed=observed).values_list(*JOINT).annotate(number=Count("pk"))
    return Joint({tuple(_as_text(value) for value in values): number for *values, number in rows})


def top_values(sources: QuerySet[Source], column: str) -> list[tuple[str, int]]:
    """The twenty values of a column that most of `sources` have, '' left out. One query."""
    rows = sources.order_by().exclude(**{column: ""}).values_list(column).annotate(number=Count("pk"))
    return [(value, number) for value, number in rows.order_by("-number", column)[:_TOP]]


def tag_counts(sources: QuerySet[Source]) -> list[tuple[str, int]]:
    """The twenty tags that most of `sources` carry. One query.

    Tags are of the workspace of their sources: were it named here too, SQLite would try each tag with each source.
    """
    rows = readable(Tag.sources.through.objects.all()).filter(source__in=_keys(sources))
    counted = rows.values_list("tag__name").annotate(number=Count("pk")).order_by(F("number").desc(), "tag__name")
    return list(counted[:_TOP])


def project_counts(sources: QuerySet[Source]) -> dict[str, int]:
    """How many of `sources` each project has, by its uuid; the workspace as in `tag_counts`. One query."""
    rows = readable(CatalogEntry.objects.all()).filter(source__in=_keys(sources))
    counted = rows.values_list("project__uuid").annotate(number=Count("pk")).order_by()
    return {str(uuid): number for uuid, number in counted}


def section_counts(sources: QuerySet[Source], *, section_ids: Collection[int]) -> dict[str, int]:
    """How many of `sources` are cited in each of these sections, by its key. One query."""
    rows = readable(Citation.objects.all()).filter(section_id__in=section_ids, entry__source__in=_keys(sources))
    counted = rows.values_list("section_id").annotate(number=Count("entry__source_id", distinct=True)).order_by()
    return {str(key): number for key, number in counted}


def _keys(sources: QuerySet[Source]) -> QuerySet[Source, Any]:
    return sources.order_by().values("pk")


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
