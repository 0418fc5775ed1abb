"""Events from outside over JSON: one, a batch, or a line each (NDJSON). Each event is whole or not at all."""

import json
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from ninja import Router, Schema, Status

from lineage.api.asking import TOO_LARGE, Doing, doing
from lineage.core.events import Refused
from lineage.ingest import taking_in
from lineage.ingest.reception import receive
from lineage.ingest.tenancy import NotHere
from provenance_site.accounts.token_requests import Problem
from provenance_site.changes.models import Channel

router = Router(tags=["lineage"])

MOST_EVENTS = 1_000


class NotJson(ValueError):
    """A body, or a line of one, is no JSON; the message says which, and where."""


class EventOut(Schema):
    """What came of an event: `accepted`, `duplicate`, `conflict` or `refused`; `placeholders` are refs that nobody has
    told of yet, `left_out` counts what is of types that the workspace does not capture."""

    status: str
    event_id: str = ""
    placeholders: list[str] = []
    left_out: int = 0
    code: str = ""
    field: str = ""
    detail: str = ""


class EventsOut(Schema):
    """What came of each event of a batch, in its order."""

    accepted: int
    duplicates: int
    refused: int
    events: list[EventOut]


@router.post(
    "/lineage/events",
    response={200: EventOut | EventsOut, 202: EventOut, 403: Problem, 404: Problem, 409: EventOut, 422: EventOut},
    summary="Take lineage events in",
)
def post_events(request: HttpRequest) -> Status[EventOut] | Status[EventsOut]:
    """Takes lineage events in: one JSON object, a list of them, `{"events": […]}`, or NDJSON (a line each).

    One event is answered with 202, 200 for a duplicate, 409 where its id is known with another payload, 422 with code
    and field where it is refused. A batch is answered with 200 and one line an event. OpenLineage RunEvents are read
    too. Needs a curator.
    """
    doer = doing(request)
    try:
        told = list(_told(request.body, request.content_type or ""))
    except RequestDataTooBig:
        return Status(422, EventOut(status="refused", code="too_large", detail=TOO_LARGE))
    except NotJson as refused:
        return Status(422, EventOut(status="refused", code="not_json", detail=str(refused)[:300]))
    if isinstance(told[0] if len(told) == 1 else None, dict) and not _is_batch(told[0]):
        return _one(told[0], doer)
    events = _unpacked(told)
    if len(events) > MOST_EVENTS:
        detail = f"Send at most {MOST_EVENTS:,} events at once."
        return Status(422, EventOut(status="refused", code="too_many", detail=detail))
    results = [_one(event, doer).value for event in events]
    counts = [result.status for result in results]
    return Status(
        200,
        EventsOut(
            accepted=counts.count("accepted"),
            duplicates=counts.count("duplicate"),
            refused=len(counts) - counts.count("accepted") - counts.count("duplicate"),
            events=results,
        ),
    )


def _one(event: Any, doer: Doing) -> Status[EventOut]:
    try:
        outcome = receive(payload=event, asker=doer.asker, by=doer.by, channel=Channel.API, at=doer.at)
    except Refused as refused:
        told = EventOut(status="refused", code=refused.code, field=refused.field, detail=str(refused))
        return Status(422, told)
    except taking_in.PayloadConflict as conflict:
        return Status(409, EventOut(status="conflict", code="payload_conflict", detail=str(conflict)))
    except NotHere:
        return Status(404, EventOut(status="refused", code="not_found", detail="Not Found"))
    told = EventOut(
        status=outcome.status.value,
        event_id=outcome.event_id,
        placeholders=list(outcome.placeholders),
        left_out=outcome.left_out,
    )
    return Status(202 if outcome.status is taking_in.Status.ACCEPTED else 200, told)


def _told(body: bytes, content_type: str) -> Iterator[Any]:
    """The JSON values of a body: one, or one a line. Raises `NotJson` with the line."""
    if "ndjson" not in content_type and "jsonl" not in content_type:
        yield _json(body, "This")
        return
    lines = [(number, line) for number, line in enumerate(body.splitlines(), start=1) if line.strip()]
    if not lines:
        raise NotJson("There is no line: send an event a line.")
    for number, line in lines:
        yield _json(line, f"Line {number:,}")


def _json(text: bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as refused:
        raise NotJson(f"{where} is no JSON: {refused}.") from None


def _is_batch(told: dict[str, Any]) -> bool:
    return isinstance(told.get("events"), list)


def _unpacked(told: list[Any]) -> list[Any]:
    if len(told) == 1 and isinstance(told[0], list):
        return told[0]
    if len(told) == 1 and isinstance(told[0], dict) and _is_batch(told[0]):
        return list(told[0]["events"])
    return told
