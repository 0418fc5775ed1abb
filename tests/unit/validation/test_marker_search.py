"""A claim is asked as a harvest asks, by the preferences of its section and under a budget; and it always ends."""

import socket
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError

from provenance_site.changes.models import Channel
from sources.core.outline import Part
from sources.models import DraftVersion, Project
from sources.services import outlines
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ProjectFactory
from tests.unit.validation.harvest_site import HOST, HarvestSite, opened
from tests.unit.validation.shipping import draft_of
from validation import tasks
from validation.core.harvest_tools import Tool
from validation.core.source_requests import RequestState
from validation.models import HarvestRequest
from validation.services import harvest_work, marker_resolution, request_asking, request_checking, request_search
from validation.services.validate import utc_now

pytestmark = pytest.mark.django_db
CLAIM = "Harbour robots found their market in the north in 2023."
ASKED = CLAIM.rstrip(".")
OUTLINE = [
    Part("Market", ("How large?",), (HOST, "Harbour Weekly")),
    Part("Sonar", ("How exact?",), ("science",)),
]


@pytest.fixture
def site(settings: Any) -> Iterator[HarvestSite]:
    """All six searches on one server; of them only Tavily and the registries are configured."""
    for one in opened(settings):
        settings.PERPLEXITY_KEY = settings.FIRECRAWL_KEY = settings.SEARXNG_URL = ""
        yield one


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and never answers."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def claimed(desk: Desk, heading: str = "Market", *, parts: list[Part] | None = None) -> DraftVersion:
    project: Project = ProjectFactory(workspace=desk.workspace, name="Memo")
    wanted = OUTLINE if parts is None else parts
    if wanted:
        outlines.save(project=project, parts=wanted, by=desk.person(), channel=Channel.PAGE, at=NOW)
    return draft_of(desk, project, f"# {heading}\n\n{CLAIM} [src-404]\n")


def asked_for(desk: Desk, version: DraftVersion, **budget: int) -> HarvestRequest:
    (request,) = marker_resolution.request_sources(version=version, by=desk.person(), at=NOW)
    if budget:
        HarvestRequest.objects.filter(pk=request.pk).update(**budget)
    request_search.work(clock=utc_now, budget_s=30)
    request.refresh_from_db()
    return request


def calls(request: HarvestRequest) -> list[tuple[str, str, list[str], str]]:
    return [(one["tool"], one["text"], one["domains"], one["state"]) for one in request.asked]


def test_a_claim_is_asked_where_its_section_would_rather_look_then_elsewhere(desk: Desk, site: HarvestSite) -> None:
    request = asked_for(desk, claimed(desk))
    assert [one for one in calls(request) if one[0] != "searxng"] == [
        ("tavily", ASKED, [HOST], "answered"),
        ("tavily", f'{ASKED} "Harbour Weekly"', [], "answered"),
        ("tavily", ASKED, [], "answered"),
        ("crossref", ASKED, [], "answered"),
        ("openalex", ASKED, [], "answered"),
    ]
    assert next(sent for tool, sent in site.asked if tool is Tool.TAVILY)["include_domains"] == [HOST]
    first = request.candidates.get(url=site.url("/market"))
    assert (first.query, first.tool, first.may_be_picked) == (ASKED, "tavily", True)
    assert {one.tool for one in request.candidates.all()} == {"tavily", "crossref"}
    assert request.calls_spent == len(site.asked) + len([one for one in request.asked if one["tool"] == "searxng"])


def test_only_where_the_section_gives_too_little_is_anybody_else_asked(desk: Desk, site: HarvestSite) -> None:
    request = asked_for(desk, claimed(desk, "Sonar"), candidate_budget=1)
    assert [(tool, state) for tool, _, _, state in calls(request)] == [
        ("crossref", "answered"),
        ("openalex", "answered"),
    ]
    assert request.candidates.count() == 1
    assert site.fetched.keys() <= {"/sonar"}


@pytest.mark.parametrize(
    ("heading", "parts", "first"),
    [("Elsewhere", None, [HOST]), ("Market", [], []), ("Market", [Part("Market")], ["gartner.com"])],
    ids=["the whole outline", "no outline", "the kind that the title names"],
)
def test_without_a_named_section_the_outline_decides_and_without_an_outline_nothing(
    desk: Desk, site: HarvestSite, heading: str, parts: list[Part] | None, first: list[str]
) -> None:
    request = asked_for(desk, claimed(desk, heading, parts=parts))
    told = [domains for tool, _, domains, _ in calls(request) if tool == "tavily"]
    assert told[0][:1] == first
    assert [] in told


def test_the_budget_of_calls_is_kept_and_what_it_did_not_reach_is_told(desk: Desk, site: HarvestSite) -> None:
    request = asked_for(desk, claimed(desk), call_budget=2)
    assert (request.calls_spent, request.state) == (2, RequestState.SEARCHED)
    assert len(site.asked) <= 2
    assert {one["state"] for one in request.asked[2:]} == {"unasked"}
    assert any("budget of calls was spent" in one for one in request.told)
    with pytest.raises(IntegrityError, match="harvest_request_makes_no_more_calls"):
        HarvestRequest.objects.update(calls_spent=3)


def test_what_was_answered_costs_nothing_when_it_is_searched_again(desk: Desk, site: HarvestSite) -> None:
    request = asked_for(desk, claimed(desk))
    before = len(site.asked)
    marker_resolution.search_again(request=request, by=desk.person(), at=NOW)
    request_search.work(clock=utc_now, budget_s=30)
    request.refresh_from_db()
    assert len(site.asked) == before
    assert {one["state"] for one in request.asked if one["tool"] != "searxng"} == {"kept"}
    assert request.candidates.filter(tool="tavily").exists()


@pytest.mark.parametrize("how", ["refuses", "is silent", "fails"])
@pytest.mark.parametrize("who", [Tool.CROSSREF, Tool.TAVILY])
def test_a_request_ends_whatever_a_provider_does(
    desk: Desk,
    site: HarvestSite,
    settings: Any,
    silent: str,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
    who: Tool,
) -> None:
    monkeypatch.setattr(request_asking, "_PATIENCE_S", 0.5)
    with closing(socket.create_server(("127.0.0.1", 0))) as closed:
        refusing = f"http://127.0.0.1:{closed.getsockname()[1]}"
    match how:
        case "refuses":
            setattr(settings, f"{who.name}_URL", refusing)
        case "is silent":
            setattr(settings, f"{who.name}_URL", silent)
        case _:
            site.down.add(who)
    request = asked_for(desk, claimed(desk))
    assert request.as_state is RequestState.SEARCHED
    assert {one["state"] for one in request.asked if one["tool"] == who} <= {"failed", "unasked"}
    assert any(one.startswith(who.label) for one in request.told)
    assert any(one["state"] == "answered" for one in request.asked)
    assert request.candidates.exists()


def test_pages_that_do_not_come_in_time_are_told_and_hold_up_nobody(
    desk: Desk, site: HarvestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_checking, "_CHECKS_S", 0)
    request = asked_for(desk, claimed(desk))
    assert request.as_state is RequestState.SEARCHED
    assert any(one.startswith("Not checked within") for one in request.told)


def test_sweeps_do_not_fill_the_queue_while_a_worker_is_at_it(
    desk: Desk, site: HarvestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, int]] = []
    for task in (tasks.work_on_harvest_requests, tasks.work_on_harvests):
        monkeypatch.setattr(task, "apply_async", lambda **options: sent.append(options))
    version = claimed(desk)
    other = draft_of(desk, version.draft.project, "Boats came. [src-405]\n", name="Other")
    (held,) = marker_resolution.request_sources(version=version, by=desk.person(), at=NOW)
    marker_resolution.request_sources(version=other, by=desk.person(), at=NOW)
    HarvestRequest.objects.filter(pk=held.pk).update(held_until=utc_now() + timedelta(minutes=3))
    for _ in range(3):
        tasks.harvest_request_sweep()
    assert sent == []
    HarvestRequest.objects.update(held_until=None)
    tasks.harvest_request_sweep()
    monkeypatch.setattr(harvest_work, "is_waiting", lambda **_at: True)
    tasks.harvest_sweep()
    assert [options["expires"] for options in sent] == [5, 5]


def test_a_lost_message_and_a_dead_worker_cost_minutes_and_no_request(
    desk: Desk, site: HarvestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[object] = []
    monkeypatch.setattr(tasks.work_on_harvest_requests, "apply_async", lambda **options: sent.append(options))
    (request,) = marker_resolution.request_sources(version=claimed(desk), by=desk.person(), at=NOW)
    tasks.harvest_request_sweep()
    assert len(sent) == 1
    HarvestRequest.objects.update(held_until=utc_now() + timedelta(minutes=3), attempts=1, calls_spent=12)
    tasks.harvest_request_sweep()
    assert len(sent) == 1
    at = utc_now() + timedelta(minutes=3, seconds=1)
    request_search.work(clock=lambda: at, budget_s=1)
    request.refresh_from_db()
    # What the dead worker had paid for is spent: the next one asks nobody, and says so.
    assert (request.as_state, site.asked) == (RequestState.SEARCHED, [])
    assert any("budget of calls was spent" in one for one in request.told)


def test_a_search_that_is_down_is_not_paid_for_by_every_claim_of_a_draft(desk: Desk, site: HarvestSite) -> None:
    """Many claims are asked for at once; who asks again later has everybody asked again."""
    site.down = {Tool.TAVILY}
    version = claimed(desk)
    claims = "".join(f"Harbour number {one} found its market. [src-404]\n\n" for one in range(1, 7))
    version = draft_of(desk, version.draft.project, f"# Market\n\n{claims}", name="Six claims")
    made = marker_resolution.request_sources(version=version, by=desk.person(), at=utc_now())
    request_search.work(clock=utc_now, budget_s=60)
    failed = [tool for tool, _ in site.asked if tool is Tool.TAVILY]
    assert 3 <= len(failed) <= 4
    last = HarvestRequest.objects.get(pk=made[-1].pk)
    assert last.state == RequestState.SEARCHED
    assert {one["state"] for one in last.asked if one["tool"] == "tavily"} == {"unasked"}
    assert any("Tavily: It failed 3 times for other claims" in one for one in last.told)
    site.down = set()
    marker_resolution.search_again(request=last, by=desk.person(), at=utc_now())
    request_search.work(clock=utc_now, budget_s=30)
    last.refresh_from_db()
    assert "answered" in {one["state"] for one in last.asked if one["tool"] == "tavily"}
