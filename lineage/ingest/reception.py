"""The one door for what comes from outside, in whichever form: ours, or OpenLineage's."""

from collections.abc import Mapping
from datetime import datetime

from lineage.core import open_lineage
from lineage.core.asking import Asker
from lineage.core.event_fields import tenants_of
from lineage.core.events import Refused
from lineage.ingest import taking_in
from lineage.ingest.taking_in import Outcome, Status
from lineage.ingest.tenancy import check_tenants
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel


def receive(*, payload: object, asker: Asker, by: User, channel: Channel, at: datetime) -> Outcome:
    """Takes one event in; raises as `taking_in.take_in`. A RunEvent that tells of no output is accepted and changes
    nothing."""
    if not isinstance(payload, Mapping):
        raise Refused("not_an_event", "An event is a JSON object.")
    if not open_lineage.is_run_event(payload):
        return taking_in.take_in(payload=payload, asker=asker, by=by, channel=channel, at=at)
    check_role(by, asker.workspace_id, Role.CURATOR)
    event = open_lineage.read_run_event(payload)
    event_id = event.event_id if event else f"openlineage:{payload['run']['runId']}"
    # OpenLineage itself names no workspace: namespaces say where a job and its data are, not whose the event is.
    tenants = tenants_of(payload) | dict(event.tenants if event else {})
    check_tenants(event_id=event_id, tenants=tenants, asker=asker, by=by, channel=channel, at=at)
    if event is None:
        return Outcome(Status.ACCEPTED, event_id)
    return taking_in.tell(event=event, payload=payload, asker=asker, at=at, format="openlineage")
