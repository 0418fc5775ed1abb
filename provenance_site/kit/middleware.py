"""What holds for all pages: those of signed-in people stay in no cache, htmx without a session leads the whole page to
the sign-in, and a request that says what no database keeps is not looked at further."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django_htmx.middleware import HtmxDetails

from provenance_site.kit.storable import is_storable, shown
from provenance_site.kit.text import middle_cut

PRIVATE = "private, no-store"


class StorableCookiesMiddleware:
    """Cookies that no database could keep are none; to stand before what reads a session.

    A quoted cookie may spell NUL, and a session's key is looked up as it comes. No page could ask whoever holds such a
    cookie to let go of it, so nothing is said.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Passes the request on, without them."""
        for name in [name for name, value in request.COOKIES.items() if not is_storable(value)]:
            del request.COOKIES[name]
        return self.get_response(request)


class StorableMiddleware:
    """400 for an address or a form with NUL or half a surrogate pair, before the page looks anything up; it says where.

    PostgreSQL would refuse the statement. Uploaded files are the page's own to read, and so is all that a view with a
    true `says_what_is_unstorable` is asked for. To stand last: whoever may not see a page is told so first.
    """

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
        kwargs: Mapping[str, Any],
    ) -> HttpResponse | None:
        """A page that names the place, or None."""
        if getattr(view, "says_what_is_unstorable", False):
            return None
        place = next(_unstorable(request, kwargs), None)
        return None if place is None else render(request, "400.html", {"unstorable": place}, status=400)


class PrivatePagesMiddleware:
    """`Cache-Control: private, no-store` on each answer to a request that shows who it is, unless the view set its own.

    Shared caches served private pages in seven Django advisories of one year; and after signing out on a shared
    computer "back" must show nothing. Cookie and token decide, not `request.user`: that would ask the database for
    pages that need nobody. Static files never come here, WhiteNoise answers them further out.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Passes the request on and amends the answer."""
        response = self.get_response(request)
        if HtmxDetails(request) and _leads_to_sign_in(response):
            response = _whole_page_to_sign_in(request)
        known = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if known and not response.has_header("Cache-Control"):
            response["Cache-Control"] = PRIVATE
        return response


def _leads_to_sign_in(response: HttpResponseBase) -> bool:
    return response.status_code == 302 and urlsplit(response["Location"]).path == resolve_url(settings.LOGIN_URL)


def _whole_page_to_sign_in(request: HttpRequest) -> HttpResponse:
    # htmx would follow a 302 unseen and swap the sign-in form into the fragment. 204: there is nothing to swap. The
    # way back is the page the person looks at, not the fragment; django-htmx gives its path only where it is one of
    # ours.
    page = HtmxDetails(request).current_url_abs_path
    target = resolve_url(settings.LOGIN_URL)
    query = f"?{urlencode({REDIRECT_FIELD_NAME: page})}" if page else ""
    return HttpResponse(status=204, headers={"HX-Redirect": target + query})


def _unstorable(request: HttpRequest, kwargs: Mapping[str, Any]) -> Iterator[str]:
    for value in kwargs.values():
        if isinstance(value, str) and not is_storable(value):
            yield "The address"
    for what, given in (("parameter", request.GET), ("field", request.POST)):
        for name, values in given.lists():
            named = f"The {what} “{middle_cut(shown(name))}”"
            if not is_storable(name):
                yield named
            for value in values:
                if not is_storable(str(value)):
                    line = value.partition("\x00")[0].count("\n") + 1
                    yield f"{named}, in line {line:,}," if "\n" in value and "\x00" in value else named
