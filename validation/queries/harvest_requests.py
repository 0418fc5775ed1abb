"""Reads requests for sources as their pages and the JSON interface tell them."""

from dataclasses import dataclass
from datetime import datetime

from sources.core.citations import MarkerKind, markers_of
from sources.models import Draft, DraftVersion
from validation.core.harvest_states import CallState
from validation.core.harvest_tools import Tool
from validation.core.source_requests import RequestKind, RequestState
from validation.models import HarvestRequest, RequestCandidate
from validation.queries.readable_work import readable_work


@dataclass(frozen=True, slots=True)
class MarkerRow:
    """One claim that wants a source: where it stands in the newest version (0: not there any more), and the request
    that was made for it, None where nobody asked yet."""

    claim: str
    line: int
    request: HarvestRequest | None

    @property
    def is_open(self) -> bool:
        """True while its marker stands in the newest version."""
        return self.line > 0


def marker_rows(draft: Draft, version: DraftVersion | None) -> list[MarkerRow]:
    """The claims of the newest version's markers in the order of the text, then requests of links and of claims that
    are not marked any more. One query."""
    requests = list(readable_work(HarvestRequest.objects.all()).filter(draft=draft).order_by("pk"))
    # A link that a corrected text brought for a claim is searched like the claim, so it stands for it; a marker's own
    # request goes before.
    by_claim = {one.claim: one for one in requests if one.as_kind is RequestKind.NEW_LINK}
    by_claim |= {one.claim: one for one in requests if one.as_kind is RequestKind.MARKER}
    rows: dict[str, MarkerRow] = {}
    for one in markers_of(version.gated_text) if version else ():
        if one.kind is MarkerKind.NEEDS_SOURCE and one.claim and one.claim not in rows:
            rows[one.claim] = MarkerRow(one.claim, one.line, by_claim.get(one.claim))
    shown = {row.request.pk for row in rows.values() if row.request}
    lines = {claim: row.line for claim, row in rows.items()}
    rest = [MarkerRow(one.claim, lines.get(one.claim, 0), one) for one in requests if one.pk not in shown]
    return [*rows.values(), *rest]


def candidates_of(request: HarvestRequest) -> list[RequestCandidate]:
    """The candidates, those that may be picked first, then by the score of their passages. One query."""
    found = list(readable_work(RequestCandidate.objects.all()).filter(request=request))
    return sorted(found, key=lambda one: (not one.may_be_picked, -one.score, one.rank, one.pk))


@dataclass(frozen=True, slots=True)
class CallRow:
    """One question to one search, as the page tells it. `as_state` explains itself."""

    search: str
    text: str
    domains: list[str]
    why: str
    as_state: CallState
    reason: str
    found: int


def calls_of(request: HarvestRequest) -> list[CallRow]:
    """What the newest search has asked of whom, in order; empty until it is over."""
    return [
        CallRow(
            Tool(one["tool"]).label,
            one["text"],
            one["domains"],
            one["why"],
            CallState(one["state"]),
            one["reason"],
            one["found"],
        )
        for one in request.asked
    ]


def request_poll_s(request: HarvestRequest, *, at: datetime) -> int | None:
    """How soon to ask again while it is being searched; None when it is over."""
    if request.as_state is not RequestState.OPEN:
        return None
    age = (at - request.asked_at).total_seconds()
    return 2 if age < 60 else 10
