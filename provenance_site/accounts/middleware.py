"""Gives every request its lazy `membership` and `workspace`."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from provenance_site.accounts.access import with_workspace


class MembershipMiddleware:
    """Adds `request.membership` and `request.workspace` (None where there is none); no query while nobody asks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Passes the request on, able to say which workspace it works in."""
        request.__class__ = with_workspace(type(request))
        return self.get_response(request)
