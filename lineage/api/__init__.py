"""Lineage over JSON."""

from lineage.api.events import router as events
from lineage.api.interchange import router as interchange
from lineage.api.measures import router as measures

__all__ = ["events", "interchange", "measures"]
