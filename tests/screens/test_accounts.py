"""The account pages through the client: signing in, workspaces, tokens, people."""

import re
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings as SettingsFixture

from provenance_site.accounts import services, sign_in
from provenance_site.accounts.models import ApiToken, LoginFailure, Membership, User, Workspace
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import ChangeSet
from tests.clock import NOW
from tests.desk import Desk
from tests.factories import (
    ChangeFactory,
    ChangeSetFactory,
    JobFactory,
    JobItemFactory,
    MembershipFactory,
    UserFactory,
    WorkspaceFactory,
)
from tests.factories.accounts import PASSWORD

LOGIN = reverse("login")
WRONG = "wrong"

ROWS: dict[str, Callable[[], Any]] = {
    "accounts.user": UserFactory,
    "accounts.workspace": WorkspaceFactory,
    "accounts.membership": MembershipFactory,
    "jobs.job": JobFactory,
    "jobs.jobitem": JobItemFactory,
    "changes.changeset": ChangeSetFactory,
    "changes.change": ChangeFactory,
}


IN_A_WORKSPACE: dict[str, Callable[[Any], Any]] = {
    "jobs.job": lambda job: job.workspace,
    "jobs.jobitem": lambda item: item.job.workspace,
    "changes.changeset": lambda change_set: change_set.workspace,
    "changes.change": lambda change: change.change_set.workspace,
}


def try_to_sign_in(
    client: Client, username: str = "ana", password: str = WRONG, *, came_from: str = "192.0.2.1", **headers: str
) -> HttpResponse:
    body = {"username": username, "password": password}
    return client.post(LOGIN, body, REMOTE_ADDR=came_from, headers=headers)  # type: ignore[return-value]


def text_of(answer: HttpResponse) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


# -- signing in --------------------------------------------------------------------------------------------------------


@pytest.fixture
def ana(db: None) -> User:
    return MembershipFactory(user=UserFactory(username="ana")).user


def test_the_right_password_opens_the_desk(ana: User, client: Client) -> None:
    answer = try_to_sign_in(client, password=PASSWORD)
    assert (answer.status_code, answer["Location"]) == (302, reverse(settings.LOGIN_REDIRECT_URL))
    assert client.session["_auth_user_id"] == str(ana.pk)
    assert not LoginFailure.objects.exists()


def test_the_form_lets_password_managers_help_and_says_errors_on_top(ana: User, client: Client) -> None:
    page = client.get(LOGIN).content.decode()
    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page
    refused = try_to_sign_in(client)
    assert refused.status_code == 200
    assert re.search(r'role="alert".*do not match', refused.content.decode(), re.DOTALL)


def test_signing_in_makes_a_new_session(ana: User, client: Client) -> None:
    client.get(LOGIN)
    session = client.session
    session["planted"] = "1"
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(session.session_key)
    try_to_sign_in(client, password=PASSWORD)
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != session.session_key


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "/\\evil.example", "\t//evil.example", "javascript:alert(1)"]
)
def test_nobody_is_led_elsewhere_after_signing_in(ana: User, client: Client, target: str) -> None:
    answer = client.post(f"{LOGIN}?next={target}", {"username": "ana", "password": PASSWORD, "next": target})
    assert answer["Location"] == reverse(settings.LOGIN_REDIRECT_URL)


def test_a_person_comes_back_to_the_page_they_asked_for(ana: User, client: Client) -> None:
    tokens = reverse("tokens")
    sent = client.get(tokens)
    assert sent["Location"] == f"{LOGIN}?next={tokens}"
    answer = client.post(sent["Location"], {"username": "ana", "password": PASSWORD})
    assert answer["Location"] == tokens


def _without_nonsense(answer: HttpResponse, username: str) -> str:
    page = answer.content.decode().replace(username, "NAME")
    return re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": ")\w+', r"\1", page)


def test_unknown_known_and_inactive_people_get_the_same_answer(ana: User, client: Client) -> None:
    UserFactory(username="ben", is_active=False)
    answers = [
        (try_to_sign_in(client, name, password), name)
        for name, password in [("ana", "wrong"), ("nobody", "wrong"), ("ben", PASSWORD)]
    ]
    assert {answer.status_code for answer, _ in answers} == {200}
    assert len({_without_nonsense(answer, name) for answer, name in answers}) == 1


def test_after_five_failures_even_the_right_password_waits(ana: User, client: Client) -> None:
    for _ in range(sign_in.FAILURES):
        assert try_to_sign_in(client).status_code == 200
    locked = try_to_sign_in(client, password=PASSWORD)
    assert locked.status_code == 429
    assert 0 < int(locked["Retry-After"]) <= sign_in.WINDOW.total_seconds()
    assert re.search(r"Try again after \d\d:\d\d:\d\d UTC , in [1-5] minutes?", text_of(locked))
    assert "_auth_user_id" not in client.session
    with mock.patch("provenance_site.accounts.views.timezone.now", return_value=datetime.now(UTC) + sign_in.WINDOW):
        assert try_to_sign_in(client, password=PASSWORD).status_code == 302


def test_an_unknown_name_is_locked_like_a_known_one(ana: User, client: Client) -> None:
    for name in ("ana", "nobody"):
        for number in range(sign_in.FAILURES):
            try_to_sign_in(client, name, came_from=f"192.0.2.{number}")
    pages = [try_to_sign_in(client, name, came_from="192.0.2.99") for name in ("ana", "nobody")]
    assert [page.status_code for page in pages] == [429, 429]
    assert len({re.sub(r"\d\d:\d\d:\d\d", "", text_of(page)) for page in pages}) == 1


def test_a_forged_header_moves_nobody_to_another_network(ana: User, client: Client) -> None:
    answers = [
        try_to_sign_in(client, f"name-{number}", **{"X-Forwarded-For": f"203.0.113.{number}"}).status_code
        for number in range(20)
    ]
    assert answers == [200] * sign_in.FAILURES + [429] * (20 - sign_in.FAILURES)


def test_behind_a_proxy_of_ours_people_are_counted_by_their_own_address(
    ana: User, client: Client, settings: SettingsFixture
) -> None:
    settings.TRUSTED_PROXIES = 1
    for number in range(2 * sign_in.FAILURES):
        answer = try_to_sign_in(client, f"name-{number}", **{"X-Forwarded-For": f"6.6.6.6, 203.0.113.{number}"})
        assert answer.status_code == 200


def test_a_success_in_between_does_not_clear_the_network(ana: User, client: Client) -> None:
    for number in range(sign_in.FAILURES):
        try_to_sign_in(client, f"name-{number}")
        if number == 2:
            assert try_to_sign_in(client, password=PASSWORD).status_code == 302
    assert try_to_sign_in(Client(), "name-9").status_code == 429


def test_an_empty_form_is_no_failure(ana: User, client: Client) -> None:
    for _ in range(2 * sign_in.FAILURES):
        assert try_to_sign_in(client, password="").status_code == 200
    assert not LoginFailure.objects.exists()


def test_the_admin_has_no_sign_in_page_of_its_own(ana: User, client: Client) -> None:
    """Its form would count no failures."""
    index = reverse("admin:index")
    answer = client.post(reverse("admin:login"), {"username": "ana", "password": PASSWORD, "next": index})
    assert (answer.status_code, answer["Location"].split("?")[0]) == (302, LOGIN)
    assert client.get(index, follow=True).redirect_chain[-1][0] == f"{LOGIN}?next={index}"
    client.force_login(ana)
    assert client.get(index, follow=True).status_code == 403


def test_signing_out_takes_a_post_and_ends_the_session(ana: User, client: Client) -> None:
    client.force_login(ana)
    assert client.get(reverse("logout")).status_code == 405
    assert "_auth_user_id" in client.session
    assert client.post(reverse("logout"))["Location"] == LOGIN
    assert "_auth_user_id" not in client.session
    assert client.post(reverse("logout"))["Location"] == LOGIN


def test_pages_of_a_signed_in_person_are_kept_nowhere(desk: Desk) -> None:
    assert desk.client().get(reverse("tokens"))["Cache-Control"] == "private, no-store"


def test_forms_without_a_csrf_token_are_refused(desk: Desk) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(desk.person(Role.ADMIN))
    member = Membership.objects.get(user=desk.person(Role.READER))
    posts = [
        (LOGIN, {"username": "ana", "password": PASSWORD}),
        (reverse("token-create"), {"name": "CI", "days": "30"}),
        (reverse("people"), {"username": "eve", "role": "admin"}),
        (reverse("person-role", args=[member.pk]), {"role": "admin"}),
        (reverse("person-remove", args=[member.pk]), {}),
        (reverse("switch-workspace"), {"workspace": str(desk.workspace.uuid)}),
        (reverse("logout"), {}),
    ]
    assert {url: strict.post(url, body).status_code for url, body in posts} == {url: 403 for url, _ in posts}
    assert not ApiToken.objects.exists()
    assert not User.objects.filter(username="eve").exists()


# -- password ----------------------------------------------------------------------------------------------------------


def test_a_new_password_keeps_this_session_and_ends_others_and_tokens(desk: Desk) -> None:
    here, elsewhere = desk.client(), desk.client()
    person = desk.person()
    _, token = services.create_token(user=person, workspace=desk.workspace, name="CI", days=30, at=datetime.now(UTC))
    new = "new-harbour-9-lantern"
    body = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert here.post(reverse("password"), body).status_code == 302
    assert here.get(reverse("tokens")).status_code == 200
    assert elsewhere.get(reverse("tokens")).status_code == 302
    assert services.authenticate(token, at=datetime.now(UTC)) is None
    person.refresh_from_db()
    assert person.check_password(new)


def test_a_password_is_not_changed_without_the_old_one(desk: Desk) -> None:
    body = {"old_password": "wrong", "new_password1": "new-harbour-9-lantern", "new_password2": "new-harbour-9-lantern"}
    answer = desk.client().post(reverse("password"), body)
    assert answer.status_code == 200
    assert 'role="alert"' in answer.content.decode()
    desk.person().refresh_from_db()
    assert desk.person().check_password(PASSWORD)


# -- workspaces --------------------------------------------------------------------------------------------------------


def test_a_person_in_two_workspaces_switches_between_them(desk: Desk, other_desk: Desk) -> None:
    client = desk.client(Role.READER)
    MembershipFactory(user=desk.person(Role.READER), workspace=other_desk.workspace, role=Role.EDITOR)
    assert "Harbour desk" in text_of(client.get(reverse("tokens")))
    page = text_of(client.get(reverse("switch-workspace")))
    assert "Stranger desk" in page
    body = {"workspace": str(other_desk.workspace.uuid), "next": reverse("tokens")}
    answer = client.post(reverse("switch-workspace"), body, follow=True)
    assert answer.redirect_chain[-1][0] == reverse("tokens")
    assert "in your name in Stranger desk" in text_of(answer)
    assert "now editor" in text_of(answer)


def test_a_foreign_workspace_and_one_that_does_not_exist_have_the_same_answer(desk: Desk, other_desk: Desk) -> None:
    client = desk.client()
    ids = [other_desk.workspace.uuid, uuid.uuid4(), "nonsense"]
    answers = [client.post(reverse("switch-workspace"), {"workspace": str(one)}) for one in ids]
    assert {answer.status_code for answer in answers} == {404}
    assert len({re.sub(r"\w{64}", "", answer.content.decode()) for answer in answers}) == 1
    assert "Harbour desk" in text_of(client.get(reverse("tokens")))


def test_switching_leads_to_no_other_site(desk: Desk) -> None:
    body = {"workspace": str(desk.workspace.uuid), "next": "//evil.example/"}
    assert desk.client().post(reverse("switch-workspace"), body)["Location"] == reverse(settings.LOGIN_REDIRECT_URL)


@pytest.mark.parametrize("name", ["tokens", "people", "switch-workspace"])
@pytest.mark.django_db
def test_a_person_in_no_workspace_reads_what_to_do(name: str, client: Client) -> None:
    client.force_login(UserFactory(username="newcomer"))
    answer = client.get(reverse(name))
    assert answer.status_code == 403
    assert "You are in no workspace yet Ask an administrator to add you: your user name is newcomer" in text_of(answer)


def test_a_person_whose_workspace_was_taken_away_falls_back_to_another(desk: Desk, other_desk: Desk) -> None:
    client, person = desk.client(), desk.person()
    second = MembershipFactory(user=person, workspace=other_desk.workspace)
    client.post(reverse("switch-workspace"), {"workspace": str(other_desk.workspace.uuid)})
    second.delete()
    assert "in your name in Harbour desk" in text_of(client.get(reverse("tokens")))


# -- tokens ------------------------------------------------------------------------------------------------------------


def test_a_token_is_shown_once_and_works(desk: Desk) -> None:
    client = desk.client()
    answer = client.post(reverse("token-create"), {"name": "CI", "days": "30"})
    shown = re.search(r'id="new-token">(pd_[\w-]{43})<', answer.content.decode())
    assert shown
    assert services.authenticate(shown[1], at=datetime.now(UTC)) == ApiToken.objects.get()
    assert shown[1] not in client.get(reverse("tokens")).content.decode()
    assert "CI" in text_of(client.get(reverse("tokens")))
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("body", [{"name": "", "days": "30"}, {"name": "CI", "days": "9999"}, {"name": "x" * 101}, {}])
def test_a_token_form_with_mistakes_makes_none(desk: Desk, body: dict[str, str]) -> None:
    answer = desk.client().post(reverse("token-create"), body)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_revoking_ends_ones_own_token_only(desk: Desk, other_desk: Desk) -> None:
    mine, _ = services.create_token(user=desk.person(), workspace=desk.workspace, name="mine", days=30, at=NOW)
    others, _ = services.create_token(
        user=desk.person(Role.EDITOR), workspace=desk.workspace, name="theirs", days=30, at=NOW
    )
    client = desk.client()
    answers = [client.post(reverse("token-revoke", args=[pk])) for pk in (others.pk, 10**9)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert client.post(reverse("token-revoke", args=[mine.pk])).status_code == 302
    assert list(ApiToken.objects.filter(revoked_at__isnull=True)) == [others]
    assert client.get(reverse("token-revoke", args=[mine.pk])).status_code == 405


def queries_of(client: Client, url: str) -> int:
    """How many queries the page takes."""
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def test_the_tokens_page_costs_the_same_for_ten_and_twenty(desk: Desk) -> None:
    def add_ten() -> None:
        for _ in range(10):
            services.create_token(user=desk.person(), workspace=desk.workspace, name="CI", days=30, at=NOW)

    add_ten()
    ten = queries_of(desk.client(), reverse("tokens"))
    add_ten()
    assert queries_of(desk.client(), reverse("tokens")) == ten


# -- people ------------------------------------------------------------------------------------------------------------


def role_of(desk: Desk, person: User) -> str | None:
    return Membership.objects.filter(user=person, workspace=desk.workspace).values_list("role", flat=True).first()


def test_an_admin_adds_a_new_person_who_can_then_sign_in(desk: Desk) -> None:
    answer = desk.client(Role.ADMIN).post(reverse("people"), {"username": "ana", "role": "editor"})
    shown = re.search(r'id="new-password">([\w-]+)<', answer.content.decode())
    assert shown
    assert shown[1] not in desk.client(Role.ADMIN).get(reverse("people")).content.decode()
    assert try_to_sign_in(Client(), "ana", shown[1]).status_code == 302
    assert role_of(desk, User.objects.get(username="ana")) == "editor"


def test_an_admin_adds_somebody_who_has_an_account_and_no_password_is_shown(desk: Desk) -> None:
    person = UserFactory(username="ana")
    answer = desk.client(Role.ADMIN).post(reverse("people"), {"username": "ana", "role": "reader"}, follow=True)
    assert "ana is reader here now." in text_of(answer)
    assert "new-password" not in answer.content.decode()
    assert role_of(desk, person) == "reader"


@pytest.mark.parametrize(
    ("username", "role", "told"),
    [
        ("", "reader", "required"),
        ("a b", "reader", "valid username"),
        ("x" * 151, "reader", "150 characters"),
        ("ana", "owner", "not one of the available choices"),
    ],
)
def test_a_person_form_with_mistakes_adds_nobody(desk: Desk, username: str, role: str, told: str) -> None:
    people_before = User.objects.count()
    answer = desk.client(Role.ADMIN).post(reverse("people"), {"username": username, "role": role})
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert User.objects.count() == people_before


def test_a_member_is_not_added_again(desk: Desk) -> None:
    body = {"username": desk.person(Role.READER).username, "role": "admin"}
    answer = desk.client(Role.ADMIN).post(reverse("people"), body)
    assert answer.status_code == 422
    assert "is reader here already. Change the role in the list." in text_of(answer)
    assert role_of(desk, desk.person(Role.READER)) == "reader"


def test_no_field_beyond_name_and_role_is_taken(desk: Desk) -> None:
    body = {"username": "eve", "role": "reader", "is_staff": "on", "is_superuser": "on", "password": "mine", "id": "1"}
    desk.client(Role.ADMIN).post(reverse("people"), body)
    eve = User.objects.get(username="eve")
    assert not eve.is_staff
    assert not eve.is_superuser
    assert not eve.check_password("mine")


def test_a_role_is_changed_and_counts_from_the_next_click_on(desk: Desk) -> None:
    person = desk.person(Role.READER)
    member, client = Membership.objects.get(user=person), desk.client(Role.READER)
    assert client.get(reverse("people")).status_code == 403
    answer = desk.client(Role.ADMIN).post(reverse("person-role", args=[member.pk]), {"role": "admin"}, follow=True)
    assert f"{person.username} is admin here now." in text_of(answer)
    assert client.get(reverse("people")).status_code == 200


def test_an_admin_says_up_to_which_label_a_member_reads(desk: Desk) -> None:
    member = Membership.objects.get(user=desk.person(Role.READER))
    told = {"role": "reader", "clearance": "internal"}
    answer = desk.client(Role.ADMIN).post(reverse("person-role", args=[member.pk]), told, follow=True)
    member.refresh_from_db()
    assert (member.role, member.clearance) == ("reader", "internal")
    assert "is reader here now, and reads up to internal." in text_of(answer)
    assert "Reads what is public or internal." in text_of(answer)
    (change,) = ChangeSet.objects.get(kind="people.role").changes.all()
    assert (change.before["clearance"], change.after["clearance"]) == ("restricted", "internal")


def test_a_role_that_does_not_exist_changes_nothing(desk: Desk) -> None:
    member = Membership.objects.get(user=desk.person(Role.READER))
    answer = desk.client(Role.ADMIN).post(reverse("person-role", args=[member.pk]), {"role": "owner"}, follow=True)
    assert "There is no such role." in text_of(answer)
    assert role_of(desk, member.user) == "reader"


def test_a_removed_person_sees_nothing_from_the_next_click_on(desk: Desk) -> None:
    member, client = Membership.objects.get(user=desk.person(Role.READER)), desk.client(Role.READER)
    assert client.get(reverse("tokens")).status_code == 200
    answer = desk.client(Role.ADMIN).post(reverse("person-remove", args=[member.pk]), follow=True)
    assert f"{member.user.username} is no longer in this workspace." in text_of(answer)
    assert client.get(reverse("tokens")).status_code == 403
    assert User.objects.filter(pk=member.user_id).exists()


def test_the_last_admin_can_neither_go_nor_be_demoted(desk: Desk) -> None:
    client, admin = desk.client(Role.ADMIN), Membership.objects.get(user=desk.person(Role.ADMIN))
    for url, body in [
        (reverse("person-role", args=[admin.pk]), {"role": "reader"}),
        (reverse("person-remove", args=[admin.pk]), {}),
    ]:
        assert "is the last admin of this workspace. Make somebody else an admin first." in text_of(
            client.post(url, body, follow=True)
        )
    assert role_of(desk, admin.user) == "admin"


def test_an_admin_who_steps_down_is_led_to_a_page_they_may_see(desk: Desk) -> None:
    MembershipFactory(workspace=desk.workspace, role=Role.ADMIN)
    admin = Membership.objects.get(user=desk.person(Role.ADMIN))
    answer = desk.client(Role.ADMIN).post(reverse("person-role", args=[admin.pk]), {"role": "reader"})
    assert answer["Location"] == reverse(settings.LOGIN_REDIRECT_URL)


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.EDITOR])
def test_who_is_no_admin_neither_sees_nor_changes_people(desk: Desk, role: Role) -> None:
    client, member = desk.client(role), Membership.objects.get(user=desk.person(Role.READER))
    answers = [
        client.get(reverse("people")),
        client.post(reverse("people"), {"username": "eve", "role": "admin"}),
        client.post(reverse("person-role", args=[member.pk]), {"role": "admin"}),
        client.post(reverse("person-remove", args=[member.pk])),
        client.post(reverse("person-remove", args=[10**9])),
    ]
    assert {answer.status_code for answer in answers} == {403}
    assert role_of(desk, member.user) == "reader"
    assert not User.objects.filter(username="eve").exists()


def test_people_of_another_workspace_are_not_found_like_nobody(desk: Desk, other_desk: Desk) -> None:
    client, foreign = desk.client(Role.ADMIN), Membership.objects.get(user=other_desk.person(Role.READER))
    for name in ("person-role", "person-remove"):
        answers = [client.post(reverse(name, args=[pk]), {"role": "admin"}) for pk in (foreign.pk, 10**9)]
        assert {answer.status_code for answer in answers} == {404}
        assert len({re.sub(r"\w{64}", "", answer.content.decode()) for answer in answers}) == 1
    assert role_of(other_desk, foreign.user) == "reader"
    assert other_desk.person(Role.READER).username not in client.get(reverse("people")).content.decode()


def test_the_people_page_costs_the_same_for_ten_and_twenty(desk: Desk) -> None:
    def add_ten() -> None:
        MembershipFactory.create_batch(10, workspace=desk.workspace)

    add_ten()
    ten = queries_of(desk.client(Role.ADMIN), reverse("people"))
    add_ten()
    assert queries_of(desk.client(Role.ADMIN), reverse("people")) == ten


def test_a_hostile_name_is_text_wherever_it_stands(desk: Desk) -> None:
    hostile = '"><img src=x onerror=alert(1)>'
    desk.workspace.name = hostile
    desk.workspace.save()
    services.create_token(user=desk.person(Role.ADMIN), workspace=desk.workspace, name=hostile, days=30, at=NOW)
    client = desk.client(Role.ADMIN)
    for name in ("tokens", "people", "switch-workspace"):
        page = client.get(reverse(name)).content.decode()
        assert "<img" not in page
        assert "&lt;img" in page


# -- the admin ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    client.force_login(UserFactory(username="operator", is_staff=True, is_superuser=True))
    return client


@pytest.mark.parametrize("model", ROWS)
def test_an_operator_looks_at_lists_and_rows(operator: Client, model: str) -> None:
    row = ROWS[model]()
    if model in IN_A_WORKSPACE:
        # Work and history are shown of workspaces whose administrator the operator is.
        person = User.objects.get(username="operator")
        MembershipFactory(user=person, workspace=IN_A_WORKSPACE[model](row), role="admin")
    view = model.replace(".", "_")
    assert operator.get(reverse(f"admin:{view}_changelist"), {"q": "7"}).status_code == 200
    assert operator.get(reverse(f"admin:{view}_change", args=[row.pk])).status_code == 200


@pytest.mark.parametrize("model", ["jobs.job", "jobs.jobitem", "changes.changeset", "changes.change"])
def test_work_and_history_are_written_by_nobody_in_the_admin(operator: Client, model: str) -> None:
    row = ROWS[model]()
    view = model.replace(".", "_")
    assert operator.get(reverse(f"admin:{view}_add")).status_code == 403
    assert operator.post(reverse(f"admin:{view}_change", args=[row.pk]), {}).status_code == 403
    assert operator.post(reverse(f"admin:{view}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("model", ["accounts.user", "accounts.workspace"])
def test_people_and_workspaces_are_not_deleted_in_the_admin(operator: Client, model: str) -> None:
    row = ROWS[model]()
    url = reverse(f"admin:{model.replace('.', '_')}_delete", args=[row.pk])
    assert operator.post(url, {"post": "yes"}).status_code == 403


def test_a_password_set_by_an_operator_ends_the_tokens(operator: Client, desk: Desk) -> None:
    _, text = services.create_token(
        user=desk.person(), workspace=desk.workspace, name="CI", days=30, at=datetime.now(UTC)
    )
    url = reverse("admin:auth_user_password_change", args=[desk.person().pk])
    new = "new-harbour-9-lantern"
    body = {"password1": new, "password2": new, "usable_password": "true", "set-password": "1"}
    assert operator.post(url, body).status_code == 302
    desk.person().refresh_from_db()
    assert desk.person().check_password(new)
    assert services.authenticate(text, at=datetime.now(UTC)) is None


def test_an_operator_makes_a_workspace(operator: Client) -> None:
    assert operator.post(reverse("admin:accounts_workspace_add"), {"name": "North desk"}).status_code == 302
    assert Workspace.objects.get().created_at <= datetime.now(UTC)


@pytest.mark.parametrize("role", list(Role))
def test_no_role_in_a_workspace_opens_the_admin(desk: Desk, role: Role) -> None:
    assert desk.client(role).get(reverse("admin:index"), follow=True).status_code == 403
