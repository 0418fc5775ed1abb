"""Edges by what made them: a run, a transform, a version, a configuration."""

from django.db.models import Q

# Each of these has an index of the edges that have one; most edges have none.
_INDEXED = frozenset({"run_id", "transform_type", "config_hash"})


def made_with(**told: str) -> Q:
    """The edges that carry all of these texts, by field; '' leaves one open.

    SQLite uses an index of some of the rows only where the question says the index's own condition, too.
    """
    found = Q()
    for name, value in told.items():
        if value:
            found &= Q(**{name: value}) & (~Q(**{name: ""}) if name in _INDEXED else Q())
    return found
