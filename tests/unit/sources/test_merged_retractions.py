"""Sources that are one work have one retraction: evidence, decisions, meant uses and marks come together, and apart."""

from datetime import timedelta

import pytest

from lineage.models import Cause
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import ChangeSet
from sources.core.kinds import UseKind
from sources.core.retraction_status import Nature, Status
from sources.models import Chunk, RetractionAcknowledgement, RetractionDecision, RetractionStanding, ReviewItem, Source
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    ChunkFactory,
    ChunkStoreFactory,
    EntityFactory,
    RetractionAcknowledgementFactory,
    RetractionDecisionFactory,
    SourceFactory,
)
from tests.unit.sources.test_merging import LATER, merge, take_back
from tests.unit.sources.test_retraction_records import questions, said, standing, work

pytestmark = pytest.mark.django_db


def other(desk: Desk, **fields: object) -> Source:
    made: Source = SourceFactory(workspace=desk.workspace, entity=EntityFactory(workspace=desk.workspace), **fields)
    return made


def told(desk: Desk) -> dict[str, object]:
    """All that a merge may touch of retractions, but for when it was written."""
    return {
        "sources": list(Source.objects.order_by("pk").values_list("pk", "retracted", "retraction_note")),
        "passages": list(Chunk.objects.order_by("pk").values_list("pk", "source", "retracted", "retraction_note")),
        "decisions": list(RetractionDecision.objects.order_by("pk").values_list("pk", "source", "is_stale")),
        "meant": list(RetractionAcknowledgement.objects.order_by("pk").values_list("pk", "source", "withdrawn_at")),
        "causes": list(Cause.objects.filter(cleared_at=None).order_by("entity").values_list("entity", flat=True)),
        "questions": [questions(source) for source in Source.objects.order_by("pk")],
    }


def test_what_fell_takes_the_source_that_stays_and_all_its_passages_with_it_and_back(desk: Desk) -> None:
    stays, fallen = other(desk), work(desk)
    store = ChunkStoreFactory(workspace=desk.workspace)
    for source in (stays, fallen):
        ChunkFactory(store=store, source=source)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    before = told(desk)
    deed = merge(desk, stays, fallen, carry=True)
    assert standing(stays) == (Status.RETRACTED, True)
    note = "Retracted (Retraction Watch; 2010-02-06; 10.5555/notice.retracted)"
    assert set(Chunk.objects.values_list("source", "retracted", "retraction_note")) == {(stays.pk, True, note)}
    assert Cause.objects.filter(cleared_at=None, entity=stays.entity).exists()
    assert questions(stays) == 1
    take_back(desk, deed)
    assert told(desk) == before
    assert standing(stays)[1] is False


def test_passages_of_a_sound_record_are_marked_when_it_goes_into_a_retracted_one(desk: Desk) -> None:
    stays, sound = work(desk), other(desk)
    passage = ChunkFactory(store__workspace=desk.workspace, source=sound)
    record(assertions=[said(Nature.RETRACTED)], at=NOW)
    deed = merge(desk, stays, sound)
    passage.refresh_from_db()
    assert (passage.source_id, passage.retracted) == (stays.pk, True)
    take_back(desk, deed)
    passage.refresh_from_db()
    assert (passage.source_id, passage.retracted, passage.retraction_note) == (sound.pk, False, "")


def override(source: Source, desk: Desk, status: Status = Status.NONE_FOUND) -> RetractionDecision:
    kept = RetractionStanding.objects.filter(source=source).first()
    made: RetractionDecision = RetractionDecisionFactory(
        source=source,
        status=status,
        evidence_fingerprint=kept.evidence_fingerprint if kept else "",
        by=desk.person(Role.EDITOR),
    )
    ReviewItem.objects.filter(source=source).update(closed_at=NOW)
    return made


def test_an_override_comes_along_and_holds(desk: Desk) -> None:
    stays, judged = other(desk), work(desk)
    record(assertions=[said(Nature.CONCERN)], at=NOW)
    word = override(judged, desk)
    before = told(desk)
    deed = merge(desk, stays, judged)
    word.refresh_from_db()
    assert (word.source_id, word.is_stale, questions(stays)) == (stays.pk, False, 0)
    record(assertions=[said(Nature.RETRACTED, "2013")], at=LATER)
    word.refresh_from_db()
    assert (standing(stays), word.is_stale) == ((Status.RETRACTED, False), True)
    RetractionDecision.objects.update(is_stale=False)
    take_back(desk, deed)
    word.refresh_from_db()
    assert word.source_id == judged.pk
    assert (standing(judged), word.is_stale) == ((Status.RETRACTED, False), True)
    assert told(desk)["sources"] == before["sources"]


def test_where_people_decided_otherwise_the_word_on_what_stays_holds_and_is_to_be_affirmed(desk: Desk) -> None:
    stays, judged = other(desk), work(desk)
    own, others = override(stays, desk), override(judged, desk, Status.CONCERN)
    before = told(desk)
    deed = merge(desk, stays, judged)
    own.refresh_from_db()
    others.refresh_from_db()
    assert (own.is_stale, questions(stays), others.source_id) == (True, 1, judged.pk)
    take_back(desk, deed)
    assert told(desk) == before


def test_evidence_that_comes_with_a_merge_makes_an_override_stale_and_undo_settles_it(desk: Desk) -> None:
    stays, fallen = other(desk), work(desk)
    own = override(stays, desk)
    record(assertions=[said(Nature.CONCERN)], at=NOW)
    before = told(desk)
    deed = merge(desk, stays, fallen)
    own.refresh_from_db()
    assert (own.is_stale, questions(stays)) == (True, 1)
    take_back(desk, deed)
    assert told(desk) == before


def test_uses_that_are_meant_stay_meant_once_each(desk: Desk) -> None:
    stays, fallen = other(desk, retracted=True), other(desk, retracted=True)

    def meant(source: Source, use: int) -> RetractionAcknowledgement:
        made: RetractionAcknowledgement = RetractionAcknowledgementFactory(
            source=source, use_kind=UseKind.PROJECT, use_id=use
        )
        return made

    own, twice, once = meant(stays, 1), meant(fallen, 1), meant(fallen, 2)
    before = told(desk)
    deed: ChangeSet = merge(desk, stays, fallen)
    for row in (own, twice, once):
        row.refresh_from_db()
    assert [row.source_id for row in (own, twice, once)] == [stays.pk, fallen.pk, stays.pk]
    assert [row.withdrawn_at is None for row in (own, twice, once)] == [True, False, True]
    result = changes.undo(change_set=deed, by=desk.person(), at=LATER + timedelta(hours=2))
    assert result.skipped == ()
    assert told(desk)["meant"] == before["meant"]
