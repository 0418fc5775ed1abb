"""Gives every request its lazy `membership` and `workspace` and its reader, and holds people to changing a one-time
password."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from provenance_site.accounts.access import with_workspace
from provenance_site.accounts.reading import kept, reading_as
from provenance_site.kit.partials import go_to


class MembershipMiddleware:
    """Adds `request.membership` and `request.workspace` (None where there is none); no query while nobody asks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Passes the request on, able to say which workspace it works in."""
        request.__class__ = with_workspace(type(request))
        return self.get_response(request)


class ReaderMiddleware:
    """What a request reads is read as its person, to the last byte of what is sent piece by piece; no query of its own.

    The JSON interface names the bearer of the token instead, once it has looked at that.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Passes the request on, with its person as the reader."""
        with reading_as(request.user):
            response = self.get_response(request)
            # A file is only read; nothing is asked of the database while it is sent.
            if isinstance(response, StreamingHttpResponse) and not isinstance(response, FileResponse):
                response.streaming_content = kept(response.streaming_content)  # type: ignore[arg-type]  # not async here
            return response


class OneTimePasswordMiddleware:
    """Whoever signed in with a password that the machine made chooses one of their own before anything else opens.

    A password that a terminal or a colleague has shown is known to others; it is good for one sign-in.
    """

    _OPEN = frozenset({"password", "logout", "healthz", "readyz"})

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Passes the request on."""
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        _args: Sequence[Any],
        _kwargs: Mapping[str, Any],
    ) -> HttpResponseBase | None:
        """Sends a person with a one-time password to the page that changes it; API tokens are not concerned."""
        match = request.resolver_match
        if not getattr(view, "login_required", True) or (match is not None and match.url_name in self._OPEN):
            return None
        if not request.user.is_authenticated or not request.user.password_is_one_time:
            return None
        messages.info(request, "Choose a password of your own: the one you signed in with was shown to others.")
        return go_to(request, reverse("password"))
