"""A graph as writers of files take it: nodes and edges by ref, in an order that stays."""

from collections.abc import Callable, Iterator
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
class Graph:
    """A graph that is read as often as a format needs; each call of `nodes` or `links` goes through it anew."""

    tenant: str
    nodes: Callable[[], Iterator[Node]]
    links: Callable[[], Iterator[Link]]
