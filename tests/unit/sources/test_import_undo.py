"""An import is taken back as far as nobody has built on it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from lineage.core.relations import EntityState
from lineage.models import Edge, Entity
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet
from provenance_site.changes.services import NotUndoable, UndoResult
from sources.core.findings import Verdict
from sources.core.identifiers import identify
from sources.models import CatalogEntry, Citation, Project, ProjectVersion, Section, Source
from sources.reports.master_sources import Layout
from sources.services import registry
from sources.services.exporting import master_sources_file
from sources.services.importing import ImportResult
from sources.services.registry import NewSource
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import DecisionFactory
from tests.unit.sources.disturbance import everything, faults_until_done
from tests.unit.sources.findings import apply
from tests.unit.sources.lists import DRAFT, imported, project_at

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def undo(desk: Desk, result: ImportResult, *, role: Role = Role.CURATOR) -> UndoResult:
    assert result.batch.change_set is not None
    return changes.undo(change_set=result.batch.change_set, by=desk.person(role), at=LATER)


def exports(project: Project) -> list[str]:
    project.refresh_from_db()
    return [master_sources_file(project=project, layout=layout, by=None) for layout in Layout]


def test_nothing_of_it_is_left_in_registry_and_exports(desk: Desk) -> None:
    project = project_at(desk)
    before, files = everything(), exports(project)
    result = undo(desk, imported(desk, DRAFT, project=project))
    assert result.skipped == ()
    after = everything()
    history = {"sources.ImportBatch", "sources.ImportRow", "changes.ChangeSet", "changes.Change", "sources.Project"}
    lineage = {"lineage.Entity", "lineage.Edge", "lineage.Tombstone"}
    assert {name for name in after if after[name] != before[name]} == history | lineage
    assert exports(project) == files


def test_the_lineage_of_what_went_is_marked_and_kept(desk: Desk) -> None:
    result = imported(desk, DRAFT)
    entities = list(Source.objects.values_list("entity", flat=True))
    edges = Edge.objects.count()
    undo(desk, result)
    assert set(Entity.objects.filter(pk__in=entities).values_list("state", flat=True)) == {EntityState.TOMBSTONED}
    assert Edge.objects.count() == edges


def test_an_id_is_never_given_again(desk: Desk) -> None:
    project = project_at(desk)
    undo(desk, imported(desk, DRAFT, project=project))
    imported(desk, DRAFT, project=project, label="draft-2.md")
    assert [entry.stable_id for entry in CatalogEntry.objects.order_by("number")] == ["src-004", "src-005", "src-006"]


def test_the_same_list_comes_in_again_afterwards(desk: Desk) -> None:
    project = project_at(desk)
    undo(desk, imported(desk, DRAFT, project=project))
    result = imported(desk, DRAFT, project=project)
    assert (result.new_sources, result.new_entries, result.new_citations) == (3, 3, 4)


def test_an_import_that_brought_only_places_is_taken_back_too(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, DRAFT, project=project)
    files = exports(project)
    second = imported(desk, DRAFT, project=project, label="draft-2.md")
    assert (second.new_entries, second.new_citations) == (0, 4)
    assert undo(desk, second).undone == 1
    assert exports(project) == files


def test_what_another_import_cites_stays_and_is_told(desk: Desk) -> None:
    project = project_at(desk)
    first = imported(desk, DRAFT, project=project)
    imported(desk, "[Harbour survey](https://harbour.org/survey)\n", project=project, label="draft-2.md")
    result = undo(desk, first)
    assert result.skipped == ("Harbour survey is cited by another import",)
    assert [entry.stable_id for entry in CatalogEntry.objects.all()] == ["src-001"]
    assert list(Citation.objects.values_list("version__label", flat=True)) == ["draft-2.md"]
    assert list(ProjectVersion.objects.values_list("label", flat=True)) == ["draft-2.md"]
    assert not Section.objects.exists()


def entered_elsewhere(desk: Desk, source: Source) -> None:
    imported(desk, source.request_url, project=project_at(desk, "Another memo"))


def checked(_: Desk, source: Source) -> None:
    apply(source, Verdict.VERIFIED_ACCESSIBLE)


def decided(desk: Desk, source: Source) -> None:
    DecisionFactory(source=source, by=desk.person(Role.EDITOR))


def marked(_: Desk, source: Source) -> None:
    Source.objects.filter(pk=source.pk).update(retracted=True, retraction_note="Notice of 2 May")


@pytest.mark.parametrize("use", [entered_elsewhere, checked, decided, marked])
def test_a_source_stays_in_the_registry_once_it_is(desk: Desk, use: Callable[[Desk, Source], None]) -> None:
    project = project_at(desk)
    result = imported(desk, DRAFT, project=project)
    source = Source.objects.get(identifier_value="https://harbour.org/survey")
    use(desk, source)
    undo(desk, result)
    assert Source.objects.get() == source
    assert source.entity is not None
    source.entity.refresh_from_db()
    assert source.entity.state == EntityState.CURRENT
    assert not CatalogEntry.objects.filter(project=project).exists()


def test_a_source_that_was_there_before_stays_even_where_nothing_uses_it(desk: Desk) -> None:
    there = registry.register_many(
        workspace_id=desk.workspace.pk, sources=[NewSource(identify("https://harbour.org/survey"))], at=NOW
    )
    undo(desk, imported(desk, DRAFT))
    assert list(Source.objects.all()) == list(there.by_key.values())


def test_a_fault_at_any_statement_leaves_the_import_whole(desk: Desk) -> None:
    result = imported(desk, DRAFT)
    assert faults_until_done(lambda: undo(desk, result)) > 10
    assert not Source.objects.exists()


def test_an_import_is_taken_back_once(desk: Desk) -> None:
    result = imported(desk, DRAFT)
    undo(desk, result)
    with pytest.raises(NotUndoable, match="already"):
        undo(desk, result)
    assert ChangeSet.objects.count() == 2


def test_a_reader_may_not_take_it_back(desk: Desk) -> None:
    result = imported(desk, DRAFT)
    with pytest.raises(PermissionDenied):
        undo(desk, result, role=Role.READER)
    assert Source.objects.count() == 3


def test_to_a_stranger_the_import_does_not_exist(desk: Desk, other_desk: Desk) -> None:
    result = imported(desk, DRAFT)
    with pytest.raises(Http404):
        undo(other_desk, result, role=Role.ADMIN)
    assert Source.objects.count() == 3
