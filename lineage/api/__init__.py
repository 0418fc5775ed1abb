"""Lineage over JSON."""

from lineage.api.claims import router as claims
from lineage.api.events import router as events
from lineage.api.held import router as held
from lineage.api.impact import router as impact
from lineage.api.interchange import router as interchange
from lineage.api.measures import router as measures
from lineage.api.questions import router as questions

__all__ = ["claims", "events", "held", "impact", "interchange", "measures", "questions"]
