"""Pages of signed-in people stay in no cache; htmx without a session leads the whole page to the sign-in."""

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django_htmx.middleware import HtmxDetails

PRIVATE = "private, no-store"


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
