"""The tables of the lineage graph. Bigint keys inside, refs at the doors; records are immutable, corrections are new
versions."""

from lineage.models.claims import Claim, Evidence, Verification
from lineage.models.governance import Declassification, LegalHold, Tombstone, TypePolicy
from lineage.models.graph import Edge, Entity
from lineage.models.impact import Cause, Impact
from lineage.models.ingest import Event, EventConflict, HeldEdge
from lineage.models.outbox import OutboxEvent, Relay

__all__ = [
    "Cause",
    "Claim",
    "Declassification",
    "Edge",
    "Entity",
    "Event",
    "EventConflict",
    "Evidence",
    "HeldEdge",
    "Impact",
    "LegalHold",
    "OutboxEvent",
    "Relay",
    "Tombstone",
    "TypePolicy",
    "Verification",
]
