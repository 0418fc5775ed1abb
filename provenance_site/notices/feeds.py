"""Private addresses of feeds: made and ended by the person, and what one shows to whoever has it."""

import hashlib
import secrets
import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.views.decorators.debug import sensitive_variables

from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes import services as changes
from provenance_site.changes.models import Channel
from provenance_site.changes.registry import ChangeFacts
from provenance_site.notices import atom, queries
from provenance_site.notices.models import FeedAddress

CHANGE_KIND = "notices.feed"
MARK = "pdf_"
# A person needs one a reader; more is a slip.
MOST = 10
_PREFIX = 10
_USED_EVERY = timedelta(minutes=10)


class FeedRefused(ValueError):
    """No address can be made; the message says why and the way out."""


@sensitive_variables("text")
def make(*, user: User, workspace: Workspace, name: str, at: datetime) -> tuple[FeedAddress, str]:
    """A new address of the person's notices in the workspace, and its key, which is kept nowhere. One ChangeSet.

    Raises Http404 for a person who is no member, `FeedRefused` for the eleventh.
    """
    check_role(user, workspace, Role.READER)
    text = MARK + secrets.token_urlsafe(32)
    with transaction.atomic():
        if queries.feeds_of(user=user, workspace=workspace).count() >= MOST:
            raise FeedRefused(f"You have {MOST} addresses here. End one that you do not use.")
        made = FeedAddress.objects.create(
            user=user,
            workspace=workspace,
            name=name,
            prefix=text[:_PREFIX],
            key_hash=_hash(text),
            created_at=at,
        )
        _record(made, "made", by=user, at=at)
    return made, text


def end(*, address: FeedAddress, by: User, at: datetime) -> None:
    """Ends an address from the next request on. Twice is safe: the first moment stays."""
    with transaction.atomic():
        if FeedAddress.objects.filter(pk=address.pk, revoked_at=None).update(revoked_at=at):
            _record(address, "ended", by=by, at=at)


@sensitive_variables("key")
def membership_for(key: str, *, at: datetime) -> tuple[FeedAddress, Membership] | None:
    """The address that a key opens, with the membership of its person now; None for a key that is unknown or ended,
    and for people who are inactive or no longer members: all of them get one answer."""
    if not key.startswith(MARK) or len(key) > 100:
        return None
    found = FeedAddress.objects.filter(key_hash=_hash(key), revoked_at=None, user__is_active=True).first()
    if found is None:
        return None
    member = Membership.objects.select_related("workspace", "user").filter(
        user=found.user_id, workspace=found.workspace_id
    )
    membership = member.first()
    if membership is None:
        return None
    stale = Q(last_used_at=None) | Q(last_used_at__lte=at - _USED_EVERY)
    if found.last_used_at is None or found.last_used_at <= at - _USED_EVERY:
        FeedAddress.objects.filter(stale, pk=found.pk).update(last_used_at=at)
    return found, membership


def written(*, address: FeedAddress, membership: Membership, root: str) -> bytes:
    """The feed of a person's notices, as far as they may see what each is about now. `root` is the site's address.

    Ids come of the workspace and the news, so they stay when the site moves; the key stands nowhere in it.
    """
    workspace = membership.workspace
    entries = [
        atom.Entry(
            id=_urn(workspace, f"{line.notice.kind} {line.notice.key}"),
            title=line.shown.title,
            text=line.shown.text,
            url=root + line.shown.url,
            at=line.notice.at,
        )
        for line in queries.newest(membership=membership)
    ]
    return atom.feed(
        id=_urn(workspace, f"feed of {membership.user_id}"),
        title=f"Notices of {workspace.name}",
        url=f"{root}/notices/",
        author="Provenance Desk",
        at=address.created_at,
        entries=entries,
    )


def _urn(workspace: Workspace, name: str) -> str:
    return uuid.uuid5(workspace.uuid, name).urn


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _record(address: FeedAddress, deed: str, *, by: User, at: datetime) -> None:
    facts = ChangeFacts(address._meta.label_lower, address.pk, {}, {"name": address.name, "deed": deed})
    changes.record(
        workspace_id=address.workspace_id,
        kind=CHANGE_KIND,
        actor=by,
        channel=Channel.PAGE,
        note=f"{address.name}: {deed}",
        at=at,
        changes=[facts],
    )
