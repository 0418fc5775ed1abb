"""The workspace of a request: chosen or first, asked for only when used; and the page for people in none."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.test import AsyncRequestFactory, RequestFactory
from pytest_django import DjangoAssertNumQueries

from provenance_site.accounts.access import SESSION_KEY, MemberRequest, needs_workspace
from provenance_site.accounts.context import desk as desk_context
from provenance_site.accounts.middleware import MembershipMiddleware
from provenance_site.accounts.models import User
from tests.factories import MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db


def passed_on(user: User | AnonymousUser, chosen: object = "") -> HttpRequest:
    """A request of `user` as a view behind the middleware gets it."""
    request = RequestFactory().get("/")
    request.user = user
    request.session = {SESSION_KEY: str(chosen)} if chosen else {}  # type: ignore[assignment]
    seen: list[HttpRequest] = []

    def view(inner: HttpRequest) -> HttpResponse:
        seen.append(inner)
        return HttpResponse()

    MembershipMiddleware(view)(request)
    return seen[0]


def test_a_request_works_in_the_first_workspace() -> None:
    first = MembershipFactory()
    MembershipFactory(user=first.user)
    request = passed_on(first.user)
    assert request.membership == first  # type: ignore[attr-defined]
    assert request.workspace == first.workspace  # type: ignore[attr-defined]


def test_a_request_works_in_the_chosen_workspace() -> None:
    first = MembershipFactory()
    second = MembershipFactory(user=first.user)
    assert passed_on(first.user, second.workspace.uuid).membership == second  # type: ignore[attr-defined]


def test_a_workspace_the_person_is_not_in_cannot_be_chosen() -> None:
    first, foreign = MembershipFactory(), MembershipFactory()
    for chosen in (foreign.workspace.uuid, uuid4(), "nonsense"):
        assert passed_on(first.user, chosen).membership == first  # type: ignore[attr-defined]


@pytest.mark.parametrize("user", [AnonymousUser(), None])
def test_without_a_membership_both_are_none(user: AnonymousUser | None) -> None:
    request = passed_on(user or UserFactory())
    assert request.membership is None  # type: ignore[attr-defined]
    assert request.workspace is None  # type: ignore[attr-defined]


def test_who_does_not_ask_pays_nothing(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    person = MembershipFactory().user
    with django_assert_num_queries(0):
        request = passed_on(person)
        desk_context(request)
    with django_assert_num_queries(1):
        assert request.workspace  # type: ignore[attr-defined]
        assert request.membership  # type: ignore[attr-defined]


def test_an_asynchronous_request_stays_one() -> None:
    request = AsyncRequestFactory().get("/")
    MembershipMiddleware(lambda inner: HttpResponse())(request)
    assert isinstance(request, ASGIRequest)
    assert request.get_host() == "testserver"


def test_a_view_that_needs_a_workspace_gets_the_real_one() -> None:
    membership = MembershipFactory()

    @needs_workspace
    def view(request: MemberRequest, word: str) -> HttpResponse:
        """A page."""
        return HttpResponse(f"{word} {request.workspace.name}")

    assert view(passed_on(membership.user), word="in").content.decode() == f"in {membership.workspace.name}"  # type: ignore[attr-defined]
    assert view.__doc__ == "A page."


def test_a_person_in_no_workspace_reads_what_to_do_and_the_view_does_not_run() -> None:
    person = UserFactory(username="newcomer")

    @needs_workspace
    def view(request: MemberRequest) -> HttpResponse:
        raise AssertionError("ran")

    answer = view(passed_on(person))
    assert answer.status_code == 403
    text = answer.content.decode()  # type: ignore[attr-defined]
    assert "You are in no workspace yet" in text
    assert "newcomer" in text


def test_templates_know_workspace_role_and_product() -> None:
    membership = MembershipFactory()
    known = desk_context(passed_on(membership.user))
    values = {name: value() if callable(value) else value for name, value in known.items()}
    assert values["workspace"] == membership.workspace
    assert values["role"] is membership.as_role
    assert values["memberships"] == (membership,)
    assert values["product_name"] == "Provenance Desk"


def test_an_error_page_before_the_middleware_has_no_workspace() -> None:
    known = desk_context(RequestFactory().get("/"))
    assert [value() for value in known.values() if callable(value)] == [None, None, ()]
