"""What a run made, and how two runs differ."""

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Q, QuerySet

from lineage import access
from lineage.core.asking import Asker
from lineage.core.steps import Transform
from lineage.models import Edge, Entity
from lineage.queries.listing import ALL, PER_PAGE, Filters, Listing, listed, narrowed, placed
from lineage.queries.made_with import made_with


class Role(StrEnum):
    """What a node was in a run."""

    INPUT = "input"
    OUTPUT = "output"


class Change(StrEnum):
    """How a thing differs between two runs."""

    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """A thing that one run read or made and the other did not, or in another version."""

    role: Role
    change: Change
    first: Entity | None
    second: Entity | None

    @property
    def has_same_content(self) -> bool:
        """True where both versions are known to hold the same bytes."""
        if self.first is None or self.second is None:
            return False
        return bool(self.first.content_hash) and self.first.content_hash == self.second.content_hash


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two runs differ; `counts` and `total` are exact and of all pages together.

    `transforms` are those that only one of the runs used, in this version and with this config. `same` counts by role
    what both runs share.
    """

    first: str
    second: str
    transforms: tuple[list[Transform], list[Transform]]
    same: dict[Role, int]
    counts: dict[tuple[Role, Change], int]
    differences: list[Difference]
    total: int
    page: int
    pages: int


def outputs_for_run(
    *, run_id: str, asker: Asker, filters: Filters = ALL, page: int = 1, per_page: int = PER_PAGE
) -> Listing:
    """What a run made: each node once, however many edges tell of it. Empty for a run of which nothing may be seen."""
    edges = _edges_of(run_id, asker)
    rows = access.visible(asker).filter(pk__in=edges.values("from_entity_id"))
    rows = narrowed(rows, filters, lambda own: own.filter(pk__in=edges.values("pk")), end="from_entity")
    return listed(rows, filters=filters, page=page, per_page=per_page)


def diff(*, first: str, second: str, asker: Asker, page: int = 1, per_page: int = PER_PAGE) -> Comparison:
    """How the second run differs from the first in what it read, what it made and with what. Linear in the two runs.

    Things are the same where type and logical id are; what a run both made and read is an output of it. Runs of which
    the asker sees nothing, and '', are empty ones.
    """
    before, after = _Run.of(first, asker), _Run.of(second, asker)
    found: list[tuple[Role, Change, str, str, int | None, int | None]] = []
    same: dict[Role, int] = {}
    for role in Role:
        ours, theirs = before.things[role], after.things[role]
        same[role] = sum(len(keys & theirs.get(thing, set())) for thing, keys in ours.items())
        for thing in sorted(ours.keys() | theirs.keys()):
            left = sorted(ours.get(thing, set()) - theirs.get(thing, set()))
            right = sorted(theirs.get(thing, set()) - ours.get(thing, set()))
            both = min(len(left), len(right))
            found += [(role, Change.CHANGED, *thing, a, b) for a, b in zip(left[:both], right[:both], strict=True)]
            found += [(role, Change.REMOVED, *thing, a, None) for a in left[both:]]
            found += [(role, Change.ADDED, *thing, None, b) for b in right[both:]]
    counts: defaultdict[tuple[Role, Change], int] = defaultdict(int)
    for role, change, *_ in found:
        counts[role, change] += 1
    page, pages = placed(page, total=len(found), per_page=per_page)
    kept = found[(page - 1) * per_page : page * per_page]
    nodes = Entity.objects.in_bulk([key for *_, a, b in kept for key in (a, b) if key is not None])
    return Comparison(
        first=first,
        second=second,
        transforms=(
            sorted(before.transforms - after.transforms),
            sorted(after.transforms - before.transforms),
        ),
        same=same,
        counts=dict(counts),
        differences=[
            Difference(role, change, nodes.get(a or 0), nodes.get(b or 0)) for role, change, _, _, a, b in kept
        ],
        total=len(found),
        page=page,
        pages=pages,
    )


def _edges_of(run_id: str, asker: Asker) -> QuerySet[Edge]:
    """The dependences that a run told; none for '', which names no run and stands on what none told."""
    edges = access.readable_edges(asker).filter(made_with(run_id=run_id), is_dependence=True)
    return edges if run_id else edges.none()


@dataclass(frozen=True, slots=True)
class _Run:
    """Keys of nodes by role and thing (type, logical id), and the transforms that were used."""

    things: dict[Role, dict[tuple[str, str], set[int]]]
    transforms: set[Transform]

    @classmethod
    def of(cls, run_id: str, asker: Asker) -> "_Run":
        """Two statements, whatever is found."""
        edges = _edges_of(run_id, asker)
        told = edges.values_list(
            "from_entity_id",
            "transform_type",
            "transform_implementation",
            "transform_version",
            "config_hash",
        )
        made: set[int] = set()
        transforms: set[Transform] = set()
        for dependent, *how in told:
            made.add(dependent)
            transforms.add(Transform(*how))
        things: dict[Role, dict[tuple[str, str], set[int]]] = {role: defaultdict(set) for role in Role}
        ends = access.visible(asker).filter(
            Q(pk__in=edges.values("from_entity_id")) | Q(pk__in=edges.values("to_entity_id"))
        )
        for key, one, logical_id in ends.values_list("pk", "type", "logical_id"):
            things[Role.OUTPUT if key in made else Role.INPUT][one, logical_id].add(key)
        return cls(things, transforms - {Transform()})
