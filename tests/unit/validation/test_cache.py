"""What is known is not asked again, failures are tried again at their time, and dead is final after days."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from provenance_site.jobs.models import JobItem
from provenance_site.jobs.states import ItemState, JobState
from sources.core.findings import Cause, Finding, Verdict
from sources.core.identifiers import identify
from sources.core.kinds import DecisionKind, ReviewReason
from sources.models import Check, Project, ReviewItem, Source
from sources.services import projects, registry
from sources.services.registry import NewSource
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import SourceAliasFactory
from tests.fakes.world import World, gone, page
from validation.core.classify import RULES_VERSION
from validation.core.fetching import Failure, FetchResult
from validation.models import CheckRun
from validation.queries.report import gate_of_run
from validation.queries.runs import state_of
from validation.services import retries, runs, work
from validation.services.runs import Scope

pytestmark = pytest.mark.django_db
TITLE = "Harbour survey results"
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


def url_of(place: int) -> str:
    return f"https://gazette.org/{place}"


def project_with(desk: Desk, number: int, *, name: str = "Memo") -> Project:
    project = projects.create(workspace_id=desk.workspace.pk, name=name, by=desk.person(), at=NOW)
    found = registry.register_many(
        workspace_id=desk.workspace.pk,
        sources=[NewSource(identify(url_of(place)), TITLE) for place in range(number)],
        at=NOW,
    )
    projects.enter(project=project, source_ids=[source.pk for source in found.by_key.values()], at=NOW)
    return project


def world_of(number: int, **pages: FetchResult) -> World:
    """Good pages, but for those named by `p<number>`."""
    special = {url_of(int(name[1:])): answer for name, answer in pages.items()}
    return World(pages={url_of(place): page(url_of(place), title=TITLE) for place in range(number)} | special)


def failure(place: int, cause: Cause = Cause.SERVER_ERROR, wait: int | None = None) -> Failure:
    return Failure(requested_url=url_of(place), cause=cause, retry_after_s=wait)


def start(desk: Desk, project: Project, *, at: datetime, scope: Scope = Scope.ALL) -> CheckRun:
    return runs.start(project=project, scope=scope, by=desk.person(), at=at)


def drain(world: World, *, at: datetime) -> None:
    assert not work.work(clock=lambda: at, budget_s=30, open_world=world.open)


def check(desk: Desk, project: Project, world: World, *, at: datetime, scope: Scope = Scope.ALL) -> list[str]:
    """A whole run; gives the addresses that it asked for, in order."""
    start(desk, project, at=at, scope=scope)
    world.fetched.clear()
    drain(world, at=at)
    return sorted(world.fetched)


def retry(world: World, *, at: datetime) -> list[str]:
    """What the scheduler does; gives the addresses that were asked for."""
    world.fetched.clear()
    if retries.start_due(at=at):
        drain(world, at=at)
    return sorted(world.fetched)


def source(place: int = 0) -> Source:
    return Source.objects.get(identifier_value=url_of(place))


def urls(places: Iterable[int]) -> list[str]:
    return sorted(url_of(place) for place in places)


# -- a checked list ----------------------------------------------------------------------------------------------------


def test_a_checked_list_is_answered_without_a_request_but_for_what_is_due(desk: Desk) -> None:
    project = project_with(desk, 40)
    world = world_of(40, p7=failure(7), p8=failure(8, Cause.RATE_LIMITED, wait=3600), p9=failure(9))
    assert check(desk, project, world, at=NOW) == urls(range(40))

    assert check(desk, project, world, at=NOW + 14 * MINUTE) == []
    run = CheckRun.objects.latest("pk")
    assert run.job.state == JobState.DONE
    told = state_of(run, at=NOW + 14 * MINUTE)
    assert told.line == "40 of 40 checked · 40 of 40 from checks of the last days"
    assert (told.by_verdict[Verdict.VERIFIED_ACCESSIBLE], told.by_verdict[Verdict.FETCH_FAILED]) == (37, 3)
    assert gate_of_run(run).percent == "92.5"
    assert Check.objects.count() == 40

    assert check(desk, project, world, at=NOW + 15 * MINUTE) == urls([7, 9])
    assert state_of(CheckRun.objects.latest("pk"), at=NOW).progress.known == 38
    assert check(desk, project, world, at=NOW + HOUR) == urls([8])
    assert Check.objects.count() == 43


def test_a_run_over_a_known_list_costs_the_same_queries_whatever_its_length(
    desk: Desk, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number, name in ((10, "Short"), (60, "Long")):
        project = project_with(desk, number, name=name)
        check(desk, project, world_of(number), at=NOW)
        with django_assert_num_queries(12):
            start(desk, project, at=NOW + HOUR)


def test_everything_is_asked_again_where_someone_wants_it_so(desk: Desk) -> None:
    project = project_with(desk, 3)
    world = world_of(3)
    check(desk, project, world, at=NOW)
    assert check(desk, project, world, at=NOW + HOUR, scope=Scope.EVERYTHING) == urls(range(3))


def test_a_verdict_is_asked_again_when_its_time_is_over_or_its_rules_are_others(desk: Desk) -> None:
    project = project_with(desk, 3)
    world = world_of(3)
    check(desk, project, world, at=NOW)
    Check.objects.filter(source=source(1)).update(rules_version="older")
    assert check(desk, project, world, at=NOW + DAY) == [url_of(1)]
    assert check(desk, project, world, at=NOW + 30 * DAY) == urls([0, 2])


def test_what_another_project_of_the_workspace_has_checked_is_known(desk: Desk, other_desk: Desk) -> None:
    world = world_of(2)
    check(desk, project_with(desk, 2), world, at=NOW)
    assert check(desk, project_with(desk, 2, name="Second memo"), world, at=NOW + DAY) == []
    assert check(other_desk, project_with(other_desk, 2), world, at=NOW + DAY) == urls(range(2))


def test_a_fabricated_address_is_known_until_somebody_says_that_it_is_not(desk: Desk) -> None:
    project = project_with(desk, 1)
    registry.apply_finding(
        source_id=source().pk,
        finding=Finding(Verdict.HALLUCINATED_PATTERN, Cause.PATTERN, NOW, RULES_VERSION),
        at=NOW,
    )
    world = world_of(1)
    assert check(desk, project, world, at=NOW + 999 * DAY) == []
    assert registry.ask_again(source_ids=[source().pk]) == 1
    assert check(desk, project, world, at=NOW + 999 * DAY) == [url_of(0)]


def test_what_a_verdict_rests_on_can_change_and_then_it_is_asked_again(desk: Desk) -> None:
    project = project_with(desk, 3)
    world = world_of(3, p0=failure(0, Cause.BLOCKED_ADDRESS), p1=gone(url_of(1)))
    check(desk, project, world, at=NOW)
    assert check(desk, project, world, at=NOW + HOUR) == []
    registry.ask_again(source_ids=[source(0).pk, source(1).pk])
    assert check(desk, project, world, at=NOW + HOUR) == urls([0, 1])


# -- failures by themselves --------------------------------------------------------------------------------------------


def test_failures_are_tried_again_by_themselves_four_times_and_then_wait_for_a_person(desk: Desk) -> None:
    check(desk, project_with(desk, 2), world_of(2, p0=failure(0)), at=NOW)
    world = world_of(2, p0=failure(0))
    asked = []
    at = NOW
    while at < NOW + 12 * DAY:
        at += 5 * MINUTE
        if source().retry_at is None:
            break
        asked += [at - NOW] * len(retry(world, at=at))
    assert asked == [15 * MINUTE, 6 * HOUR + 15 * MINUTE, 30 * HOUR + 15 * MINUTE, 102 * HOUR + 15 * MINUTE]
    assert ReviewItem.objects.get(closed_at__isnull=True).reason == ReviewReason.FAILED
    assert retry(world, at=at + 99 * DAY) == []
    run = CheckRun.objects.latest("pk")
    assert run.job.created_by is None


def test_a_retry_that_succeeds_closes_the_question(desk: Desk) -> None:
    check(desk, project_with(desk, 1), world_of(1, p0=failure(0)), at=NOW)
    assert retry(world_of(1), at=NOW + HOUR) == [url_of(0)]
    assert source().verdict == Verdict.VERIFIED_ACCESSIBLE
    assert source().retry_at is None
    assert not ReviewItem.objects.filter(closed_at__isnull=True).exists()


def test_no_retry_starts_beside_a_run_nor_soon_after_another_nor_against_a_decision(desk: Desk) -> None:
    project = project_with(desk, 3)
    world = world_of(3, p0=failure(0), p1=failure(1, Cause.RATE_LIMITED, wait=1200))
    check(desk, project, world, at=NOW)
    start(desk, project, at=NOW + 15 * MINUTE, scope=Scope.EVERYTHING)
    assert not retries.start_due(at=NOW + 15 * MINUTE)
    runs.cancel(run=CheckRun.objects.latest("pk"), by=desk.person(), at=NOW + 15 * MINUTE)
    assert retry(world, at=NOW + 16 * MINUTE) == [url_of(0)]
    assert retry(world, at=NOW + 21 * MINUTE) == []
    assert retry(world, at=NOW + 31 * MINUTE) == [url_of(1)]
    Source.objects.filter(pk=source(0).pk).update(decided=DecisionKind.ACCEPT)
    assert retry(world, at=NOW + DAY) == [url_of(1)]


def test_a_source_of_two_projects_is_tried_again_once(desk: Desk) -> None:
    world = world_of(1, p0=failure(0))
    check(desk, project_with(desk, 1), world, at=NOW)
    second = project_with(desk, 1, name="Second memo")
    assert retry(world, at=NOW + HOUR) == [url_of(0)]
    assert not CheckRun.objects.filter(project=second).exists()


def test_a_source_that_waits_in_another_run_is_not_asked_twice(desk: Desk) -> None:
    world = world_of(1, p0=failure(0))
    check(desk, project_with(desk, 1), world, at=NOW)
    start(desk, project_with(desk, 1, name="Second memo"), at=NOW + HOUR, scope=Scope.FAILED)
    assert not retries.start_due(at=NOW + HOUR)


def test_a_person_can_ask_for_what_is_due(desk: Desk) -> None:
    project = project_with(desk, 2)
    world = world_of(2, p0=failure(0))
    check(desk, project, world, at=NOW)
    with pytest.raises(runs.NothingToCheck, match="Try failed ones again"):
        start(desk, project, at=NOW + MINUTE, scope=Scope.FAILED_DUE)
    assert check(desk, project, world, at=NOW + HOUR, scope=Scope.FAILED_DUE) == [url_of(0)]


# -- dead --------------------------------------------------------------------------------------------------------------


def test_dead_is_provisional_until_three_checks_over_six_days_agree(desk: Desk) -> None:
    check(desk, project_with(desk, 1), world_of(1, p0=gone(url_of(0))), at=NOW)
    world = world_of(1, p0=gone(url_of(0)))
    assert source().is_provisional
    assert source().next_check_at == NOW + 3 * DAY
    assert retry(world, at=NOW + 2 * DAY) == []
    assert retry(world, at=NOW + 3 * DAY) == [url_of(0)]
    assert source().is_provisional
    assert retry(world, at=NOW + 6 * DAY) == [url_of(0)]
    assert source().is_final
    assert source().fresh_until == NOW + 36 * DAY
    assert retry(world, at=NOW + 99 * DAY) == []


def test_a_page_that_comes_back_is_not_dead(desk: Desk) -> None:
    check(desk, project_with(desk, 1), world_of(1, p0=gone(url_of(0))), at=NOW)
    retry(world_of(1), at=NOW + 3 * DAY)
    assert source().verdict == Verdict.VERIFIED_ACCESSIBLE
    assert not source().is_provisional


def test_a_name_that_is_unknown_twice_is_gone_and_the_run_says_so_too(desk: Desk) -> None:
    check(desk, project_with(desk, 1), world_of(1, p0=failure(0, Cause.DNS)), at=NOW)
    assert source().verdict == Verdict.FETCH_FAILED
    retry(world_of(1, p0=failure(0, Cause.DNS)), at=NOW + HOUR)
    assert (source().verdict, source().cause) == (Verdict.HARD_404, Cause.DOMAIN_GONE)
    assert Check.objects.latest("pk").verdict == Verdict.HARD_404
    assert JobItem.objects.latest("pk").outcome == Verdict.HARD_404
    assert source().fresh_until == NOW + HOUR + 3 * DAY


def test_a_host_that_is_silent_for_six_days_is_noted_for_the_person(desk: Desk) -> None:
    world = world_of(1, p0=failure(0, Cause.TIMEOUT))
    check(desk, project_with(desk, 1), world, at=NOW)
    at = NOW
    while (due := source().retry_at) is not None:
        at = max(at + 16 * MINUTE, due)
        assert retry(world, at=at) == [url_of(0)]
    assert source().verdict == Verdict.FETCH_FAILED
    last = Check.objects.latest("pk")
    assert last.evidence["access_note"].startswith("Unreachable from here: no answer at 5 checks since 2026-03-02")
    assert ReviewItem.objects.get(closed_at__isnull=True).reason == ReviewReason.FAILED


def test_items_of_known_verdicts_were_never_in_a_worker_s_hands(desk: Desk) -> None:
    project = project_with(desk, 2)
    check(desk, project, world_of(2), at=NOW)
    run = start(desk, project, at=NOW + HOUR)
    states = run.job.items.values_list("state", "outcome", "attempts", "finished_at")
    assert set(states) == {(ItemState.DONE, Verdict.VERIFIED_ACCESSIBLE, 0, None)}


# -- spellings ---------------------------------------------------------------------------------------------------------


def test_a_page_that_is_alive_under_another_cited_spelling_is_not_dead(desk: Desk) -> None:
    project = project_with(desk, 1)
    other = "https://www.gazette.org/0/"
    SourceAliasFactory(source=source(), spelling=other, first_seen_at=NOW)
    world = World(pages={url_of(0): gone(url_of(0)), other: page(other, title=TITLE)})
    assert check(desk, project, world, at=NOW) == [url_of(0), other]
    assert source().verdict == Verdict.VERIFIED_ACCESSIBLE
    seen = Check.objects.get().evidence
    assert seen["requested_url"] == other
    assert seen["signals"][-1] == {"name": "another-spelling-was", "text": "hard-404, not-found"}


def test_three_other_spellings_are_tried_before_a_page_is_dead_and_none_for_one_that_lives(desk: Desk) -> None:
    project = project_with(desk, 2)
    spellings = [f"http://gazette.org/0?utm_source={name}" for name in "abcd"]
    for spelling in ["no address", f"{url_of(0)}#part", *spellings]:
        SourceAliasFactory(source=source(0), spelling=spelling, first_seen_at=NOW)
    SourceAliasFactory(source=source(1), spelling="http://gazette.org/1", first_seen_at=NOW)
    world = world_of(2, p0=gone(url_of(0)))
    world.pages = {**world.pages, **{spelling: gone(spelling) for spelling in spellings}}
    assert check(desk, project, world, at=NOW) == sorted([url_of(0), url_of(1), *spellings[:3]])
    assert source(0).verdict == Verdict.HARD_404


def test_a_spelling_cited_after_a_page_was_called_dead_makes_it_due(desk: Desk) -> None:
    project = project_with(desk, 1)
    check(desk, project, world_of(1, p0=gone(url_of(0))), at=NOW)
    other = "http://www.gazette.org/0"
    SourceAliasFactory(source=source(), spelling=other, first_seen_at=NOW + HOUR)
    world = World(pages={url_of(0): gone(url_of(0)), other: page(other, title=TITLE)})
    assert check(desk, project, world, at=NOW + 2 * HOUR) == sorted([url_of(0), other])
    assert source().verdict == Verdict.VERIFIED_ACCESSIBLE
