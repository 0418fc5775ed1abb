"""Corrected drafts: facts rewritten by a person or a tool pass the same gate, and a new link is only a request."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from provenance_site.accounts.models import User
from provenance_site.changes.models import Channel
from sources import permissions
from sources.core.citations import ProblemCode
from sources.core.drafting import DraftOrigin
from sources.models import Draft, DraftVersion
from sources.services import drafts
from validation.core.source_requests import RequestKind
from validation.models import HarvestRequest
from validation.services import marker_resolution
from validation.services.marker_resolution import Wanted

_LINKS = frozenset(
    {
        ProblemCode.LINK_OUTSIDE,
        ProblemCode.ADDRESS_OUTSIDE,
        ProblemCode.NOTE_OUTSIDE,
        ProblemCode.NAMED_NOTE_OUTSIDE,
    }
)


@dataclass(frozen=True, slots=True)
class Corrected:
    """The new version, and a request for each link in it that the corpus does not have."""

    version: DraftVersion
    requests: tuple[HarvestRequest, ...]


def correct(
    *, draft: Draft, text: str, by: User, channel: Channel, at: datetime, seen: int | None = None, note: str = ""
) -> Corrected:
    """Puts a corrected text through the draft's gate as its next version, and asks the harvester for its new links.

    No link outside the corpus becomes a citation: the gate takes it out (or, in hybrid mode, warns of it), and a
    request keeps its address with the claim. Twice is safe: the same text makes no second version, the same link no
    second request. Raises `drafts.DraftRefused` and `drafts.DraftChanged`.
    """
    permissions.check_can_curate(by, draft.project.workspace_id)
    checked = drafts.checked(text)
    with transaction.atomic():
        version = drafts.add_version(
            draft=draft, text=checked, by=by, at=at, channel=channel, origin=DraftOrigin.CORRECTED, note=note, seen=seen
        )
        requests = marker_resolution.ask(version=version, wanted=_wanted(version.problems), by=by, at=at)
    return Corrected(version=version, requests=tuple(requests))


def _wanted(problems: Iterable[Mapping[str, Any]]) -> list[Wanted]:
    """From problems as a version keeps them (`gating.problem_facts`)."""
    return [
        Wanted(RequestKind.NEW_LINK, problem["claim"], problem["url"], problem["line"])
        for problem in problems
        if problem["code"] in _LINKS and problem.get("url")
    ]
