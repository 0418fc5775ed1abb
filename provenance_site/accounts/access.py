"""The workspace a request works in: chosen in the session, else the person's first one."""

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django_htmx.middleware import HtmxDetails

from provenance_site.accounts.models import Membership, User, Workspace
from provenance_site.accounts.permissions import memberships

SESSION_KEY = "workspace"

P = ParamSpec("P")


class MemberRequest(HttpRequest):
    """A request as views under `needs_workspace` see it: someone is signed in, and works in a workspace."""

    user: User
    membership: Membership
    workspace: Workspace
    htmx: HtmxDetails


class PresentWorkspace(HttpRequest):
    """What MembershipMiddleware adds to a request. Nothing is asked of the database before the first use."""

    @cached_property
    def membership(self) -> Membership | None:
        """The membership this request works under; None for strangers and for people in no workspace. One query."""
        found = memberships(self.user)
        chosen = self.session.get(SESSION_KEY, "") if found else ""
        first = found[0] if found else None
        return next((one for one in found if str(one.workspace.uuid) == chosen), first)

    @cached_property
    def workspace(self) -> Workspace | None:
        """The workspace of `membership`."""
        return self.membership.workspace if self.membership else None


_CLASSES: dict[type[HttpRequest], type[HttpRequest]] = {}


def with_workspace(request_class: type[HttpRequest]) -> type[HttpRequest]:
    """`request_class` (WSGI or ASGI) with the two lazy attributes of PresentWorkspace.

    Properties, not SimpleLazyObject: a lazy object around None is not None, and `is None` would go wrong quietly.
    """
    if request_class not in _CLASSES:
        _CLASSES[request_class] = type(request_class.__name__, (PresentWorkspace, request_class), {})
    return _CLASSES[request_class]


def needs_workspace(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """The view for people in a workspace; others get a plain page that says what to do, with status 403.

    The outermost decorator of a view: nothing of the view runs for a person without a workspace.
    """

    @wraps(view)
    def view_in_workspace(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if getattr(request, "membership", None) is None:
            return no_workspace(request)
        return view(request, *args, **kwargs)  # type: ignore[arg-type]  # the middleware made it one

    return view_in_workspace


def no_workspace(request: HttpRequest) -> HttpResponse:
    """The page for a signed-in person who is in no workspace."""
    return render(request, "accounts/no_workspace.html", status=403)
