"""Screens of lineage."""
