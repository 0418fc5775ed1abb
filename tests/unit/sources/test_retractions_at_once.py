"""A check and an editor at the same moment, each with a connection of its own: neither's word is lost."""

import pytest

from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from sources.core.retraction_status import Nature, Status
from sources.models import RetractionAssertion, RetractionDecision, RetractionStanding
from sources.services import retraction_decisions
from sources.services.retraction_decisions import EvidenceChanged, Ruling
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import furnish
from tests.unit.jobs.test_concurrency import at_once
from tests.unit.sources.test_retraction_records import questions, said, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("attempt", range(3))
def test_news_and_a_decision_at_once_are_both_kept_and_the_decision_is_never_undone(attempt: int) -> None:
    desk = furnish("Harbour desk")
    source, editor = work(desk), desk.person(Role.EDITOR)
    record(assertions=[said(Nature.CONCERN)], at=NOW)
    seen = RetractionStanding.objects.get().evidence_fingerprint
    refused: list[EvidenceChanged] = []

    def decide() -> None:
        try:
            retraction_decisions.decide(
                source=source,
                ruling=Ruling(Status.NONE_FOUND, "The wrong work"),
                seen=seen,
                by=editor,
                channel=Channel.PAGE,
                at=NOW,
            )
        except EvidenceChanged as changed:
            refused.append(changed)

    at_once(decide, lambda: record(assertions=[said(Nature.RETRACTED)], at=NOW))
    source.refresh_from_db()
    assert RetractionAssertion.objects.count() == 2
    assert RetractionStanding.objects.get().status == Status.RETRACTED
    assert questions(source) == 1  # either to affirm, or what nobody has decided about
    if refused:
        assert not RetractionDecision.objects.exists()
        assert source.retracted
    else:
        assert RetractionDecision.objects.get().is_stale
        assert not source.retracted
