"""A source that was merged is on no list, in no check and in no export; its address leads to the one that stays."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.core.findings import Verdict
from sources.core.kinds import DecisionKind
from sources.models import Decision, Project, Source
from sources.queries import known
from sources.queries.projects import sources_in, state_of
from sources.services import merging, retractions
from sources.services.merge_cases import Wanted
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, ProjectFactory, SourceFactory
from tests.unit.sources.findings import apply, seen
from validation.queries.own_entries import trial_of_domains, trial_of_pattern
from validation.services import rejudging, retries, runs

pytestmark = pytest.mark.django_db
KEPT, GONE = "Harbour survey", "Survey of the harbour"


@pytest.fixture
def merged(desk: Desk) -> tuple[Project, Source, Source]:
    """A project that cited both, after one was merged into the other; both were checked, and the check failed."""
    project = ProjectFactory(workspace=desk.workspace, name="Memo")
    kept = SourceFactory(workspace=desk.workspace, title=KEPT)
    gone = SourceFactory(workspace=desk.workspace, title=GONE)
    for source in (kept, gone):
        CatalogEntryFactory(project=project, source=source)
        apply(source, Verdict.FETCH_FAILED)
    merging.merge(
        workspace_id=desk.workspace.pk,
        wanted=[Wanted(keep=kept.pk, lose=(gone.pk,))],
        carry_retractions=False,
        by=desk.person(),
        channel=Channel.PAGE,
        at=NOW,
    )
    # A check that was under way when they were merged: it opens a question about what is gone.
    apply(gone, Verdict.THIN, at=NOW + timedelta(minutes=1))
    gone.refresh_from_db()
    return project, kept, gone


@pytest.mark.parametrize(
    "path",
    [
        "/sources/",
        "/sources/?verdict=thin",
        "/sources/?q=survey",
        "/queue/",
        "/",
        "/p/{project}/",
        "/p/{project}/Master-Sources.md",
    ],
)
def test_no_page_shows_what_was_merged(desk: Desk, merged: tuple[Project, Source, Source], path: str) -> None:
    project, _, gone = merged
    page = desk.client(Role.EDITOR).get(path.format(project=project.uuid)).content.decode()
    assert GONE not in page
    assert str(gone.uuid) not in page


def test_the_facets_and_the_numbers_count_what_stands(desk: Desk, merged: tuple[Project, Source, Source]) -> None:
    client = desk.client(Role.EDITOR)
    assert "1 source<" in client.get("/sources/").content.decode()
    assert "1 of 1 open question" in client.get("/queue/").content.decode()
    state = state_of(merged[0])
    assert (state.total, state.open_reviews) == (1, 1)


def test_its_address_leads_on_and_takes_no_decision(desk: Desk, merged: tuple[Project, Source, Source]) -> None:
    _, kept, gone = merged
    client = desk.client(Role.EDITOR)
    assert client.get(f"/s/{gone.uuid}/").headers["Location"] == f"/s/{kept.uuid}/"
    answer = client.post(f"/s/{gone.uuid}/decide/", {"kind": DecisionKind.ACCEPT.value, **seen(gone)})
    assert answer.status_code == 422
    assert "merged into another one" in answer.content.decode()
    assert not Decision.objects.exists()


@pytest.mark.parametrize(
    "listed",
    [
        lambda desk, project: sources_in(project).values_list("pk", flat=True),
        lambda desk, project: runs.start(
            project=project, scope=runs.Scope.EVERYTHING, by=desk.person(), at=NOW
        ).job.items.values_list("subject_id", flat=True),
        lambda desk, project: [
            pk
            for run in retries.start_due(at=NOW + timedelta(days=2))
            for pk in run.job.items.values_list("subject_id", flat=True)
        ],
        lambda desk, project: [one.pk for one in trial_of_domains(desk.workspace, ["harbour.example"]).shown],
        lambda desk, project: [one.pk for one in trial_of_pattern(desk.workspace, "survey").shown],
        lambda desk, project: [
            change.object_id
            for change in retractions.mark(
                workspace_id=desk.workspace.pk,
                source_ids=Source.objects.values_list("pk", flat=True),
                note="Notice",
                by=desk.person(Role.ADMIN),
                channel=Channel.ADMIN,
                at=NOW,
            ).changes.all()
        ],
        lambda desk, project: [
            source.pk
            for source in known.sources_by_key(
                workspace_id=desk.workspace.pk, keys=Source.objects.values_list("canonical_key", flat=True)
            ).values()
        ],
    ],
    ids=["of a project", "a run", "due by itself", "of a publisher", "of a pattern", "marked retracted", "looked up"],
)
def test_no_list_of_the_machine_has_it(
    desk: Desk,
    merged: tuple[Project, Source, Source],
    listed: Callable[[Desk, Project], list[int]],
) -> None:
    project, kept, _ = merged
    assert set(listed(desk, project)) == {kept.pk}


def test_new_rules_do_not_judge_it_again(desk: Desk, merged: tuple[Project, Source, Source]) -> None:
    told = rejudging.rejudge(project=None, every=True, dry_run=True, at=NOW)
    assert told.same + told.kept + told.unread + len(told.differences) == 1
