"""Who may see a work and whose word it is, as files say it: taken for what is new, only stricter for what is known."""

import pytest

from lineage.core.relations import Label
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from sources.core.holdings import Held
from sources.core.kinds import Authority, Classification, RowAction
from sources.models import Source
from sources.queries.holdings import StoredHoldings
from sources.reports import csv_table
from sources.services import bulk_edit
from sources.services.source_edits import Edit, digest_of, versions_of
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.sources.lists import commit, imported, project_at, staged

pytestmark = pytest.mark.django_db
ADDRESS = "https://harbour.org/survey"


def declare(desk: Desk, source: Source, **columns: str) -> None:
    """Has the curator edit the source."""
    seen = digest_of(versions_of(workspace_id=desk.workspace.pk, source_ids=[source.pk]))
    bulk_edit.edit(
        workspace_id=desk.workspace.pk,
        source_ids=[source.pk],
        change=Edit(columns),
        seen=seen,
        by=desk.person(Role.CURATOR),
        channel=Channel.PAGE,
        at=NOW,
    )
    source.refresh_from_db()


def declared(source: Source) -> tuple[str, str, str]:
    """Classification and authority of the source, and the level of its node in the lineage graph."""
    source.refresh_from_db()
    node = source.entity
    assert node is not None
    node.refresh_from_db()
    assert node.classification == source.classification
    return source.classification, source.authority, Label.at_level(node.level).value


def test_what_a_desk_exported_comes_back_into_an_empty_one(desk: Desk, other_desk: Desk) -> None:
    imported(desk, f"{ADDRESS}\n", label="list")
    declare(desk, Source.objects.get(), classification="public", authority="official")
    table = "".join(csv_table.stream(StoredHoldings(workspace_id=desk.workspace.pk)))
    batch = staged(other_desk, table, label="sources.csv")
    assert batch.rows.get().message == "The file declares it public."
    commit(other_desk, batch)
    there = Source.objects.get(workspace=other_desk.workspace)
    assert declared(there) == ("public", "official", "public")
    again = StoredHoldings(workspace_id=other_desk.workspace.pk)
    assert [one.record.authority for one in Held(list(again))] == [Authority.OFFICIAL]


def test_a_file_never_lowers_a_classification(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, f"{ADDRESS}\n", project=project, label="list")
    source = Source.objects.get()
    declare(desk, source, classification="restricted", authority="primary")
    batch = staged(desk, f"title,url,classification,authority\n,{ADDRESS},Public,official\n", project=project)
    row = batch.rows.get()
    assert row.action == RowAction.KNOWN
    assert row.message.endswith("It stays restricted: the file says public, and an import lowers nothing.")
    commit(desk, batch)
    assert declared(source) == ("restricted", "primary", "restricted")


def test_the_strictest_word_of_a_file_holds_and_its_undo_gives_back_the_earlier_one(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, f"{ADDRESS}\n", project=project, label="list")
    source = Source.objects.get()
    head = "title,url,classification,authority\n"
    rows = f",{ADDRESS},internal,secondary\n,{ADDRESS},confidential,official\n"
    batch = staged(desk, head + rows, project=project)
    assert [(row.action, row.message) for row in batch.rows.order_by("position")] == [
        (RowAction.UPDATE, "In this project as src-001. Adds authority."),
        (RowAction.REPEAT, "Line 2 names it already. The file declares it confidential."),
    ]
    result = commit(desk, batch)
    assert declared(source) == ("confidential", "secondary", "confidential")
    assert result.batch.change_set is not None
    changes.undo(change_set=result.batch.change_set, by=desk.person(Role.CURATOR), at=NOW)
    assert declared(source) == ("internal", "user-provided", "internal")


def test_a_stricter_word_is_told_before_it_is_taken(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, f"{ADDRESS}\n", project=project, label="list")
    row = staged(desk, f"title,url,classification\n,{ADDRESS},restricted\n", project=project).rows.get()
    assert row.action == RowAction.UPDATE
    assert row.message == "In this project as src-001. It becomes restricted, as the file says."


@pytest.mark.parametrize("label", Classification)
def test_a_word_that_is_no_classification_is_kept_and_classifies_nothing(desk: Desk, label: Classification) -> None:
    imported(desk, f"title,url,classification\nA,{ADDRESS},physics\nB,{ADDRESS}/{label},{label}\n")
    first, second = Source.objects.order_by("title")
    assert first.classification == Classification.INTERNAL
    assert first.bibliography["details"]["classification"] == "physics"
    assert second.classification == label
