"""Sources that were merged are one work: what rests on either falls, and is labelled, with the one that stays."""

import pytest

from lineage.core.relations import EntityState, Label
from lineage.models import Entity
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.identifiers import identify
from sources.models import Source
from sources.services import merging, observation_lineage, registry, retraction_impact, source_lineage
from sources.services.merge_cases import Wanted
from sources.services.reconciling import reconcile_workspace
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ObservationFactory, ObservationSourceFactory

pytestmark = pytest.mark.django_db


def merged(desk: Desk, keep: Source, lose: Source) -> ChangeSet:
    return merging.merge(
        workspace_id=desk.workspace.pk, wanted=[Wanted(keep=keep.pk, lose=(lose.pk,))], carry_retractions=True,
        by=desk.person(), channel=Channel.PAGE, at=NOW,
    )  # fmt: skip


def test_the_nodes_of_a_chain_of_mergers_fall_and_are_labelled_together_until_they_are_parted(desk: Desk) -> None:
    addresses = [f"https://harbour.example/{name}" for name in "abc"]
    new = [registry.NewSource(identity=identify(address), title=address) for address in addresses]
    registry.register_many(workspace_id=desk.workspace.pk, sources=new, at=NOW)
    a, b, c = Source.objects.order_by("title")
    noted = ObservationFactory(project__workspace=desk.workspace)
    ObservationSourceFactory(observation=noted, source=a)
    observation_lineage.write_versions(workspace_id=desk.workspace.pk, observations=[noted], at=NOW)
    merged(desk, b, a)
    last = merged(desk, c, b)
    assert reconcile_workspace(workspace_id=desk.workspace.pk, at=NOW).findings == []
    Source.objects.filter(pk=c.pk).update(retracted=True, retraction_note="Retracted by the journal.")
    for _ in range(2):
        retraction_impact.follow(workspace_id=desk.workspace.pk, source_ids=[c.pk], by=None, at=NOW)
    nodes = Entity.objects.filter(pk__in=[one.entity_id for one in (a, b, c)])
    assert nodes.filter(retracted_at__isnull=False).count() == 3
    assert Entity.objects.get(pk=noted.entity_id).state == EntityState.STALE
    Source.objects.filter(pk=c.pk).update(classification="restricted")
    source_lineage.declare(Source.objects.filter(pk=c.pk))
    assert set(nodes.values_list("level", flat=True)) == {Label.RESTRICTED.level}
    changes.undo(change_set=last, by=desk.person(), at=NOW)
    fallen = nodes.filter(retracted_at__isnull=False)
    assert list(fallen.values_list("pk", flat=True)) == [c.entity_id]
    assert Entity.objects.get(pk=a.entity_id).label is Label.INTERNAL
