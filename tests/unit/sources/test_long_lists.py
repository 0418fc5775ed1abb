"""Long lists: 50,000 references are allowed, and SQLite's own build takes 32,766 parameters in one statement."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from sources.models import CatalogEntry, Source
from sources.reports.master_sources import Layout
from sources.services import retractions
from sources.services.exporting import master_sources_file
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.sources.lists import imported, project_at

pytestmark = pytest.mark.django_db
_MOST = 1_001
ROWS = _MOST + 1
TEXT = "\n".join(f"# Part {number}\nhttp://www.harbour.org/{number}" for number in range(ROWS))


@pytest.fixture(autouse=True)
def _lists_of_keys_come_in_parts(db: None) -> Iterator[None]:
    """Writes are cut by Django; how many keys a SELECT or DELETE names is up to us."""

    def look(execute: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
        if sql.startswith(("SELECT", "DELETE")) and params:
            assert len(params) <= _MOST, f"{len(params)} parameters: {sql[:200]}"
        return execute(sql, params, *rest)

    with connection.execute_wrapper(look):
        yield


def test_no_statement_grows_with_the_list(desk: Desk) -> None:
    project, administrator = project_at(desk), desk.person(Role.ADMIN)
    result = imported(desk, TEXT, project=project)
    assert result.new_entries == ROWS
    ids = list(Source.objects.values_list("pk", flat=True))

    deed = retractions.mark(
        workspace_id=desk.workspace.pk, source_ids=ids, note="Notice", by=administrator, channel=Channel.ADMIN, at=NOW
    )
    assert Source.objects.filter(retracted=True).count() == ROWS
    assert changes.undo(change_set=deed, by=administrator, at=NOW).undone == ROWS

    assert f"**Unique sources**: {ROWS}\n" in master_sources_file(project=project, layout=Layout.VERDICT, by=None)
    assert result.batch.change_set is not None
    assert changes.undo(change_set=result.batch.change_set, by=administrator, at=NOW).undone == ROWS + 1
    assert not CatalogEntry.objects.exists()
    assert not Source.objects.exists()
