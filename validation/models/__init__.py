"""Runs of checks, harvests, and what a workspace adds to the rules. What a check found lives in the registry."""

from validation.models.harvest import Candidate, HarvestCall, HarvestHit, HarvestQuery, HarvestRun
from validation.models.harvest_request import HarvestRequest, RequestCandidate
from validation.models.lookups import LookupCache
from validation.models.own import OwnEntry, OwnPattern, OwnPublisher
from validation.models.provider import ProviderKey
from validation.models.retraction import RetractionFeed, RetractionRequest, RetractionSnapshot
from validation.models.run import CheckRun
from validation.models.ship import ShipCheck, ShipLink, SpotCheck

__all__ = [
    "Candidate",
    "CheckRun",
    "HarvestCall",
    "HarvestHit",
    "HarvestQuery",
    "HarvestRequest",
    "HarvestRun",
    "LookupCache",
    "OwnEntry",
    "OwnPattern",
    "OwnPublisher",
    "ProviderKey",
    "RequestCandidate",
    "RetractionFeed",
    "RetractionRequest",
    "RetractionSnapshot",
    "ShipCheck",
    "ShipLink",
    "SpotCheck",
]
