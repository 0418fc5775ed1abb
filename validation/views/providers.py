"""A workspace's own searches on screen, for its admins: what is set, a form for each, remove. No key is ever shown."""

from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from provenance_site.kit.partials import render_page
from validation.core.providers import Provider, SecretRefused
from validation.queries.provider_keys import key_states, keys_of
from validation.services import provider_keys
from validation.views.provider_forms import SecretForm


@needs_workspace
@require_GET
def search_providers(request: MemberRequest) -> HttpResponse:
    """The providers in their order, with what is set for each."""
    check_role(request.user, request.workspace, Role.ADMIN)
    states = key_states(request.workspace)
    context = {
        "states": states,
        "unreadable": any(state.row and not state.is_readable for state in states),
        "asks_nobody": not any(state.is_installed or state.is_readable for state in states),
    }
    return render_page(request, "validation/providers.html", context)


# The outermost: it marks Django's own request, which an error report reads.
@sensitive_post_parameters("secret")
@needs_workspace
@require_http_methods(["GET", "POST"])
@sensitive_variables("form")
def search_provider(request: MemberRequest, provider: Provider) -> HttpResponse:
    """The form of one provider; POST sets or replaces what is entered."""
    check_role(request.user, request.workspace, Role.ADMIN)
    row = keys_of(request.workspace).filter(provider=provider).select_related("set_by").first()
    form = SecretForm(provider, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            provider_keys.set_key(
                workspace=request.workspace,
                provider=provider,
                text=form.cleaned_data["secret"],
                by=request.user,
                channel=Channel.PAGE,
                at=datetime.now(UTC),
            )
        except SecretRefused as refused:
            form.add_error("secret", str(refused))
        else:
            messages.success(
                request, f"{provider.label}’s {provider.noun} is saved. Checks of this workspace ask it from now on."
            )
            return redirect("search-providers")
    context = {"form": form, "provider": provider, "row": row}
    return render_page(request, "validation/provider_form.html", context, status=422 if form.errors else 200)


@needs_workspace
@require_POST
def search_provider_remove(request: MemberRequest, provider: Provider) -> HttpResponse:
    """Forgets what is set for one provider."""
    check_role(request.user, request.workspace, Role.ADMIN)
    row = get_object_or_404(keys_of(request.workspace), provider=provider)
    provider_keys.remove_key(row=row, by=request.user, channel=Channel.PAGE, at=datetime.now(UTC))
    messages.success(request, f"{provider.label}’s {provider.noun} is removed.")
    return redirect("search-providers")
