"""Several people and workers at the same moment, each with a connection of its own."""

import json
from collections import Counter
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core import mail as outbox

from provenance_site.accounts.models import User
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet, Channel
from provenance_site.notices import mail, webhooks
from provenance_site.notices.paces import Pace
from sources import dispatch
from sources.core.retraction_status import Nature, Status
from sources.models import RetractionProposal
from sources.services import retraction_lists
from sources.services.retraction_lists import Given
from sources.services.retraction_proposals import ProposalRefused
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import furnish
from tests.factories import MembershipFactory, RetractionPolicyFactory
from tests.fakes.loopback import Loopback, reply
from tests.unit.jobs.test_concurrency import at_once
from tests.unit.sources.test_retraction_records import DOI, said, work

pytestmark = pytest.mark.django_db(transaction=True)
LATER = NOW + timedelta(minutes=1)


def test_news_are_mailed_and_told_once_however_many_workers_there_are(settings: LazySettings) -> None:
    desk = furnish("Harbour desk")
    settings.MAIL_ON = True
    for role in (Role.EDITOR, Role.ADMIN):
        mail.choose(user=desk.person(role), pace=Pace.EACH, at=NOW)
    with Loopback(lambda request: reply()) as receiver:
        settings.RELAY_HOSTS = [receiver.authority]
        webhooks.set_address(
            workspace=desk.workspace, url=receiver.url(), by=desk.person(Role.ADMIN), channel=Channel.PAGE, at=NOW
        )
        work(desk)
        for year in ("2010", "2011", "2012"):
            record(assertions=[said(Nature.RETRACTED, year)], at=NOW)

        def work_on() -> None:
            mail.send(at=LATER)
            webhooks.send(clock=lambda: LATER, holder=str(object()))

        at_once(*[work_on] * 4)
        told = Counter(json.loads(request.body)["id"] for request in receiver.requests)
    assert sorted(told.values()) == [1, 1, 1]
    assert Counter(message.to[0] for message in outbox.outbox) == Counter(
        {desk.person(Role.EDITOR).email: 1, desk.person(Role.ADMIN).email: 1}
    )


def test_of_two_who_approve_at_once_one_does(settings: LazySettings) -> None:
    desk = furnish("Harbour desk")
    RetractionPolicyFactory(workspace=desk.workspace)
    others: list[User] = [MembershipFactory(workspace=desk.workspace, role=Role.ADMIN).user for _ in range(3)]
    work(desk)
    given = Given(DOI, Status.RETRACTED, "The list of May")
    filed = dispatch.decide_about_list(
        workspace_id=desk.workspace.pk,
        given=given,
        seen=retraction_lists.look(workspace_id=desk.workspace.pk, given=given).digest,
        by=desk.person(Role.ADMIN),
        channel=Channel.PAGE,
        at=NOW,
    )
    assert isinstance(filed, RetractionProposal)
    outcomes: list[str] = []

    def approve(person: User) -> None:
        try:
            dispatch.approve(proposal=filed, by=person, channel=Channel.PAGE, at=LATER)
        except ProposalRefused as refused:
            outcomes.append(str(refused))
        else:
            outcomes.append("done")

    at_once(*[lambda person=person: approve(person) for person in others])
    assert sorted(outcomes) == ["It is approved already.", "It is approved already.", "done"]
    assert ChangeSet.objects.count() == 1
