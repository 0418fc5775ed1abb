"""Checks over JSON, one router a subject."""

from validation.api.checks import router as checks
from validation.api.harvests import router as harvests
from validation.api.retractions import router as retractions

__all__ = ["checks", "harvests", "retractions"]
