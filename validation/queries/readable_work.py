"""Harvests, requests for sources, ship checks and checks for retractions as far as they exist for whoever reads.

The rules of `sources.queries.readable`, for what this app keeps beside the registry. What was found is kept by the key
of a work and not by a source, so it is looked up by that key, whichever of a source's identities it is.
"""

from typing import Any, TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from provenance_site.accounts.reading import Reader, limited
from sources.models import DraftVersion, Source, SourceAlias
from sources.queries.readable import hidden_from
from validation.core.harvest_states import CandidateState, HarvestMode
from validation.models import (
    Candidate,
    HarvestRequest,
    HarvestRun,
    RequestCandidate,
    RetractionRequest,
    ShipCheck,
    ShipLink,
)

Rows = TypeVar("Rows", bound="QuerySet[Any, Any]")
# What is told of it is what its list says, not what the registry knows.
_UNDECIDED = (CandidateState.FOUND.value, CandidateState.WAITING.value, CandidateState.LEFT_OUT.value)


def readable_work(rows: Rows) -> Rows:
    """`rows` as far as they exist for whoever reads now. No query; twice is safe. Raises KeyError without a rule."""
    reader = limited()
    if reader is None:
        return rows
    model: type[Model] = rows.model
    return rows.exclude(_RULES[model](reader))


def readable_work_at(model: type[Model], path: str) -> Q | None:
    """The condition that the row at `path` exists for whoever reads now; None where all do."""
    reader = limited()
    if reader is None:
        return None
    here = readable_work(model._default_manager.filter(pk=OuterRef(f"{path}pk")))
    return Q(Exists(here))


def _names_hidden(reader: Reader, workspace: str) -> Q:
    of_key = {"workspace_id": OuterRef(workspace), "canonical_key": OuterRef("key")}
    sources = Source.objects.filter(hidden_from(reader, Source), **of_key)
    aliases = SourceAlias.objects.filter(hidden_from(reader, SourceAlias), **of_key)
    return Q(Exists(sources)) | Q(Exists(aliases))


def _workspaces(reader: Reader) -> list[int]:
    return [one.workspace_id for one in reader.limits]


def _candidate(reader: Reader) -> Q:
    """Not there at all; on a list of the reader's own as new, until something became of it."""
    own = Q(run__created_by=reader.user_id, run__mode=HarvestMode.LIST, state__in=_UNDECIDED)
    return _names_hidden(reader, "run__project__workspace_id") & ~own


def _harvest(reader: Reader) -> Q:
    """Another's that found hidden works only."""
    theirs = Q(project__workspace_id__in=_workspaces(reader)) & ~Q(created_by=reader.user_id)
    found, hidden = Candidate.objects.filter(run=OuterRef("pk")), _candidate(reader)
    return theirs & Q(Exists(found.filter(hidden))) & ~Q(Exists(found.exclude(hidden)))


def _request(reader: Reader) -> Q:
    """Its claim is a sentence of the version that asked."""
    hidden = DraftVersion.objects.filter(hidden_from(reader, DraftVersion), pk=OuterRef("version_id"))
    return Q(Exists(hidden)) & ~Q(asked_by=reader.user_id)


def _request_candidate(reader: Reader) -> Q:
    """What it found is not there: what a search answers, nobody can count."""
    return _names_hidden(reader, "request__draft__project__workspace_id")


def _ship_check(reader: Reader) -> Q:
    """Another's as a whole where its document is hidden or one of its links leads to a hidden source: it counts."""
    theirs = Q(project__workspace_id__in=_workspaces(reader)) & ~Q(job__created_by=reader.user_id)
    links = ShipLink.objects.filter(check_made=OuterRef("pk"))
    of_source = links.filter(source__in=Source.objects.filter(hidden_from(reader, Source)))
    named = links.filter(_names_hidden(reader, "check_made__project__workspace_id"))
    version = DraftVersion.objects.filter(hidden_from(reader, DraftVersion), pk=OuterRef("version_id"))
    return theirs & (Q(Exists(version)) | Q(Exists(of_source)) | Q(Exists(named)))


def _retraction_request(reader: Reader) -> Q:
    """Another's: it names all works that it asks of."""
    return Q(workspace_id__in=_workspaces(reader)) & ~Q(by=reader.user_id)


_RULES = {
    Candidate: _candidate,
    HarvestRequest: _request,
    HarvestRun: _harvest,
    RequestCandidate: _request_candidate,
    RetractionRequest: _retraction_request,
    ShipCheck: _ship_check,
}
