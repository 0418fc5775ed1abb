"""The network of lineage: telling other services."""
