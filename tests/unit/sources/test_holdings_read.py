"""A project's list as the registry holds it: what is handed on, of this project alone, the same for the same state."""

from datetime import timedelta

import pytest
from django.http import Http404
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet, Channel
from sources.core.catalog import CitationStatus
from sources.core.exported import ExportedSource
from sources.core.findings import Disposition, Recovery, Verdict
from sources.core.kinds import DecisionKind, IdentifierType
from sources.core.listing import Shelf
from sources.models import Project, Source
from sources.queries.holdings import StoredHoldings
from sources.queries.listings import link_of
from sources.reports.master_sources import Layout
from sources.services import review
from sources.services.exporting import master_sources_file
from sources.services.review import Seen, Verdicted
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    CitationFactory,
    ProjectFactory,
    ProjectVersionFactory,
    SectionFactory,
    SourceFactory,
    UserFactory,
)
from tests.unit.sources.findings import apply
from tests.unit.sources.lists import DRAFT, imported, project_at

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def held(project: Project, **more: object) -> StoredHoldings:
    return StoredHoldings(project.workspace_id, project, **more)  # type: ignore[arg-type]


def told(project: Project) -> list[ExportedSource]:
    return list(held(project))


def files(project: object) -> list[str]:
    return [master_sources_file(project=project, layout=layout, by=None) for layout in Layout]  # type: ignore[arg-type]


def decide(desk: Desk, source: Source, given: Verdicted) -> None:
    review.decide(
        source=source,
        given=given,
        seen=Seen.of(source),
        by=desk.person(Role.EDITOR),
        channel=Channel.PAGE,
        at=LATER,
    )


def test_entries_come_in_the_order_of_their_ids_with_places_and_variants(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, DRAFT, project=project)
    imported(desk, "https://www.harbour.org/survey\n", project=project, label="draft-2.md")
    export, entries = held(project).export(), told(project)
    assert (export.project, export.versions) == ("Harbour memo", ("draft-1.md", "draft-2.md"))
    assert [(entry.stable_id, entry.record.title, entry.link) for entry in entries] == [
        ("src-001", "Harbour survey", "https://harbour.org/survey"),
        ("src-002", "", "https://doi.org/10.5555/harbour.7"),
        ("src-003", "Gulf report", "https://gulf.org/report"),
    ]
    survey = entries[0]
    assert survey.sections == ("market-context", "team")
    assert survey.versions == ("draft-1.md", "draft-2.md")
    assert survey.variants == ("https://www.harbour.org/survey", "https://www.harbour.org/survey/?utm_source=news")
    assert survey.status is CitationStatus.INCLUDED
    assert survey.shelf is Shelf.UNCHECKED


def test_a_list_that_is_read_in_parts_keeps_its_order() -> None:
    project = ProjectFactory()
    for number in (5, 1, 4, 2, 3):
        CatalogEntryFactory(project=project, number=number)
    in_parts = held(project, batch=2)
    assert [entry.stable_id for entry in in_parts] == [f"src-00{number}" for number in range(1, 6)]
    assert [entry.stable_id for entry in in_parts.read([4, 0, 2])] == ["src-005", "src-001", "src-003"]


def test_when_versions_disagree_the_best_status_wins() -> None:
    entry = CatalogEntryFactory()
    for status in (
        CitationStatus.FOUND_IN_RESEARCH,
        CitationStatus.ADDED_BY_CORRECTION,
        CitationStatus.VALID_NOT_CITED,
    ):
        CitationFactory(entry=entry, status=status)
    assert told(entry.project)[0].status is CitationStatus.ADDED_BY_CORRECTION


def test_an_entry_that_nothing_cites_any_more_is_still_listed() -> None:
    entry = CatalogEntryFactory()
    found = told(entry.project)[0]
    assert (found.status, found.sections, found.variants) == (CitationStatus.FOUND_IN_RESEARCH, (), ())


def test_a_title_is_the_registrys_else_the_texts_else_that_of_the_verified_page() -> None:
    project = ProjectFactory()
    named, cited, verified, gone = (
        CatalogEntryFactory(project=project, source__title=title) for title in ("Harbour survey", "", "", "")
    )
    for entry in (named, cited):
        CitationFactory(entry=entry, claimed_title="As cited")
    for entry, verdict in ((named, "a"), (verified, "b")):
        apply(entry.source, Verdict.VERIFIED_ACCESSIBLE, title_found=f"As found {verdict}")
    apply(gone.source, Verdict.HARD_404, title_found="Page not found")
    assert [entry.record.title for entry in told(project)] == ["Harbour survey", "As cited", "As found b", ""]


@pytest.mark.parametrize(
    ("kind", "value", "title"),
    [
        (IdentifierType.ISBN, "9780306406157", "ISBN 9780306406157"),
        (IdentifierType.ISSN, "0378-5955", "ISSN 0378-5955"),
        (IdentifierType.URN, "urn:nbn:de:101:1", "urn:nbn:de:101:1"),
    ],
)
def test_a_work_without_an_address_is_named_by_its_identifier(kind: IdentifierType, value: str, title: str) -> None:
    source = SourceFactory(title="", identifier_type=kind, identifier_value=value)
    entry = CatalogEntryFactory(source=source, project=ProjectFactory(workspace=source.workspace))
    assert told(entry.project)[0].record.title == title
    assert link_of(source) == ""
    for text in files(entry.project):
        assert f"- **{title}** (no URL)\n" in text


def test_what_an_editor_decided_holds_and_is_told(desk: Desk) -> None:
    entry = CatalogEntryFactory(project=project_at(desk))
    source = apply(entry.source, Verdict.THIN)
    decide(desk, source, Verdicted(DecisionKind.OVERRIDE, "I read it on paper.", Verdict.VERIFIED_GATED))
    found = told(entry.project)[0]
    assert (found.verdict, found.disposition, found.shelf) == (Verdict.VERIFIED_GATED, Disposition.KEEP, Shelf.GATED)
    assert found.reason == "in place of thin: too little text to judge"
    assert found.decision is not None
    assert (found.decision.label, found.decision.by, found.decision.at, found.decision.reason) == (
        "Overridden",
        desk.person(Role.EDITOR).username,
        LATER,
        "I read it on paper.",
    )


def test_a_dropped_source_stands_under_dropped_with_its_reason(desk: Desk) -> None:
    entry = CatalogEntryFactory(project=project_at(desk))
    decide(desk, apply(entry.source, Verdict.VERIFIED_ACCESSIBLE), Verdicted(DecisionKind.DROP, "Not about harbours."))
    by_verdict, memo = files(entry.project)
    dropped = by_verdict.partition("## Dropped (1)")[2].partition("## Recovered")[0]
    assert f"Dropped by {desk.person(Role.EDITOR).username} on 2026-03-02 10:30:00: Not about harbours." in dropped
    assert "**Unique sources**: 0" in memo


def test_a_recovered_source_keeps_its_pair(desk: Desk) -> None:
    entry = CatalogEntryFactory(project=project_at(desk))
    recovery = Recovery("https://harbour.org/new", "Harbour survey", "title", '"Harbour survey"', "searxng", 0.91)
    apply(entry.source, Verdict.VERIFIED_VIA_REPUBLISH, recovery=recovery)
    shelf = files(entry.project)[0].partition("## Recovered (1)")[2]
    assert f"**[{entry.source.title}](https://harbour.org/new)**" in shelf
    assert f"Original: {entry.source.identifier_value}" in shelf


def test_a_retraction_is_told_with_or_without_a_note(desk: Desk) -> None:
    project = project_at(desk)
    for note in ("Notice of 2 May", ""):
        source = SourceFactory(workspace=desk.workspace, retracted=True, retraction_note=note)
        CatalogEntryFactory(project=project, source=source)
    text = files(project)[0]
    assert "  - RETRACTED: Notice of 2 May\n" in text
    assert "  - RETRACTED: no note given\n" in text


def test_the_same_state_gives_the_same_bytes_whoever_asks_and_whatever_came_and_went(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, DRAFT, project=project)
    source = apply(Source.objects.get(identifier_value="https://harbour.org/survey"), Verdict.THIN)
    before = files(project)
    assert "**Generated**: 2026-03-02 09:30:00\n" in before[0]
    decide(desk, source, Verdicted(DecisionKind.DROP, "why"))
    assert "**Generated**: 2026-03-02 10:30:00\n" in files(project)[0]
    changes.undo(change_set=ChangeSet.objects.latest("pk"), by=desk.person(Role.EDITOR), at=LATER)
    assert files(project) == before
    assert master_sources_file(project=project, layout=Layout.VERDICT, by=desk.person(Role.READER)) == before[0]


def test_another_project_changes_nothing_here(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, DRAFT, project=project)
    before = files(project)
    other = (
        "# Elsewhere\n\n[Other words](http://www.harbour.org/survey/?utm_medium=mail) and https://harbour.org/more\n"
    )
    imported(desk, other, project=project_at(desk, "Another memo"), label="other.md")
    assert files(project) == before


def test_nothing_of_another_workspace_is_in_it(desk: Desk, other_desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, DRAFT, project=project)
    before = files(project)
    imported(other_desk, DRAFT.replace("Harbour survey", "canary"), label="canary.md")
    apply(Source.objects.get(workspace=other_desk.workspace, title="canary"), Verdict.HARD_404)
    assert files(project) == before


def test_every_canonical_address_stands_in_it_once(desk: Desk) -> None:
    project = project_at(desk)
    spellings = ["https://harbour.org/a", "http://www.harbour.org/a/", "https://harbour.org/a?utm_source=x#top"]
    dois = ["10.5555/harbour.7", "https://doi.org/10.5555/HARBOUR.7", "doi:10.5555/harbour.7"]
    imported(desk, "\n".join([*spellings, *dois, *spellings]), project=project)
    for text in files(project):
        assert text.count("(https://harbour.org/a)") == 1
        assert text.count("(https://doi.org/10.5555/harbour.7)") == 1
        assert "**Unique sources**: 2\n" in text


def test_an_address_with_a_port_keeps_the_scheme_that_the_port_speaks(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, "http://harbour.org:8010/a\n", project=project)
    assert "(http://harbour.org:8010/a)" in files(project)[0]


def test_no_password_is_in_it(desk: Desk) -> None:
    project = project_at(desk)
    secret = "https://anna:hunter2@harbour.org"
    imported(desk, f"# {secret}\n\n- [{secret}/t]({secret}/a)\n- {secret}/b\n", project=project, label=f"{secret}/l")
    for source in Source.objects.all():
        recovery = Recovery(f"{secret}/new", secret, "title", secret, "searxng", 0.91)
        apply(source, Verdict.VERIFIED_VIA_REPUBLISH, recovery=recovery, access_note=secret, title_found=secret)
    assert len(told(project)) == 3
    assert all("hunter2" not in text for text in files(project))


@pytest.mark.parametrize("number", [10, 20])
def test_a_list_costs_the_same_queries_whatever_its_length(
    number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = ProjectFactory()
    version, section = ProjectVersionFactory(project=project), SectionFactory(project=project)
    for _ in range(number):
        entry = CatalogEntryFactory(project=project)
        CitationFactory(entry=entry, version=version, section=section)
        apply(entry.source, Verdict.THIN)
    with django_assert_num_queries(9):
        told(project)
    with django_assert_num_queries(8):
        list(held(project).briefs())


def test_only_members_get_the_file(desk: Desk, other_desk: Desk) -> None:
    project = project_at(desk)
    for person in (other_desk.person(Role.ADMIN), UserFactory()):
        with pytest.raises(Http404):
            master_sources_file(project=project, layout=Layout.MEMO, by=person)
