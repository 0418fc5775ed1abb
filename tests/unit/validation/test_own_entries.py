"""Own publishers and patterns: tried, saved, turned off, deleted, undone, and taken by the validator."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.findings import Cause, Disposition, Finding, Verdict
from sources.core.identifiers import identify
from sources.models import Source
from sources.queries.freshness import known_verdicts
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import CheckFactory, OwnPatternFactory, OwnPublisherFactory, SourceFactory
from tests.fakes.world import World, page, wall
from tests.unit.sources.disturbance import together
from validation.core.own_entries import EntryRefused, PatternEntry, PublisherEntry
from validation.core.ports import Hit
from validation.models import OwnEntry, OwnPattern, OwnPublisher
from validation.queries import own_entries as queries
from validation.services import own_entries
from validation.services.own_entries import EditedMeanwhile, HitsVerified
from validation.services.targets import targets_of
from validation.services.validate import examine

PUBLISHER = PublisherEntry("The Gazette", ("gazette.org",), ("/2024/",), "The Gazette: ask the library", "slow")
PATTERN = PatternEntry(
    "Without a slug",
    r"^https://gazette\.org/article/\d+$",
    ("https://gazette.org/article/17",),
    ("https://gazette.org/article/17-harbour",),
)
TITLE = "Harbour survey results 2024"


def source(desk: Desk, address: str, **more: Any) -> Any:
    identity = identify(address)
    return SourceFactory(
        workspace=desk.workspace,
        identifier_value=identity.value,
        canonical_key=identity.key,
        request_url=identity.request_url,
        host=identity.host,
        **more,
    )


def add_publisher(desk: Desk, entry: PublisherEntry = PUBLISHER, **more: Any) -> OwnPublisher:
    given = {"by": desk.person(Role.EDITOR), "channel": Channel.PAGE, "at": NOW, **more}
    return own_entries.save_publisher(workspace=desk.workspace, entry=entry, **given)


def add_pattern(desk: Desk, entry: PatternEntry = PATTERN, **more: Any) -> OwnPattern:
    given = {"by": desk.person(Role.EDITOR), "channel": Channel.PAGE, "at": NOW, **more}
    return own_entries.save_pattern(workspace=desk.workspace, entry=entry, **given)


def undo_newest(desk: Desk) -> changes.UndoResult:
    return changes.undo(change_set=ChangeSet.objects.latest("pk"), by=desk.person(Role.EDITOR), at=NOW)


def look(row: OwnEntry) -> dict[str, object]:
    return own_entries.facts_of(row) | {"row_version": 0}


# -- the trial ---------------------------------------------------------------------------------------------------------


def test_a_trial_of_a_publisher_counts_what_lies_on_its_domains(desk: Desk, other_desk: Desk) -> None:
    source(desk, "https://blog.gazette.org/1")
    kept = source(desk, "https://www.gazette.org/2", verdict=Verdict.VERIFIED_GATED, disposition=Disposition.KEEP)
    source(desk, "https://notgazette.org/3")
    source(other_desk, "https://gazette.org/4")
    entry, trial = own_entries.try_publisher(workspace=desk.workspace, entry=PUBLISHER, by=desk.person(Role.EDITOR))
    assert entry == PUBLISHER
    assert (trial.matching, trial.verified) == (2, 1)
    assert trial.shown[0] == kept
    assert not OwnPublisher.objects.exists()


def test_a_trial_of_a_pattern_shows_verified_sources_first_and_twenty_at_most(desk: Desk, other_desk: Desk) -> None:
    for number in range(25):
        source(desk, f"https://gazette.org/article/{number}")
    kept = source(desk, "https://gazette.org/article/99", disposition=Disposition.KEEP)
    source(desk, "https://gazette.org/article/99-harbour")
    source(other_desk, "https://gazette.org/article/1")
    _, trial = own_entries.try_pattern(workspace=desk.workspace, entry=PATTERN, by=desk.person(Role.EDITOR))
    assert (trial.matching, trial.verified, len(trial.shown)) == (26, 1, 20)
    assert trial.shown[0] == kept


def test_a_trial_that_takes_too_long_is_given_up_with_the_way_out(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    source(desk, "https://gazette.org/article/1")
    monkeypatch.setattr(queries, "TRIAL_BUDGET_S", -1.0)
    with pytest.raises(EntryRefused, match="too slow"):
        own_entries.try_pattern(workspace=desk.workspace, entry=PATTERN, by=desk.person(Role.EDITOR))


# -- saving ------------------------------------------------------------------------------------------------------------


def test_a_pattern_that_hits_verified_sources_needs_a_tick(desk: Desk) -> None:
    source(desk, "https://gazette.org/article/1", verdict=Verdict.VERIFIED_ACCESSIBLE, disposition=Disposition.KEEP)
    with pytest.raises(HitsVerified) as refused:
        add_pattern(desk)
    assert refused.value.trial.verified == 1
    assert not OwnPattern.objects.exists()
    assert add_pattern(desk, also_verified=True).enabled


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR])
def test_who_is_no_editor_may_neither_try_nor_save(desk: Desk, role: Role) -> None:
    for deed in (add_publisher, add_pattern):
        with pytest.raises(PermissionDenied):
            deed(desk, by=desk.person(role))
    with pytest.raises(PermissionDenied):
        own_entries.delete(
            row=OwnPatternFactory(workspace=desk.workspace), by=desk.person(role), channel=Channel.PAGE, at=NOW
        )


def test_a_stranger_finds_nothing(desk: Desk, other_desk: Desk) -> None:
    with pytest.raises(Http404):
        add_publisher(desk, by=other_desk.person(Role.ADMIN))


def test_a_name_and_a_domain_are_taken_once(desk: Desk, other_desk: Desk) -> None:
    first = add_publisher(desk)
    add_publisher(other_desk)
    with pytest.raises(EntryRefused, match="there already"):
        add_publisher(desk, PublisherEntry("The Gazette", ("other.org",)))
    with pytest.raises(EntryRefused, match="belongs to your entry"):
        add_publisher(desk, PublisherEntry("Another", ("gazette.org",)))
    assert add_publisher(desk, row=first).row_version == 2


def test_two_hundred_entries_are_taken_and_no_more(desk: Desk) -> None:
    OwnPatternFactory.create_batch(199, workspace=desk.workspace)
    last = add_publisher(desk)
    for deed in (add_pattern, lambda where: add_publisher(where, PublisherEntry("Another", ("other.org",)))):
        with pytest.raises(EntryRefused, match="200 entries"):
            deed(desk)
    assert add_publisher(desk, row=last).pk == last.pk


def test_a_stale_edit_is_refused(desk: Desk) -> None:
    row = add_publisher(desk)
    add_publisher(desk, row=row, seen_version=1)
    with pytest.raises(EditedMeanwhile):
        add_publisher(desk, row=row, seen_version=1)
    own_entries.delete(row=row, by=desk.person(Role.EDITOR), channel=Channel.PAGE, at=NOW)
    with pytest.raises(EditedMeanwhile):
        add_publisher(desk, row=OwnPublisher(pk=2_000_000_000, workspace=desk.workspace, name="x"))


def test_turning_off_and_on_is_a_deed_each_and_doing_it_twice_is_none(desk: Desk) -> None:
    row, editor = add_pattern(desk), desk.person(Role.EDITOR)
    told = [own_entries.turn(row=row, on=False, by=editor, channel=Channel.PAGE, at=NOW) for _ in range(2)]
    assert told == [True, False]
    assert own_entries.turn(row=row, on=True, by=editor, channel=Channel.PAGE, at=NOW)
    notes = list(ChangeSet.objects.order_by("pk").values_list("note", flat=True))
    assert notes == [f"{PATTERN.name}: {deed}" for deed in ("added", "turned off", "turned on")]


def test_a_pattern_that_came_to_hit_verified_sources_is_not_turned_on_blindly(desk: Desk) -> None:
    row = OwnPatternFactory(workspace=desk.workspace, enabled=False)
    source(desk, "https://gazette.org/article/1", disposition=Disposition.KEEP)
    with pytest.raises(HitsVerified):
        own_entries.turn(row=row, on=True, by=desk.person(Role.EDITOR), channel=Channel.PAGE, at=NOW)


# -- undo --------------------------------------------------------------------------------------------------------------


def test_what_was_added_goes_and_comes_back(desk: Desk) -> None:
    for add in (add_publisher, add_pattern):
        row = add(desk)
        assert undo_newest(desk).undone == 1
        assert not type(row)._default_manager.exists()


def test_what_was_deleted_comes_back_as_it_was(desk: Desk) -> None:
    for row in (add_publisher(desk), add_pattern(desk)):
        before = look(row)
        own_entries.delete(row=row, by=desk.person(Role.EDITOR), channel=Channel.PAGE, at=NOW)
        assert undo_newest(desk).undone == 1
        back: OwnEntry = type(row)._default_manager.get()
        assert look(back) == before
        assert back.workspace == desk.workspace


def test_an_edit_is_taken_back_unless_somebody_edited_again(desk: Desk) -> None:
    row = add_publisher(desk)
    add_publisher(desk, PublisherEntry("The Gazette", ("gazette.com",)), row=row)
    first = ChangeSet.objects.latest("pk")
    assert undo_newest(desk).undone == 1
    row.refresh_from_db()
    assert row.entry == PUBLISHER
    add_publisher(desk, PublisherEntry("The Gazette", ("gazette.net",)), row=row)
    second = ChangeSet.objects.latest("pk")
    add_publisher(desk, PublisherEntry("The Gazette", ("gazette.io",)), row=row)
    result = changes.undo(change_set=second, by=desk.person(Role.EDITOR), at=NOW)
    assert (result.undone, result.skipped) == (0, ("“The Gazette” was changed since",))
    assert first != second


def test_a_deleted_entry_whose_name_was_taken_stays_deleted(desk: Desk) -> None:
    own_entries.delete(row=add_pattern(desk), by=desk.person(Role.EDITOR), channel=Channel.PAGE, at=NOW)
    deleted = ChangeSet.objects.latest("pk")
    add_pattern(desk)
    result = changes.undo(change_set=deleted, by=desk.person(Role.EDITOR), at=NOW)
    assert result.skipped == ("Another entry is called “Without a slug” now",)


def test_a_curator_does_not_take_back_what_only_editors_do(desk: Desk) -> None:
    add_publisher(desk)
    with pytest.raises(PermissionDenied):
        changes.undo(change_set=ChangeSet.objects.get(), by=desk.person(Role.CURATOR), at=NOW)
    assert OwnPublisher.objects.exists()


# -- the validator -----------------------------------------------------------------------------------------------------


def check(row: Any, world: World) -> Finding:
    target = targets_of([row.pk])[row.pk]

    async def run() -> Finding:
        async with world.open() as outside:
            return await examine(target, outside, clock=lambda: NOW)

    return asyncio.run(run())


def test_an_own_pattern_is_told_without_a_request_in_its_workspace_only(desk: Desk, other_desk: Desk) -> None:
    OwnPatternFactory(workspace=desk.workspace, name="Gazette: numbers", pattern=r"gazette\.org/article/\d+$")
    OwnPatternFactory(workspace=other_desk.workspace, enabled=False)
    url, world = "https://gazette.org/article/17", World(pages={})
    finding = check(source(desk, url), world)
    assert (finding.verdict, finding.cause) == (Verdict.HALLUCINATED_PATTERN, Cause.PATTERN)
    assert finding.evidence.signals[0].name == "pattern-own-gazette-numbers"
    assert not world.fetched
    other = check(source(other_desk, url), World(pages={url: page(url, title=TITLE)}))
    assert other.verdict is not Verdict.HALLUCINATED_PATTERN


def test_an_own_publisher_makes_a_witnessed_wall_gated(desk: Desk, other_desk: Desk) -> None:
    OwnPublisherFactory(workspace=desk.workspace, domains=["gazette.org"], access_note="The Gazette: ask the library")
    url = "https://gazette.org/2024/harbour-survey"
    world = World(pages={url: wall(url)}, hits=(Hit(url, TITLE, "fake"),))
    finding = check(source(desk, url, title=TITLE), world)
    assert finding.verdict is Verdict.VERIFIED_GATED
    assert finding.evidence.access_note == "The Gazette: ask the library"
    assert check(source(other_desk, url, title=TITLE), world).verdict is Verdict.FETCH_FAILED


def due(desk: Desk) -> set[int]:
    """The sources that a run would ask about."""
    known = known_verdicts(Source.objects.filter(workspace=desk.workspace), rules_version="test-1", at=NOW)
    return set(Source.objects.filter(workspace=desk.workspace).exclude(pk__in=known).values_list("pk", flat=True))


def checked(desk: Desk, address: str, verdict: Verdict) -> Any:
    row = source(desk, address, verdict=verdict, disposition=verdict.disposition)
    row.latest_check = CheckFactory(source=row, verdict=verdict, rules_version="test-1")
    row.fresh_until, row.is_final = NOW + timedelta(days=1), verdict is Verdict.HALLUCINATED_PATTERN
    row.save()
    return row


def test_what_may_rest_on_a_pattern_is_asked_about_again(desk: Desk) -> None:
    hit = checked(desk, "https://gazette.org/article/1", Verdict.HARD_404)
    told = checked(desk, "https://gazette.org/article/2", Verdict.HALLUCINATED_PATTERN)
    checked(desk, "https://gazette.org/article/3-harbour", Verdict.VERIFIED_ACCESSIBLE)
    assert due(desk) == set()
    row = add_pattern(desk)
    assert due(desk) == {hit.pk, told.pk}
    Source.objects.update(fresh_until=NOW + timedelta(days=1), is_final=True)
    own_entries.turn(row=row, on=False, by=desk.person(Role.EDITOR), channel=Channel.PAGE, at=NOW)
    assert due(desk) == {told.pk}


def test_what_may_rest_on_a_publisher_is_asked_about_again_also_after_an_undo(desk: Desk) -> None:
    stub = checked(desk, "https://blog.gazette.org/1", Verdict.PAYWALL_STUB)
    checked(desk, "https://gazette.org/2", Verdict.VERIFIED_ACCESSIBLE)
    checked(desk, "https://other.org/3", Verdict.PAYWALL_STUB)
    add_publisher(desk)
    assert due(desk) == {stub.pk}
    Source.objects.update(fresh_until=NOW + timedelta(days=1))
    undo_newest(desk)
    assert due(desk) == {stub.pk}


def test_the_rules_of_all_workspaces_of_a_batch_take_two_queries(
    desk: Desk, other_desk: Desk, django_assert_num_queries: Any
) -> None:
    OwnPublisherFactory(workspace=desk.workspace)
    OwnPatternFactory.create_batch(2, workspace=other_desk.workspace)
    OwnPatternFactory(workspace=desk.workspace, enabled=False)
    with django_assert_num_queries(2):
        rules = queries.rules_by_workspace([desk.workspace.pk, other_desk.workspace.pk, desk.workspace.pk])
    counts = {key: (len(one.publishers), len(one.patterns)) for key, one in rules.items()}
    assert counts == {desk.workspace.pk: (1, 0), other_desk.workspace.pk: (0, 2)}


@pytest.mark.django_db(transaction=True)
def test_an_entry_that_two_people_delete_at_once_is_deleted_once(desk: Desk) -> None:
    row = add_publisher(desk)

    def delete() -> None:
        mine = OwnPublisher.objects.get(pk=row.pk)
        own_entries.delete(row=mine, by=desk.person(Role.EDITOR), channel=Channel.PAGE, at=NOW)

    done = together(delete, delete, meet_before="DELETE")
    assert sorted(type(one).__name__ for one in done) == ["EditedMeanwhile", "NoneType"]
    assert ChangeSet.objects.count() == 2
