"""ChangeSets: what was done stays on record, and is undone once, as far as nobody went on from it."""

import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.accounts.roles import Role
from provenance_site.changes import queries, registry, services
from provenance_site.changes.models import Change, ChangeSet, Channel
from provenance_site.changes.registry import ChangeFacts, Undone
from tests.clock import NOW
from tests.desk import Desk, furnish
from tests.factories import WorkspaceFactory

KIND = "test.rename"
MODEL = "accounts.workspace"


def undo_rename(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
    """Renames workspaces back, unless somebody renamed them again."""
    undone, skipped = [], []
    for change in changes:
        workspace = Workspace.objects.get(pk=change.object_id)
        if workspace.name != change.after["name"]:
            skipped.append(f"{workspace.name} was renamed again since")
            continue
        Workspace.objects.filter(pk=workspace.pk).update(name=change.before["name"])
        undone.append(ChangeFacts(MODEL, workspace.pk, change.after, change.before))
    return Undone(changes=tuple(undone), skipped=tuple(skipped))


@pytest.fixture(autouse=True)
def _undo_is_known() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_UNDO", {KIND: undo_rename})
        yield


def rename(desk: Desk, *workspaces: Workspace, name: str = "new") -> ChangeSet:
    facts = [ChangeFacts(MODEL, one.pk, {"name": one.name}, {"name": name}) for one in workspaces]
    Workspace.objects.filter(pk__in=[one.pk for one in workspaces]).update(name=name)
    return services.record(
        workspace_id=desk.workspace.pk,
        kind=KIND,
        actor=desk.person(Role.CURATOR),
        channel=Channel.PAGE,
        note="tidied",
        at=NOW,
        changes=facts,
    )


def test_a_deed_keeps_who_when_why_and_each_row_before_and_after(desk: Desk) -> None:
    workspace = WorkspaceFactory(name="old")
    made = ChangeSet.objects.get(pk=rename(desk, workspace).pk)
    assert (made.kind, made.actor, made.channel, made.note, made.at) == (
        KIND,
        desk.person(Role.CURATOR),
        Channel.PAGE,
        "tidied",
        NOW,
    )
    change = made.changes.get()
    assert (change.model, change.object_id) == (MODEL, workspace.pk)
    assert (change.before, change.after) == ({"name": "old"}, {"name": "new"})


def test_moments_and_keys_are_kept_as_text(desk: Desk) -> None:
    key = UUID("0b9fd2a6-7b3d-4a55-9d7e-4d1f0c2e8a11")
    values = {
        "at": datetime(2026, 3, 2, tzinfo=UTC),
        "on": date(2026, 3, 2),
        "key": key,
        "price": Decimal("1.50"),
        "n": None,
    }
    made = services.record(
        workspace_id=desk.workspace.pk,
        kind=KIND,
        actor=None,
        channel=Channel.JOB,
        note="",
        at=NOW,
        changes=[ChangeFacts(MODEL, 1, {}, values)],
    )
    assert made.changes.get().after == {
        "at": "2026-03-02T00:00:00Z",
        "on": "2026-03-02",
        "key": str(key),
        "price": "1.50",
        "n": None,
    }


def test_two_thousand_changes_cost_few_statements(
    desk: Desk, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    facts = (ChangeFacts(MODEL, number, {}, {"name": "x"}) for number in range(2000))
    with django_assert_max_num_queries(20):
        services.record(
            workspace_id=desk.workspace.pk, kind=KIND, actor=None, channel=Channel.JOB, note="", at=NOW, changes=facts
        )
    assert Change.objects.count() == 2000


def test_an_undo_changes_back_and_is_a_deed_of_its_own(desk: Desk) -> None:
    first, second = WorkspaceFactory(name="a"), WorkspaceFactory(name="b")
    deed = rename(desk, first, second)
    result = services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW + timedelta(minutes=1))
    assert (result.undone, result.skipped) == (2, ())
    assert set(Workspace.objects.filter(pk__in=[first.pk, second.pk]).values_list("name", flat=True)) == {"a", "b"}
    assert result.change_set is not None
    assert (result.change_set.undoes, result.change_set.kind) == (deed, services.UNDO_KIND)
    assert result.change_set.actor == desk.person(Role.EDITOR)
    assert result.change_set.changes.count() == 2
    assert ChangeSet.objects.filter(pk=deed.pk).exists()


def test_what_somebody_changed_since_is_left_alone_and_told(desk: Desk) -> None:
    first, second = WorkspaceFactory(name="a"), WorkspaceFactory(name="b")
    deed = rename(desk, first, second)
    Workspace.objects.filter(pk=second.pk).update(name="newer")
    result = services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW)
    assert (result.undone, result.skipped) == (1, ("newer was renamed again since",))
    second.refresh_from_db()
    assert second.name == "newer"


def test_an_undo_that_can_change_nothing_leaves_no_trace_and_may_be_tried_again(desk: Desk) -> None:
    workspace = WorkspaceFactory(name="a")
    deed = rename(desk, workspace)
    Workspace.objects.filter(pk=workspace.pk).update(name="newer")
    result = services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW)
    assert (result.undone, result.change_set) == (0, None)
    assert ChangeSet.objects.count() == 1
    Workspace.objects.filter(pk=workspace.pk).update(name="new")
    assert services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW).undone == 1


def test_a_deed_is_undone_once(desk: Desk) -> None:
    deed = rename(desk, WorkspaceFactory(name="a"))
    assert services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW).undone == 1
    with pytest.raises(services.NotUndoable, match="undone already"):
        services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW)
    assert ChangeSet.objects.count() == 2


def test_a_deed_of_an_unknown_kind_and_an_undo_are_refused_with_a_way_out(desk: Desk) -> None:
    deed = rename(desk, WorkspaceFactory(name="a"))
    undone = services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW).change_set
    assert undone is not None
    with pytest.raises(services.NotUndoable, match="opposite change"):
        services.undo(change_set=undone, by=desk.person(Role.EDITOR), at=NOW)


def test_an_undo_whose_function_fails_changes_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
        undo_rename(changes=changes, by=by, at=at)
        raise RuntimeError("half-way")

    monkeypatch.setitem(registry._UNDO, KIND, fail)
    workspace = WorkspaceFactory(name="a")
    deed = rename(desk, workspace)
    with pytest.raises(RuntimeError):
        services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW)
    workspace.refresh_from_db()
    assert workspace.name == "new"
    assert ChangeSet.objects.count() == 1


def test_readers_undo_nothing_and_strangers_do_not_even_see_it(desk: Desk, other_desk: Desk) -> None:
    deed = rename(desk, WorkspaceFactory(name="a"))
    with pytest.raises(PermissionDenied):
        services.undo(change_set=deed, by=desk.person(Role.READER), at=NOW)
    with pytest.raises(Http404):
        services.undo(change_set=deed, by=other_desk.person(Role.ADMIN), at=NOW)


@pytest.mark.django_db(transaction=True)
def test_of_two_undos_at_once_one_succeeds() -> None:
    desk = furnish("Harbour desk")
    workspace = WorkspaceFactory(name="a")
    deed = rename(desk, workspace)
    start = threading.Barrier(2)
    outcomes: list[str] = []

    def undo() -> None:
        start.wait(timeout=2)
        try:
            services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW)
            outcomes.append("undone")
        except services.NotUndoable:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=undo) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    assert sorted(outcomes) == ["refused", "undone"]
    workspace.refresh_from_db()
    assert workspace.name == "a"


# -- registry and queries ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("told_at", ["once", "the end"])
def test_an_undo_that_is_overtaken_takes_nothing_back_and_can_be_tried_again(
    desk: Desk, transactional_db: None, told_at: str
) -> None:
    """A row that comes to rest on what is removed meanwhile: refused where it is removed, or when all is written."""
    workspace = WorkspaceFactory(name="old")
    made = rename(desk, workspace)

    def overtaken(*, changes: Sequence[Change], by: User, at: datetime) -> Undone:
        told = undo_rename(changes=changes, by=by, at=at)
        if told_at == "once":
            # A membership without its person: NOT NULL is checked where it is written.
            Membership.objects.filter(user=by).update(user=None)
        else:
            # Without one that exists: foreign keys are checked at the end.
            Membership.objects.filter(user=by).update(user=2_000_000_000)
        return told

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_UNDO", {KIND: overtaken})
        with pytest.raises(services.NotUndoable, match=r"at this moment\. Nothing was taken back; try it again"):
            services.undo(change_set=made, by=desk.person(Role.CURATOR), at=NOW)
    workspace.refresh_from_db()
    assert workspace.name == "new"
    assert services.undo(change_set=made, by=desk.person(Role.CURATOR), at=NOW).undone == 1


def test_a_kind_has_one_undo_function() -> None:
    registry.register_undo(KIND, undo_rename)
    with pytest.raises(ValueError, match=KIND):
        registry.register_undo(KIND, lambda *, changes, by, at: Undone(()))
    assert registry.undo_function(KIND) is undo_rename
    assert registry.undo_function("unknown") is None


def test_history_comes_newest_first_with_counts_and_nothing_of_others(
    desk: Desk, other_desk: Desk, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    deed = rename(desk, WorkspaceFactory(name="a"), WorkspaceFactory(name="b"))
    later = services.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW + timedelta(minutes=1)).change_set
    rename(other_desk, WorkspaceFactory(name="c"))
    with django_assert_num_queries(2):
        found = list(queries.history(workspace_id=desk.workspace.pk))
        counts = queries.change_counts(found)
        told = [(one.pk, counts[one.pk], one.actor.username, queries.can_be_undone(one)) for one in found]  # type: ignore[union-attr]
    assert later is not None
    assert told == [
        (later.pk, 2, desk.person(Role.EDITOR).username, False),
        (deed.pk, 2, desk.person(Role.CURATOR).username, False),
    ]


def test_a_fresh_deed_of_a_known_kind_can_be_undone(desk: Desk) -> None:
    deed = rename(desk, WorkspaceFactory(name="a"))
    assert queries.can_be_undone(deed)
    ChangeSet.objects.filter(pk=deed.pk).update(kind="unknown")
    deed.refresh_from_db()
    assert not queries.can_be_undone(deed)


def test_the_changes_of_a_row_come_newest_first_and_only_those_of_the_workspace(desk: Desk, other_desk: Desk) -> None:
    workspace = WorkspaceFactory(name="a")
    first = rename(desk, workspace, name="b")
    rename(other_desk, workspace, name="c")
    second = rename(desk, workspace, name="d")
    found = queries.changes_of(workspace_id=desk.workspace.pk, model=MODEL, object_id=workspace.pk)
    assert [change.change_set for change in found] == [second, first]
