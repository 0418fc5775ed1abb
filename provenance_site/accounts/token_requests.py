"""What every operation of the JSON interface shares: the token that asks, and a refusal in words."""

from django.http import HttpRequest
from ninja import Schema

from provenance_site.accounts.models import ApiToken


class Problem(Schema):
    """Why a request was not carried out, in words for a person."""

    detail: str


def token_of(request: HttpRequest) -> ApiToken:
    """The token that a request was authenticated by. Only inside an operation of the interface."""
    token: ApiToken = request.auth  # type: ignore[attr-defined]  # ninja puts the authenticated token there
    return token
