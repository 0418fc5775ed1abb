"""Where a ref is named outside of its node: events as they came and as they were told on, and edges that wait."""

import json
from collections.abc import Sequence

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from lineage.models import Event, HeldEdge, OutboxEvent


def erase(*, workspace_id: int, refs: Sequence[str]) -> int:
    """Empties the payloads of events that name one of these refs, and removes held edges at one; gives how many.

    The id and digest of an event stay, so that the same event is still known. Reads every payload of the workspace:
    erasing is rare, and an index over payloads would be paid by every event.
    """
    found = 0
    for ref in refs:
        if not ref:
            continue
        # Databases write letters beyond ASCII into JSON as they are or escaped.
        written = Q(told__contains=json.dumps(ref)[1:-1]) | Q(told__contains=json.dumps(ref, ensure_ascii=False)[1:-1])
        for model in (Event, OutboxEvent):
            rows = model._default_manager.filter(workspace_id=workspace_id)
            named = rows.annotate(told=Cast("payload", TextField())).filter(written)
            found += model._default_manager.filter(pk__in=list(named.values_list("pk", flat=True))).update(payload={})
        held = HeldEdge.objects.filter(Q(from_ref=ref) | Q(to_ref=ref), workspace_id=workspace_id)
        found += held.delete()[0]
    return found
