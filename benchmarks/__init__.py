"""Measurements on full-size input. Each prints a table for people and one JSON object as its last line."""
