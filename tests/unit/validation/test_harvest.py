"""Harvests from an outline to the corpus, by the worker's own door, over real sockets."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import RestrictedError

from lineage.models import Edge, Entity
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.jobs import services as jobs
from provenance_site.jobs.models import JobItem
from sources.core.identifiers import identify
from sources.core.kinds import DecisionKind
from sources.core.outline import Part
from sources.models import CatalogEntry, CorpusEntry, Project, Source
from sources.queries import corpora
from sources.services import corpora as kept_corpora
from sources.services import outlines, projects, registry
from sources.services.registry import NewSource
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ProviderKeyFactory
from tests.unit.validation import harvest_site
from tests.unit.validation.harvest_site import DOI, HOST, HarvestSite
from validation import dispatch, tasks
from validation.core.harvest_states import CallState, CandidateState, HarvestState
from validation.core.harvest_tools import Tool
from validation.models import HarvestRun, LookupCache
from validation.services import harvest_choosing, harvest_plans, harvest_runs, harvest_searching, harvest_work
from validation.services.harvest_plans import Budget

pytestmark = pytest.mark.django_db
MARKET = Part("Market", ("How large is the market for harbour robots?",), (HOST,), slug="")
HISTORY = Part("History", ("Who built the first harbour robots?",), (HOST,), slug="")
SONAR = Part("Sonar", ("How does sonar work?",), ("science",), slug="")


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def site(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[HarvestSite]:
    monkeypatch.setattr(tasks.work_on_harvests, "apply_async", lambda *_, **__: None)
    yield from harvest_site.opened(settings)


def project_with(desk: Desk, *parts: Part) -> Project:
    project = projects.create(workspace_id=desk.workspace.pk, name="Harbour Robotics", by=desk.person(), at=NOW)
    outlines.save(project=project, parts=parts, by=desk.person(), channel=Channel.PAGE, at=NOW)
    return project


def planned(desk: Desk, project: Project, **budget: int) -> HarvestRun:
    return harvest_plans.from_outline(project=project, by=desk.person(), at=now(), budget=Budget(**budget))


def carried_out(desk: Desk, run: HarvestRun) -> HarvestRun:
    dispatch.start_harvest(run=run, by=desk.person(), at=now())
    for _ in range(5):  # as often as its messages would call a worker on a slow machine
        tasks.work_on_harvests()
        run.refresh_from_db()
        if not run.as_state.is_under_way:
            break
    return run


def reject(desk: Desk, url: str) -> None:
    found = registry.register_many(
        workspace_id=desk.workspace.pk, sources=[NewSource(identify(url), "A list of facts")], at=NOW
    )
    (source,) = found.by_key.values()
    Source.objects.filter(pk=source.pk).update(decided=DecisionKind.DROP, disposition="drop")


def states(run: HarvestRun) -> dict[str, str]:
    return {row.url.rpartition("/")[2]: row.state for row in run.candidates.all()}


def test_an_outline_becomes_corpora_of_checked_sources_under_stable_ids(desk: Desk, site: HarvestSite) -> None:
    """Six searches, one of which is down; what is gone is dropped, what was rejected before stays out."""
    project = project_with(desk, MARKET, HISTORY, SONAR)
    reject(desk, site.url("/rejected"))
    site.down = {Tool.FIRECRAWL}
    run = planned(desk, project)
    assert site.asked == []
    assert [(query.section.slug, len(query.tools)) for query in run.queries.all()] == [
        ("market", 4), ("history", 4), ("sonar", 2),
    ]  # fmt: skip

    run = carried_out(desk, run)
    assert run.state == HarvestState.DONE
    assert states(run) == {
        "market": CandidateState.KEPT, "history": CandidateState.KEPT, "provdesk.7": CandidateState.KEPT,
        "gone": CandidateState.DROPPED, "rejected": CandidateState.REJECTED,
    }  # fmt: skip
    gone = run.candidates.get(state=CandidateState.DROPPED)
    assert (gone.verdict, bool(gone.reason)) == ("hard-404", True)
    assert "A person rejected it before" in run.candidates.get(state=CandidateState.REJECTED).reason
    # The domains went to the providers, by their own field.
    sent = [body for tool, body in site.asked if tool is Tool.TAVILY]
    assert [body["include_domains"] for body in sent] == [[HOST], [HOST]]
    # One search that fails holds up none, and nothing that a model typed was fetched.
    assert set(run.calls.filter(state=CallState.FAILED).values_list("tool", flat=True)) == {"firecrawl"}
    assert site.fetched["/market"] == site.fetched["/history"] == 1
    assert "/invented" not in site.fetched
    assert "/rejected" not in site.fetched
    # What two sections found is one source with one id, in both corpora.
    ids = {entry.stable_id: entry.source.request_url for entry in CatalogEntry.objects.select_related("source")}
    assert set(ids.values()) == {site.url("/market"), site.url("/history"), f"https://doi.org/{DOI}"}
    entries = CorpusEntry.objects.select_related("entry__source", "section")
    kept = {(row.section.slug, row.entry.source.request_url) for row in entries}
    both = {(slug, site.url(page)) for slug in ("market", "history") for page in ("/market", "/history")}
    assert kept == both | {("sonar", f"https://doi.org/{DOI}")}
    for item in corpora.corpus_of(project=project, at=now()):
        assert item.id in ids
        assert item.excerpt.startswith(("The harbour office", "Harbour", "A short", "Sonar"))
        assert item.summary
        assert item.verdict == "verified-accessible"


def test_what_is_known_by_another_title_is_not_verified_by_the_title_that_the_search_shows(
    desk: Desk, site: HarvestSite
) -> None:
    known = NewSource(identify(site.url("/market")), "Container traffic in the southern ports, 1990 to 2020")
    registry.register_many(workspace_id=desk.workspace.pk, sources=[known], at=NOW)
    run = carried_out(desk, planned(desk, project_with(desk, MARKET)))
    assert (states(run)["market"], states(run)["history"]) == (CandidateState.DROPPED, CandidateState.KEPT)
    assert "title" in run.candidates.get(url=site.url("/market")).reason


def test_query_tool_rank_and_score_stand_in_lineage_under_the_run(desk: Desk, site: HarvestSite) -> None:
    run = carried_out(desk, planned(desk, project_with(desk, MARKET, SONAR)))
    edges = Edge.objects.filter(relation="RETRIEVED_FROM", run_id=run.run_id).select_related("from_entity", "to_entity")
    told = {(edge.from_entity.metadata["tool"], edge.from_entity.metadata["score"]) for edge in edges}
    assert ("crossref", 31.5) in told
    for edge in edges:
        assert edge.from_entity.type == "retrieval-hit"
        assert edge.to_entity.type == "source-version"
        assert edge.from_entity.metadata["query"]
        assert edge.from_entity.metadata["rank"] in {1, 2}
    assert Entity.objects.filter(type="retrieval-hit").count() == 4


def test_a_harvest_again_asks_nobody_costs_nothing_and_gives_the_same_ids(desk: Desk, site: HarvestSite) -> None:
    project = project_with(desk, MARKET, SONAR)
    first = carried_out(desk, planned(desk, project))
    ids = {row.url: row.stable_id for row in first.candidates.all()}
    asked = len(site.asked)
    assert first.calls_spent == asked == 6
    again = carried_out(desk, planned(desk, project))
    assert len(site.asked) == asked
    assert again.calls_spent == 0
    assert set(again.calls.values_list("state", flat=True)) == {CallState.KEPT}
    assert {row.url: row.stable_id for row in again.candidates.all()} == ids
    assert CorpusEntry.objects.filter(section__slug="market").count() == 3


def test_budgets_end_a_harvest_and_say_what_was_left_out(desk: Desk, site: HarvestSite) -> None:
    run = carried_out(desk, planned(desk, project_with(desk, MARKET, HISTORY), calls=2, candidates=1))
    assert run.calls_spent == len(site.asked) == 2
    assert run.candidates_spent == len(site.fetched.keys() & harvest_site.TITLES.keys()) == 1
    unasked = run.calls.filter(state=CallState.UNASKED)
    assert {call.reason for call in unasked} == {"The budget of calls was spent before it."}
    assert unasked.count() == 6
    left = run.candidates.filter(state=CandidateState.LEFT_OUT)
    assert left.exists()
    assert "budget of 1 candidates" in left[0].reason

    resumed = harvest_runs.resume(run=run, by=desk.person(), at=now(), budget=Budget(calls=50, candidates=50))
    tasks.work_on_harvests()
    resumed.refresh_from_db()
    assert resumed.state == HarvestState.DONE
    assert not resumed.calls.filter(state=CallState.UNASKED).exists()
    assert not resumed.candidates.filter(state=CandidateState.LEFT_OUT).exists()
    assert resumed.calls_spent == len(site.asked) == 8


def test_a_killed_worker_s_calls_are_not_made_a_second_time(desk: Desk, site: HarvestSite) -> None:
    """It died after the answers came and before they were written: nobody can tell whether they were charged."""
    run = planned(desk, project_with(desk, MARKET))
    dispatch.start_harvest(run=run, by=desk.person(), at=now())
    run.refresh_from_db()

    class KilledError(BaseException):
        """The end of a process."""

    def dies() -> Any:
        raise KilledError

    with pytest.raises(KilledError):
        harvest_searching.step(clock=now, open_searches=dies)
    assert set(run.calls.values_list("state", flat=True)) == {CallState.ASKING}
    tasks.work_on_harvests()
    run.refresh_from_db()
    assert run.state == HarvestState.SEARCHING

    JobItem.objects.filter(job=run.search_job).update(lease_until=NOW)
    assert harvest_work.is_waiting(at=now())
    tasks.work_on_harvests()
    run.refresh_from_db()
    assert site.asked == []
    assert run.state == HarvestState.DONE
    assert run.calls_spent == 4
    assert {call.reason[:16] for call in run.calls.all()} == {"A worker stopped"}
    # A person may have it asked again; that is paid for again.
    harvest_runs.resume(run=run, by=desk.person(), at=now())
    tasks.work_on_harvests()
    run.refresh_from_db()
    assert run.calls_spent == 8
    assert len(site.asked) == 4


def test_a_killed_worker_s_checks_are_done_by_the_next(desk: Desk, site: HarvestSite) -> None:
    run = planned(desk, project_with(desk, MARKET))
    dispatch.start_harvest(run=run, by=desk.person(), at=now())
    while harvest_searching.step(clock=now):
        pass
    asked = len(site.asked)
    harvest_choosing.advance(at=now())
    jobs.claim(kind="validation.harvest-check", limit=10, at=NOW, lease_s=1)  # a worker that will never write back
    tasks.work_on_harvests()
    run.refresh_from_db()
    assert run.state == HarvestState.DONE
    assert len(site.asked) == asked
    assert run.candidates.filter(state=CandidateState.KEPT).count() == 3


def test_a_stopped_harvest_keeps_what_it_has_and_can_be_taken_up(desk: Desk, site: HarvestSite) -> None:
    run = planned(desk, project_with(desk, MARKET))
    dispatch.start_harvest(run=run, by=desk.person(), at=now())
    while harvest_searching.step(clock=now):
        pass
    harvest_choosing.advance(at=now())
    assert harvest_runs.cancel(run=run, by=desk.person(), at=now())
    tasks.work_on_harvests()
    run.refresh_from_db()
    assert run.state == HarvestState.STOPPED
    assert not site.fetched
    assert not harvest_runs.cancel(run=run, by=desk.person(), at=now())
    asked = len(site.asked)
    dispatch.resume_harvest(run=run, by=desk.person(), at=now(), budget=Budget(calls=4, candidates=50))
    tasks.work_on_harvests()
    run.refresh_from_db()
    assert run.state == HarvestState.DONE
    assert len(site.asked) == asked
    assert run.candidates.filter(state=CandidateState.KEPT).count() == 3


def test_a_search_that_never_answers_is_given_up(desk: Desk, site: HarvestSite) -> None:
    site.down = set(Tool)
    questions = tuple(f"What is fact {place}?" for place in range(8))
    run = carried_out(desk, planned(desk, project_with(desk, Part("Market", questions, (HOST,), slug=""))))
    assert run.state == HarvestState.DONE
    unasked = run.calls.filter(state=CallState.UNASKED)
    assert "never answered" in unasked[0].reason
    assert len({call.tool for call in unasked}) == 4
    assert run.calls_spent < 32


def test_an_analysts_list_is_checked_without_any_search(desk: Desk, site: HarvestSite) -> None:
    listed = "\n".join(
        [
            "---", "mode: codified", "deal: Harbour Robotics", "sources:",
            f"  - url: {site.url('/market')}", "    title: Harbour robots find their market in the north",
            "    sections: [Market, History]", f"  - url: {site.url('/gone')}", "    sections: [Market]", "---",
            "Rejected:", "", f"- `{site.url('/rejected')}` — an advertisement", "",
        ]
    )  # fmt: skip
    project = projects.create(workspace_id=desk.workspace.pk, name="Harbour Robotics", by=desk.person(), at=NOW)
    run = harvest_plans.from_list(
        project=project, data=listed.encode(), by=desk.person(), channel=Channel.PAGE, at=now()
    )
    run = carried_out(desk, run)
    assert site.asked == []
    assert states(run) == {"market": CandidateState.KEPT, "gone": "dropped", "rejected": CandidateState.REJECTED}
    assert run.candidates.get(url=site.url("/rejected")).reason == "The list rejects it: an advertisement"
    assert {row.section.title for row in CorpusEntry.objects.select_related("section")} == {"Market", "History"}
    with pytest.raises(harvest_plans.PlanRefused, match="mode: search"):
        harvest_plans.from_list(
            project=project,
            data=listed.replace("codified", "search").encode(),
            by=desk.person(),
            channel=Channel.PAGE,
            at=now(),
        )


def test_a_workspace_s_own_account_is_asked_and_what_it_was_told_is_kept_for_it_alone(
    desk: Desk, other_desk: Desk, site: HarvestSite, settings: Any
) -> None:
    settings.SEARXNG_URL = settings.PERPLEXITY_KEY = settings.FIRECRAWL_KEY = settings.TAVILY_KEY = ""
    settings.SCHOLARLY, settings.SAMPLE_HOSTS = False, (HOST,)
    ProviderKeyFactory(workspace=desk.workspace, secret="own-key-of-the-desk")
    ProviderKeyFactory(workspace=other_desk.workspace, secret="their-key-of-the-desk")
    for one in (desk, other_desk, desk):
        project = Project.objects.filter(workspace=one.workspace).first() or project_with(one, MARKET)
        run = planned(one, project)
        run.queries.update(tools=["tavily"])
        assert carried_out(one, run).state == HarvestState.DONE
    sent = [asked.headers["authorization"] for asked in site.server.requests if asked.target == "/tavily/search"]
    assert sent == ["Bearer own-key-of-the-desk", "Bearer their-key-of-the-desk"]


def test_an_answer_is_asked_for_again_after_a_week(desk: Desk, site: HarvestSite) -> None:
    project = project_with(desk, MARKET)
    first = carried_out(desk, planned(desk, project))
    LookupCache.objects.update(stored_at=now() - timedelta(days=8))
    again = carried_out(desk, planned(desk, project))
    assert again.calls_spent == first.calls_spent == 4
    assert len(site.asked) == 8


def test_a_harvest_is_one_deed_that_is_undone_at_once(desk: Desk, site: HarvestSite) -> None:
    run = carried_out(desk, planned(desk, project_with(desk, MARKET, HISTORY, SONAR)))
    assert CorpusEntry.objects.count() == 7
    deed = ChangeSet.objects.get(kind="corpus.keep")
    assert run.deed == deed
    undone = changes.undo(change_set=deed, by=desk.person(), at=now())
    assert undone.skipped == ()
    assert not CorpusEntry.objects.exists()
    assert not CatalogEntry.objects.exists()


def test_a_deed_that_a_lost_lease_left_empty_is_not_in_the_history(
    desk: Desk, site: HarvestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = kept_corpora.begin_deed

    def begin_and_lose(**given: Any) -> ChangeSet:
        JobItem.objects.filter(job__kind="validation.harvest-check").update(state="done", lease=None, lease_until=None)
        return begun(**given)

    monkeypatch.setattr(kept_corpora, "begin_deed", begin_and_lose)
    run = carried_out(desk, planned(desk, project_with(desk, MARKET)))
    assert (run.state, run.deed) == (HarvestState.DONE, None)
    assert not ChangeSet.objects.filter(kind="corpus.keep").exists()


def test_a_section_that_a_harvest_was_made_for_goes_only_with_its_project(desk: Desk, site: HarvestSite) -> None:
    project = project_with(desk, MARKET)
    run = planned(desk, project)
    with pytest.raises(RestrictedError):
        project.sections.get().delete()
    assert run.queries.exists()
    project.delete()
    assert not HarvestRun.objects.exists()
