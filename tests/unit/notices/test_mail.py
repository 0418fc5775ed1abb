"""Notices by mail: one a person, of what they may see then, and never twice."""

from datetime import timedelta
from smtplib import SMTPException, SMTPServerDisconnected
from typing import Any

import pytest
from django.conf import LazySettings
from django.core import mail as outbox
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.test.utils import CaptureQueriesContext

from provenance_site.accounts.models import Membership, User
from provenance_site.accounts.roles import Role
from provenance_site.notices import mail
from provenance_site.notices.models import MailChoice, Notice
from provenance_site.notices.paces import Pace
from sources.core.retraction_status import Nature
from sources.models import Source
from sources.services.retraction_records import record
from tests.clock import NOW
from tests.desk import Desk
from tests.unit.sources.test_retraction_records import said, work

pytestmark = pytest.mark.django_db
BEFORE, LATER = NOW - timedelta(days=1), NOW + timedelta(minutes=1)


class Killed(BaseException):
    """The process is gone."""


@pytest.fixture(autouse=True)
def _configured(settings: LazySettings) -> None:
    settings.MAIL_ON, settings.SITE_URL = True, "https://desk.example.org"


def wanting(desk: Desk, pace: Pace = Pace.EACH, role: Role = Role.EDITOR) -> User:
    person = desk.person(role)
    mail.choose(user=person, pace=pace, at=BEFORE)
    return person


def news(date: str = "2010-02-06") -> None:
    record(assertions=[said(Nature.RETRACTED, date)], at=NOW)


def test_what_is_new_is_mailed_once_with_where_it_stands_now(desk: Desk) -> None:
    person = wanting(desk)
    work(desk, title="Harbour\nsilt")
    news()
    assert mail.send(at=LATER) == 1
    (sent,) = outbox.outbox
    assert (sent.to, sent.subject) == ([person.email], "Provenance Desk: News about a retraction")
    assert "silt”: retracted" in sent.body
    assert "https://desk.example.org/retractions/" in sent.body
    assert [mail.send(at=LATER + timedelta(hours=hours)) for hours in (0, 1, 48)] == [0, 0, 0]
    record(assertions=[said(Nature.RETRACTED)], at=LATER)  # the same evidence again
    assert mail.send(at=LATER) == 0


def test_one_mail_has_the_news_of_all_workspaces(desk: Desk, other_desk: Desk) -> None:
    person = wanting(desk)
    Membership.objects.create(user=person, workspace=other_desk.workspace, role=Role.EDITOR)
    work(desk), work(other_desk)
    news()
    assert mail.send(at=LATER) == 1
    assert desk.workspace.name in outbox.outbox[0].body
    assert other_desk.workspace.name in outbox.outbox[0].body
    assert outbox.outbox[0].subject.endswith("2 notices")


def test_what_the_person_may_not_see_any_more_is_not_mailed(desk: Desk, other_desk: Desk) -> None:
    person = wanting(desk)
    Membership.objects.create(user=person, workspace=other_desk.workspace, role=Role.EDITOR)
    work(desk), work(other_desk)
    news()
    Source.objects.filter(workspace=desk.workspace).delete()
    Membership.objects.filter(user=person, workspace=other_desk.workspace).delete()
    assert mail.send(at=LATER) == 0
    assert outbox.outbox == []


def test_whoever_chose_nothing_has_left_or_has_no_address_has_no_mail(desk: Desk) -> None:
    person = wanting(desk, Pace.NONE)
    User.objects.filter(pk=wanting(desk, role=Role.ADMIN).pk).update(email="")
    work(desk)
    news()
    assert mail.send(at=LATER) == 0
    mail.choose(user=person, pace=Pace.EACH, at=LATER)
    assert mail.send(at=LATER) == 0  # what came before is not mailed
    news("2012")
    User.objects.filter(pk=person.pk).update(is_active=False)
    assert mail.send(at=LATER) == 0


def test_what_was_read_is_not_mailed(desk: Desk) -> None:
    wanting(desk)
    work(desk)
    news()
    Notice.objects.update(read_at=NOW)
    assert mail.send(at=LATER) == 0


def test_a_daily_mail_gathers_what_is_new(desk: Desk) -> None:
    wanting(desk, Pace.DAILY)
    source = work(desk)
    news()
    assert mail.send(at=LATER) == 1
    for year in ("2011", "2012"):
        record(assertions=[said(Nature.REMOVED, year)], at=LATER)
    assert mail.send(at=LATER + timedelta(hours=23)) == 0
    assert mail.send(at=LATER + timedelta(hours=24)) == 1
    assert outbox.outbox[1].body.count(str(source)) == 2


@pytest.mark.parametrize("trouble", [Killed(), SMTPException("550 no"), TimeoutError("after DATA")], ids=str)
def test_a_mail_that_may_have_gone_out_is_not_sent_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, trouble: BaseException
) -> None:
    wanting(desk)
    work(desk)
    news()

    def fail(self: EmailBackend, messages: Any) -> int:
        raise trouble

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", fail)
        if isinstance(trouble, Killed):
            with pytest.raises(Killed):
                mail.send(at=LATER)
        else:
            assert mail.send(at=LATER) == 0
            assert "did not take it" in MailChoice.objects.get().last_error
    assert mail.send(at=LATER + timedelta(days=2)) == 0
    assert Notice.objects.filter(read_at=None).exists()  # the inbox still tells


def test_a_server_that_is_not_there_costs_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    wanting(desk)
    work(desk)
    news()

    def refuse(self: EmailBackend) -> None:
        raise ConnectionRefusedError

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "open", refuse)
        assert mail.send(at=LATER) == 0
    assert mail.send(at=LATER) == 1


def test_a_server_that_hangs_up_takes_the_mail_of_one_person_only(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    wanting(desk), wanting(desk, role=Role.ADMIN)
    work(desk)
    news()
    is_up = iter([True, False])

    def answer(self: EmailBackend) -> None:
        if not next(is_up, False):
            raise ConnectionRefusedError

    def hang_up(self: EmailBackend, messages: Any) -> int:
        raise SMTPServerDisconnected

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "open", answer)
        patch.setattr(EmailBackend, "send_messages", hang_up)
        assert mail.send(at=LATER) == 0
    assert mail.send(at=LATER) == 1


def test_one_mail_that_is_refused_holds_up_nobody_else(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = wanting(desk), wanting(desk, role=Role.ADMIN)
    work(desk)
    news()
    plain = EmailBackend.send_messages

    def refuse_one(self: EmailBackend, messages: Any) -> int:
        if messages[0].to == [first.email]:
            raise SMTPException("550 no")
        return plain(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", refuse_one)
    assert mail.send(at=LATER) == 1
    assert [sent.to for sent in outbox.outbox] == [[second.email]]


def test_a_second_worker_in_the_middle_of_it_sends_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    wanting(desk)
    work(desk)
    news()
    plain = EmailBackend.send_messages

    def send_and_meet_another(self: EmailBackend, messages: Any) -> int:
        monkeypatch.setattr(EmailBackend, "send_messages", plain)
        assert mail.send(at=LATER) == 0
        return plain(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", send_and_meet_another)
    assert mail.send(at=LATER) == 1
    assert len(outbox.outbox) == 1


def test_a_desk_without_a_server_asks_the_database_nothing(desk: Desk, settings: LazySettings) -> None:
    settings.MAIL_ON = False
    wanting(desk)
    work(desk)
    news()
    with CaptureQueriesContext(connection) as asked:
        assert mail.send(at=LATER) == 0
    assert len(asked) == 0
