"""What an event from outside tells: nodes, edges and claims. Whole, or refused with a reason."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lineage.core.evidence import Support
from lineage.core.facts import EdgeFacts
from lineage.core.refs import Ref
from lineage.core.relations import Label
from lineage.core.times import Told


class Refused(ValueError):
    """The event is not taken in: `code` for programs, `field` says where, the message says why and the way out."""

    def __init__(self, code: str, message: str, *, at: str = "") -> None:
        super().__init__(message)
        self.code, self.field = code, at


@dataclass(frozen=True, slots=True)
class TellEntity:
    """A node as an event tells of it; `is_named_only` where it only stands at the end of an edge."""

    ref: Ref
    sha256: str = ""
    source_time: datetime | None = None
    authority: str = ""
    label: Label | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    is_named_only: bool = False


@dataclass(frozen=True, slots=True)
class TellEvidence:
    """How an edge bears on its claim, and how what it leads to was found."""

    support: Support
    scope: str = ""
    is_verified: bool = False
    rank: int | None = None
    query_hash: str = ""


@dataclass(frozen=True, slots=True)
class TellEdge(EdgeFacts):
    """An edge as an event tells of it: what is written of it, and how it bears on its claim."""

    evidence: TellEvidence | None = None


@dataclass(frozen=True, slots=True)
class TellClaim:
    """What an event says of a claim itself."""

    ref: Ref
    text_hash: str
    text: str = ""
    is_material: bool = True


@dataclass(frozen=True, slots=True)
class TellEvent:
    """A whole event, read. `tenants` are the workspaces that it names, by the field that names each."""

    event_id: str
    digest: str
    tenants: Mapping[str, str]
    run_id: str
    hook: str
    told: Told
    entities: tuple[TellEntity, ...]
    edges: tuple[TellEdge, ...]
    claims: tuple[TellClaim, ...]


def digest_of(payload: object) -> str:
    """Lower-case hex SHA-256 of a payload, whatever the order of its keys, and for 1 and 1.0 alike."""
    text = json.dumps(_plain(payload), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
