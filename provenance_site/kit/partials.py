"""Answers of views: a whole page or only its fragment, and the three events that a page understands."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event
from django_htmx.middleware import HtmxDetails


def wants_fragment(request: HttpRequest) -> bool:
    """True where only a part of the page is asked for.

    False for a boosted link (it swaps the whole body) and for "back" in the browser (htmx asks for the page again, and
    a fragment would be all that is left on the screen).
    """
    htmx = HtmxDetails(request)
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def render_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any] | None = None,
    *,
    partial: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page `template`, or the fragment template `partial` where the request wants a fragment.

    Both get the same `context`. Without `partial` the page is always whole; `hx-select` then picks from it. The answer
    varies by the headers that decide, so no cache hands a fragment to a person who opens the address.
    """
    chosen = partial if partial and wants_fragment(request) else template
    response = render(request, chosen, dict(context or {}), status=status)
    patch_vary_headers(response, ("HX-Request", "HX-Boosted", "HX-History-Restore-Request"))
    return response


def go_to(request: HttpRequest, url: str) -> HttpResponse:
    """Sends the person on to `url`, which must be our own: 302, or HX-Redirect where htmx would follow it unseen."""
    if HtmxDetails(request):
        return HttpResponseClientRedirect(url)
    return HttpResponseRedirect(url)


def say(response: HttpResponse, text: str) -> HttpResponse:
    """Has the page's live region speak `text` once the swap has settled; gives `response` back. A later call wins."""
    return trigger_client_event(response, "ui:say", {"value": text}, after="settle")


def move_focus(response: HttpResponse, selector: str) -> HttpResponse:
    """Has the page focus the first match of `selector`, best a heading: a held key must not press what replaced it."""
    return trigger_client_event(response, "ui:focus", {"value": selector}, after="settle")


def refresh(response: HttpResponse, *regions: str) -> HttpResponse:
    """Has elements with `data-region="<name>"` fetch themselves again; they carry `hx-trigger="ui:refetch"`."""
    return trigger_client_event(response, "ui:refresh", {"value": list(regions)}, after="settle")
