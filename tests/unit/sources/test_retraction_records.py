"""What providers assert reaches every source it is about, once, and never over a person's decision."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from lineage.models import Cause
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.notices.models import Notice
from sources.core.kinds import IdentifierType, ReviewReason
from sources.core.retraction_status import Nature, Provider, Status
from sources.models import Chunk, RetractionAssertion, RetractionDecision, RetractionStanding, ReviewItem, Source
from sources.services import retractions
from sources.services.retraction_records import AssertionFacts, record, record_checks
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import ChunkFactory, EntityFactory, RetractionAssertionFactory, SourceFactory
from tests.unit.sources.disturbance import everything

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
DOI = "10.5555/harbour.7"


def said(nature: Nature, date: str = "2010-02-06", *, provider: Provider = Provider.RETRACTION_WATCH) -> AssertionFacts:
    return AssertionFacts(
        identifier_type=IdentifierType.DOI.value,
        identifier_value=DOI,
        provider=provider,
        record_id=f"{nature}{date}",
        nature=nature,
        raw_nature=nature.value,
        notice_identifier=f"10.5555/notice.{nature}",
        notice_date=date,
    )


def work(desk: Desk, **values: object) -> Source:
    key = RetractionAssertionFactory.build(identifier_value=DOI).identifier_key
    values.setdefault("entity", EntityFactory(workspace=desk.workspace))
    return SourceFactory(
        workspace=desk.workspace,
        identifier_type=IdentifierType.DOI,
        identifier_value=DOI,
        canonical_key=key,
        **values,
    )


def standing(source: Source) -> tuple[str, bool]:
    source.refresh_from_db()
    return RetractionStanding.objects.get(source=source).status, source.retracted


def questions(source: Source) -> int:
    return ReviewItem.objects.filter(source=source, reason=ReviewReason.RETRACTION, closed_at=None).count()


def decide(desk: Desk, source: Source, *, retracted: bool, at: datetime = NOW) -> None:
    deed = retractions.mark if retracted else retractions.lift
    deed(
        workspace_id=desk.workspace.pk,
        source_ids=[source.pk],
        note="The notice is about another work",
        by=desk.person(Role.ADMIN),
        channel=Channel.PAGE,
        at=at,
    )


def test_a_retraction_reaches_every_workspace_its_passages_and_its_graph(desk: Desk, other_desk: Desk) -> None:
    ours, theirs = work(desk), work(other_desk)
    own = ChunkFactory(store__workspace=desk.workspace, source=ours)
    marked = ChunkFactory(store__workspace=desk.workspace, source=ours, retracted=True, retraction_note="By hand")
    result = record(assertions=[said(Nature.RETRACTED)], at=NOW)
    assert (result.new, result.seen_again, result.changed_sources) == (1, 0, 2)
    assert standing(ours) == standing(theirs) == (Status.RETRACTED, True)
    note = "Retracted (Retraction Watch; 2010-02-06; 10.5555/notice.retracted)"
    assert ours.retraction_note == note
    assert dict(Chunk.objects.values_list("pk", "retraction_note")) == {own.pk: note, marked.pk: "By hand"}
    assert Cause.objects.filter(cleared_at=None).count() == 2
    assert (questions(ours), questions(theirs)) == (1, 1)
    told = Notice.objects.filter(workspace=desk.workspace)
    assert {notice.user for notice in told} == {desk.person(Role.EDITOR), desk.person(Role.ADMIN)}


def test_the_same_again_is_silence(desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    RetractionAssertion.objects.update(last_seen_at=LATER)
    before = everything()
    result = record(assertions=[said(Nature.RETRACTED)] * 2, at=LATER)
    assert (result.new, result.seen_again, result.changed_sources) == (0, 1, 0)
    assert everything() == before
    assert standing(source) == (Status.RETRACTED, True)


def test_a_source_is_found_by_another_identifier_of_it(desk: Desk) -> None:
    source = SourceFactory(workspace=desk.workspace)
    key = RetractionAssertionFactory.build(identifier_value=DOI).identifier_key
    source.aliases.create(
        workspace=desk.workspace, spelling=DOI, spelling_key="a" * 64, canonical_key=key, first_seen_at=NOW
    )
    record(assertions=[said(Nature.WITHDRAWN)], at=NOW)
    assert standing(source) == (Status.WITHDRAWN, True)


def test_a_decision_survives_new_evidence_and_is_said_to_be_stale(desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    decide(desk, source, retracted=False)
    assert questions(source) == 0
    record(assertions=[said(Nature.RETRACTED)], at=LATER)
    record(assertions=[said(Nature.CORRECTED, "2012")], at=LATER)
    assert (standing(source), questions(source)) == ((Status.RETRACTED, False), 0)
    record(assertions=[said(Nature.REMOVED, "2013")], at=LATER)
    assert (standing(source), questions(source)) == ((Status.REMOVED, False), 1)
    assert RetractionDecision.objects.get().is_stale


def test_what_a_person_marked_no_clean_answer_lifts(desk: Desk) -> None:
    source = work(desk)
    decide(desk, source, retracted=True)
    record_checks(identifiers=[("doi", DOI)], provider=Provider.CROSSREF, outcome="answered", at=LATER)
    assert standing(source) == (Status.NONE_FOUND, True)
    assert questions(source) == 0


def test_a_failed_check_is_unchecked_and_lifts_nothing(desk: Desk) -> None:
    source = work(desk)
    record_checks(identifiers=[("doi", DOI)], provider=Provider.CROSSREF, outcome="answered", at=NOW)
    record_checks(identifiers=[("doi", DOI)], provider=Provider.CROSSREF, outcome="failed", at=LATER)
    assert standing(source) == (Status.UNCHECKED, False)
    assert RetractionStanding.objects.get().as_of == NOW
    record(assertions=[said(Nature.RETRACTED)], at=LATER)
    assert standing(source) == (Status.RETRACTED, True)


def test_a_reinstatement_lifts_the_mark_and_keeps_the_passages_marked_until_somebody_looks(desk: Desk) -> None:
    source = work(desk)
    passage = ChunkFactory(store__workspace=desk.workspace, source=source)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    record(assertions=[said(Nature.REINSTATED, "2017-05-02")], at=LATER)
    assert standing(source) == (Status.REINSTATED, False)
    passage.refresh_from_db()
    assert (passage.retracted, questions(source)) == (True, 1)
    assert not Cause.objects.filter(cleared_at=None).exists()


def test_a_conflict_leaves_what_held_and_asks(desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    record(assertions=[said(Nature.REINSTATED, "")], at=LATER)
    assert (standing(source), questions(source)) == ((Status.CONFLICT, True), 1)


def test_taking_a_mark_by_hand_back_takes_its_decision_passages_and_cause_back(desk: Desk) -> None:
    source = work(desk)
    passage = ChunkFactory(store__workspace=desk.workspace, source=source)
    decide(desk, source, retracted=True)
    passage.refresh_from_db()
    assert passage.retracted
    assert Cause.objects.filter(cleared_at=None).count() == 1
    deed = RetractionDecision.objects.get().change_set
    assert deed is not None
    changes.undo(change_set=deed, by=desk.person(Role.ADMIN), at=LATER)
    passage.refresh_from_db()
    assert not passage.retracted
    assert RetractionDecision.objects.get().undone_at == LATER
    assert not Cause.objects.filter(cleared_at=None).exists()


def test_a_conflict_that_ends_in_a_reinstatement_lifts_the_mark_that_it_kept(desk: Desk) -> None:
    source = work(desk)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    record(assertions=[said(Nature.REINSTATED, "")], at=LATER)
    assert standing(source) == (Status.CONFLICT, True)

    dated = replace(said(Nature.REINSTATED, ""), notice_date="2017-05-02")
    record(assertions=[dated], at=LATER + timedelta(days=1))
    assert (standing(source), questions(source)) == ((Status.REINSTATED, False), 1)
