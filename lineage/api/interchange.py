"""A part of the graph in the formats of others, and PROV-JSON in."""

import json
from typing import Any, Literal

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from ninja import Query, Router, Schema, Status

from lineage.api.asking import TOO_LARGE, AskedRef, asker_for, doing
from lineage.core.events import Refused
from lineage.ingest import documents, taking_in
from lineage.queries import graph_rows
from lineage.reports.interchange import FORMATS
from provenance_site.accounts.token_requests import Problem
from provenance_site.changes.models import Channel
from provenance_site.kit.downloads import attachment

router = Router(tags=["lineage"])


class GraphIn(Schema):
    """Which part of the graph, and in which format."""

    ref: AskedRef
    direction: Literal["up", "down", "both"] = "both"
    format: Literal["prov-json", "prov-n", "openlineage", "graphml", "mermaid"] = "prov-json"


class GraphTakenOut(Schema):
    """What came of a document; `left_out` counts records of kinds that are not read."""

    entities: int
    edges: int
    left_out: dict[str, int]
    is_known: bool


@router.get("/lineage/export", response={404: Problem}, summary="A part of the graph as a file")
def export(request: HttpRequest, given: Query[GraphIn]) -> HttpResponseBase:
    """A node with all that it rests on, all that rests on it, or both, streamed: what you may see of it."""
    graph = graph_rows.around(
        ref=given.ref, directions=graph_rows.DIRECTIONS[given.direction], asker=asker_for(request)
    )
    chosen = FORMATS[given.format]
    return StreamingHttpResponse(
        chosen.write(graph), content_type=chosen.content_type, headers=attachment(f"lineage.{chosen.ending}")
    )


@router.post(
    "/lineage/prov",
    response={200: GraphTakenOut, 201: GraphTakenOut, 403: Problem, 404: Problem, 409: Problem, 422: Problem},
    summary="Take a PROV-JSON document in",
)
def take_prov(request: HttpRequest) -> Status[Any]:
    """Takes a PROV-JSON document in, all of it or none; the same one again changes nothing. Needs a curator."""
    by, asker, at = doing(request)
    try:
        told = json.loads(request.body)
        taken = documents.take_in(document=told, asker=asker, by=by, channel=Channel.API, at=at)
    except RequestDataTooBig:
        return Status(422, Problem(detail=TOO_LARGE))
    except Refused as refused:
        return Status(422, Problem(detail=f"{refused.field}: {refused}" if refused.field else str(refused)))
    except (ValueError, RecursionError) as refused:
        return Status(422, Problem(detail=f"This is no JSON: {refused}."[:300]))
    except taking_in.PayloadConflict as conflict:
        return Status(409, Problem(detail=str(conflict)))
    answer = GraphTakenOut(
        entities=taken.entities, edges=taken.edges, left_out=dict(taken.left_out), is_known=taken.is_known
    )
    return Status(200 if taken.is_known else 201, answer)
