"""Screens of notices."""
