"""Marking sources retracted: many at once, with a note, undone where nobody went on from it."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.findings import Verdict
from sources.models import Source
from sources.services import retractions
from sources.services.retractions import NoteMissing
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import SourceFactory
from tests.unit.sources.disturbance import everything, faults_until_done
from tests.unit.sources.findings import apply

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
NOTE = "Retracted on 2 May: harbour.org/notice"


def mark(desk: Desk, *ids: int, note: str = NOTE, role: Role = Role.ADMIN) -> ChangeSet:
    return retractions.mark(
        workspace_id=desk.workspace.pk,
        source_ids=ids,
        note=note,
        by=desk.person(role),
        channel=Channel.ADMIN,
        at=NOW,
    )


def take_back(desk: Desk, deed: ChangeSet, *, role: Role = Role.ADMIN) -> changes.UndoResult:
    return changes.undo(change_set=deed, by=desk.person(role), at=LATER)


def marks() -> dict[int, tuple[bool, str]]:
    return {source.pk: (source.retracted, source.retraction_note) for source in Source.objects.all()}


def test_the_chosen_ones_are_marked_in_one_deed(desk: Desk) -> None:
    first, second, other = (SourceFactory(workspace=desk.workspace) for _ in range(3))
    deed = mark(desk, first.pk, second.pk)
    assert marks() == {first.pk: (True, NOTE), second.pk: (True, NOTE), other.pk: (False, "")}
    assert (deed.kind, deed.note, deed.channel, deed.actor) == (
        retractions.CHANGE_KIND,
        NOTE,
        Channel.ADMIN,
        desk.person(Role.ADMIN),
    )
    assert list(deed.changes.order_by("object_id").values_list("model", "object_id")) == [
        ("sources.source", first.pk),
        ("sources.source", second.pk),
    ]
    first.refresh_from_db()
    assert first.row_version == 2


def test_one_that_is_marked_already_keeps_its_note(desk: Desk) -> None:
    earlier = SourceFactory(workspace=desk.workspace, retracted=True, retraction_note="Notice of 2019")
    source = SourceFactory(workspace=desk.workspace)
    deed = mark(desk, earlier.pk, source.pk)
    assert marks()[earlier.pk] == (True, "Notice of 2019")
    assert deed.changes.count() == 1


def test_ids_of_another_workspace_are_not_touched_and_not_counted(desk: Desk, other_desk: Desk) -> None:
    ours, foreign = SourceFactory(workspace=desk.workspace), SourceFactory(workspace=other_desk.workspace)
    deed = mark(desk, ours.pk, foreign.pk, 999_999)
    assert marks()[foreign.pk] == (False, "")
    assert list(deed.changes.values_list("object_id", flat=True)) == [ours.pk]


@pytest.mark.parametrize("note", ["", " \n\t"])
def test_without_a_note_nothing_is_marked(desk: Desk, note: str) -> None:
    source = SourceFactory(workspace=desk.workspace)
    before = everything()
    with pytest.raises(NoteMissing, match="announced"):
        mark(desk, source.pk, note=note)
    assert everything() == before


def test_a_password_in_the_note_is_masked(desk: Desk) -> None:
    mark(desk, SourceFactory(workspace=desk.workspace).pk, note="See https://anna:hunter2@harbour.org/notice")
    assert "hunter2" not in str(everything())


def test_taking_it_back_restores_every_mark(desk: Desk) -> None:
    ids = [SourceFactory(workspace=desk.workspace).pk for _ in range(3)]
    before = marks()
    result = take_back(desk, mark(desk, *ids))
    assert (result.undone, result.skipped) == (3, ())
    assert marks() == before
    assert set(Source.objects.values_list("row_version", flat=True)) == {3}


def test_a_mark_that_was_edited_since_is_left_and_told(desk: Desk) -> None:
    edited = SourceFactory(workspace=desk.workspace, title="Harbour survey")
    plain = SourceFactory(workspace=desk.workspace, title="Gulf report")
    deed = mark(desk, edited.pk, plain.pk)
    Source.objects.filter(pk=edited.pk).update(retraction_note="A better note")
    result = take_back(desk, deed)
    assert (result.undone, result.skipped) == (1, ("The retraction of Harbour survey was edited since",))
    assert marks() == {edited.pk: (True, "A better note"), plain.pk: (False, "")}


def test_a_check_neither_sets_nor_clears_the_mark(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace)
    mark(desk, source.pk)
    apply(source, Verdict.VERIFIED_ACCESSIBLE, at=LATER)
    assert (source.retracted, source.retraction_note) == (True, NOTE)


def test_a_fault_at_any_statement_marks_none(desk: Desk) -> None:
    ids = [SourceFactory(workspace=desk.workspace).pk for _ in range(3)]
    assert faults_until_done(lambda: mark(desk, *ids)) > 4
    deed = ChangeSet.objects.get()
    assert faults_until_done(lambda: take_back(desk, deed)) > 4
    assert not Source.objects.filter(retracted=True).exists()


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.EDITOR])
def test_less_than_an_administrator_may_neither_mark_nor_take_back(desk: Desk, role: Role) -> None:
    source = SourceFactory(workspace=desk.workspace)
    with pytest.raises(PermissionDenied):
        mark(desk, source.pk, role=role)
    deed = mark(desk, source.pk)
    with pytest.raises(PermissionDenied):
        take_back(desk, deed, role=role)
    assert marks()[source.pk] == (True, NOTE)


def test_to_a_stranger_the_workspace_does_not_exist(desk: Desk, other_desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace)
    with pytest.raises(Http404):
        retractions.mark(
            workspace_id=desk.workspace.pk,
            source_ids=[source.pk],
            note=NOTE,
            by=other_desk.person(Role.ADMIN),
            channel=Channel.ADMIN,
            at=NOW,
        )
    deed = mark(desk, source.pk)
    with pytest.raises(Http404):
        take_back(other_desk, deed)
