"""What files say of retractions is heard as their word: it marks what nobody judged, and undoes no decision."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from lineage.models import Cause
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from sources.core.retraction_status import Nature, Provider, Status
from sources.models import Chunk, RetractionAssertion, RetractionDecision, RetractionStanding, Source
from sources.services import staging
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ChunkFactory, ProjectFactory
from tests.factories.sqlite_files import NEW_KNOWLEDGE, NEW_STORE, database
from tests.unit.sources.disturbance import everything
from tests.unit.sources.lists import commit, imported
from tests.unit.sources.test_retraction_decisions import decide
from tests.unit.sources.test_retraction_records import DOI, questions, said, standing, work

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)

FILES = {
    "knowledge.jsonl": json.dumps(
        {
            "type": "source",
            "title": "The tides",
            "identifier_type": "doi",
            "identifier_value": DOI,
            "retracted": True,
            "retraction_note": "Notice of May",
        }
    ),
    "refs.bib": (
        f"@article{{a, title = {{The tides}}, doi = {{{DOI}}}, note = {{[RETRACTED: Notice of May]}}, "
        "keywords = {retracted}}\n"
    ),
    "refs.ris": (
        f"TY  - JOUR\nTI  - The tides\nDO  - {DOI}\nN1  - [RETRACTED: Notice of May]\nKW  - retracted\nER  - \n"
    ),
    "refs.json": json.dumps(
        [{"type": "article", "id": "a", "title": "The tides", "DOI": DOI, "note": "[RETRACTED: Notice of May]"}]
    ),
    "sources.csv": f"title,doi,retracted,retraction_note\nThe tides,{DOI},yes,Notice of May\n",
}


@pytest.mark.parametrize("name", FILES)
def test_a_files_retraction_marks_what_nobody_judged_and_asks(desk: Desk, name: str) -> None:
    project = ProjectFactory(workspace=desk.workspace)
    deed = imported(desk, FILES[name], project=project, label=name).batch.change_set
    source = Source.objects.get(identifier_value=DOI)
    assert (source.retracted, source.retraction_note) == (True, "Notice of May")
    (told,) = RetractionAssertion.objects.all()
    assert (told.provider, told.nature, told.workspace) == (Provider.IMPORTED, Nature.RETRACTED, desk.workspace)
    assert told.reasons == ["Notice of May"]
    assert (standing(source), questions(source)) == ((Status.CONFLICT, True), 1)
    assert Cause.objects.filter(cleared_at=None, entity=source.entity).exists()
    assert deed is not None
    assert changes.undo(change_set=deed, by=desk.person(Role.CURATOR), at=LATER).skipped == ()
    assert not Source.objects.exists()
    assert not RetractionAssertion.objects.exists()


@pytest.mark.parametrize("name", FILES)
def test_no_file_undoes_what_an_editor_decided(desk: Desk, name: str) -> None:
    source = work(desk, title="The tides")
    decide(desk, source, Status.NONE_FOUND)
    imported(desk, FILES[name], project=ProjectFactory(workspace=desk.workspace), label=name)
    assert (standing(source), questions(source)) == ((Status.CONFLICT, False), 1)
    assert RetractionDecision.objects.get().is_stale
    decide(desk, source, Status.NONE_FOUND, at=LATER)
    before = everything()["sources.RetractionDecision"], questions(source)
    imported(desk, FILES[name], project=ProjectFactory(workspace=desk.workspace), label=f"again {name}")
    assert (everything()["sources.RetractionDecision"], questions(source)) == before
    assert standing(source) == (Status.CONFLICT, False)


def test_a_file_says_nothing_in_other_workspaces(desk: Desk, other_desk: Desk) -> None:
    theirs = work(other_desk)
    imported(desk, FILES["refs.bib"], project=ProjectFactory(workspace=desk.workspace), label="refs.bib")
    theirs.refresh_from_db()
    assert not theirs.retracted
    assert questions(theirs) == 0
    assert not RetractionStanding.objects.filter(source=theirs).exclude(evidence_fingerprint="").exists()


@pytest.mark.parametrize("nature", [Nature.REINSTATED, Nature.PARTIAL, Nature.REPLACED])
def test_a_file_marks_nothing_of_which_providers_say_otherwise(desk: Desk, nature: Nature) -> None:
    source = work(desk)
    record(assertions=[said(nature)], at=NOW)
    imported(desk, FILES["refs.bib"], project=ProjectFactory(workspace=desk.workspace), label="refs.bib")
    source.refresh_from_db()
    assert (source.retracted, questions(source)) == (False, 1)


def test_a_known_work_that_a_file_marks_falls_with_its_passages_and_rises_with_the_undo(desk: Desk) -> None:
    source = work(desk)
    passage: Chunk = ChunkFactory(store__workspace=desk.workspace, source=source)
    project = ProjectFactory(workspace=desk.workspace)
    deed = imported(desk, FILES["refs.ris"], project=project, label="refs.ris").batch.change_set
    passage.refresh_from_db()
    assert (standing(source)[1], passage.retracted) == (True, True)
    assert Cause.objects.filter(cleared_at=None).count() == 1
    assert deed is not None
    changes.undo(change_set=deed, by=desk.person(Role.CURATOR), at=LATER)
    passage.refresh_from_db()
    assert (standing(source)[1], passage.retracted, questions(source)) == (False, False, 0)
    assert not Cause.objects.filter(cleared_at=None).exists()
    assert not RetractionAssertion.objects.exists()


def test_a_work_without_identifier_is_marked_as_its_file_says(desk: Desk) -> None:
    text = "title,doi,retracted,retraction_note\nA thesis that is nowhere on the web,,yes,Withdrawn by its university\n"
    imported(desk, text, project=ProjectFactory(workspace=desk.workspace), label="sources.csv")
    source = Source.objects.get()
    assert (source.retracted, source.retraction_note) == (True, "Withdrawn by its university")
    assert not RetractionAssertion.objects.exists()


def test_a_concern_in_a_file_warns_and_marks_nothing(desk: Desk) -> None:
    text = f"title,doi,retraction_status\nThe tides,{DOI},concern\n"
    imported(desk, text, project=ProjectFactory(workspace=desk.workspace), label="sources.csv")
    source = Source.objects.get()
    assert standing(source) == (Status.CONCERN, False)


@pytest.mark.parametrize("decided", [False, True])
def test_a_stores_word_marks_its_passages_but_not_over_a_decision(desk: Desk, tmp_path: Path, decided: bool) -> None:
    source = work(desk, entity=None)
    if decided:
        decide(desk, source, Status.NONE_FOUND)
    row = {
        "content": "The tide turns.",
        "source": "tides.md",
        "source_doi": DOI,
        "retracted": 1,
        "retraction_note": "By the store",
    }
    store = database(tmp_path / "harbour.db", NEW_STORE, chunks=[row])
    person, project = desk.person(Role.CURATOR), ProjectFactory(workspace=desk.workspace)
    commit(desk, staging.stage(project=project, data=store.read_bytes(), label="harbour.db", by=person, at=NOW))
    passage = Chunk.objects.get()
    assert passage.source == source
    assert (passage.retracted, passage.retraction_note) == ((False, "") if decided else (True, "By the store"))
    assert (standing(source), questions(source)) == ((Status.CONFLICT, False), 1)


@pytest.mark.parametrize("decided", [False, True])
def test_a_knowledge_base_marks_what_nobody_judged_and_undoes_no_decision(
    desk: Desk, tmp_path: Path, decided: bool
) -> None:
    source = work(desk, title="The tides")
    if decided:
        decide(desk, source, Status.NONE_FOUND)
    row = {"id": 1, "title": "The tides", "identifier_type": "doi", "identifier_value": DOI, "retracted": 1}
    base = database(tmp_path / "knowledge.db", NEW_KNOWLEDGE, sources=[row])
    person, project = desk.person(Role.CURATOR), ProjectFactory(workspace=desk.workspace)
    commit(desk, staging.stage(project=project, data=base.read_bytes(), label="knowledge.db", by=person, at=NOW))
    assert standing(source) == (Status.CONFLICT, not decided)
    assert RetractionAssertion.objects.get().provider == Provider.IMPORTED
