"""Roles: who may do what, what a stranger sees, and what it costs."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts import permissions
from provenance_site.accounts.models import Membership, User
from provenance_site.accounts.roles import Role
from tests.desk import Desk
from tests.factories import MembershipFactory, UserFactory

RANKS = list(Role)


@pytest.mark.parametrize("needed", RANKS)
@pytest.mark.parametrize("held", RANKS)
def test_a_role_may_do_all_that_the_ones_before_it_may(desk: Desk, held: Role, needed: Role) -> None:
    person = desk.person(held)
    expected = RANKS.index(held) >= RANKS.index(needed)
    assert permissions.has_role(person, desk.workspace, needed) is expected
    assert permissions.has_role(person, desk.workspace.pk, needed) is expected


def test_a_member_with_too_low_a_role_is_told_which_one_it_takes(desk: Desk) -> None:
    with pytest.raises(PermissionDenied, match=r"needs the role editor; you are curator"):
        permissions.check_role(desk.person(Role.CURATOR), desk.workspace, Role.EDITOR)


def test_a_high_enough_role_passes(desk: Desk) -> None:
    permissions.check_role(desk.person(Role.EDITOR), desk.workspace, Role.EDITOR)


def test_a_foreign_workspace_is_answered_like_one_that_does_not_exist(desk: Desk, other_desk: Desk) -> None:
    answers = []
    for workspace_id in (other_desk.workspace.pk, 10**9):
        with pytest.raises(Http404) as refusal:
            permissions.check_role(desk.person(Role.ADMIN), workspace_id, Role.READER)
        answers.append(repr(refusal.value))
    assert answers[0] == answers[1]


@pytest.mark.django_db
def test_a_superuser_without_membership_has_no_role(desk: Desk) -> None:
    assert not permissions.has_role(UserFactory(is_superuser=True), desk.workspace, Role.READER)


@pytest.mark.django_db
def test_nobody_is_no_member_and_costs_no_query(desk: Desk, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert permissions.membership_of(AnonymousUser(), desk.workspace.pk) is None


@pytest.mark.django_db
def test_any_number_of_questions_costs_one_query(
    desk: Desk, other_desk: Desk, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    person = User.objects.get(pk=desk.person(Role.EDITOR).pk)
    with django_assert_num_queries(1):
        assert permissions.has_role(person, desk.workspace, Role.EDITOR)
        assert not permissions.has_role(person, desk.workspace, Role.ADMIN)
        assert not permissions.has_role(person, other_desk.workspace, Role.READER)
        assert [one.workspace.name for one in permissions.memberships(person)] == [desk.workspace.name]


@pytest.mark.django_db
def test_a_changed_role_counts_after_forget_and_for_every_fresh_user_object(desk: Desk) -> None:
    person = desk.person(Role.READER)
    assert not permissions.has_role(person, desk.workspace, Role.EDITOR)
    Membership.objects.filter(user=person).update(role=Role.EDITOR)
    assert permissions.has_role(User.objects.get(pk=person.pk), desk.workspace, Role.EDITOR)
    permissions.forget(person)
    assert permissions.has_role(person, desk.workspace, Role.EDITOR)


@pytest.mark.django_db
def test_memberships_come_oldest_first() -> None:
    person = UserFactory()
    made = [MembershipFactory(user=person).pk for _ in range(3)]
    assert [one.pk for one in permissions.memberships(person)] == made
