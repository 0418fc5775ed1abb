"""Files of other tools through both steps: what they say of works, what joins, what only may be one, what stays out."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from lineage.models import Edge
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from sources.core.catalog import CitationStatus
from sources.core.entries import ObservationKind, Relationship
from sources.core.kinds import BatchState, DecisionKind, RowAction, VersionOrigin
from sources.models import (
    CatalogEntry,
    Citation,
    Concept,
    Decision,
    DuplicatePair,
    ImportBatch,
    Observation,
    ObservationSource,
    Project,
    Session,
    Source,
    SourceAlias,
    SourceVersion,
    Tag,
    Turn,
    TurnSource,
)
from sources.services import import_steps, importing, registry, review, staging
from sources.services.registry import Registered
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ConceptFactory, ObservationFactory, ProjectFactory, SourceFactory
from tests.formats.samples import SAMPLES
from tests.unit.sources.disturbance import everything
from tests.unit.sources.lists import commit, imported, project_at, staged

pytestmark = pytest.mark.django_db

BIBTEX = """\
@article{nunez2024,
  title = {The tides of the lower harbour},
  author = {N{\\'u}{\\~n}ez, Ana and {World Health Organization}},
  journal = {Journal of Harbours},
  year = {2024}, volume = {7}, pages = {1--9},
  doi = {10.5555/harbour.7}, url = {https://harbour.org/articles/7},
  keywords = {tides, harbour},
}
@misc{thesis, title = {A thesis that nobody ever put on the web}, author = {Olsen, Per}, year = {1998}}
@article{broken, title = {No end
"""
SESSION = """\
INT. HARVEY AND ANA TALKING 2026-06-25 14:23:11

[[rag: 3 chunks from harbour.db, top score 0.87]]
[[rag-source: tides.md:45–72 (The tides, doi:10.5555/harbour.7)]]
[[rag-source: https://harbour.org/survey]]

ANA
What do the tides say?
"""


def actions(batch: ImportBatch) -> list[str]:
    return list(batch.rows.order_by("position").values_list("action", flat=True))


def test_what_a_bibliography_says_of_a_work_is_in_its_columns(desk: Desk) -> None:
    result = imported(desk, BIBTEX, label="refs.bib")
    assert (result.batch.format, result.batch.counted) == ("bibtex", 3)
    source = Source.objects.get(identifier_value="10.5555/harbour.7")
    assert source.title == "The tides of the lower harbour"
    assert source.authors == "Núñez, Ana; World Health Organization"
    assert source.author_list == [{"family": "Núñez", "given": "Ana"}, {"family": "World Health Organization"}]
    assert (source.published_date, source.bibliography["container_title"]) == ("2024", "Journal of Harbours")
    assert source.bibliography["volume"] == "7"
    assert sorted(source.tags.values_list("name", flat=True)) == ["harbour", "tides"]
    assert source.fingerprint
    version = SourceVersion.objects.get(source=source)
    assert (version.origin, (version.record or {})["title"]) == (VersionOrigin.IMPORTED, source.title)


def test_a_work_is_found_by_any_of_its_identifiers(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, BIBTEX, project=project, label="refs.bib")
    batch = staged(desk, "https://harbour.org/articles/7\n", project=project, label="list")
    assert actions(batch) == [RowAction.KNOWN]
    assert commit(desk, batch).new_sources == 0
    assert Source.objects.filter(title__startswith="The tides").count() == 1


def test_rows_of_one_file_that_share_any_identifier_are_one_work(desk: Desk) -> None:
    text = (
        "@misc{a, title={The tides of the lower harbour}, url={https://harbour.org/articles/7}}\n"
        "@misc{b, title={The tides of the lower harbour}, doi={10.5555/harbour.7}, url={https://harbour.org/articles/7}}\n"
    )
    assert imported(desk, text, label="refs.bib").new_sources == 1
    assert SourceAlias.objects.filter(spelling="10.5555/harbour.7").exists()


def test_a_work_without_identifier_is_the_same_the_second_time(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, BIBTEX, project=project, label="refs.bib")
    before = everything()
    batch = staged(desk, BIBTEX, project=project, label="refs.bib", at=NOW + timedelta(hours=1))
    assert actions(batch)[:2] == [RowAction.KNOWN, RowAction.KNOWN]
    result = commit(desk, batch)
    assert (result.new_sources, result.new_entries, result.new_citations) == (0, 0, 0)
    after = everything()
    own = {"sources.ImportBatch", "sources.ImportRow", "changes.ChangeSet", "lineage.Entity"}
    assert {name for name in after if after[name] != before[name]} == own


def test_every_entry_of_a_file_is_a_row_or_an_error_with_its_line(desk: Desk) -> None:
    batch = staged(desk, BIBTEX, label="refs.bib")
    assert batch.rows.count() == batch.counted == 3
    error = batch.rows.get(action=RowAction.ERROR)
    assert error.line == 10
    assert error.message


def test_a_known_source_is_told_what_it_did_not_say_and_keeps_what_it_did(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, "[The survey of tides](https://doi.org/10.5555/harbour.7)\n", project=project, label="draft.md")
    source = Source.objects.get()
    batch = staged(desk, BIBTEX, project=project, label="refs.bib")
    row = batch.rows.order_by("position")[0]
    assert row.action == RowAction.UPDATE
    assert "Adds authors, bibliography, published date." in row.message
    commit(desk, batch)
    source.refresh_from_db()
    assert source.title == "The survey of tides"
    assert source.authors.startswith("Núñez, Ana")
    assert source.row_version == 2
    deed = ImportBatch.objects.get(pk=batch.pk).change_set
    assert deed is not None
    assert changes.undo(change_set=deed, by=desk.person(Role.CURATOR), at=NOW).skipped == ()
    source.refresh_from_db()
    assert (source.title, source.authors, source.bibliography) == ("The survey of tides", "", {})


def test_an_undo_leaves_alone_what_a_person_wrote_since(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, "https://doi.org/10.5555/harbour.7\n", project=project, label="list")
    result = imported(desk, BIBTEX, project=project, label="refs.bib")
    Source.objects.filter(identifier_value="10.5555/harbour.7").update(authors="Somebody else")
    deed = result.batch.change_set
    assert deed is not None
    undone = changes.undo(change_set=deed, by=desk.person(Role.CURATOR), at=NOW)
    assert any("authors was changed since" in sentence for sentence in undone.skipped)
    assert Source.objects.get(identifier_value="10.5555/harbour.7").authors == "Somebody else"


def test_identifiers_of_two_sources_join_neither_and_propose_them_to_each_other(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, "https://harbour.org/articles/7\n10.5555/harbour.7\n", project=project, label="list")
    batch = staged(desk, BIBTEX, project=project, label="refs.bib")
    row = batch.rows.order_by("position")[0]
    assert row.action == RowAction.POSSIBLE_DUPLICATE
    assert "two sources" not in row.message
    assert "2 sources" in row.message
    assert commit(desk, batch).new_sources == 1  # the thesis
    first, second = Source.objects.exclude(title__startswith="A thesis").order_by("pk")
    pair = DuplicatePair.objects.get()
    assert (pair.first, pair.second) == (first, second)
    assert first.title == second.title == ""


def test_the_same_title_year_and_author_are_kept_apart_and_told(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, BIBTEX, project=project, label="refs.bib")
    other = BIBTEX.replace("10.5555/harbour.7", "10.5555/other.7").replace("articles/7", "articles/8")
    batch = staged(desk, other, project=project, label="other.bib")
    row = batch.rows.order_by("position")[0]
    assert (row.action, row.source) == (
        RowAction.POSSIBLE_DUPLICATE,
        Source.objects.get(identifier_value="10.5555/harbour.7"),
    )
    assert commit(desk, batch).new_sources == 1


def test_what_was_rejected_is_not_brought_back_and_says_why(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, "https://harbour.org/rumour\n", project=project_at(desk, "Another memo"), label="list")
    source = Source.objects.get()
    review.decide(
        source=source,
        given=review.Verdicted(DecisionKind.DROP, reason="an invented figure"),
        seen=review.Seen.of(source),
        by=desk.person(Role.EDITOR),
        channel=Channel.PAGE,
        at=NOW,
    )
    batch = staged(desk, "https://harbour.org/rumour\nhttps://harbour.org/new\n", project=project, label="list")
    row = batch.rows.order_by("position")[0]
    assert row.action == RowAction.REJECTED
    assert "Rejected on 2026-" in row.message
    assert "because an invented figure" in row.message
    assert commit(desk, batch).new_entries == 1
    assert not CatalogEntry.objects.filter(project=project, source=source).exists()


CODIFIED = """\
---
mode: codified
deal: Harbour
curated_by: Ana
sources:
  - url: https://harbour.org/survey
    sections: [02-market]
    rank: 1
    sensitivity: internal_only
    note: counts ships
---

# Examined and rejected

- `https://harbour.org/rumour` — an invented figure
"""


@pytest.mark.parametrize(("role", "rejected"), [(Role.EDITOR, 1), (Role.CURATOR, 0)])
def test_a_file_that_rejects_a_source_is_a_decision_of_an_editor_only(desk: Desk, role: Role, rejected: int) -> None:
    project, person = project_at(desk), desk.person(role)
    batch = staging.stage(project=project, data=CODIFIED.encode(), label="Sources.md", by=person, at=NOW)
    result = importing.commit(batch=batch, by=person, channel=Channel.PAGE, at=NOW)
    assert result.not_rejected == 1 - rejected
    assert Decision.objects.filter(kind=DecisionKind.DROP, reason__contains="invented").count() == rejected
    assert list(CatalogEntry.objects.values_list("source__request_url", flat=True)) == ["https://harbour.org/survey"]
    assert Source.objects.get(request_url="https://harbour.org/survey").sensitivity == "internal_only"


def knowledge() -> tuple[str, dict[str, str]]:
    """A knowledge base as an export: links stand before what they link."""
    names = {name: str(uuid4()) for name in ("project", "concept", "source", "observation")}
    lines = [
        {
            "type": "observation_source",
            "observation_uuid": names["observation"],
            "source_uuid": names["source"],
            "relationship": "retrieved",
        },
        {"type": "observation_concept", "observation_uuid": names["observation"], "concept_uuid": names["concept"]},
        {"type": "project_concept", "project_uuid": names["project"], "concept_uuid": names["concept"]},
        {"type": "project", "uuid": names["project"], "name": "Harbour base", "description": "What we know"},
        {"type": "concept", "uuid": names["concept"], "name": "Tide", "identifier_type": "", "identifier_value": ""},
        {
            "type": "source",
            "uuid": names["source"],
            "title": "The tides",
            "identifier_type": "doi",
            "identifier_value": "10.5555/HARBOUR.7",
            "retracted": True,
            "retraction_note": "Notice of May",
        },
        {
            "type": "observation",
            "uuid": names["observation"],
            "project_uuid": names["project"],
            "kind": "finding",
            "body": "The lower harbour silts up.",
            "created_at": "2026-06-25 14:30:00",
        },
    ]
    return "\n".join(json.dumps(line) for line in lines) + "\n", names


def test_a_knowledge_base_comes_whole_with_its_links(desk: Desk) -> None:
    text, names = knowledge()
    result = imported(desk, text, label="kb.jsonl")
    assert result.unreadable == 0
    observation = Observation.objects.get(uuid=names["observation"])
    assert (observation.kind, observation.project.name) == (ObservationKind.FINDING, "Harbour base")
    assert str(observation.project.uuid) == names["project"]
    link = ObservationSource.objects.get()
    assert (link.observation, str(link.source.uuid), link.relationship) == (
        observation,
        names["source"],
        Relationship.RETRIEVED,
    )
    assert (link.source.identifier_value, link.source.retracted) == ("10.5555/harbour.7", True)
    concept = Concept.objects.get()
    assert list(concept.observations.all()) == [observation]
    assert list(concept.projects.all()) == [observation.project]


def test_the_same_knowledge_base_twice_changes_nothing(desk: Desk) -> None:
    text, _ = knowledge()
    project = project_at(desk)
    imported(desk, text, project=project, label="kb.jsonl")
    before = everything()
    result = imported(desk, text, project=project, label="kb.jsonl")
    assert result.new_sources == 0
    after = everything()
    own = {"sources.ImportBatch", "sources.ImportRow", "changes.ChangeSet", "lineage.Entity"}
    assert {name for name in after if after[name] != before[name]} <= own


@pytest.mark.parametrize("name", ["harvey-knowledge", "harvey-session", "docx", "memo-outputs", "sources-md", "nep"])
def test_any_kind_of_file_twice_changes_nothing(desk: Desk, name: str) -> None:
    project, person = project_at(desk), desk.person(Role.EDITOR)

    def give() -> None:
        batch = staging.stage(project=project, data=SAMPLES[name], label="file", by=person, at=NOW)
        importing.commit(batch=batch, by=person, channel=Channel.PAGE, at=NOW)

    give()
    before = everything()
    give()
    after = everything()
    own = {"sources.ImportBatch", "sources.ImportRow", "changes.ChangeSet", "lineage.Entity"}
    assert {name for name in after if after[name] != before[name]} <= own


def test_what_a_person_writes_while_a_file_is_committed_stays(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    project = project_at(desk)
    imported(desk, "https://harbour.org/articles/7\n10.5555/harbour.7\n", project=project)
    batch = staged(desk, BIBTEX.replace("url = {https://harbour.org/articles/7},", ""), project=project, label="a.bib")
    register = registry.register_many

    def meanwhile(**options: Any) -> Registered:
        Source.objects.update(title="By hand", row_version=7)
        return register(**options)

    monkeypatch.setattr(registry, "register_many", meanwhile)
    commit(desk, batch)
    source = Source.objects.get(identifier_type="doi", identifier_value="10.5555/harbour.7")
    assert (source.title, source.row_version, source.published_date) == ("By hand", 8, "2024")


def test_an_undo_takes_back_links_between_what_was_there_before(desk: Desk) -> None:
    text, names = knowledge()
    project = project_at(desk)
    own = ProjectFactory(workspace=desk.workspace, name="Harbour base")
    there = ObservationFactory(project=own, uuid=names["observation"])
    concept, other = ConceptFactory(workspace=desk.workspace, name="Tide"), ConceptFactory(workspace=desk.workspace)
    source = SourceFactory(workspace=desk.workspace, uuid=names["source"])
    for thing in (there, own):
        thing.concepts.add(other)
    result = imported(desk, text, project=project, label="kb.jsonl")
    assert result.batch.tally["new_links"] == 3
    assert set(there.concepts.all()) == set(own.concepts.all()) == {concept, other}
    assert [link.source for link in there.source_links.all()] == [source]
    deed = result.batch.change_set
    assert deed is not None
    assert changes.undo(change_set=deed, by=desk.person(Role.CURATOR), at=NOW).skipped == ()
    assert list(there.concepts.all()) == list(own.concepts.all()) == [other]
    assert not there.source_links.exists()


def test_links_are_written_together(desk: Desk) -> None:
    text, _ = knowledge()
    project = project_at(desk)
    *others, observation = map(json.loads, text.splitlines())

    def cost(number: int) -> int:
        lines = list(others)
        for _ in range(number):
            uuid = str(uuid4())
            lines.append({**observation, "uuid": uuid, "body": f"It silts up, {uuid}."})
            lines += [{**link, "observation_uuid": uuid} for link in others[:2]]
        text = "\n".join(map(json.dumps, lines[2:])) + "\n"
        batch = staged(desk, text, project=project, label="kb.jsonl")
        with CaptureQueriesContext(connection) as asked:
            commit(desk, batch)
        return len(asked)

    cost(2)  # makes what all of them share
    assert cost(4) == cost(16)


def test_a_uuid_that_two_things_share_joins_each_as_what_it_is(desk: Desk) -> None:
    text, names = knowledge()
    result = imported(desk, text.replace(names["source"], names["concept"]), label="kb.jsonl")
    assert result.batch.tally["new_links"] == 3
    assert ObservationSource.objects.get().source == Source.objects.get()
    assert list(Concept.objects.get().observations.all()) == [Observation.objects.get()]


def test_an_undone_knowledge_base_leaves_nothing_behind(desk: Desk) -> None:
    text, _ = knowledge()
    result = imported(desk, text, label="kb.jsonl")
    deed = result.batch.change_set
    assert deed is not None
    assert changes.undo(change_set=deed, by=desk.person(Role.CURATOR), at=NOW).skipped == ()
    left = (Observation, ObservationSource, Concept, Source, CatalogEntry, SourceVersion)
    assert [model.__name__ for model in left if model._default_manager.exists()] == []
    assert list(Project.objects.values_list("name", flat=True)) == ["Harbour memo"]


def test_a_link_to_what_is_not_in_the_file_is_an_error_of_its_line(desk: Desk) -> None:
    text, _ = knowledge()
    lines = [line for line in text.splitlines() if '"type": "source"' not in line]
    batch = staged(desk, "\n".join(lines) + "\n", label="kb.jsonl")
    error = batch.rows.get(action=RowAction.ERROR)
    assert error.line == 1
    assert "nothing can be linked" in error.message


def test_a_link_whose_end_became_nothing_says_so_after_the_commit(desk: Desk) -> None:
    text, _ = knowledge()
    batch = staged(desk, text, label="kb.jsonl")
    batch.rows.filter(record_kind="source").update(action=RowAction.ERROR, message="Left out.")
    assert commit(desk, batch).unreadable == 2
    assert "joined no source" in batch.rows.get(action=RowAction.ERROR, record_kind="link").message
    assert Observation.objects.get().concepts.count() == 1


def test_a_session_brings_its_turns_with_what_was_retrieved(desk: Desk) -> None:
    project = project_at(desk)
    imported(desk, SESSION, project=project, label="talk.spmd")
    assert Session.objects.get().name == "talk"
    turn = Turn.objects.get()
    assert (turn.number, turn.user) == (1, "ANA")
    told = TurnSource.objects.order_by("position").values_list("store", "chunk_count", "top_score", "path", "locator")
    assert list(told) == [
        ("harbour", 3, 0.87, "tides.md", "10.5555/harbour.7"),
        ("harbour", 3, 0.87, "https://harbour.org/survey", ""),
    ]
    imported(desk, SESSION, project=project, label="talk.spmd")
    assert Turn.objects.count() == 1
    other = ProjectFactory(workspace=desk.workspace)
    elsewhere = staged(desk, SESSION, project=other, label="talk.spmd")
    assert {row.action for row in elsewhere.rows.filter(record_kind="turn")} == {RowAction.NEW}
    commit(desk, elsewhere)
    assert Turn.objects.filter(session__project=other).count() == 1


def test_a_commit_that_was_interrupted_goes_on_behind_what_it_wrote(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_steps, "STEP", 3)
    monkeypatch.setattr(staging, "_CHUNK", 4)
    batch = staged(desk, "\n".join(f"https://harbour.org/{line}" for line in range(8)), label="list")
    by = desk.person(Role.CURATOR)
    importing.begin(batch=batch, by=by, channel=Channel.PAGE, at=NOW)
    assert importing.write_step(batch=batch, at=NOW)
    batch.refresh_from_db()
    assert (batch.state, Source.objects.count()) == (BatchState.COMMITTING, 3)
    result = importing.commit(batch=batch, by=by, channel=Channel.PAGE, at=NOW)
    assert (result.new_sources, Source.objects.count(), result.batch.state) == (8, 8, BatchState.COMMITTED)
    deed = result.batch.change_set
    assert deed is not None
    assert changes.undo(change_set=deed, by=by, at=NOW).skipped == ()
    assert not Source.objects.exists()


def test_a_step_after_the_end_does_nothing(desk: Desk) -> None:
    batch = imported(desk, "https://harbour.org/1\n").batch
    before = everything()
    assert importing.write_step(batch=batch, at=NOW) is False
    assert everything() == before


def test_tags_are_words_of_the_workspace(desk: Desk, other_desk: Desk) -> None:
    mine = imported(desk, BIBTEX, label="refs.bib")
    imported(other_desk, BIBTEX, label="refs.bib")
    assert Tag.objects.filter(name="tides").count() == 2
    deed = mine.batch.change_set
    assert deed is not None
    changes.undo(change_set=deed, by=desk.person(Role.CURATOR), at=NOW)
    assert Tag.objects.get(name="tides").workspace == other_desk.workspace


MASTER = """\
# Master Source List — Harbour

**Firm**: Gulf Capital
**Versions merged** (2): Harbour-v0.0.9, Harbour-v0.0.10
**Unique sources**: 1

## Included in Final Draft (1)

- **[The survey](https://harbour.org/survey)**
  - HTTP: 200
  - Sections (2): 02-market-context, 05-team
  - Versions (2): Harbour-v0.0.9, Harbour-v0.0.10
  - Variants: http://www.harbour.org/survey/?utm_source=x
"""


def test_a_master_list_keeps_its_sections_versions_and_variants(desk: Desk) -> None:
    result = imported(desk, MASTER, label="Master-Sources.md")
    assert result.batch.format == "master-sources"
    places = set(Citation.objects.values_list("version__label", "section__title", "status"))
    used = CitationStatus.INCLUDED
    assert places == {
        ("Harbour-v0.0.9", "02-market-context", used),
        ("Harbour-v0.0.10", "02-market-context", used),
        ("Harbour-v0.0.10", "05-team", used),
    }
    assert list(SourceAlias.objects.values_list("spelling", flat=True)) == [
        "http://www.harbour.org/survey/?utm_source=x"
    ]


def test_the_address_to_ask_is_the_one_that_was_cited_in_full(desk: Desk) -> None:
    imported(
        desk,
        "# Ships\n\nShips come and go, and somebody has to count them.\n\nIn the beginning nobody did that at all.\n\n"
        "They are counted (<https://www.harbour.org/survey?utm_source=letter>), as everybody knows.\n\n"
        "The [survey](http://harbour.org/survey) says so, and nobody has ever said otherwise of it.\n",
        label="draft.md",
    )
    assert Source.objects.get().request_url == "http://harbour.org/survey"


def test_an_imported_observation_rests_on_its_source_in_the_lineage(desk: Desk) -> None:
    text, names = knowledge()
    imported(desk, text, label="kb.jsonl")
    claim = Observation.objects.get(uuid=names["observation"]).entity
    assert claim is not None
    rests_on = Edge.objects.filter(from_entity=claim).values_list("to_entity__logical_id", flat=True)
    assert list(rests_on) == [names["source"]]


def test_an_observation_belongs_to_the_turn_before_it(desk: Desk, settings: Settings) -> None:
    settings.TIME_ZONE = "UTC"
    project = project_at(desk, "Harbour base")
    text, names = knowledge()
    imported(desk, text, project=project, label="kb.jsonl")
    imported(desk, SESSION, project=project, label="talk.spmd")
    assert Observation.objects.get(uuid=names["observation"]).turn == Turn.objects.get()
