"""A graph as writers of files take it: nodes and edges by ref, in an order that stays."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from lineage.core.relations import EntityState, EntityType, Label, Relation


@dataclass(frozen=True, slots=True)
class Node:
    """A node as files tell it."""

    ref: str
    type: EntityType
    logical_id: str
    version: str
    content_hash: str
    source_time: datetime | None
    authority: str
    label: Label
    state: EntityState
    gone_at: datetime | None


@dataclass(frozen=True, slots=True)
class Link:
    """An edge as files tell it; `key` is its deterministic id."""

    key: str
    dependent: str
    dependent_type: EntityType
    relation: Relation
    rests_on: str
    rests_on_type: EntityType
    is_dependence: bool
    transform_type: str
    transform_implementation: str
    transform_version: str
    config_hash: str
    run_id: str
    trace_id: str
    told_at: datetime


@dataclass(frozen=True, slots=True)
class Run:
    """A run by what was told of it: the times of its first and last edge, and what kind of transform the first names.
    Edges that no run told share the run without an id."""

    run_id: str
    transform_type: str
    began: datetime
    ended: datetime


@dataclass(frozen=True, slots=True)
class RunPart:
    """Edges of one run with the nodes at their ends, by ref; `is_last` where the run has no part after it."""

    run: Run
    links: Sequence[Link]
    nodes: Mapping[str, Node]
    is_first: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph that is read as often as a format needs; each call goes through it anew.

    `runs` gives its edges run by run, each run in parts of at most a thousand edges; a node that no edge joins is in
    none of them.
    """

    tenant: str
    nodes: Callable[[], Iterator[Node]]
    links: Callable[[], Iterator[Link]]
    runs: Callable[[], Iterator[RunPart]]
