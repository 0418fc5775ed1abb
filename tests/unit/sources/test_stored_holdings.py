"""What the registry holds, told in full and in brief: both say the same, of the right sources, and of nobody else's."""

from datetime import timedelta

import pytest

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.core.catalog import CitationStatus
from sources.core.entries import Author, SourceRecord, as_json
from sources.core.exported import Use
from sources.core.findings import Verdict
from sources.core.kinds import Authority, Classification, DecisionKind, IdentifierType, Sensitivity, VersionOrigin
from sources.core.records import Identity
from sources.core.retraction import RetractionStatus
from sources.models import Project, Source, Tag
from sources.queries.holdings import StoredHoldings
from sources.services import review
from sources.services.review import Seen, Verdicted
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    CatalogEntryFactory,
    CitationFactory,
    ProjectFactory,
    ProjectVersionFactory,
    SectionFactory,
    SourceAliasFactory,
    SourceFactory,
    SourceVersionFactory,
)
from tests.factories.keys import sha256
from tests.unit.sources.findings import apply

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(desk: Desk) -> Project:
    """A project with everything that a brief has to get right."""
    project = ProjectFactory(workspace=desk.workspace, name="Harbour memo")
    sections = [SectionFactory(project=project, slug=slug) for slug in ("02-market", "01-team")]
    versions = [ProjectVersionFactory(project=project, label=label) for label in ("v2", "v10")]
    kinds = (
        {},
        {"retracted": True, "retraction_note": "Notice of 2 May"},
        {"sensitivity": Sensitivity.INTERNAL_ONLY},
        {"title": "", "identifier_type": IdentifierType.ISBN, "identifier_value": "9780306406157"},
        {"untraceable": True},
        {},
        {},
    )
    for number, fields in enumerate(kinds, start=1):
        source = SourceFactory(workspace=desk.workspace, **fields)
        entry = CatalogEntryFactory(project=project, source=source, number=number)
        for place, status in enumerate((CitationStatus.FOUND_IN_RESEARCH, CitationStatus.INCLUDED)[: number % 3]):
            CitationFactory(entry=entry, version=versions[place], section=sections[number % 2], status=status)
    CitationFactory(entry=entry, version=versions[0], section=None, status=CitationStatus.VALID_NOT_CITED)
    book = Source.objects.get(identifier_type=IdentifierType.ISBN)
    SourceAliasFactory(
        source=book, spelling="https://books.example/1", canonical_key=sha256("url:https://books.example/1")
    )
    for source, verdict in zip(Source.objects.order_by("pk"), Verdict, strict=False):
        apply(source, verdict)
    overridden = apply(entry.source, Verdict.THIN)
    review.decide(
        source=overridden,
        given=Verdicted(DecisionKind.OVERRIDE, "I read it on paper.", Verdict.VERIFIED_GATED),
        seen=Seen.of(overridden),
        by=desk.person(Role.EDITOR),
        channel=Channel.PAGE,
        at=NOW + timedelta(hours=1),
    )
    return project


def held(project: Project, **more: object) -> StoredHoldings:
    return StoredHoldings(project.workspace_id, project, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("external", [True, False])
def test_the_brief_of_every_source_says_what_the_source_itself_says(project: Project, external: bool) -> None:
    in_project = held(project, external=external, batch=2)
    in_workspace = StoredHoldings(project.workspace_id, external=external, batch=2)
    for holdings in (in_project, in_workspace):
        assert list(holdings.briefs()) == [source.brief for source in holdings]
        assert len(holdings) == (6 if external else 7)


def test_internal_sources_stay_inside_and_are_counted(project: Project) -> None:
    internal = Source.objects.get(sensitivity=Sensitivity.INTERNAL_ONLY)
    outside, inside = held(project), held(project, external=False)
    assert str(internal.uuid) not in {one.record.uuid for one in outside}
    assert str(internal.uuid) in {one.record.uuid for one in inside}
    assert (outside.export().left_out_internal, inside.export().left_out_internal) == (1, 0)


def test_when_an_internal_source_was_checked_is_not_told_outside(desk: Desk) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    for sensitivity, hours in ((Sensitivity.CITABLE_EXTERNALLY, 1), (Sensitivity.INTERNAL_ONLY, 5)):
        source = SourceFactory(workspace=desk.workspace, sensitivity=sensitivity)
        CatalogEntryFactory(project=project, source=source)
        apply(source, Verdict.THIN, at=NOW + timedelta(hours=hours))
    assert held(project).export().as_of == NOW + timedelta(hours=1)
    assert held(project, external=False).export().as_of == NOW + timedelta(hours=5)


def test_what_was_merged_into_another_source_never_appears(project: Project) -> None:
    gone, kept = Source.objects.order_by("pk")[:2]
    gone.merged_into = kept
    gone.save()
    for holdings in (held(project, external=False), StoredHoldings(project.workspace_id, external=False)):
        assert str(gone.uuid) not in {one.record.uuid for one in holdings}
        assert len(list(holdings.briefs())) == len(holdings) == 6


def test_a_source_that_is_removed_while_a_list_is_read_is_passed_over(project: Project) -> None:
    holdings = held(project)
    assert len(holdings) == 6
    first = next(iter(holdings))
    project.entries.filter(source__uuid=first.record.uuid).delete()
    Source.objects.filter(uuid=first.record.uuid).delete()
    assert [one.stable_id for one in holdings] == ["src-002", "src-004", "src-005", "src-006", "src-007"]


def test_some_of_a_workspace_are_told_with_ids_that_are_the_same_in_every_list(project: Project) -> None:
    chosen = Source.objects.filter(identifier_type=IdentifierType.URL)
    some, all_of_them = StoredHoldings(project.workspace_id, chosen=chosen), StoredHoldings(project.workspace_id)
    ids = {one.record.uuid: one.stable_id for one in all_of_them}
    assert {one.record.uuid: one.stable_id for one in some}.items() <= ids.items()
    assert len(some) == 4
    assert all(name == f"src-{uuid.replace('-', '')[:12]}" for uuid, name in ids.items())


def test_some_of_a_project_keep_their_ids_in_it(project: Project) -> None:
    chosen = Source.objects.filter(identifier_type=IdentifierType.ISBN)
    assert [one.stable_id for one in held(project, chosen=chosen)] == ["src-004"]


def test_a_foreign_source_is_in_no_list(project: Project, other_desk: Desk) -> None:
    SourceFactory(workspace=other_desk.workspace, title="canary")
    everything = StoredHoldings(project.workspace_id, chosen=Source.objects.all(), external=False)
    assert "canary" not in {one.record.title for one in everything}


def test_the_whole_description_is_told(desk: Desk) -> None:
    source = SourceFactory(
        workspace=desk.workspace,
        identifier_type=IdentifierType.DOI,
        identifier_value="10.5555/harbour.7",
        title="Harbour survey",
        authors="Quay, Anna; Port Office",
        author_list=[{"family": "Quay", "given": "Anna", "orcid": "0000-0002-1825-0097"}, {"family": "Port Office"}],
        published_date="2024-04",
        publisher="Gulf Press",
        rights="CC BY 4.0",
        version="2",
        retracted=True,
        retraction_note="data invented",
        bibliography={
            "kind": "article-journal",
            "container_title": "Harbours",
            "volume": "7",
            "issue": "2",
            "pages": "11-19",
            "issn": "0378-5955",
            "language": "en",
            "abstract": "Ships were counted.",
            "note": "Read twice.",
            "details": {"body_excerpt": "Forty piles", "retrieval_query": "harbour piles", "rank": "3"},
        },
    )
    source.tags.add(*(Tag.objects.create(workspace=desk.workspace, name=name) for name in ("quay", "boats")))
    for spelling, kind in (("2401.00001", "arxiv"), ("https://harbour.example/7", "url")):
        SourceAliasFactory(source=source, spelling=spelling, canonical_key=sha256(f"{kind}:{spelling}"))
    record = SourceRecord(line=1, spelling="quay2024", ref="quay2024", editors=(Author(family="Mole", given="Ben"),))
    SourceVersionFactory(
        source=source,
        origin=VersionOrigin.IMPORTED,
        record=as_json(record) | {"authors": [{"family": "Quay", "given": "Anna"}]},
    )
    entry = CatalogEntryFactory(source=source, project=ProjectFactory(workspace=desk.workspace))
    CitationFactory(entry=entry, spelling="quay2024", version__label="v1", section=None)
    (told,) = held(entry.project)
    assert told.record == SourceRecord(
        line=0,
        spelling="https://doi.org/10.5555/harbour.7",
        ref="quay2024",
        uuid=str(source.uuid),
        identities=(
            Identity(IdentifierType.DOI, "10.5555/harbour.7", ""),
            Identity(IdentifierType.ARXIV, "2401.00001", ""),
            Identity(IdentifierType.URL, "https://harbour.example/7", ""),
        ),
        title="Harbour survey",
        kind="article-journal",
        authors=(Author(family="Quay", given="Anna", orcid="0000-0002-1825-0097"), Author(family="Port Office")),
        editors=(Author(family="Mole", given="Ben"),),
        published_date="2024-04",
        publisher="Gulf Press",
        container_title="Harbours",
        volume="7",
        issue="2",
        pages="11-19",
        issn="0378-5955",
        language="en",
        abstract="Ships were counted.",
        note="Read twice.",
        rights="CC BY 4.0",
        version="2",
        tags=("boats", "quay"),
        authority=Authority.USER_PROVIDED,
        classification=Classification.INTERNAL,
        sensitivity=Sensitivity.CITABLE_EXTERNALLY,
        first_seen_at="2026-03-02T09:30:00Z",
    )
    assert (told.retraction, told.retraction_note) == (RetractionStatus.RETRACTED, "data invented")
    assert (told.body_excerpt, told.retrieval_query, told.rank) == ("Forty piles", "harbour piles", 3)
    assert told.uses == (Use("", "v1", CitationStatus.INCLUDED),)
    assert told.variants == ()


@pytest.mark.parametrize("ref", ["src-001", "12", "source:4", "source:0b9fd2a6-7b3d-4a55-9d7e-4d1f0c2e8a11"])
def test_a_key_of_another_desk_is_no_citation_key_here(ref: str) -> None:
    entry = CatalogEntryFactory()
    record = as_json(SourceRecord(line=1, spelling="x", ref=ref))
    SourceVersionFactory(source=entry.source, origin=VersionOrigin.IMPORTED, record=record)
    (told,) = held(entry.project)
    assert told.record.ref == ""


def test_editors_that_stood_in_for_authors_are_told_once(desk: Desk) -> None:
    entry = CatalogEntryFactory(source__author_list=[{"family": "Mole", "given": "Ben"}])
    record = SourceRecord(line=1, spelling="x", editors=(Author(family="Mole", given="Ben"),))
    SourceVersionFactory(source=entry.source, origin=VersionOrigin.IMPORTED, record=as_json(record))
    (told,) = held(entry.project)
    assert (told.record.authors, told.record.editors) == ((), record.editors)


def test_outside_of_a_project_every_known_spelling_is_a_variant(desk: Desk) -> None:
    alias = SourceAliasFactory(source=SourceFactory(workspace=desk.workspace))
    (told,) = StoredHoldings(desk.workspace.pk)
    assert told.variants == (alias.spelling,)


def test_people_that_stand_in_one_text_are_told_as_the_form_shows_them(desk: Desk) -> None:
    SourceFactory(workspace=desk.workspace, authors="Quay, Anna; Port Office", author_list=[])
    (told,) = StoredHoldings(desk.workspace.pk)
    assert told.record.authors == (Author(family="Quay", given="Anna"), Author(family="Port Office"))
