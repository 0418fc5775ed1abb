"""Corpora: ids that are never used twice, what stays out, what is kept of a section, undo, mergers, exports."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from lineage.models import Edge
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Change, ChangeSet, Channel
from sources.core.citations import Standing
from sources.core.findings import Cause, Disposition, Verdict
from sources.core.kinds import DecisionKind, Sensitivity
from sources.core.outline import Part
from sources.models import CatalogEntry, Check, CorpusEntry, OutlineSection, Section, Source
from sources.queries.corpora import corpus_of
from sources.queries.holdings import StoredHoldings
from sources.reports import sourced_corpus
from sources.services import (
    corpora,
    corpus_from_catalog,
    corpus_rows,
    importing,
    merging,
    outlines,
    removal,
    review,
    staging,
)
from sources.services.merge_cases import Wanted
from sources.services.review import Seen, Verdicted
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import CatalogEntryFactory, SourceFactory
from tests.unit.sources.writing import FOUND, GAUGE, READ, TIDES, found, keep, project_of, section_of

pytestmark = pytest.mark.django_db


def undo(desk: Desk, kind: str) -> changes.UndoResult:
    deed = ChangeSet.objects.filter(kind=kind).latest("pk")
    return changes.undo(change_set=deed, by=desk.person(), at=NOW)


def test_what_a_search_found_is_kept_with_all_that_is_known_of_it(desk: Desk) -> None:
    section = section_of(project_of(desk))
    kept = keep(desk, section)
    assert (kept.ids, kept.left_out, kept.new) == ({GAUGE: "src-001"}, {}, 1)
    row = CorpusEntry.objects.get()
    assert (row.retrieval_query, row.retrieval_tool, row.rank, row.score) == ("tide gauge harbour", "searxng", 1, 0.9)
    assert row.summary
    assert all(sentence in row.excerpt for sentence in row.summary.split("…") if sentence.strip())
    source = Source.objects.get()
    assert (source.verdict, source.publisher, source.published_date) == (
        Verdict.VERIFIED_ACCESSIBLE,
        "Harbour Press",
        "2024-04-25",
    )
    assert Check.objects.filter(version__sha256=READ).count() == 1
    hit = row.entity
    assert hit is not None
    assert (hit.type, hit.metadata["query"], hit.metadata["rank"]) == ("retrieval-hit", "tide gauge harbour", 1)
    edge = Edge.objects.get(from_entity=hit)
    assert (edge.relation, edge.to_entity.type, edge.to_entity.content_hash) == (
        "RETRIEVED_FROM",
        "source-version",
        READ,
    )


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Mon, 03 Jun 2024 10:11:12 GMT", "2024-06-03"),
        ("2024-04-25T07:00:00Z", "2024-04-25"),
        ("April 2024", "2024-04"),
        ("2 days ago", ""),
    ],
)
def test_a_date_is_kept_however_the_search_writes_it(desk: Desk, written: str, kept: str) -> None:
    keep(desk, section_of(project_of(desk)), [replace(FOUND, published=written)])
    assert Source.objects.get().published_date == kept


def test_a_source_of_two_sections_has_one_id_and_ids_are_never_reused(desk: Desk) -> None:
    project = project_of(desk)
    market, team = section_of(project), section_of(project, "Team")
    keep(desk, market)
    kept = keep(desk, team, [found(TIDES), replace(FOUND, url="http://www.harbour.example/gauge/?utm_source=x")])
    assert kept.ids == {TIDES: "src-002", "http://www.harbour.example/gauge/?utm_source=x": "src-001"}
    undo(desk, corpora.KEEP_KIND)
    assert [row.section for row in CorpusEntry.objects.all()] == [market]
    assert keep(desk, team, [found("https://other.example/x"), found(TIDES)]).ids == {
        "https://other.example/x": "src-003",
        TIDES: "src-004",
    }
    assert sorted(CatalogEntry.objects.values_list("number", flat=True)) == [1, 3, 4]


def test_what_only_a_corpus_brought_can_be_removed_after_its_undo(desk: Desk) -> None:
    section = section_of(project_of(desk))
    keep(desk, section)
    source = Source.objects.get()
    with pytest.raises(removal.Held, match="src-001 of Harbour memo"):
        removal.remove(source=source, by=desk.person(), channel=Channel.PAGE, at=NOW)
    assert undo(desk, corpora.KEEP_KIND).undone == 2
    removal.remove(source=source, by=desk.person(), channel=Channel.PAGE, at=NOW)
    assert not Source.objects.exists()


def test_an_erased_source_leaves_no_excerpt_in_history(desk: Desk) -> None:
    keep(desk, section_of(project_of(desk)))
    undo(desk, corpora.KEEP_KIND)
    told = Change.objects.filter(model=corpus_rows.CORPUS_ENTRY)
    assert any("1887" in str(one.after) + str(one.before) for one in told)
    removal.remove(source=Source.objects.get(), by=desk.person(Role.ADMIN), channel=Channel.PAGE, at=NOW, erasing=True)
    assert not any("1887" in str(one.after) + str(one.before) for one in told.all())


def test_an_entry_that_is_used_elsewhere_stays_after_the_undo(desk: Desk) -> None:
    project = project_of(desk)
    keep(desk, section_of(project))
    deed = ChangeSet.objects.get(kind=corpora.KEEP_KIND)
    keep(desk, section_of(project, "Team"))
    told = changes.undo(change_set=deed, by=desk.person(), at=NOW)
    assert (told.undone, told.skipped) == (1, ("src-001 is used by now and keeps its source",))
    assert [row.section.title for row in CorpusEntry.objects.all()] == ["Team"]


def test_keeping_again_writes_over_what_was_kept_and_undo_gives_it_back(desk: Desk) -> None:
    section = section_of(project_of(desk))
    keep(desk, section)
    assert keep(desk, section).new == 0
    assert ChangeSet.objects.filter(kind=corpora.KEEP_KIND).count() == 1
    keep(desk, section, [replace(FOUND, query="another question", rank=3)])
    assert CorpusEntry.objects.get().retrieval_query == "another question"
    assert undo(desk, corpora.KEEP_KIND).undone == 1
    assert (CorpusEntry.objects.get().retrieval_query, CorpusEntry.objects.get().rank) == ("tide gauge harbour", 1)


def test_what_was_rejected_what_is_dropped_and_what_is_no_address_stays_out_and_is_told(desk: Desk) -> None:
    section = section_of(project_of(desk))
    source = SourceFactory(workspace=desk.workspace, identifier_value=TIDES)
    review.decide(
        source=source,
        given=Verdicted(kind=DecisionKind.DROP, reason="An advertisement"),
        seen=Seen(row_version=source.row_version, check_id=None, decision_id=None),
        by=desk.person(Role.EDITOR),
        channel=Channel.PAGE,
        at=NOW,
    )
    dead = replace(found("https://gone.example/x"), verdict=Verdict.HARD_404, cause=Cause.NOT_FOUND)
    kept = keep(desk, section, [found(TIDES), dead, replace(FOUND, url="not an address"), FOUND])
    assert kept.ids == {GAUGE: "src-001"}
    assert kept.left_out[TIDES] == "A person rejected it before: An advertisement"
    assert "There is no such page" in kept.left_out["https://gone.example/x"]
    assert set(kept.left_out) == {TIDES, "https://gone.example/x", "not an address"}
    assert not Source.objects.filter(identifier_value="https://gone.example/x").exists()


def test_what_is_taken_out_comes_back_by_undo_unless_it_was_kept_again(desk: Desk) -> None:
    section = section_of(project_of(desk))
    keep(desk, section)
    before = corpus_rows.facts_of(CorpusEntry.objects.select_related("entry").get())
    row = CorpusEntry.objects.select_related("entry__project", "section", "entity").get()
    corpus_rows.remove(row=row, by=desk.person(), channel=Channel.PAGE, at=NOW)
    assert not CorpusEntry.objects.exists()
    assert CatalogEntry.objects.get().stable_id == "src-001"
    assert undo(desk, corpus_rows.REMOVE_KIND).undone == 1
    assert corpus_rows.facts_of(CorpusEntry.objects.select_related("entry").get()) == before
    row = CorpusEntry.objects.select_related("entry__project", "section").get()
    corpus_rows.remove(row=row, by=desk.person(), channel=Channel.PAGE, at=NOW)
    keep(desk, section)
    assert undo(desk, corpus_rows.REMOVE_KIND).skipped == ("src-001 was kept again since",)


def test_the_corpus_says_what_stands_against_a_source(desk: Desk) -> None:
    project = project_of(desk)
    keep(desk, section_of(project))
    (item,) = corpus_of(project=project, at=NOW)
    assert (item.id, item.url, item.canonical_url, item.section) == ("src-001", GAUGE, GAUGE, "market")
    assert item.standing == frozenset()
    assert corpus_of(project=project, at=NOW + timedelta(days=40))[0].standing == {Standing.STALE}
    Source.objects.update(
        retracted=True, sensitivity=Sensitivity.INTERNAL_ONLY, disposition=Disposition.DROP, fresh_until=None
    )
    assert corpus_of(project=project, at=NOW)[0].standing == {
        Standing.RETRACTED,
        Standing.INTERNAL_ONLY,
        Standing.DROPPED,
    }


def test_the_projects_kept_sources_are_taken_in_under_their_ids(desk: Desk) -> None:
    project = project_of(desk)
    section = section_of(project)
    for number, disposition in enumerate((Disposition.KEEP, Disposition.REVIEW, Disposition.KEEP), 1):
        source = SourceFactory(workspace=desk.workspace, disposition=disposition)
        CatalogEntryFactory(project=project, source=source, number=number)
    assert corpus_from_catalog.waiting(project=project, section=section) == 2
    for taken in (2, 0):
        told = corpus_from_catalog.take_in(
            project=project, section=section, by=desk.person(), channel=Channel.PAGE, at=NOW
        )
        assert told == taken
    assert [item.id for item in corpus_of(project=project, section=section, at=NOW)] == ["src-001", "src-003"]


def test_merged_sources_are_one_entry_whose_former_id_leads_on(desk: Desk) -> None:
    project = project_of(desk)
    market, team = section_of(project), section_of(project, "Team")
    keep(desk, market, [FOUND, found(TIDES)])
    keep(desk, team, [found(TIDES)])
    stays, goes = (Source.objects.get(identifier_value=url) for url in (GAUGE, TIDES))
    deed = merging.merge(
        workspace_id=desk.workspace.pk,
        wanted=[Wanted(keep=stays.pk, lose=(goes.pk,))],
        carry_retractions=False,
        by=desk.person(Role.EDITOR),
        channel=Channel.PAGE,
        at=NOW,
    )
    kept = CorpusEntry.objects.values_list("entry__number", "section__slug").order_by("section__slug")
    assert list(kept) == [(1, "market"), (1, "team")]
    assert [item.id for item in corpus_of(project=project, at=NOW)] == ["src-001", "src-002"]
    changes.undo(change_set=deed, by=desk.person(Role.EDITOR), at=NOW)
    assert sorted(kept.values_list("entry__number", flat=True)) == [1, 2, 2]


def test_the_export_of_a_section_tells_what_its_corpus_keeps(desk: Desk) -> None:
    project = project_of(desk)
    market, team = section_of(project), section_of(project, "Team")
    keep(desk, market)
    keep(desk, team, [replace(FOUND, query="who sets gauges", excerpt="Another passage of the page.", tool="tavily")])
    holdings = StoredHoldings(workspace_id=desk.workspace.pk, project=project)
    told = {slug: json.loads("".join(sourced_corpus.stream(holdings, section=slug))) for slug in ("market", "team")}
    assert [(one["id"], one["retrieval_query"], one["retrieval_tool"]) for one in told["market"]] == [
        ("src-001", "tide gauge harbour", "searxng")
    ]
    (one,) = told["team"]
    assert (one["body_excerpt"], one["retrieval_query"]) == ("Another passage of the page.", "who sets gauges")


def test_undoing_an_import_leaves_what_a_corpus_keeps_and_the_sections_of_the_outline(desk: Desk) -> None:
    project = project_of(desk)
    batch = staging.stage(
        project=project, data=f"# Market\n\n{GAUGE}\n\n{TIDES}\n".encode(), label="list", by=desk.person(), at=NOW
    )
    importing.commit(batch=batch, by=desk.person(), channel=Channel.PAGE, at=NOW)
    outlines.save(project=project, parts=[Part("Market")], by=desk.person(), channel=Channel.PAGE, at=NOW)
    section = Section.objects.get(slug="market")
    assert keep(desk, section).ids == {GAUGE: "src-001"}
    told = undo(desk, importing.CHANGE_KIND)
    assert [sentence.rpartition(" is ")[2] for sentence in told.skipped] == ["kept in a corpus"]
    assert [item.id for item in corpus_of(project=project, section=section, at=NOW)] == ["src-001"]
    assert OutlineSection.objects.get().section == section
    assert not Source.objects.filter(identifier_value=TIDES).exists()
