"""Notices by mail: one mail a person for all that is new, at most once.

A notice is marked as mailed before its mail is handed over, in a transaction that holds the person's row, and nothing
ever takes the mark back: of two workers one finds nothing, and what a killed worker had in hand is not mailed again.
It stands in the inbox either way. A mail server that cannot be reached costs nobody but the person whose mail was under
way: it is asked before, and after each mail that it did not take, before the next is marked.
"""

import logging
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from provenance_site.accounts.models import Membership, User
from provenance_site.kit.text import counted
from provenance_site.notices import queries
from provenance_site.notices.models import MailChoice, Notice
from provenance_site.notices.paces import Pace
from provenance_site.notices.queries import Line

_DAY = timedelta(days=1)
# So many notices go into one mail; the inbox has the rest.
MOST = 100
_AT_ONCE = 500

log = logging.getLogger(__name__)


def choose(*, user: User, pace: Pace, at: datetime) -> MailChoice:
    """Keeps how often a person has mail; what came before this is not mailed. The same again changes nothing."""
    with transaction.atomic():
        kept = MailChoice.objects.select_for_update(no_key=True).filter(user=user).first()
        if kept is None:
            return MailChoice.objects.create(user=user, pace=pace, since=at)
        if kept.pace != pace:
            if kept.pace == Pace.NONE:
                kept.since = at
            kept.pace, kept.last_error = pace, ""
            kept.save(update_fields=["pace", "since", "last_error"])
    return kept


def send(*, at: datetime) -> int:
    """Sends what is due, and gives how many mails went out; 0 where no mail server is configured.

    Any number of workers may call it at once; see the module for what is never done twice.
    """
    if not settings.MAIL_ON:
        return 0
    due = list(_due(at=at).values_list("pk", flat=True)[:_AT_ONCE])
    if not due:
        return 0
    connection = get_connection()
    if not _reached(connection):
        return 0
    sent = 0
    try:
        for pk in due:
            message = _claimed(pk, at=at)
            if message is None:
                continue
            error = ""
            try:
                message.connection = connection
                message.send()
            except (OSError, SMTPException) as trouble:
                error = f"{type(trouble).__name__}: the mail server did not take it"
                log.warning("A mail of notices was not taken: %s", type(trouble).__name__)
            else:
                sent += 1
            MailChoice.objects.filter(pk=pk).update(last_error=error)
            if error and not _reached_anew(connection):
                break
    finally:
        connection.close()
    return sent


def _reached(connection: BaseEmailBackend) -> bool:
    try:
        connection.open()
    except (OSError, SMTPException) as trouble:
        log.warning("The mail server does not answer (%s); notices wait.", type(trouble).__name__)
        return False
    return True


def _reached_anew(connection: BaseEmailBackend) -> bool:
    """After a failure the line may be dead, and every further mail would be lost on it."""
    try:
        connection.close()
    except (OSError, SMTPException) as trouble:
        log.warning("The mail server hung up (%s).", type(trouble).__name__)
    return _reached(connection)


def _due(*, at: datetime) -> QuerySet[MailChoice]:
    """Those whose turn it is and who have something new, who waited longest first."""
    fresh = Notice.objects.filter(user=OuterRef("user"), at__gte=OuterRef("since"), mailed_at=None, read_at=None)
    in_turn = Q(pace=Pace.EACH) | Q(pace=Pace.DAILY) & (Q(last_at=None) | Q(last_at__lte=at - _DAY))
    people = MailChoice.objects.filter(in_turn, Exists(fresh), user__is_active=True).exclude(user__email="")
    return people.order_by(F("last_at").asc(nulls_first=True), "pk")


def _claimed(pk: int, *, at: datetime) -> EmailMessage | None:
    """The mail of one person, whose notices are marked as mailed from here on; None where there is nothing to tell."""
    with transaction.atomic():
        rows = _due(at=at).select_for_update(of=("self",), no_key=True).select_related("user")
        choice = rows.filter(pk=pk).first()
        if choice is None:
            return None
        fresh = Notice.objects.filter(user=choice.user, at__gte=choice.since, mailed_at=None, read_at=None)
        notices = list(fresh.order_by("-at", "-pk")[:MOST])
        Notice.objects.filter(pk__in=[notice.pk for notice in notices], mailed_at=None).update(mailed_at=at)
        # Looked at again here: a person may have left, or lost sight of it, since they were told.
        told = _told(choice.user, notices)
        if not told:
            return None
        choice.last_at = at
        choice.save(update_fields=["last_at"])
    return _message(choice.user, told)


def _told(user: User, notices: list[Notice]) -> list[tuple[Membership, list[Line]]]:
    told = []
    for membership in Membership.objects.filter(user=user).select_related("workspace").order_by("pk"):
        own = [notice for notice in notices if notice.workspace_id == membership.workspace_id]
        lines = queries.lines_of(own, membership=membership)
        if lines:
            told.append((membership, lines))
    return told


def _message(user: User, told: list[tuple[Membership, list[Line]]]) -> EmailMessage:
    number = sum(len(lines) for _, lines in told)
    parts = [f"{counted(number, 'notice')} for {user.get_username()}."]
    for membership, lines in told:
        parts.append(membership.workspace.name)
        for line in lines:
            where = f"\n  {settings.SITE_URL}{line.shown.url}" if settings.SITE_URL else ""
            parts.append(f"- {line.shown.title}\n  {line.shown.text}\n  {line.notice.at:%Y-%m-%d %H:%M} UTC{where}")
    parts.append("How often you have such mail is chosen in the desk, under Notices, Mail and feeds.")
    first = told[0][1][0].shown.title if number == 1 else counted(number, "notice")
    # A title is a stranger's text, and a header has one line.
    subject = " ".join(f"Provenance Desk: {first}".split())[:200]
    return EmailMessage(
        subject=subject, body="\n\n".join(parts), to=[user.email], from_email=settings.DEFAULT_FROM_EMAIL
    )
