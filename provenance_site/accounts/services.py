"""Changes to people: members and their roles, passwords, API tokens. Each deed is a ChangeSet of the workspace."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import Http404

from provenance_site.accounts.models import ApiToken, Membership, User, Workspace
from provenance_site.accounts.permissions import check_role, forget
from provenance_site.accounts.reading import reads_now
from provenance_site.accounts.roles import Clearance, Role
from provenance_site.changes.models import Channel
from provenance_site.changes.services import ChangeFacts, record

TOKEN_MARK = "pd_"  # noqa: S105  # the beginning of every token, for secret scanners
TOKEN_DAYS_MAX = 366
_PREFIX_LENGTH = 9
_LAST_USED_EVERY = timedelta(minutes=1)
# No 0/O, 1/l/i: people read these passwords from a terminal and type them.
_PASSWORD_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Added:
    """A person is a member now. `password` is set for a new person only, and known nowhere else."""

    membership: Membership
    password: str | None


@dataclass(frozen=True, slots=True)
class AlreadyMember:
    """Nothing was changed: the person has a role in this workspace."""

    membership: Membership


@dataclass(frozen=True, slots=True)
class LastAdmin:
    """Nothing was changed: without this person the workspace would have no admin."""

    membership: Membership


@dataclass(frozen=True, slots=True)
class Owner:
    """The person that owns an installation, and the workspace of the first start."""

    user: User
    workspace: Workspace
    created: bool


def new_password() -> str:
    """A password to be typed once: 16 letters and digits in groups of four, 79 bits."""
    groups = ("".join(secrets.choice(_PASSWORD_LETTERS) for _ in range(4)) for _ in range(4))
    return "-".join(groups)


def create_owner(*, username: str, password: str, workspace_name: str, at: datetime) -> Owner:
    """The admin of a first start, with staff rights and a workspace; `created` says whether the password is set.

    Twice is safe: a person of that name keeps password and rights, and only gets a workspace if in none.
    """
    with transaction.atomic():
        user, created = User.objects.get_or_create(
            username=username, defaults={"is_staff": True, "is_superuser": True, "password_is_one_time": True}
        )
        if created:
            user.set_password(password)
            user.save(update_fields=["password"])
        membership = user.memberships.select_related("workspace").order_by("pk").first()
        if membership is None:
            workspace = Workspace.objects.create(name=workspace_name, created_at=at)
            membership = Membership.objects.create(user=user, workspace=workspace, role=Role.ADMIN)
    forget(user)
    return Owner(user=user, workspace=membership.workspace, created=created)


def add_member(
    *,
    workspace: Workspace,
    username: str,
    role: Role,
    by: User,
    at: datetime,
    clearance: Clearance = Clearance.RESTRICTED,
) -> Added | AlreadyMember:
    """Makes a person a member; a user name nobody has yet makes a new person with a password shown this once.

    User names that differ only in capitals are one person's, so nobody can look like somebody else. `by` must be an
    admin of the workspace, see `check_role`.
    """
    check_role(by, workspace, Role.ADMIN)
    with transaction.atomic():
        _lock(workspace)
        same_name = User.objects.filter(username__iexact=username).order_by("pk")
        user = next((found for found in same_name if found.username == username), None) or same_name.first()
        password = None
        if user is None:
            password = new_password()
            user = User.objects.create_user(username=username, password=password, password_is_one_time=True)
        membership, is_new = Membership.objects.get_or_create(
            user=user, workspace=workspace, defaults={"role": role, "clearance": clearance}
        )
        if not is_new:
            return AlreadyMember(membership)
        _record_member("people.add", membership, before={}, after=_facts(membership), by=by, at=at)
    forget(user)
    return Added(membership=membership, password=password)


def set_role(
    *, membership: Membership, role: Role, by: User, at: datetime, clearance: Clearance | None = None
) -> Membership | LastAdmin:
    """Changes a member's role, and up to which label they read unless `clearance` is None; the same again changes and
    records nothing. `by` as in `add_member`."""
    check_role(by, membership.workspace_id, Role.ADMIN)
    with transaction.atomic():
        _lock(membership.workspace)
        _reread(membership)
        clearance = clearance or membership.as_clearance
        if (membership.as_role, membership.as_clearance) == (role, clearance):
            return membership
        if role is not Role.ADMIN and _is_last_admin(membership):
            return LastAdmin(membership)
        before = _facts(membership)
        membership.role, membership.clearance = role, clearance
        membership.save(update_fields=["role", "clearance"])
        _record_member("people.role", membership, before=before, after=_facts(membership), by=by, at=at)
    forget(membership.user)
    forget(by)
    return membership


def remove_member(*, membership: Membership, by: User, at: datetime) -> Membership | LastAdmin:
    """Ends a membership and the tokens that hung on it; what the person did stays. `by` as in `add_member`."""
    check_role(by, membership.workspace_id, Role.ADMIN)
    with transaction.atomic():
        _lock(membership.workspace)
        _reread(membership)
        if _is_last_admin(membership):
            return LastAdmin(membership)
        _live_tokens(membership.user).filter(workspace=membership.workspace).update(revoked_at=at)
        _record_member("people.remove", membership, before=_facts(membership), after={}, by=by, at=at)
        Membership.objects.filter(pk=membership.pk).delete()
    forget(membership.user)
    forget(by)
    return membership


def set_password(*, user: User, password: str, at: datetime) -> None:
    """Sets a validated password. Other sessions end with it (Django ties them to it), and so do the person's tokens."""
    with transaction.atomic():
        user.set_password(password)
        user.password_is_one_time = False
        user.save(update_fields=["password", "password_is_one_time"])
        revoke_all_tokens(user=user, at=at)


# -- tokens ------------------------------------------------------------------------------------------------------------


def create_token(*, user: User, workspace: Workspace, name: str, days: int, at: datetime) -> tuple[ApiToken, str]:
    """A token that acts as `user` in `workspace` for `days` (1 to 366), and its text, which is kept nowhere.

    256 random bits need no slow hash: a plain SHA-256 of the text is stored and looked up. Raises Http404 for a person
    who is no member, ValueError for other `days`.
    """
    check_role(user, workspace, Role.READER)
    if not 1 <= days <= TOKEN_DAYS_MAX:
        raise ValueError(f"a token lives 1 to {TOKEN_DAYS_MAX} days, not {days}")
    text = TOKEN_MARK + secrets.token_urlsafe(32)
    with transaction.atomic():
        token = ApiToken.objects.create(
            user=user,
            workspace=workspace,
            name=name,
            prefix=text[:_PREFIX_LENGTH],
            token_hash=_hash(text),
            created_at=at,
            expires_at=at + timedelta(days=days),
        )
        _record_token("tokens.create", token, by=user, at=at)
    return token, text


def revoke_token(*, token: ApiToken, by: User, at: datetime) -> None:
    """Ends a token from the next request on. Twice is safe: the first moment stays."""
    with transaction.atomic():
        if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=at):
            _record_token("tokens.revoke", token, by=by, at=at)


def revoke_all_tokens(*, user: User, at: datetime) -> int:
    """Ends all tokens of a person in all workspaces; gives how many there were."""
    return _live_tokens(user).update(revoked_at=at)


def authenticate(token: str, *, at: datetime) -> ApiToken | None:
    """The token with its user and workspace, or None for one that is unknown, revoked, expired, or whose person is
    inactive or no longer a member; the caller gives all of them one answer.

    The rights are those of the person's present role: ask `check_role(found.user, found.workspace, …)`. One query, and
    at most once a minute a write of `last_used_at`.
    """
    if not token.startswith(TOKEN_MARK) or len(token) > 100:
        return None
    membership = Membership.objects.filter(user=OuterRef("user"), workspace=OuterRef("workspace"))
    found = (
        ApiToken.objects.select_related("user", "workspace")
        .filter(token_hash=_hash(token), revoked_at__isnull=True, expires_at__gt=at, user__is_active=True)
        .annotate(clearance=Subquery(membership.values("clearance")[:1]))
        .filter(clearance__isnull=False)
        .first()
    )
    if found is None:
        return None
    stale = at - _LAST_USED_EVERY
    if found.last_used_at is None or found.last_used_at <= stale:
        not_yet_told = Q(last_used_at__isnull=True) | Q(last_used_at__lte=stale)
        ApiToken.objects.filter(not_yet_told, pk=found.pk).update(last_used_at=at)
        found.last_used_at = at
    return found


def read_as_bearer(token: ApiToken) -> None:
    """From here on what is read is read as the token's person, with the clearance that `authenticate` found."""
    clearance: Clearance = Clearance(token.clearance)  # type: ignore[attr-defined]  # annotated by `authenticate`
    reads_now(user_id=token.user_id, workspace_id=token.workspace_id, clearance=clearance)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _live_tokens(user: User) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user, revoked_at__isnull=True)


def _lock(workspace: Workspace) -> None:
    # One change of people at a time: two admins who demote each other at once must not both succeed. `no_key` lets
    # others go on writing rows that refer to the workspace.
    Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)


def _reread(membership: Membership) -> None:
    # Read before the lock, so perhaps changed or removed since.
    found = Membership.objects.filter(pk=membership.pk).values_list("role", "clearance").first()
    if found is None:
        raise Http404
    membership.role, membership.clearance = found


def _is_last_admin(membership: Membership) -> bool:
    others = Membership.objects.filter(workspace_id=membership.workspace_id, role=Role.ADMIN).exclude(pk=membership.pk)
    return membership.as_role is Role.ADMIN and not others.exists()


def _facts(membership: Membership) -> dict[str, str]:
    return {"user": membership.user.username, "role": membership.role, "clearance": membership.clearance}


def _record_member(
    kind: str, membership: Membership, *, before: dict[str, str], after: dict[str, str], by: User, at: datetime
) -> None:
    record(
        workspace_id=membership.workspace_id,
        kind=kind,
        actor=by,
        channel=Channel.PAGE,
        note="",
        at=at,
        changes=[ChangeFacts(Membership._meta.label_lower, membership.pk, before, after)],
    )


def _record_token(kind: str, token: ApiToken, *, by: User, at: datetime) -> None:
    record(
        workspace_id=token.workspace_id,
        kind=kind,
        actor=by,
        channel=Channel.PAGE,
        note="",
        at=at,
        changes=[
            ChangeFacts(ApiToken._meta.label_lower, token.pk, {}, {"user": token.user.username, "name": token.name})
        ],
    )
