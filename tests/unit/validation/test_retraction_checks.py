"""Asking providers: what is answered, what stays unchecked, whom nobody asks, and how requests are worked through."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from provenance_site.accounts.roles import Role
from sources.core.identifiers import identify
from sources.core.kinds import IdentifierType
from sources.core.retraction_status import Nature, Provider, Status
from sources.models import RetractionAssertion, RetractionStanding, Source
from tests.clock import NOW
from tests.desk import Desk
from tests.factories.sources import SourceAliasFactory, SourceFactory
from tests.fakes.providers import FakeHandles, FakeRetractions
from validation.adapters.retraction_world import RetractionWorld
from validation.core.ports import Unavailable
from validation.core.retraction_ids import WorkId
from validation.core.retraction_statements import Statement, UpdatesPage
from validation.models import RetractionFeed, RetractionRequest
from validation.queries.retractions import due_works
from validation.services import retraction_checks as checks
from validation.services import retraction_requests as requests
from validation.services.retraction_checks import OpensWorld

pytestmark = pytest.mark.django_db
FALLEN = WorkId(IdentifierType.DOI, "10.5555/fallen")
FINE = WorkId(IdentifierType.DOI, "10.5555/fine")
MEDICAL = WorkId(IdentifierType.PMID, "9500320")


def says(work: WorkId, nature: Nature = Nature.RETRACTED, by: Provider = Provider.CROSSREF) -> Statement:
    return Statement(work, by, f"record {nature}", nature, nature.value, notice_date="2020-01-02")


def opens(
    *providers: FakeRetractions,
    ties: tuple[FakeRetractions, ...] = (),
    feed: object = None,
    handles: FakeHandles | None = None,
) -> OpensWorld:
    @asynccontextmanager
    async def world() -> AsyncIterator[RetractionWorld]:
        feeds = (feed,) if feed is not None else ()
        yield RetractionWorld(providers, ties, feeds, {Provider.ARXIV: "not listed"}, handles)  # type: ignore[arg-type]

    return world


def source(desk: Desk, work: WorkId) -> Source:
    return SourceFactory(workspace=desk.workspace, identifier_type=work.type, identifier_value=work.value)


def status(of: Source) -> Status:
    return RetractionStanding.objects.get(source=of).as_status


def test_an_answer_is_none_found_and_a_failure_is_unchecked_with_what_was_known(desk: Desk) -> None:
    fallen, fine = source(desk, FALLEN), source(desk, FINE)
    crossref = FakeRetractions(said={FALLEN: (says(FALLEN),), FINE: ()})
    came = checks.check(works=[FALLEN, FINE], at=NOW, world=opens(crossref))
    assert (status(fallen), status(fine), came.unchecked) == (Status.RETRACTED, Status.NONE_FOUND, set())
    crossref.down = "out of order"
    later = checks.check(works=[FALLEN, FINE], at=NOW + timedelta(days=8), world=opens(crossref))
    assert (status(fallen), status(fine)) == (Status.RETRACTED, Status.UNCHECKED)
    assert later.unchecked == {FALLEN, FINE}
    tally = later.by_provider[Provider.CROSSREF]
    assert (tally.failed, tally.reason, dict(later.absent)) == (2, "out of order", {Provider.ARXIV: "not listed"})


def test_a_work_that_a_registry_does_not_hold_is_not_clean(desk: Desk) -> None:
    """A DOI of another agency: 404 at Crossref is neither an answer nor a sign that it was made up."""
    elsewhere, handles = source(desk, FINE), FakeHandles(registered={FINE.value: "https://data.example/1"})
    came = checks.check(works=[FINE, FALLEN], at=NOW, world=opens(FakeRetractions(), handles=handles))
    assert (status(elsewhere), came.unchecked, came.unregistered) == (Status.UNCHECKED, {FINE, FALLEN}, {FALLEN})
    assert came.by_provider[Provider.CROSSREF].unknown == 2
    handles.down = "out of order"
    again = checks.check(works=[FALLEN], at=NOW, world=opens(FakeRetractions(), handles=handles))
    assert (again.unchecked, again.unregistered) == ({FALLEN}, set())


def test_letters_that_no_database_takes_are_heard_as_others_and_stop_nothing(desk: Desk) -> None:
    fallen, fine = source(desk, FALLEN), source(desk, FINE)
    odd = replace(says(FALLEN), record_id="a\ud800", raw_nature="retr\x00", reasons=("\udfff\x00",), url="https://\x00")
    crossref = FakeRetractions(said={FALLEN: (odd,), FINE: (says(FINE),)})
    checks.check(works=[FALLEN, FINE], at=NOW, world=opens(crossref))
    assert (status(fallen), status(fine)) == (Status.RETRACTED, Status.RETRACTED)
    kept = RetractionAssertion.objects.get(identifier_value=FALLEN.value)
    assert (kept.record_id, kept.raw_nature, kept.reasons) == ("a\ufffd", "retr ", ["\ufffd "])


def test_a_kind_of_work_that_nobody_takes_is_told_as_unchecked() -> None:
    crossref = FakeRetractions()
    came = checks.check(works=[MEDICAL], at=NOW, world=opens(crossref))
    assert (came.unchecked, came.by_provider, crossref.asked) == ({MEDICAL}, {}, [])


def test_a_provider_that_failed_for_a_whole_batch_is_left_alone(desk: Desk) -> None:
    crossref = FakeRetractions(down="out of order", at_once=2)
    works = [WorkId(IdentifierType.DOI, f"10.5555/{n}") for n in range(9)]
    came = checks.check(works=works, at=NOW, world=opens(crossref))
    assert (len(crossref.asked), came.by_provider[Provider.CROSSREF].failed) == (1, 9)


def test_a_tie_breaker_is_asked_only_about_what_others_have_spoken_of(desk: Desk) -> None:
    fallen = source(desk, FALLEN)
    crossref = FakeRetractions(said={FALLEN: (says(FALLEN),), FINE: ()})
    openalex = FakeRetractions(name=Provider.OPENALEX, said={FALLEN: (says(FALLEN, Nature.NONE, Provider.OPENALEX),)})
    checks.check(works=[FALLEN, FINE], at=NOW, world=opens(crossref, ties=(openalex,)))
    assert openalex.asked == [(FALLEN,)]
    standing = RetractionStanding.objects.get(source=fallen)
    assert (standing.as_status, standing.disagrees) == (Status.RETRACTED, True)


def test_a_work_known_by_its_pubmed_id_alone_is_checked_there(desk: Desk) -> None:
    by_pmid = source(desk, MEDICAL)
    pubmed = FakeRetractions(
        name=Provider.PUBMED,
        kinds=frozenset({IdentifierType.PMID}),
        said={MEDICAL: (says(MEDICAL, by=Provider.PUBMED),)},
    )
    checks.check(works=[MEDICAL], at=NOW, world=opens(FakeRetractions(), pubmed))
    assert status(by_pmid) is Status.RETRACTED


def test_what_is_due_is_asked_once_a_week_and_failures_sooner(desk: Desk) -> None:
    for work in (FALLEN, FINE):
        source(desk, work)
    crossref = FakeRetractions(said={FINE: ()})
    moments = (0, 1, 7, 24 * 6, 24 * 8)
    for hours in moments:
        checks.check_due(at=NOW + timedelta(hours=hours), world=opens(crossref))
    assert [set(works) for works in crossref.asked] == [{FALLEN, FINE}, {FALLEN}, {FALLEN}, {FALLEN, FINE}]


def test_no_kind_of_work_keeps_another_waiting_and_kinds_nobody_takes_are_not_due(desk: Desk) -> None:
    for number in range(3):
        source(desk, WorkId(IdentifierType.DOI, f"10.5555/{number}"))
    for work in (MEDICAL, WorkId(IdentifierType.ARXIV, "2010.00001")):
        source(desk, work)
    due = due_works(answered_before=NOW, failed_before=NOW, limit=2, absent=[Provider.ARXIV])
    assert due == [WorkId(IdentifierType.DOI, "10.5555/0"), MEDICAL]


def test_another_identifier_that_means_a_source_is_due_until_it_is_answered(desk: Desk) -> None:
    page = SourceFactory(workspace=desk.workspace)
    for spelling in ("https://doi.org/10.5555/ALIAS", "PMID: 123456", "https://host.example/10.5555/no-identifier"):
        key = identify(spelling).key
        SourceAliasFactory(source=page, spelling=spelling, canonical_key=key)
    works = [WorkId(IdentifierType.DOI, "10.5555/alias"), WorkId(IdentifierType.PMID, "123456")]
    assert due_works(answered_before=NOW, failed_before=NOW, limit=9) == works
    checks.check(works=works[:1], at=NOW, world=opens(FakeRetractions(said={works[0]: ()})))
    assert due_works(answered_before=NOW, failed_before=NOW, limit=9) == works[1:]
    Source.objects.filter(pk=page.pk).update(merged_into=SourceFactory(workspace=desk.workspace))
    assert due_works(answered_before=NOW, failed_before=NOW, limit=9) == []


@dataclass
class Feed:
    """An UpdatesFeed that gives its pages in turn."""

    pages: list[UpdatesPage | Unavailable]
    asked: list[tuple[str, str]] = field(default_factory=list)
    name: Provider = Provider.CROSSREF

    async def since(self, day: str, *, cursor: str) -> UpdatesPage | Unavailable:
        self.asked.append((day, cursor))
        return self.pages.pop(0)


def test_changes_are_read_from_the_last_success_minus_an_overlap(desk: Desk) -> None:
    fallen = source(desk, FALLEN)
    feed = Feed([UpdatesPage((), "more", 500), UpdatesPage((says(FALLEN),), "", 1)])
    assert checks.read_updates(at=NOW, world=opens(feed=feed)) == {Provider.CROSSREF: 1}
    assert status(fallen) is Status.RETRACTED
    feed.pages = [Unavailable("crossref", "it asks us to slow down", 7200)]
    checks.read_updates(at=NOW + timedelta(days=1), world=opens(feed=feed))
    row = RetractionFeed.objects.get()
    assert (row.day, row.problem) == (NOW.date().isoformat(), "it asks us to slow down")
    assert row.retry_at == NOW + timedelta(days=1, hours=2)
    checks.read_updates(at=NOW + timedelta(days=1, hours=1), world=opens(feed=feed))
    feed.pages = [UpdatesPage((says(FALLEN),), "", 1)]
    assert checks.read_updates(at=NOW + timedelta(days=1, hours=3), world=opens(feed=feed)) == {Provider.CROSSREF: 0}
    first, two_before = (NOW - timedelta(days=14)).date().isoformat(), (NOW - timedelta(days=2)).date().isoformat()
    assert feed.asked == [(first, ""), (first, "more"), (two_before, ""), (two_before, "")]


def test_changes_that_never_end_are_no_success(desk: Desk) -> None:
    feed = Feed([UpdatesPage((), "more", 500) for _ in range(1_000)])
    checks.read_updates(at=NOW, world=opens(feed=feed))
    assert feed.pages
    row = RetractionFeed.objects.get()
    assert (row.day, row.succeeded_at) == ("", None)
    assert "not all were read" in row.problem


def ticking(step: timedelta = timedelta()) -> Callable[[], datetime]:
    moments = [NOW]

    def clock() -> datetime:
        moments.append(moments[-1] + step)
        return moments[-1]

    return clock


def test_a_pasted_list_is_worked_through_and_tells_what_is_unchecked(desk: Desk) -> None:
    text = "10.5555/fallen\nhttps://doi.org/10.5555/FINE\nPMID: 9500320\nhttps://harbour.example/a\ndoi:10.5555/Fallen"
    request = requests.of_text(workspace_id=desk.workspace.pk, text=text, by=desk.person(Role.CURATOR), at=NOW)
    assert request.works == [str(FALLEN), str(FINE), str(MEDICAL)]
    crossref = FakeRetractions(said={FALLEN: (says(FALLEN),), FINE: ()})
    assert not requests.work(clock=ticking(), budget_s=5, world=opens(crossref))
    request.refresh_from_db()
    assert (request.done, request.finished_at) == (3, NOW)
    assert request.told["providers"]["crossref"] == {"answered": 2, "unknown": 0, "failed": 0, "reason": ""}
    assert (request.told["unchecked"], request.told["absent"]) == ([str(MEDICAL)], {"arxiv": "not listed"})
    assert RetractionAssertion.objects.get().identifier_value == FALLEN.value
    assert not Source.objects.exists()


def test_a_request_of_a_dead_worker_is_taken_up_where_it_was(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_STEP", 1)
    by = desk.person(Role.CURATOR)
    ids = [source(desk, work).pk for work in (FALLEN, FINE)]
    requests.of_sources(workspace_id=desk.workspace.pk, source_ids=ids, by=by, at=NOW)
    RetractionRequest.objects.update(done=1, held_until=NOW + timedelta(minutes=9))
    crossref = FakeRetractions(said={FALLEN: (), FINE: ()})
    assert not requests.work(clock=ticking(), budget_s=5, world=opens(crossref))
    assert crossref.asked == []
    assert not requests.work(clock=ticking(timedelta(minutes=10)), budget_s=3600, world=opens(crossref))
    assert crossref.asked == [(FINE,)]


def test_sources_of_other_workspaces_are_not_asked_about(desk: Desk, other_desk: Desk) -> None:
    strangers = source(other_desk, FALLEN)
    with pytest.raises(requests.NothingToAsk, match="DOI"):
        requests.of_sources(
            workspace_id=desk.workspace.pk, source_ids=[strangers.pk], by=desk.person(Role.CURATOR), at=NOW
        )


def test_a_worker_whose_request_was_taken_over_leaves_it_finished_and_asks_no_further(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "_STEP", 1)
    ids = [source(desk, work).pk for work in (FALLEN, FINE)]
    requests.of_sources(workspace_id=desk.workspace.pk, source_ids=ids, by=desk.person(Role.CURATOR), at=NOW)
    crossref, plain = FakeRetractions(said={FALLEN: (), FINE: ()}), checks.check

    def check_and_be_late(**given: Any) -> checks.Checked:
        monkeypatch.setattr(checks, "check", plain)
        assert not requests.work(clock=ticking(timedelta(minutes=11)), budget_s=36_000, world=opens(crossref))
        return plain(**given)

    monkeypatch.setattr(checks, "check", check_and_be_late)
    assert not requests.work(clock=ticking(), budget_s=5, world=opens(crossref))
    request = RetractionRequest.objects.get()
    assert (request.done, request.finished_at is not None, request.held_until) == (2, True, None)
    assert request.told["providers"]["crossref"]["answered"] == 2
    assert crossref.asked == [(FALLEN,), (FINE,), (FALLEN,)]
