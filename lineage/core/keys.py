"""Deterministic keys: the same node or edge told twice gets the same key, so that telling twice writes once."""

import hashlib
import json

from lineage.core.relations import Relation

# `json.dumps` would make such an encoder for each key.
_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def ref_key(ref: str) -> str:
    """Lower-case hex SHA-256 of a ref in its normal form; unique per workspace."""
    return hashlib.sha256(ref.encode()).hexdigest()


def edge_key(*, relation: Relation, from_ref: str, to_ref: str, transform: str, run_id: str) -> str:
    """Lower-case hex SHA-256 over what makes an edge that edge: both ends, relation, transform and run.

    The same relation told by two runs is two edges; the same run telling it twice is one.
    """
    parts = [str(relation), from_ref, to_ref, transform, run_id]
    return hashlib.sha256(_encoded(parts).encode()).hexdigest()
