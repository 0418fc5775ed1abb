"""Whose an event is: one that names another workspace is not taken in, and leaves a line in its sender's History."""

from collections.abc import Mapping
from datetime import datetime

from lineage.access import NoSuchEntity
from lineage.core.asking import Asker
from provenance_site.accounts.models import User, Workspace
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel

REFUSED_KIND = "lineage.refused-event"


class NotHere(NoSuchEntity):
    """The event names another workspace; answered like one that does not exist."""


def check_tenants(
    *, event_id: str, tenants: Mapping[str, str], asker: Asker, by: User, channel: Channel, at: datetime
) -> None:
    """Raises `NotHere` where one of `tenants` (by the field that names it) is not the sender's own workspace.

    Nobody looks whether there is such a workspace, so one that exists costs what one that does not costs. The first
    time that an event is refused so, a deed is written in the sender's workspace, with the event's id and the field and
    nothing of what the field said. Call it outside the transaction that takes the event in, or the deed goes with it.
    """
    if not tenants:
        return
    own = str(Workspace.objects.values_list("uuid", flat=True).get(pk=asker.workspace_id))
    field = next((field for field, tenant in tenants.items() if tenant != own), None)
    if field is None:
        return
    changes.record_once(
        workspace_id=asker.workspace_id,
        kind=REFUSED_KIND,
        key=event_id,
        actor=by,
        channel=channel,
        note=f"{event_id}: {field} names another workspace; nothing of it was taken in",
        at=at,
    )
    raise NotHere
