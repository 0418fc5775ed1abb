"""What every template knows of the person and the product."""

from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.http import HttpRequest

from provenance_site.accounts.models import Membership, Workspace
from provenance_site.accounts.permissions import memberships
from provenance_site.accounts.roles import Role

PRODUCT_NAME = "Provenance Desk"


def desk(request: HttpRequest) -> dict[str, str | Callable[[], object]]:
    """`workspace`, `role` and `memberships` of the person, `product_name` and `product_version`.

    The first three are functions, which templates call: a page that shows none of them asks the database nothing. Error
    pages may come before the middleware ran; then there is no workspace.
    """
    return {
        "workspace": partial(_workspace, request),
        "role": partial(_role, request),
        "memberships": partial(_memberships, request),
        "product_name": PRODUCT_NAME,
        "product_version": settings.PRODUCT_VERSION,
    }


def _workspace(request: HttpRequest) -> Workspace | None:
    return getattr(request, "workspace", None)


def _role(request: HttpRequest) -> Role | None:
    membership: Membership | None = getattr(request, "membership", None)
    return membership.as_role if membership else None


def _memberships(request: HttpRequest) -> tuple[Membership, ...]:
    user = getattr(request, "user", None)
    return memberships(user) if user else ()
