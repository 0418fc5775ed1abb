"""Pure Python: relations, refs and deterministic keys of the lineage graph."""
