"""The JSON interface: one NinjaAPI, token authentication, OpenAPI at `/api/v1/docs` for people who are signed in."""

from datetime import UTC, datetime

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from ninja import NinjaAPI
from ninja.errors import HttpError
from ninja.security import HttpBearer

from lineage import api as lineage_api
from lineage.access import NoSuchEntity
from provenance_site.accounts import services as accounts
from provenance_site.accounts import sign_in
from provenance_site.accounts.models import ApiToken
from provenance_site.accounts.networks import client_network
from provenance_site.kit.parameters import refuse_unknown, refuse_unstorable
from sources import api as sources_api
from validation import api as validation_api


class TokenAuth(HttpBearer):
    """`Authorization: Bearer pd_…`; the token acts as its person, in its workspace, with that person's present role."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """The token's row, or None (401) for anything that is not a live token; 429 after too many of those."""
        at = datetime.now(UTC)
        found = accounts.authenticate(token, at=at)
        if found is None and sign_in.bad_token(network=client_network(request), at=at):
            raise HttpError(429, "Too many wrong tokens from your network; wait five minutes.")
        if found is not None:
            accounts.read_as_bearer(found)
        return found


api = NinjaAPI(
    title="Provenance Desk",
    version="1",
    description=(
        "Takes files of sources in, checks them and reads the results; keeps observations and chunks; hands sources "
        "on. Make a token on the page “API tokens”; it acts in one workspace with your role there. Moments are UTC. "
        "Errors come as {detail}; a parameter that an address does not know is one (400). A text with NUL or half a "
        "surrogate pair, and a number that is none or longer than 64 bits, is told with its place (422)."
    ),
    auth=TokenAuth(),
    urls_namespace="api-1",
)
api.add_decorator(refuse_unknown, mode="view")
api.add_decorator(refuse_unstorable, mode="operation")
api.add_router("", validation_api.checks)
api.add_router("", validation_api.harvests)
api.add_router("", validation_api.retractions)
api.add_router("", validation_api.ship)
api.add_router("", validation_api.harvest_requests)
api.add_router("", sources_api.knowledge)
api.add_router("", sources_api.concepts)
api.add_router("", sources_api.drafts)
api.add_router("", sources_api.duplicates)
api.add_router("", sources_api.exports)
api.add_router("", sources_api.imports)
api.add_router("", sources_api.outlines)
api.add_router("", sources_api.retractions)
api.add_router("", sources_api.proposals)
api.add_router("", sources_api.turns)
api.add_router("", lineage_api.events)
api.add_router("", lineage_api.held)
api.add_router("", lineage_api.interchange)
api.add_router("", lineage_api.measures)
api.add_router("", lineage_api.questions)
api.add_router("", lineage_api.impact)
api.add_router("", lineage_api.claims)


@api.exception_handler(NoSuchEntity)
def nothing_there(request: HttpRequest, refused: NoSuchEntity) -> HttpResponse:
    """One answer for what is hidden, foreign or not there."""
    return api.create_response(request, {"detail": "Not Found"}, status=404)


@api.exception_handler(PermissionDenied)
def not_allowed(request: HttpRequest, refused: PermissionDenied) -> HttpResponse:
    """What the person's role does not allow, told like any other mistake: a page of the site is no answer to a
    program."""
    return api.create_response(request, {"detail": str(refused)}, status=403)


_DOCUMENTATION = {"openapi-json", "openapi-view", "api-root"}


def urlpatterns() -> list[URLPattern]:
    """The interface's addresses. Operations ask for a token instead of a login; its documentation asks for a login."""
    patterns: list[URLPattern] = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern)]
    for pattern in patterns:
        if pattern.name not in _DOCUMENTATION:
            pattern.callback = login_not_required(pattern.callback)
            pattern.callback.says_what_is_unstorable = True  # type: ignore[attr-defined]  # `refuse_unstorable` does
    return patterns
