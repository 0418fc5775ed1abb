"""Several writers of the graph at one moment: nothing is written twice, nothing that falls is missed."""

import threading
from functools import partial

import pytest
from django.db import connection, transaction

from lineage.core.asking import Asker
from lineage.core.causes import CauseKind
from lineage.ingest import taking_in
from lineage.models import Edge, Entity, Event
from lineage.services import impact
from lineage.services.impact import What
from tests import factories as make
from tests.clock import NOW
from tests.core.test_lineage_events import PARSED
from tests.graphs import graph
from tests.unit.sources.disturbance import together

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_event_sent_twenty_times_at_once_is_one_row() -> None:
    sender = make.MembershipFactory(role="curator")
    asker = Asker(sender.workspace_id, level=3, user_id=sender.user_id)
    send = partial(taking_in.take_in, payload=PARSED, asker=asker, by=sender.user, at=NOW)
    outcomes = together(*[send] * 20)
    assert not [one for one in outcomes if isinstance(one, Exception)]
    told = [one.status for one in outcomes if isinstance(one, taking_in.Outcome)]
    assert sorted(told) == ["accepted", *["duplicate"] * 19]
    assert (Event.objects.count(), Edge.objects.count(), Entity.objects.count()) == (1, 1, 2)


@pytest.mark.parametrize("is_deep", [False, True])
def test_an_edge_that_is_written_during_a_retraction_falls_too(is_deep: bool) -> None:
    workspace = make.WorkspaceFactory()
    nodes = graph(workspace, "chunk:c CHUNKED_FROM source:s")
    written, retracting = threading.Event(), threading.Event()

    def write() -> None:
        with transaction.atomic():
            graph(workspace, "claim:k SUPPORTED_BY chunk:c" if is_deep else "claim:k SUPPORTED_BY source:s")
            written.set()
            # The retraction is under way now: on PostgreSQL it has walked, and waits for the row that we rest on.
            retracting.wait(5)
            if connection.vendor == "postgresql":
                threading.Event().wait(0.15)

    def retract() -> None:
        written.wait(5)
        retracting.set()
        what = What(CauseKind.RETRACTION, "Retracted.", entity=nodes["s"])
        impact.propagate(workspace_id=workspace.pk, what=what, by=None, at=NOW)

    assert together(write, retract) == [None, None]
    assert Entity.objects.get(logical_id="k").state == "stale"
