"""Writes of the lineage graph, one verb group a file."""
