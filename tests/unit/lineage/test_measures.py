"""What is measured of the lineage, and the list behind each figure."""

from datetime import timedelta

import pytest
from django.test import Client

from lineage.core.asking import Asker, system
from lineage.core.causes import CauseKind
from lineage.core.measures import Measure
from lineage.models import Entity, Impact
from lineage.queries import graph_rows, measures
from lineage.queries.walks import Direction
from lineage.reports.interchange import FORMATS
from lineage.services import deletion, impact
from lineage.services.impact import What
from provenance_site.accounts.models import Workspace
from tests import factories as make
from tests.clock import NOW
from tests.graphs import graph

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace() -> Workspace:
    return make.WorkspaceFactory()


def told(workspace: Workspace, level: int = 3) -> dict[Measure, tuple[int, int]]:
    return {one.measure: (one.part, one.whole) for one in measures.figures(asker=Asker(workspace.pk, level))}


def names(measure: Measure, workspace: Workspace) -> list[str]:
    return [one.logical_id for one in measures.behind(measure=measure, asker=system(workspace.pk))]


def test_every_figure_counts_what_its_definition_says(workspace: Workspace) -> None:
    nodes = graph(
        workspace,
        "claim:k SUPPORTED_BY chunk:c",
        "c CHUNKED_FROM artifact:a",
        "report:r CONTAINS k",
        "report:old CONTAINS claim:bare",
    )
    make.EntityFactory(workspace=workspace, type="answer", logical_id="alone")
    Entity.objects.filter(logical_id="a").update(is_placeholder=True)
    Entity.objects.filter(logical_id="c").update(version="", pin="unresolved")
    Entity.objects.filter(logical_id__in=["r", "alone"]).update(released_at=NOW)
    what = What(CauseKind.RETRACTION, "Retracted.", entity=nodes["c"])
    impact.propagate(workspace_id=workspace.pk, what=what, by=None, at=NOW)
    Impact.objects.filter(entity=nodes["k"]).update(reported_at=NOW + timedelta(hours=2))
    assert told(workspace) == {
        Measure.COVERAGE: (3, 5),
        Measure.RESOLVABILITY: (6, 7),
        Measure.CLAIM_EVIDENCE: (1, 2),
        Measure.ORPHANS: (1, 6),
        Measure.DANGLING: (1, 4),
        Measure.PINNING: (3, 4),
        Measure.TIME_TO_IMPACT: (1, 2),
        Measure.REPLAY: (0, 3),
        Measure.UNEXPLAINED: (1, 2),
        Measure.STALE_OUTPUTS: (1, 2),
    }
    assert names(Measure.COVERAGE, workspace) == ["bare", "alone"]
    assert names(Measure.RESOLVABILITY, workspace) == ["a"]
    assert names(Measure.PINNING, workspace) == ["k"]
    assert names(Measure.TIME_TO_IMPACT, workspace) == ["r"]
    assert names(Measure.STALE_OUTPUTS, workspace) == ["r"]
    wait = next(one for one in measures.figures(asker=system(workspace.pk)) if one.seconds is not None)
    assert wait.seconds == 7200


def test_an_erased_output_is_measured_and_not_planned(workspace: Workspace) -> None:
    nodes = graph(workspace, "report:r CONTAINS claim:k")
    deletion.erase(entity_ids=[nodes["r"].pk], why="Asked for.", by=None, at=NOW)
    assert (told(workspace)[Measure.COVERAGE], told(workspace)[Measure.REPLAY]) == ((1, 2), (0, 0))


def test_what_only_hidden_nodes_name_is_not_listed_as_named(workspace: Workspace) -> None:
    graph(workspace, "claim:k SUPPORTED_BY chunk:c", "report:r DERIVED_FROM chunk:d", labels={"r": "restricted"})
    Entity.objects.filter(logical_id__in=["c", "d"]).update(is_placeholder=True)
    for level, listed in ((1, ["c"]), (3, ["c", "d"])):
        rows = measures.behind(measure=Measure.RESOLVABILITY, asker=Asker(workspace.pk, level))
        assert [one.logical_id for one in rows] == listed


def test_nothing_to_measure_is_said_and_not_divided_by(workspace: Workspace) -> None:
    assert all(one.share is None for one in measures.figures(asker=system(workspace.pk)))


def test_figures_are_those_of_a_world_without_what_is_hidden() -> None:
    worlds = []
    for is_hidden_there in (True, False):
        workspace = make.WorkspaceFactory()
        graph(workspace, "claim:k SUPPORTED_BY chunk:c", "report:r CONTAINS k")
        if is_hidden_there:
            hidden = {"x": "restricted", "y": "restricted"}
            graph(workspace, "claim:x SUPPORTED_BY chunk:c", "report:y CONTAINS x", labels=hidden)
            make.EntityFactory(workspace=workspace, type="report", level=3)
        worlds.append(told(workspace, level=1))
    assert worlds[0] == worlds[1]


def test_lists_are_those_of_a_world_without_what_is_hidden() -> None:
    """What only hidden nodes touch is an orphan, what rests on hidden ones alone (it was declassified) on nothing."""
    seen = ("claim:k SUPPORTED_BY chunk:c", "report:r CONTAINS claim:k", "report:old CONTAINS claim:bare")
    hidden = ("claim:x SUPPORTED_BY artifact:lone", "claim:bare SUPPORTED_BY chunk:y", "claim:z DERIVED_FROM chunk:c")
    worlds = []
    for edges in (seen, (*seen, *hidden)):
        workspace = make.WorkspaceFactory()
        make.EntityFactory(workspace=workspace, type="artifact", ref="artifact://lone/v1", logical_id="lone")
        graph(workspace, *edges, labels=dict.fromkeys("xyz", "restricted"))
        Entity.objects.filter(logical_id__in=["bare", "old"]).update(level=1, released_at=NOW)
        Entity.objects.filter(logical_id__in=["y", "z"]).update(is_placeholder=True)
        Entity.objects.filter(logical_id="y").update(version="", pin="unresolved")
        asker = Asker(workspace.pk, 1)
        rows = {one: measures.behind(measure=one, asker=asker) for one in Measure}
        worlds.append((told(workspace, 1), {one: sorted(node.ref for node in found) for one, found in rows.items()}))
    assert worlds[0] == worlds[1]
    assert worlds[0][1][Measure.ORPHANS] == ["artifact://lone/v1"]
    assert "claim://bare/v1" in worlds[0][1][Measure.CLAIM_EVIDENCE]


@pytest.mark.parametrize(
    ("waited", "words"),
    [
        (timedelta(seconds=41), "41 seconds"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(days=2, hours=12), "2.5 days"),
    ],
)
def test_how_long_it_took_to_tell_people_is_said_in_words(
    client: Client, workspace: Workspace, waited: timedelta, words: str
) -> None:
    nodes = graph(workspace, "claim:k SUPPORTED_BY chunk:c")
    what = What(CauseKind.RETRACTION, "Retracted.", entity=nodes["c"])
    impact.propagate(workspace_id=workspace.pk, what=what, by=None, at=NOW)
    Impact.objects.update(reported_at=NOW + waited)
    client.force_login(make.MembershipFactory(workspace=workspace).user)
    assert words in client.get("/lineage/measures/").content.decode()


def test_the_dashboard_and_its_lists_are_read(client: Client, workspace: Workspace) -> None:
    graph(workspace, "report:r CONTAINS claim:bare")
    client.force_login(make.MembershipFactory(workspace=workspace).user)
    assert "Claims with evidence" in client.get("/lineage/measures/").content.decode()
    for measure in Measure:
        assert client.get(f"/lineage/measures/behind/?measure={measure}").status_code == 200
    assert "claim://bare/v1" in client.get("/lineage/measures/behind/?measure=claim-evidence").content.decode()
    assert client.get("/lineage/measures/behind/?measure=beauty").status_code == 404


def test_files_hold_what_the_asker_may_see() -> None:
    texts = []
    for is_hidden_there in (True, False):
        workspace = make.WorkspaceFactory(uuid="0198f3f0-0000-7000-8000-00000000000" + str(int(is_hidden_there)))
        nodes = graph(workspace, "claim:k SUPPORTED_BY chunk:c", "report:r CONTAINS k")
        if is_hidden_there:
            graph(workspace, "claim:x SUPPORTED_BY chunk:c", "report:y CONTAINS x", labels={"x": "restricted"})
        whole = graph_rows.around(ref=nodes["c"].ref, directions=tuple(Direction), asker=Asker(workspace.pk, 1))
        text = {name: "".join(form.write(whole)) for name, form in FORMATS.items()}
        texts.append({name: one.replace(str(workspace.uuid), "") for name, one in text.items()})
    assert texts[0]["prov-json"] == texts[1]["prov-json"]
    assert texts[0]["graphml"] == texts[1]["graphml"]
    assert "claim://x" not in str(texts[0])
