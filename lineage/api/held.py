"""Edges that wait over JSON: told by somebody who may not read one of their ends, or of a node of another type."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status

from lineage.api.asking import Key, NodeOut, OnePage, asker_for, doing
from lineage.core.held import Why
from lineage.core.relations import Relation
from lineage.ingest import held
from lineage.queries import answers
from lineage.queries.listing import placed
from provenance_site.accounts.token_requests import Problem
from provenance_site.changes.models import Channel

router = Router(tags=["lineage"])


class Deed(StrEnum):
    """What is done with an edge that waits."""

    JOIN = "join"
    DROP = "drop"


class HeldOut(Schema):
    """An edge that waits, with both its ends; `edge` names it."""

    edge: int
    dependent: NodeOut
    relation: Relation
    rests_on: NodeOut
    why: Why
    explanation: str
    since: datetime


class HeldListOut(Schema):
    """A page of the edges that wait, the oldest first; `total` is exact, of those both ends of which you may see."""

    total: int
    page: int
    pages: int
    edges: list[HeldOut]


class DecideIn(Schema):
    """What is done with one: `join` makes it an edge of the graph, `drop` lets it go."""

    edge: Key
    deed: Deed


class DecidedOut(Schema):
    """What was done with which edge."""

    edge: int
    deed: Deed


@router.get("/lineage/held", response=HeldListOut, summary="Edges that wait", url_name="lineage-held")
def waiting(request: HttpRequest, wanted: Query[OnePage]) -> dict[str, Any]:
    """The edges that are kept apart and both ends of which you may see, the oldest first."""
    asker = asker_for(request)
    rows = held.waiting(asker=asker)
    total = rows.count()
    page, pages = placed(wanted.page, total=total, per_page=wanted.per_page)
    found = held.with_ends(rows[(page - 1) * wanted.per_page : page * wanted.per_page], asker=asker)
    remarks = answers.remarks_of(end for one in found for end in (one.dependent, one.rests_on))
    return {
        "total": total,
        "page": page,
        "pages": pages,
        "edges": [
            {
                "edge": one.row.pk,
                "dependent": answers.node(one.dependent, remarks=remarks),
                "relation": one.relation,
                "rests_on": answers.node(one.rests_on, remarks=remarks),
                "why": one.why,
                "explanation": one.why.explanation,
                "since": one.row.held_at,
            }
            for one in found
        ],
    }


@router.post(
    "/lineage/held",
    response={200: DecidedOut, 404: Problem, 422: Problem},
    summary="Join an edge that waits, or let it go",
    url_name="lineage-held",
)
def decide(request: HttpRequest, given: DecideIn) -> Status[Any]:
    """Joins one, or lets it go. Needs the role editor; one that was dealt with is not there (404)."""
    deed = {Deed.JOIN: held.join, Deed.DROP: held.drop}[given.deed]
    by, asker, at = doing(request)
    try:
        deed(pk=given.edge, asker=asker, by=by, channel=Channel.API, at=at)
    except held.NotJoined as refused:
        return Status(422, {"detail": str(refused)})
    return Status(200, {"edge": given.edge, "deed": given.deed})
