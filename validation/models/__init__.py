"""Runs of checks. What a check found lives in the registry."""

from validation.models.run import CheckRun

__all__ = ["CheckRun"]
