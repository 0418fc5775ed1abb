"""Where a node is named or quoted outside of itself: events as they came and as they were told on, edges that wait."""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from lineage.core import keys
from lineage.core.event_reading import read
from lineage.core.events import Refused
from lineage.core.open_lineage import is_run_event, read_run_event
from lineage.core.refs import BadRef
from lineage.core.refs import read as read_ref
from lineage.models import Edge, Event, HeldEdge, OutboxEvent
from lineage.queries.key_sets import among
from provenance_site.kit.rows import in_parts, update_rows

# Where an event has the text of its claim.
TEXT = "claim_text"
# So many refs are looked for in one pass over the payloads.
_AT_ONCE = 50


def erase(*, workspace_id: int, refs: Sequence[str]) -> int:
    """Empties the payloads of events that name one of these refs, removes held edges at one, and takes the source that
    evidence was told to be of (`source_ref`) out of edges; gives how many."""
    found = empty(workspace_id=workspace_id, refs=refs)
    for part in in_parts(sorted({ref for ref in refs if ref})):
        ends = [keys.ref_key(ref) for ref in part]
        at_one = HeldEdge.objects.filter(Q(from_key__in=ends) | Q(to_key__in=ends), workspace_id=workspace_id)
        found += at_one.delete()[0]
        edges = list(Edge.objects.filter(workspace_id=workspace_id, metadata__source_ref__in=part))
        for edge in edges:
            edge.metadata = {name: value for name, value in edge.metadata.items() if name != "source_ref"}
        update_rows(edges, ["metadata"])
        found += len(edges)
    return found


def forget_texts(*, workspace_id: int, before: datetime | None = None) -> int:
    """Takes the texts of claims out of events that were kept, of all or of those received before a moment; gives out of
    how many. Their ids and digests stay."""
    rows = Event.objects.filter(workspace_id=workspace_id, payload__has_key=TEXT).only("payload").order_by("pk")
    if before is not None:
        rows = rows.filter(received_at__lt=before)
    found = 0
    for part in in_parts(rows.iterator(chunk_size=500)):
        for row in part:
            row.payload = {name: value for name, value in row.payload.items() if name != TEXT}
        update_rows(part, ["payload"])
        found += len(part)
    return found


def empty(*, workspace_id: int, refs: Sequence[str]) -> int:
    """Empties the payloads of events that name one of these refs, in whichever form their sender wrote it; gives how
    many.

    The id and digest of an event stay, so that the same event is still known. Reads every payload of the workspace once
    for each 50 refs: erasing is rare, and an index over payloads would be paid by every event.
    """
    found = 0
    for part in in_parts(sorted({ref for ref in refs if ref}), _AT_ONCE):
        # Databases write letters beyond ASCII into JSON as they are or escaped.
        words = {
            json.dumps(_word_of(ref), ensure_ascii=is_escaped)[1:-1] for ref in part for is_escaped in (True, False)
        }
        written = reduce(or_, (Q(told__contains=word) for word in sorted(words)))
        for model in (Event, OutboxEvent):
            rows = model._default_manager.filter(workspace_id=workspace_id)
            likely = rows.annotate(told=Cast("payload", TextField())).filter(written).values_list("pk", "payload")
            naming = [pk for pk, payload in likely.iterator(chunk_size=500) if _names(payload, frozenset(part))]
            found += model._default_manager.filter(pk__in=among(naming)).update(payload={})
    return found


def _word_of(ref: str) -> str:
    """What stands in every way to write a ref: the last part of its path that is no version."""
    try:
        path = read_ref(ref, lenient=True).path
    except BadRef:
        path = ref.partition("://")[2].partition("/")[0]
    return path.rpartition("/")[2]


def _names(payload: dict[str, Any], refs: frozenset[str]) -> bool:
    """Whether an event names one of the refs; where it cannot be read any more, whether one stands in it."""
    try:
        told = read_run_event(payload) if is_run_event(payload) else read(payload, lenient=True)
    except Refused:
        text = json.dumps(payload)
        return any(json.dumps(ref) in text for ref in refs)
    return told is not None and any(str(entity.ref) in refs for entity in told.entities)
