"""Taking a source out of the registry: what holds it is named, what goes can come back."""

import pytest
from django.core.exceptions import PermissionDenied

from lineage.core.relations import EntityState
from lineage.models import Entity
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.findings import Verdict
from sources.core.identifiers import identify
from sources.models import Source
from sources.services import registry, removal
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    ChunkFactory,
    DecisionFactory,
    ObservationSourceFactory,
    ProjectFactory,
    SourceAliasFactory,
    SourceFactory,
    TagFactory,
)
from tests.unit.sources.disturbance import everything, faults_until_done
from tests.unit.sources.findings import apply

pytestmark = pytest.mark.django_db


def known(desk: Desk) -> Source:
    new = registry.NewSource(identity=identify("https://harbour.example/survey"), title="Harbour survey")
    return next(iter(registry.register_many(workspace_id=desk.workspace.pk, sources=[new], at=NOW).by_key.values()))


def removed(desk: Desk, source: Source) -> ChangeSet:
    return removal.remove(source=source, by=desk.person(), channel=Channel.PAGE, at=NOW)


def refusal(desk: Desk, source: Source) -> str:
    before = everything()
    with pytest.raises(removal.Held) as held:
        removed(desk, source)
    assert everything() == before
    return str(held.value)


def test_the_observations_that_hold_a_source_are_named(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace, title="Harbour survey")
    first = ObservationSourceFactory(
        observation__project__workspace=desk.workspace, observation__body="Boats rose.", source=source
    ).observation
    second = ObservationSourceFactory(
        observation__project__workspace=desk.workspace, observation__kind="finding", source=source
    ).observation
    told = refusal(desk, source)
    assert told.startswith("“Harbour survey” cannot be removed. 2 observations rest on it: ")
    assert f"#{first.pk} [note] “Boats rose.”" in told
    assert f"#{second.pk} [finding]" in told
    assert "Take the links away first." in told


def test_entries_decisions_merges_and_a_retraction_hold_it_too(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace, retracted=True)
    CatalogEntryFactory(project=ProjectFactory(workspace=desk.workspace, name="Quay memo"), source=source, number=7)
    DecisionFactory(source=source, by=desk.person())
    SourceFactory(workspace=desk.workspace, title="The other", merged_into=source)
    told = refusal(desk, source)
    for words in ("src-007 of Quay memo", "Accepted by curator-", "“The other” was merged into it", "marked retracted"):
        assert words in told


def test_of_many_holders_the_first_are_named_and_the_rest_counted(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace)
    for _ in range(25):
        ObservationSourceFactory(observation__project__workspace=desk.workspace, source=source)
    told = refusal(desk, source)
    assert "25 observations rest on it" in told
    assert "and 5 more" in told


def test_a_source_that_nothing_holds_goes_and_comes_back_whole(desk: Desk) -> None:
    source = known(desk)
    source.tags.add(TagFactory(workspace=desk.workspace))
    alias = SourceAliasFactory(source=source)
    chunk = ChunkFactory(store__workspace=desk.workspace, source=source)
    columns = Source.objects.filter(pk=source.pk).values().get()
    deed = removed(desk, source)
    assert not Source.objects.exists()
    assert Entity.objects.get().state == EntityState.TOMBSTONED
    chunk.refresh_from_db()
    assert chunk.source is None
    assert (deed.kind, deed.note) == ("source.remove", "Harbour survey")

    assert changes.undo(change_set=deed, by=desk.person(), at=NOW).undone == 1
    assert Source.objects.filter(pk=source.pk).values().get() == columns
    back = Source.objects.get()
    assert [one.spelling for one in back.aliases.all()] == [alias.spelling]
    assert back.tags.count() == 1
    chunk.refresh_from_db()
    assert chunk.source == back
    assert Entity.objects.get().state == EntityState.CURRENT


def test_one_that_was_registered_again_is_left_alone(desk: Desk) -> None:
    deed = removed(desk, known(desk))
    known(desk)
    result = changes.undo(change_set=deed, by=desk.person(), at=NOW)
    assert result.skipped == ("“Harbour survey” is in the registry again",)


def test_one_that_was_checked_goes_for_good_and_says_so(desk: Desk) -> None:
    source = apply(known(desk), Verdict.HARD_404)
    assert not removal.can_be_undone(source)
    deed = removed(desk, source)
    assert deed.kind == "source.remove-checked"
    with pytest.raises(changes.NotUndoable, match="cannot be undone"):
        changes.undo(change_set=deed, by=desk.person(), at=NOW)


def test_a_fault_at_any_statement_removes_nothing(desk: Desk) -> None:
    source = known(desk)
    assert faults_until_done(lambda: removed(desk, source)) > 8


def test_a_reader_may_not(desk: Desk) -> None:
    with pytest.raises(PermissionDenied):
        removal.remove(source=known(desk), by=desk.person(Role.READER), channel=Channel.PAGE, at=NOW)
