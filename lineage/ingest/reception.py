"""The one door for what comes from outside, in whichever form: ours, or OpenLineage's."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lineage.core import open_lineage
from lineage.core.asking import Asker
from lineage.core.events import Refused
from lineage.ingest import taking_in
from lineage.ingest.taking_in import Outcome, Status
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role


def receive(*, payload: object, asker: Asker, by: User, at: datetime) -> Outcome:
    """Takes one event in; raises as `taking_in.take_in`. A RunEvent that tells of no output is accepted and changes
    nothing."""
    if not isinstance(payload, Mapping):
        raise Refused("not_an_event", "An event is a JSON object.")
    if not open_lineage.is_run_event(payload):
        return taking_in.take_in(payload=payload, asker=asker, by=by, at=at)
    check_role(by, asker.workspace_id, Role.CURATOR)
    event = open_lineage.read_run_event(payload)
    if event is None:
        run: Mapping[str, Any] = payload["run"]
        return Outcome(Status.ACCEPTED, f"openlineage:{run.get('runId', '')}")
    return taking_in.tell(event=event, payload=payload, asker=asker, at=at, format="openlineage")
