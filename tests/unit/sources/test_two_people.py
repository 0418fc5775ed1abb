"""Two people who want the same at one moment, or undo what another edits then: one thing comes of it, and no fault."""

import threading
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection

from lineage.models import Entity
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.entries import Relationship
from sources.core.export_formats import ExportFormat
from sources.models import ExportOrder, LongDeed, Observation, ObservationSource
from sources.services import export_orders, long_deeds, observation_links, observations, removal
from sources.services.export_writing import Wanted
from sources.services.observations import Said
from sources.services.reconciling import reconcile_workspace
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ProjectFactory
from tests.unit.sources.disturbance import one_in_the_other, together
from tests.unit.sources.test_observations import known, written

pytestmark = pytest.mark.django_db(transaction=True)
LATER = NOW + timedelta(hours=1)
_DEED: dict[str, Any] = {"channel": Channel.PAGE, "at": LATER}


def test_the_same_file_that_is_wanted_twice_at_once_is_one_order(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    wanted = Wanted(workspace_id=desk.workspace.pk, project=project, format=ExportFormat.CSV)
    order = partial(export_orders.place, wanted=wanted, by=desk.person(), at=LATER)
    first, second = together(order, order, meet_before="INSERT")
    assert first == second == ExportOrder.objects.get()


def test_a_look_for_duplicates_that_is_wanted_twice_at_once_is_one(desk: Desk) -> None:
    known(desk)
    look = partial(long_deeds.begin_look, workspace_id=desk.workspace.pk, by=desk.person(), at=LATER)
    done = together(look, look, meet_before="INSERT")
    assert sorted(type(one).__name__ for one in done) == ["InTheWorks", "LongDeed"]
    assert LongDeed.objects.count() == 1


def test_an_observation_that_two_people_delete_at_once_is_deleted_once(desk: Desk) -> None:
    row = written(desk)

    def delete() -> None:
        mine = Observation.objects.select_related("project").get(pk=row.pk)
        observations.delete(observation=mine, by=desk.person(), **_DEED)

    done = together(delete, delete, meet_before="DELETE")
    assert sorted(type(one).__name__ for one in done) == ["Http404", "NoneType"]
    assert ChangeSet.objects.filter(kind=observations.DELETE_KIND).count() == 1


def test_a_link_is_taken_back_while_its_observation_is_edited(desk: Desk) -> None:
    source, row = known(desk), written(desk)
    observation_links.link(observation=row, source=source, relationship=Relationship.CITED, by=desk.person(), **_DEED)
    linking = ChangeSet.objects.get(kind=observation_links.LINK_KIND)
    edit = partial(observations.edit, observation=row, said=Said("The pier rose."), by=desk.person(), **_DEED)
    undo = partial(changes.undo, change_set=linking, by=desk.person(), at=LATER)
    done = one_in_the_other(edit, undo)
    assert not [one for one in done if isinstance(one, Exception)], done
    row.refresh_from_db()
    assert (row.body, ObservationSource.objects.count()) == ("The pier rose.", 0)
    versions = Entity.objects.filter(type="claim").order_by("pk").values_list("version", "state")
    assert list(versions) == [("v1", "superseded"), ("v2", "superseded"), ("v3", "current")]


@pytest.mark.postgres  # On SQLite a look that may mend has the one writer's place.
def test_what_is_removed_while_the_graph_is_looked_at_stays_removed(desk: Desk) -> None:
    source = known(desk)
    removing = threading.Thread(
        target=lambda: (removal.remove(source=source, by=desk.person(Role.ADMIN), **_DEED), connection.close())
    )

    def disturb(execute: Any, sql: str, *more: Any) -> Any:
        # Between the look at the registry and the look at the graph.
        if 'FROM "lineage_entity"' in sql and removing.ident is None:
            removing.start()
            removing.join(5)
        return execute(sql, *more)

    with connection.execute_wrapper(disturb):
        reconcile_workspace(workspace_id=desk.workspace.pk, at=LATER)
    assert removing.ident is not None
    assert Entity.objects.get(type="source").state == "tombstoned"
