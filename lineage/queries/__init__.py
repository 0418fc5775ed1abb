"""Reads of the lineage graph; the only recursive SQL of the product is here."""
