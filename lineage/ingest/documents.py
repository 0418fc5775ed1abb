"""Takes PROV-JSON documents in: an event a part, all of them or none."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from lineage.core.asking import Asker
from lineage.core.prov_reading import read_document
from lineage.ingest import taking_in
from lineage.ingest.taking_in import Status
from lineage.ingest.tenancy import check_tenants
from lineage.services.in_turn import wait_for_turn
from provenance_site.accounts.models import User
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of a document: how many nodes and edges it told, how many records of each kind were left out."""

    entities: int
    edges: int
    left_out: Mapping[str, int]
    is_known: bool


def take_in(*, document: object, asker: Asker, by: User, channel: Channel, at: datetime) -> Taken:
    """Takes a PROV-JSON document in. The same document twice changes nothing.

    Raises `Refused` as `prov_reading.read_document`, `PayloadConflict` where the same records were told otherwise under
    the same id, `NotHere` for another workspace's (see `check_tenants`), and like `check_role` below a curator.
    """
    check_role(by, asker.workspace_id, Role.CURATOR)
    found = read_document(document)
    check_tenants(event_id=found.document_id, tenants=found.tenants, asker=asker, by=by, channel=channel, at=at)
    with transaction.atomic():
        # Parts with edges of older nodes come after parts whose rows are held by then.
        wait_for_turn(workspace_id=asker.workspace_id)
        outcomes = [
            taking_in.tell(event=event, payload=payload, asker=asker, at=at, format="prov-json")
            for event, payload in zip(found.events, found.payloads, strict=True)
        ]
    return Taken(
        entities=sum(not entity.is_named_only for event in found.events for entity in event.entities),
        edges=sum(len(event.edges) for event in found.events),
        left_out=found.left_out,
        is_known=bool(outcomes) and all(one.status is Status.DUPLICATE for one in outcomes),
    )
