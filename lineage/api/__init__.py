"""Lineage over JSON."""

from lineage.api.events import router as events

__all__ = ["events"]
