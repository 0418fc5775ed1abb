"""The second step of an import: written whole or not at all, once, with everything that hangs on it."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext

from lineage.core.relations import EntityType, Relation
from lineage.models import Edge, Entity
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.catalog import CitationStatus
from sources.core.findings import Disposition
from sources.core.kinds import BatchState, IdentifierType, RowAction
from sources.models import CatalogEntry, Citation, ImportBatch, Project, Section, Source, SourceAlias
from sources.services import importing, traces
from sources.services.importing import AlreadyDone, ImportResult
from tests.clock import NOW
from tests.desk import Desk, furnish
from tests.unit.sources.disturbance import everything, faults_until_done, together
from tests.unit.sources.lists import DRAFT, commit, imported, project_at, staged

pytestmark = pytest.mark.django_db


def test_sources_are_registered_once_and_not_yet_checked(desk: Desk) -> None:
    result = imported(desk, DRAFT)
    assert (result.new_sources, result.new_entries, result.new_citations, result.unreadable) == (3, 3, 4, 0)
    assert list(Source.objects.order_by("entries__number").values_list("identifier_type", "title", "request_url")) == [
        (IdentifierType.URL, "Harbour survey", "https://harbour.org/survey"),
        (IdentifierType.DOI, "", "https://doi.org/10.5555/harbour.7"),
        (IdentifierType.URL, "Gulf report", "https://gulf.org/report"),
    ]
    assert set(Source.objects.values_list("workspace_id", "disposition", "verdict", "first_seen_at")) == {
        (desk.workspace.pk, Disposition.UNCHECKED, "", NOW)
    }


def test_every_place_is_cited_with_section_version_line_and_sentence(desk: Desk) -> None:
    batch = imported(desk, DRAFT).batch
    cited = Citation.objects.order_by("line", "pk").values_list(
        "entry__number", "version__label", "section__slug", "line", "claimed_title", "spelling", "status", "batch"
    )
    place = ("draft-1.md",)
    used = (CitationStatus.INCLUDED, batch.pk)
    assert list(cited) == [
        (1, *place, "market-context", 3, "Harbour survey", "https://harbour.org/survey", *used),
        (2, *place, "market-context", 3, "", "10.5555/harbour.7", *used),
        (1, *place, "team", 7, "Harbour survey", "https://www.harbour.org/survey/?utm_source=news", *used),
        (3, *place, "market-context", 9, "Gulf report", "https://gulf.org/report", *used),
    ]
    assert "counts ships" in Citation.objects.filter(line=3).order_by("pk")[0].context
    assert list(Section.objects.order_by("slug").values_list("slug", "title")) == [
        ("market-context", "Market context"),
        ("team", "Team"),
    ]


def test_other_spellings_are_remembered_as_aliases(desk: Desk) -> None:
    imported(desk, DRAFT)
    alias = SourceAlias.objects.get()
    assert alias.spelling == "https://www.harbour.org/survey/?utm_source=news"
    assert alias.source.identifier_value == "https://harbour.org/survey"


def test_a_title_of_a_later_line_is_taken_where_the_first_gives_none(desk: Desk) -> None:
    imported(desk, "https://harbour.org/a\nHarbour survey: https://harbour.org/a\n")
    assert Source.objects.get().title == "Harbour survey"


def test_the_bytes_are_an_artifact_on_which_each_new_source_rests(desk: Desk) -> None:
    imported(desk, "https://harbour.org/survey\n", project=project_at(desk, "Another memo"), label="earlier.md")
    batch = imported(desk, DRAFT).batch
    artifact = Entity.objects.get(type=EntityType.ARTIFACT, content_hash=batch.sha256)
    assert (artifact.logical_id, artifact.workspace) == (f"import/{batch.uuid}", desk.workspace)
    edges = Edge.objects.filter(to_entity=artifact)
    assert set(edges.values_list("relation", "run_id")) == {(Relation.PARSED_FROM, str(batch.uuid))}
    new = Source.objects.exclude(identifier_value="https://harbour.org/survey")
    assert set(edges.values_list("from_entity", flat=True)) == set(new.values_list("entity", flat=True))


def test_the_deed_is_on_record(desk: Desk) -> None:
    batch = imported(desk, DRAFT).batch
    deed = ChangeSet.objects.get()
    assert batch.change_set == deed
    assert (deed.workspace, deed.kind, deed.actor, deed.channel, deed.note, deed.at) == (
        desk.workspace,
        importing.CHANGE_KIND,
        desk.person(Role.CURATOR),
        Channel.PAGE,
        "draft-1.md",
        NOW,
    )
    entries = deed.changes.filter(model="sources.catalogentry")
    assert sorted(entries.values_list("object_id", flat=True)) == sorted(
        CatalogEntry.objects.values_list("pk", flat=True)
    )
    batch.refresh_from_db()
    assert (batch.state, batch.committed_at) == (BatchState.COMMITTED, NOW)


def test_a_known_source_is_entered_and_keeps_its_title_and_standing(desk: Desk) -> None:
    imported(desk, "[Harbour survey 2024](https://harbour.org/survey)\n", project=project_at(desk, "Another memo"))
    result = imported(desk, "[Some other words](https://harbour.org/survey)\n")
    assert (result.new_sources, result.new_entries) == (0, 1)
    assert Source.objects.get().title == "Harbour survey 2024"


def test_unreadable_lines_are_counted_and_left_out(desk: Desk) -> None:
    result = imported(desk, "https://harbour.org/a\njavascript:alert(1)\nfile:///etc/passwd\n")
    assert (result.new_sources, result.unreadable) == (1, 2)
    assert Source.objects.count() == 1


def test_bad_lines_at_both_ends_and_in_the_middle_cost_no_other_line(desk: Desk) -> None:
    bad = (1, 150, 301)
    lines = ["javascript:alert(1)" if line in bad else f"https://harbour.org/{line}" for line in range(1, 302)]
    result = imported(desk, "\n".join(lines))
    assert (result.new_sources, result.unreadable) == (298, 3)
    errors = result.batch.rows.filter(action=RowAction.ERROR).order_by("position")
    assert tuple(errors.values_list("line", flat=True)) == bad
    assert set(Citation.objects.values_list("line", flat=True)) == set(range(1, 302)) - set(bad)


def test_a_fault_at_any_statement_leaves_nothing_half_imported(desk: Desk) -> None:
    batch = staged(desk, DRAFT + "\n<https://harbour.org/later>\n")
    assert faults_until_done(lambda: commit(desk, batch)) >= 20
    assert CatalogEntry.objects.count() == 4


def test_the_same_batch_twice_is_refused_and_changes_nothing(desk: Desk) -> None:
    batch = staged(desk, DRAFT)
    commit(desk, batch)
    before = everything()
    with pytest.raises(AlreadyDone, match="committed before"):
        commit(desk, batch)
    assert everything() == before


def test_a_batch_that_was_thrown_away_is_refused(desk: Desk) -> None:
    batch = staged(desk, DRAFT)
    ImportBatch.objects.filter(pk=batch.pk).update(state=BatchState.DISCARDED)
    before = everything()
    with pytest.raises(AlreadyDone, match="discarded before"):
        commit(desk, batch)
    assert everything() == before


@pytest.mark.parametrize("label", ["draft-1.md", ""], ids=["a file", "a pasted list"])
def test_the_same_list_twice_changes_nothing_but_its_own_batch(desk: Desk, label: str) -> None:
    project = project_at(desk)
    imported(desk, DRAFT, project=project, label=label)
    before = everything()
    batch = staged(desk, DRAFT, project=project, label=label, at=NOW + timedelta(hours=1))
    result = commit(desk, batch)
    assert (result.new_sources, result.new_entries, result.new_citations) == (0, 0, 0)
    after = everything()
    own = {"sources.ImportBatch", "sources.ImportRow", "changes.ChangeSet", "lineage.Entity"}
    assert {name for name in after if after[name] != before[name]} == own
    assert Entity.objects.latest("pk").type == EntityType.ARTIFACT


def test_a_second_draft_adds_places_and_keeps_the_ids(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, DRAFT, project=project)
    result = imported(desk, DRAFT + "\n<https://harbour.org/later>\n", project=project, label="draft-2.md")
    assert (result.new_entries, result.new_citations) == (1, 5)
    assert [entry.stable_id for entry in CatalogEntry.objects.order_by("number")] == [
        "src-001",
        "src-002",
        "src-003",
        "src-004",
    ]


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_commit_the_same_batch_one_writes() -> None:
    desk = furnish("Harbour desk")
    batch = staged(desk, DRAFT)
    results = together(*[lambda: commit(desk, batch)] * 2, meet_before='INSERT INTO "sources_source"')
    assert sorted(type(result).__name__ for result in results) == ["AlreadyDone", "ImportResult"]
    assert Source.objects.count() == CatalogEntry.objects.count() == 3
    assert ChangeSet.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_lists_at_once_never_share_an_id() -> None:
    desk = furnish("Harbour desk")
    project = project_at(desk)
    batches = [
        staged(desk, "\n".join(f"https://{host}/{line}" for line in range(20)), project=project, label=host)
        for host in ("harbour.org", "gulf.org")
    ]
    deeds = [lambda batch=batch: commit(desk, batch) for batch in batches]
    results = together(*deeds, meet_before='INSERT INTO "sources_catalogentry"')
    assert [type(result).__name__ for result in results] == ["ImportResult"] * 2
    assert sorted(CatalogEntry.objects.values_list("number", flat=True)) == list(range(1, 41))
    assert Project.objects.get().next_number == 41


@pytest.mark.django_db(transaction=True)
def test_two_lists_at_once_share_their_sources() -> None:
    desk = furnish("Harbour desk")
    lines = [f"https://harbour.org/{line}" for line in range(40)]
    batches = [
        staged(desk, "\n".join(part), project=project_at(desk, f"Memo {place}"))
        for place, part in enumerate((lines[:30], lines[:9:-1]))
    ]
    deeds = [lambda batch=batch: commit(desk, batch) for batch in batches]
    results = together(*deeds, meet_before='INSERT INTO "sources_source"')
    assert sum(result.new_sources for result in results if isinstance(result, ImportResult)) == 40
    assert (Source.objects.count(), CatalogEntry.objects.count()) == (40, 60)


@pytest.mark.django_db(transaction=True)
def test_lists_in_opposite_order_for_two_projects_never_lock_each_other_out(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = furnish("Harbour desk")
    monkeypatch.setattr(traces, "_BATCH", 1)
    imported(desk, "https://harbour.org/1\nhttps://harbour.org/2\n")
    batches = [
        staged(desk, text, project=project_at(desk, f"Memo {place}"))
        for place, text in enumerate(
            ("http://harbour.org/1\nhttp://harbour.org/2\n", "http://harbour.org/2\nhttp://harbour.org/1\n")
        )
    ]
    deeds = [lambda batch=batch: commit(desk, batch) for batch in batches]
    results = together(*deeds, meet_before='INSERT INTO "sources_sourcealias"')
    assert [type(result).__name__ for result in results] == ["ImportResult"] * 2
    assert SourceAlias.objects.count() == 2


def test_a_commit_costs_the_same_queries_whatever_the_length(desk: Desk) -> None:
    counts = []
    for length in (10, 20):
        text = "\n".join(f"- [Harbour survey {line}](http://www.harbour.org/{length}/{line})" for line in range(length))
        batch = staged(desk, f"# Market\n\n{text}\n", project=project_at(desk, f"Memo {length}"))
        with CaptureQueriesContext(connection) as queries:
            commit(desk, batch)
        counts.append(len(queries))
    assert counts[0] == counts[1] < 100


def test_a_reader_may_not_commit(desk: Desk) -> None:
    batch = staged(desk, DRAFT)
    with pytest.raises(PermissionDenied, match="curator"):
        importing.commit(batch=batch, by=desk.person(Role.READER), channel=Channel.PAGE, at=NOW)
    assert not Source.objects.exists()


def test_a_foreign_batch_does_not_exist(desk: Desk, other_desk: Desk) -> None:
    batch = staged(desk, DRAFT)
    with pytest.raises(Http404):
        commit(other_desk, batch)
    assert not Source.objects.exists()
