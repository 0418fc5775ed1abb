"""What is known of nodes and edges when they are written."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lineage.core import keys, outgoing
from lineage.core.refs import Ref
from lineage.core.relations import Label, Relation


@dataclass(frozen=True, slots=True)
class EntityFacts:
    """What is known of a node when it is written.

    `classification` is what it adds of its own; what it rests on may raise it (`Label.PUBLIC`: it only inherits). A
    placeholder is only named: telling it again in full makes it a node.
    """

    ref: Ref
    content_hash: str = ""
    source_time: datetime | None = None
    authority: str = ""
    classification: Label = Label.INTERNAL
    metadata: dict[str, Any] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    owner_id: int | None = None
    released_at: datetime | None = None
    is_placeholder: bool = False

    @property
    def as_event(self) -> dict[str, Any]:
        """What other lineage services are told of it."""
        return outgoing.entity(
            ref=self.ref,
            content_hash=self.content_hash,
            source_time=self.source_time,
            authority=self.authority,
            classification=self.classification,
        )


@dataclass(frozen=True, slots=True)
class EdgeFacts:
    """What is known of an edge when it is written; both ends must have been recorded before."""

    dependent: Ref
    relation: Relation
    rests_on: Ref
    transform_type: str = ""
    transform_implementation: str = ""
    transform_version: str = ""
    config_hash: str = ""
    run_id: str = ""
    trace_id: str = ""
    span_id: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Deterministic key of the edge."""
        return keys.edge_key(
            relation=self.relation,
            from_ref=str(self.dependent),
            to_ref=str(self.rests_on),
            transform=f"{self.transform_type}|{self.transform_implementation}|{self.transform_version}|{self.config_hash}",
            run_id=self.run_id,
        )

    @property
    def as_event(self) -> dict[str, Any]:
        """What other lineage services are told of it."""
        return outgoing.edge(
            dependent=self.dependent,
            relation=self.relation,
            rests_on=self.rests_on,
            transform={
                "type": self.transform_type,
                "implementation": self.transform_implementation,
                "version": self.transform_version,
                "config_hash": self.config_hash,
            },
            run_id=self.run_id,
        )
