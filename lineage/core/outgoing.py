"""Our nodes and edges as events that another lineage service can take in, ours among them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lineage.core.refs import Ref
from lineage.core.relations import Label, Relation


def entity(
    *, ref: Ref, content_hash: str, source_time: datetime | None, authority: str, classification: Label
) -> dict[str, Any]:
    """A node, as an item of `entities`."""
    told = {
        "ref": str(ref),
        "type": ref.type.value,
        "version": ref.version,
        "sha256": content_hash,
        "source_time": source_time.isoformat() if source_time else "",
        "authority": authority,
        "classification": classification.value,
    }
    return {name: value for name, value in told.items() if value}


def edge(
    *, dependent: Ref, relation: Relation, rests_on: Ref, transform: Mapping[str, str], run_id: str
) -> dict[str, Any]:
    """An edge, as an item of `edges`."""
    told = {
        "relation": relation.value,
        "output": {"ref": str(dependent), "type": dependent.type.value, "version": dependent.version},
        "inputs": [{"ref": str(rests_on), "type": rests_on.type.value, "version": rests_on.version}],
        "transform": {name: value for name, value in transform.items() if value},
        "run_id": run_id,
    }
    return {name: value for name, value in told.items() if value}
