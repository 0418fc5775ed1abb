"""What rules about hidden rows are made of: levels of nodes, what a source is declared, and whose a row is."""

from collections.abc import Callable
from functools import reduce
from operator import or_

from django.db.models import Exists, OuterRef, Q

from lineage.models import Entity
from provenance_site.accounts.reading import Limit, Reader
from sources.core.kinds import Classification

# What is hidden from the reader among rows whose look-ups begin with the path.
Rule = Callable[[Reader, str], Q]
_NOTHING = Q(pk__in=())


def any_of(conditions: list[Q]) -> Q:
    """Any of the conditions; nothing at all for none."""
    return reduce(or_, conditions, _NOTHING)


def words_above(limit: Limit) -> list[str]:
    """Classifications that are not read under the limit."""
    return [one.value for one in Classification if one.level > limit.level]


def above(reader: Reader) -> Q:
    """Nodes above what the reader may read."""
    return any_of([Q(workspace_id=one.workspace_id, level__gt=one.level) for one in reader.limits])


def node(reader: Reader, path: str) -> Q:
    """By the level of its node; what has none is not hidden by it."""
    return Q(Exists(Entity.objects.filter(above(reader), pk=OuterRef(f"{path}entity_id"))))


def source(reader: Reader, path: str) -> Q:
    """By its node; a source whose node is not kept is as restricted as it is declared."""
    declared = [
        Q(**{
            f"{path}entity__isnull": True,
            f"{path}workspace_id": one.workspace_id,
            f"{path}classification__in": words_above(one),
        })
        for one in reader.limits
    ]  # fmt: skip
    return node(reader, path) | any_of(declared)


def of_source(reader: Reader, path: str) -> Q:
    """What is about a source goes by it."""
    return source(reader, f"{path}source__")


def mine(reader: Reader, path: str) -> Q:
    """What the reader made."""
    return Q(**{f"{path}created_by": reader.user_id})


def workspaces(reader: Reader) -> list[int]:
    """Where not everything is read."""
    return [one.workspace_id for one in reader.limits]
