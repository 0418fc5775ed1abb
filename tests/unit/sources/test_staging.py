"""The first step of an import: what is said of a list, and that nothing of it is in the registry yet."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from provenance_site.accounts.roles import Role
from sources.core.kinds import BatchState, RowAction
from sources.models import ImportBatch, ImportRow
from sources.queries.imports import preview_of
from sources.services import staging
from sources.services.staging import ImportRefused
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.sources.disturbance import everything, faults_until_done
from tests.unit.sources.lists import DRAFT, commit, imported, project_at, staged

pytestmark = pytest.mark.django_db
STEPPING_STONES = {"sources.ImportBatch", "sources.ImportRow"}


def actions(batch: ImportBatch) -> list[tuple[int, str, str]]:
    """(line, action, message) of each row."""
    return list(batch.rows.order_by("position").values_list("line", "action", "message"))


def test_new_known_duplicate_repeated_and_unreadable_lines_are_told_apart_by_line(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, "https://harbour.org/in-project\n", project=project)
    imported(desk, "https://harbour.org/in-registry\n", project=project_at(desk, "Another memo"))
    batch = staged(
        desk,
        "https://harbour.org/in-project\n"
        "https://harbour.org/in-registry\n"
        "\n"
        "https://harbour.org/new\n"
        "https://harbour.org/new\n"
        "http://www.harbour.org/new/?utm_source=x\n"
        "javascript:alert(1)\n"
        "10.5555/harbour.7\n"
        "https://doi.org/10.5555/HARBOUR.7\n",
        project=project,
    )
    rows = actions(batch)
    assert [row[:2] for row in rows] == [
        (1, RowAction.KNOWN),
        (2, RowAction.KNOWN),
        (4, RowAction.NEW),
        (5, RowAction.REPEAT),
        (6, RowAction.DUPLICATE),
        (7, RowAction.ERROR),
        (8, RowAction.NEW),
        (9, RowAction.DUPLICATE),
    ]
    said = {line: message for line, _, message in rows}
    assert said[1] == "In this project as src-001."
    assert said[2] == "In the registry; it is added to this project."
    assert said[5] == "Line 4 names it already."
    assert said[6] == "Line 4 names it already as https://harbour.org/new"
    assert "javascript" in said[7]
    assert said[9] == "Line 8 names it already as 10.5555/harbour.7"
    preview = preview_of(batch, action=RowAction.DUPLICATE)
    assert {action: number for action, number in preview.counts.items() if number} == {
        RowAction.NEW: 2,
        RowAction.KNOWN: 2,
        RowAction.DUPLICATE: 2,
        RowAction.REPEAT: 1,
        RowAction.ERROR: 1,
    }
    assert preview.found == 7
    assert [row.line for row in preview.rows] == [6, 9]


def test_a_draft_gives_titles_sections_and_lines(desk: Desk) -> None:
    rows = staged(desk, DRAFT).rows.order_by("position")
    assert list(rows.values_list("line", "title", "section", "identifier_value")) == [
        (3, "Harbour survey", "Market context", "https://harbour.org/survey"),
        (3, "", "Market context", "10.5555/harbour.7"),
        (7, "Harbour survey", "Team", "https://harbour.org/survey"),
        (9, "Gulf report", "Market context", "https://gulf.org/report"),
    ]


def test_nothing_is_in_the_registry_before_the_commit(desk: Desk) -> None:
    project = project_at(desk)
    before = everything()
    batch = staged(desk, DRAFT, project=project)
    after = everything()
    assert {name for name in after if after[name] != before[name]} == STEPPING_STONES
    assert (batch.state, batch.label, batch.created_by) == (BatchState.STAGED, "draft-1.md", desk.person(Role.CURATOR))


def test_what_is_known_elsewhere_is_new_here(desk: Desk, other_desk: Desk) -> None:
    imported(other_desk, DRAFT)
    assert [action for _, action, _ in actions(staged(desk, "https://harbour.org/survey"))] == [RowAction.NEW]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \r\n\t\n", "empty"),
        (b"\x89PNG\r\n\x1a\n and so on", "PNG"),
        (b"PK\x03\x04 and so on", "ZIP"),
        (b"https://harbour.org/a\nhttps://harbour.org/\x00b\n", "Line 2 holds a NUL byte"),
        (b"https://harbour.org/a\n\n\xe4\xf6\n", "Line 3 holds a byte that is not UTF-8"),
    ],
    ids=["nothing", "blanks", "an image", "an archive", "NUL", "not UTF-8"],
)
def test_what_is_no_list_is_refused_whole(desk: Desk, data: bytes, said: str) -> None:
    project = project_at(desk)
    before = everything()
    with pytest.raises(ImportRefused, match=said):
        staging.stage(project=project, data=data, label="list.md", by=desk.person(), at=NOW)
    assert everything() == before


def test_more_than_ten_megabytes_are_refused_with_the_size(desk: Desk) -> None:
    data = b"https://harbour.org/a\n" * 480_000
    with pytest.raises(ImportRefused, match=r"10\.1 MB; at most 10 MB .* Split it"):
        staging.stage(project=project_at(desk), data=data, label="", by=desk.person(), at=NOW)
    assert not ImportBatch.objects.exists()


@pytest.mark.parametrize(
    "line", ["https://harbour.org/{}", "javascript:alert({})"], ids=["references", "unreadable lines"]
)
def test_too_many_at_once_are_refused(desk: Desk, settings: Settings, line: str) -> None:
    settings.IMPORT_MAX_REFERENCES = 3
    text = "\n".join(line.format(number) for number in range(4))
    with pytest.raises(ImportRefused, match="at most 3 "):
        staged(desk, text)
    assert not ImportBatch.objects.exists()
    settings.IMPORT_MAX_REFERENCES = 4
    assert staged(desk, text, project=project_at(desk, "Another memo")).rows.count() == 4


def test_prose_without_a_source_has_nothing_to_import(desk: Desk) -> None:
    batch = staged(desk, "We asked around in the harbour.\nNobody had seen the report.\n")
    assert not preview_of(batch, action=None).readable
    assert actions(batch)[0][:2] == (1, RowAction.ERROR)


def test_a_password_reaches_no_column(desk: Desk) -> None:
    staged(
        desk,
        "https://anna:hunter2@harbour.org/a\n"
        "[https://anna:hunter2@harbour.org/t](https://anna:hunter2@harbour.org/b) by https://anna:hunter2@harbour.org\n"
        "ftp://anna:hunter2@harbour.org/c\n"
        "https://anna:hunter2@\n"
        "anna:hunter2@harbour.org\n"
        "https://harbour.org/?next=https%3A%2F%2Fanna%3Ahunter2%40gulf.org\n",
    )
    assert ImportRow.objects.count() >= 5
    assert "hunter2" not in str(everything())


def test_an_endless_address_is_an_unreadable_line_with_a_short_spelling(desk: Desk) -> None:
    batch = staged(desk, "https://harbour.org/a\nhttps://harbour.org/" + "a" * 20_000)
    row = batch.rows.get(action=RowAction.ERROR)
    assert row.line == 2
    assert len(row.spelling) <= 500
    assert "8,000" in row.message


def test_a_list_without_a_name_goes_by_its_moment(desk: Desk) -> None:
    assert staged(desk, DRAFT, label="  ").label == "Pasted list 2026-03-02 09:30"


def test_a_long_name_is_cut(desk: Desk) -> None:
    assert staged(desk, DRAFT, label="a" * 300).label == "a" * 200


def test_a_fault_at_any_statement_leaves_nothing_behind(desk: Desk) -> None:
    project = project_at(desk)
    assert faults_until_done(lambda: staged(desk, DRAFT, project=project)) > 3
    assert ImportRow.objects.filter(batch__project=project).count() == 4


def test_staging_costs_the_same_queries_whatever_the_length(desk: Desk) -> None:
    project, counts = project_at(desk), []
    for length in (10, 20):
        text = "\n".join(f"https://harbour.org/{length}/{line}" for line in range(length))
        imported(desk, text, project=project)
        with CaptureQueriesContext(connection) as queries:
            staged(desk, text, project=project)
        counts.append(len(queries))
    assert counts[0] == counts[1] < 15


def test_a_reader_may_not_stage(desk: Desk) -> None:
    with pytest.raises(PermissionDenied, match="curator"):
        staging.stage(project=project_at(desk), data=b"x", label="", by=desk.person(Role.READER), at=NOW)


def test_a_foreign_project_does_not_exist(desk: Desk, other_desk: Desk) -> None:
    project = project_at(desk)
    with pytest.raises(Http404):
        staging.stage(project=project, data=DRAFT.encode(), label="", by=other_desk.person(Role.ADMIN), at=NOW)
    batch = staged(desk, DRAFT, project=project)
    with pytest.raises(Http404):
        staging.discard(batch=batch, by=other_desk.person(Role.ADMIN))
    batch.refresh_from_db()
    assert batch.state == BatchState.STAGED


def test_a_list_thrown_away_stays_away(desk: Desk) -> None:
    batch = staged(desk, DRAFT)
    for _ in range(2):
        staging.discard(batch=batch, by=desk.person())
    batch.refresh_from_db()
    assert batch.state == BatchState.DISCARDED


def test_what_was_written_cannot_be_thrown_away(desk: Desk) -> None:
    batch = commit(desk, staged(desk, DRAFT)).batch
    staging.discard(batch=batch, by=desk.person())
    batch.refresh_from_db()
    assert batch.state == BatchState.COMMITTED
