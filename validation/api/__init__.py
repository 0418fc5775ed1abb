"""Checks over JSON, one router a subject."""

from validation.api.checks import router as checks
from validation.api.harvest_requests import router as harvest_requests
from validation.api.harvests import router as harvests
from validation.api.retractions import router as retractions
from validation.api.ship import router as ship

__all__ = ["checks", "harvest_requests", "harvests", "retractions", "ship"]
