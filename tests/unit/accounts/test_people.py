"""Members of a workspace: adding, changing, removing; the last admin stays; every change is on record."""

import re
import threading
from contextlib import suppress
from datetime import datetime

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404

from provenance_site.accounts import services
from provenance_site.accounts.models import ApiToken, Membership, User, Workspace
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Change, ChangeSet
from tests.clock import NOW
from tests.desk import Desk, furnish
from tests.factories import MembershipFactory, UserFactory


def member(desk: Desk, role: Role) -> Membership:
    return Membership.objects.select_related("user", "workspace").get(user=desk.person(role), workspace=desk.workspace)


def add(desk: Desk, username: str, role: Role = Role.READER, by: Role = Role.ADMIN) -> object:
    return services.add_member(workspace=desk.workspace, username=username, role=role, by=desk.person(by), at=NOW)


def test_a_new_person_gets_a_password_that_opens_their_account(desk: Desk) -> None:
    added = add(desk, "ana", Role.EDITOR)
    assert isinstance(added, services.Added)
    assert added.password is not None
    assert User.objects.get(username="ana").check_password(added.password)
    assert added.membership.as_role is Role.EDITOR
    assert not added.membership.user.is_staff


def test_an_existing_person_keeps_their_password(desk: Desk) -> None:
    person = UserFactory(username="ana")
    added = add(desk, "ana")
    assert isinstance(added, services.Added)
    assert (added.password, added.membership.user) == (None, person)
    person.refresh_from_db()
    assert person.check_password("correct-horse-7-battery")


def test_a_name_in_other_capitals_is_the_same_person(desk: Desk) -> None:
    person = UserFactory(username="ana")
    added = add(desk, "ANA")
    assert isinstance(added, services.Added)
    assert added.membership.user == person
    assert User.objects.filter(username__iexact="ana").count() == 1


def test_of_two_names_that_differ_in_capitals_the_exact_one_is_meant(desk: Desk) -> None:
    UserFactory(username="ana")
    exact = UserFactory(username="Ana")
    added = add(desk, "Ana")
    assert isinstance(added, services.Added)
    assert added.membership.user == exact


def test_a_member_is_not_added_twice(desk: Desk) -> None:
    added = add(desk, desk.person(Role.EDITOR).username, Role.ADMIN)
    assert isinstance(added, services.AlreadyMember)
    assert member(desk, Role.EDITOR).as_role is Role.EDITOR
    assert not ChangeSet.objects.exists()


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.EDITOR])
def test_only_admins_change_people(desk: Desk, role: Role) -> None:
    with pytest.raises(PermissionDenied):
        add(desk, "ana", by=role)
    with pytest.raises(PermissionDenied):
        services.set_role(membership=member(desk, role), role=Role.ADMIN, by=desk.person(role), at=NOW)
    with pytest.raises(PermissionDenied):
        services.remove_member(membership=member(desk, Role.READER), by=desk.person(role), at=NOW)
    assert not User.objects.filter(username="ana").exists()


def test_the_admin_of_another_workspace_changes_nobody_here(desk: Desk, other_desk: Desk) -> None:
    stranger = other_desk.person(Role.ADMIN)
    with pytest.raises(Http404):
        services.set_role(membership=member(desk, Role.READER), role=Role.ADMIN, by=stranger, at=NOW)
    with pytest.raises(Http404):
        services.remove_member(membership=member(desk, Role.READER), by=stranger, at=NOW)


def test_a_change_of_role_is_on_record_with_before_and_after(desk: Desk, now: datetime) -> None:
    changed = services.set_role(
        membership=member(desk, Role.READER), role=Role.EDITOR, by=desk.person(Role.ADMIN), at=now
    )
    assert isinstance(changed, Membership)
    change = Change.objects.select_related("change_set").get()
    assert (change.before["role"], change.after["role"]) == ("reader", "editor")
    assert (change.change_set.kind, change.change_set.actor) == ("people.role", desk.person(Role.ADMIN))


def test_the_same_role_again_is_no_change(desk: Desk) -> None:
    services.set_role(membership=member(desk, Role.READER), role=Role.READER, by=desk.person(Role.ADMIN), at=NOW)
    assert not ChangeSet.objects.exists()


def test_the_last_admin_is_neither_demoted_nor_removed(desk: Desk) -> None:
    admin, by = member(desk, Role.ADMIN), desk.person(Role.ADMIN)
    assert isinstance(services.set_role(membership=admin, role=Role.EDITOR, by=by, at=NOW), services.LastAdmin)
    assert isinstance(services.remove_member(membership=admin, by=by, at=NOW), services.LastAdmin)
    assert member(desk, Role.ADMIN).as_role is Role.ADMIN


def test_one_of_two_admins_may_go(desk: Desk) -> None:
    MembershipFactory(workspace=desk.workspace, role=Role.ADMIN)
    by = desk.person(Role.ADMIN)
    assert isinstance(services.remove_member(membership=member(desk, Role.ADMIN), by=by, at=NOW), Membership)
    assert not Membership.objects.filter(user=by, workspace=desk.workspace).exists()


def test_tokens_of_a_removed_person_stay_dead_when_the_person_comes_back(desk: Desk) -> None:
    person = desk.person(Role.CURATOR)
    _, text = services.create_token(user=person, workspace=desk.workspace, name="CI", days=30, at=NOW)
    services.remove_member(membership=member(desk, Role.CURATOR), by=desk.person(Role.ADMIN), at=NOW)
    add(desk, person.username, Role.CURATOR)
    assert services.authenticate(text, at=NOW) is None
    assert ApiToken.objects.get().revoked_at == NOW


def test_a_membership_that_somebody_removed_meanwhile_is_not_found(desk: Desk) -> None:
    gone = member(desk, Role.READER)
    Membership.objects.filter(pk=gone.pk).delete()
    with pytest.raises(Http404):
        services.set_role(membership=gone, role=Role.EDITOR, by=desk.person(Role.ADMIN), at=NOW)


@pytest.mark.django_db(transaction=True)
def test_two_admins_who_demote_each_other_at_once_leave_one_admin() -> None:
    desk = furnish("Harbour desk")
    second = MembershipFactory(workspace=desk.workspace, role=Role.ADMIN)
    first = member(desk, Role.ADMIN)
    start = threading.Barrier(2)

    def demote(target: Membership, by: User) -> None:
        start.wait(timeout=2)
        try:
            # Refused where the other one was faster by far: no admin any more when asked.
            with suppress(PermissionDenied):
                services.set_role(membership=target, role=Role.READER, by=by, at=NOW)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=demote, args=(first, second.user)),
        threading.Thread(target=demote, args=(second, first.user)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=5)
    assert Membership.objects.filter(workspace=desk.workspace, role=Role.ADMIN).count() == 1


@pytest.mark.django_db
def test_a_first_start_makes_an_admin_once() -> None:
    first = services.create_owner(username="desk", password="a-long-password-1", workspace_name="Desk", at=NOW)
    again = services.create_owner(username="desk", password="another-password-2", workspace_name="Other", at=NOW)
    assert (first.created, again.created) == (True, False)
    assert again.workspace == first.workspace
    assert Workspace.objects.count() == 1
    owner = User.objects.get()
    assert owner.check_password("a-long-password-1")
    assert owner.is_staff
    assert Membership.objects.get().as_role is Role.ADMIN


@pytest.mark.django_db
def test_a_first_start_gives_an_owner_without_workspace_one_of_their_own() -> None:
    person = UserFactory(username="desk")
    owner = services.create_owner(username="desk", password="x", workspace_name="Desk", at=NOW)
    assert (owner.user, owner.created, owner.workspace.name) == (person, False, "Desk")
    assert not owner.user.is_staff


def test_a_new_password_can_be_read_and_typed() -> None:
    made = {services.new_password() for _ in range(200)}
    assert len(made) == 200
    assert all(re.fullmatch(r"([a-hjkmnp-z2-9]{4}-){3}[a-hjkmnp-z2-9]{4}", password) for password in made)
