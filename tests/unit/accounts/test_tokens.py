"""API tokens: shown once, kept as a hash, never above the person's present rights."""

from datetime import datetime, timedelta

import pytest
from django.http import Http404
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts import services
from provenance_site.accounts.models import ApiToken, Membership, User
from provenance_site.accounts.permissions import has_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Change, ChangeSet
from tests.desk import Desk


def make(desk: Desk, at: datetime, role: Role = Role.CURATOR, days: int = 30) -> tuple[ApiToken, str]:
    return services.create_token(user=desk.person(role), workspace=desk.workspace, name="CI", days=days, at=at)


def test_a_token_opens_the_door_of_its_person_and_workspace(desk: Desk, now: datetime) -> None:
    token, text = make(desk, now)
    found = services.authenticate(text, at=now)
    assert found == token
    assert (found.user, found.workspace) == (desk.person(Role.CURATOR), desk.workspace)


def test_the_text_of_a_token_is_kept_nowhere(desk: Desk, now: datetime) -> None:
    token, text = make(desk, now)
    kept = [
        str(value)
        for row in (ApiToken.objects.values(), ChangeSet.objects.values(), Change.objects.values())
        for fields in row
        for value in fields.values()
    ]
    assert text.startswith("pd_")
    assert text.startswith(token.prefix)
    assert len(token.prefix) < 12
    assert not [value for value in kept if text in value or text[12:] in value]


@pytest.mark.parametrize(
    "wrong", ["", "pd_", "pd_wrong", "Bearer", "pd_" + "x" * 10_000_000, "pd_\x00", "pd_\ud800", "ＰＤ_" + "x" * 43]
)
@pytest.mark.django_db
def test_what_is_no_token_opens_nothing(wrong: str, now: datetime) -> None:
    assert services.authenticate(wrong, at=now) is None


def test_a_changed_letter_opens_nothing(desk: Desk, now: datetime) -> None:
    _, text = make(desk, now)
    assert services.authenticate(text[:-1] + ("A" if text[-1] != "A" else "B"), at=now) is None
    assert services.authenticate(text + "A", at=now) is None


def test_a_token_ends_with_its_last_day(desk: Desk, now: datetime) -> None:
    _, text = make(desk, now, days=30)
    assert services.authenticate(text, at=now + timedelta(days=30, seconds=-1))
    assert services.authenticate(text, at=now + timedelta(days=30)) is None


@pytest.mark.parametrize("days", [0, -1, 367])
def test_a_token_lives_between_a_day_and_a_year(desk: Desk, now: datetime, days: int) -> None:
    with pytest.raises(ValueError, match="1 to 366"):
        make(desk, now, days=days)


def test_a_revoked_token_is_refused_at_once_and_keeps_its_first_moment(desk: Desk, now: datetime) -> None:
    token, text = make(desk, now)
    services.revoke_token(token=token, by=token.user, at=now)
    services.revoke_token(token=token, by=token.user, at=now + timedelta(hours=1))
    assert services.authenticate(text, at=now) is None
    token.refresh_from_db()
    assert token.revoked_at == now
    assert ChangeSet.objects.filter(kind="tokens.revoke").count() == 1


def test_a_deactivated_person_has_no_tokens(desk: Desk, now: datetime) -> None:
    token, text = make(desk, now)
    User.objects.filter(pk=token.user_id).update(is_active=False)
    assert services.authenticate(text, at=now) is None


def test_a_person_that_left_the_workspace_has_no_tokens_there(desk: Desk, now: datetime) -> None:
    token, text = make(desk, now)
    Membership.objects.filter(user=token.user).delete()
    assert services.authenticate(text, at=now) is None


def test_a_new_password_ends_all_tokens(desk: Desk, now: datetime) -> None:
    token, text = make(desk, now)
    services.set_password(user=token.user, password="another-horse-8-battery", at=now)
    assert services.authenticate(text, at=now) is None


def test_a_token_is_never_above_the_present_role_of_its_person(desk: Desk, now: datetime) -> None:
    _, text = make(desk, now, role=Role.EDITOR)
    Membership.objects.filter(user=desk.person(Role.EDITOR)).update(role=Role.READER)
    found = services.authenticate(text, at=now)
    assert found is not None
    assert not has_role(found.user, found.workspace, Role.CURATOR)


def test_nobody_makes_a_token_for_a_workspace_they_are_not_in(desk: Desk, other_desk: Desk, now: datetime) -> None:
    with pytest.raises(Http404):
        services.create_token(user=desk.person(), workspace=other_desk.workspace, name="x", days=1, at=now)
    assert not ApiToken.objects.exists()


def test_the_last_use_is_written_once_a_minute(
    desk: Desk, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token, text = make(desk, now)
    seconds = (0, 30, 59, 61)
    costs = (2, 1, 1, 2)
    for second, cost in zip(seconds, costs, strict=True):
        with django_assert_num_queries(cost):
            assert services.authenticate(text, at=now + timedelta(seconds=second))
    token.refresh_from_db()
    assert token.last_used_at == now + timedelta(seconds=61)
