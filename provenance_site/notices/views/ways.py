"""The ways on which a person, or another program, is told beside the inbox: mail, feed, webhook."""

from typing import Any

from django.conf import settings as site
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from provenance_site.accounts.access import MemberRequest, needs_workspace
from provenance_site.accounts.permissions import check_role
from provenance_site.accounts.roles import Role
from provenance_site.changes.models import Channel
from provenance_site.notices import feeds, mail, queries, webhooks
from provenance_site.notices.forms import FeedForm, MailForm, WebhookForm
from provenance_site.notices.models import MailChoice
from provenance_site.notices.paces import Pace


@needs_workspace
@require_http_methods(["GET", "POST"])
def settings(request: MemberRequest) -> HttpResponse:
    """How often the person has mail, and the feeds of this workspace; a POST keeps the first."""
    if request.method != "POST":
        return _settings(request)
    form = MailForm(request.POST)
    if not form.is_valid():
        return _settings(request, mail_form=form, status=422)
    pace = Pace(form.cleaned_data["pace"])
    mail.choose(user=request.user, pace=pace, at=timezone.now())
    messages.success(request, f"Kept: {pace.label[0].lower()}{pace.label[1:]}.")
    return redirect("notice-settings")


@needs_workspace
@require_POST
@sensitive_variables("text", "address")
def feed_new(request: MemberRequest) -> HttpResponse:
    """Makes a feed address and shows it. No redirect: what is shown once must not wait in a session or a cookie."""
    form = FeedForm(request.POST)
    if not form.is_valid():
        return _settings(request, feed_form=form, status=422)
    try:
        made, text = feeds.make(
            user=request.user, workspace=request.workspace, name=form.cleaned_data["name"], at=timezone.now()
        )
    except feeds.FeedRefused as refused:
        form.add_error(None, str(refused))
        return _settings(request, feed_form=form, status=422)
    address = request.build_absolute_uri(f"{reverse('notice-feed')}?key={text}")
    return _settings(request, made=made.name, address=address)


@needs_workspace
@require_POST
def feed_end(request: MemberRequest, pk: int) -> HttpResponse:
    """Ends one of the person's own feed addresses; any other is not found."""
    found = get_object_or_404(queries.feeds_of(user=request.user, workspace=request.workspace), pk=pk)
    feeds.end(address=found, by=request.user, at=timezone.now())
    messages.success(request, f"The address for “{found.name}” opens nothing any more.")
    return redirect("notice-settings")


@needs_workspace
@require_http_methods(["GET", "POST"])
@sensitive_variables("secret")
def webhook(request: MemberRequest) -> HttpResponse:
    """The workspace's webhook and its last deliveries; a POST sets its address, and shows a new secret once."""
    check_role(request.user, request.workspace, Role.ADMIN)
    if request.method != "POST":
        return _webhook(request)
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return _webhook(request, form=form, status=422)
    try:
        _, secret = webhooks.set_address(
            workspace=request.workspace,
            url=form.cleaned_data["url"],
            by=request.user,
            channel=Channel.PAGE,
            at=timezone.now(),
        )
    except webhooks.WebhookRefused as refused:
        form.add_error("url", str(refused))
        return _webhook(request, form=form, status=422)
    if secret:
        return _webhook(request, secret=secret)
    messages.success(request, "Kept. The secret is the one it had.")
    return redirect("webhook")


@needs_workspace
@require_POST
@sensitive_variables("secret")
def webhook_secret(request: MemberRequest) -> HttpResponse:
    """Makes a new secret and shows it once."""
    try:
        secret = webhooks.renew_secret(
            workspace=request.workspace, by=request.user, channel=Channel.PAGE, at=timezone.now()
        )
    except webhooks.WebhookRefused as refused:
        messages.error(request, str(refused))
        return redirect("webhook")
    return _webhook(request, secret=secret)


@needs_workspace
@require_POST
def webhook_test(request: MemberRequest) -> HttpResponse:
    """Has the webhook sent a test."""
    try:
        webhooks.put_test(workspace=request.workspace, by=request.user, at=timezone.now())
    except webhooks.WebhookRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "A test is on its way; look again in a few seconds.")
    return redirect("webhook")


@needs_workspace
@require_POST
def webhook_try_again(request: MemberRequest, pk: int) -> HttpResponse:
    """Has a delivery that was given up sent again."""
    try:
        webhooks.try_again(workspace=request.workspace, delivery_id=pk, by=request.user, at=timezone.now())
    except webhooks.WebhookRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "It is on its way again, under the id it had; look again in a few seconds.")
    return redirect("webhook")


@needs_workspace
@require_POST
def webhook_remove(request: MemberRequest) -> HttpResponse:
    """Tells the webhook no more."""
    try:
        webhooks.remove(workspace=request.workspace, by=request.user, channel=Channel.PAGE, at=timezone.now())
    except webhooks.WebhookRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, "It is told no more. Its address and secret are forgotten.")
    return redirect("webhook")


def _settings(
    request: MemberRequest,
    *,
    mail_form: MailForm | None = None,
    feed_form: FeedForm | None = None,
    made: str = "",
    address: str = "",
    status: int = 200,
) -> HttpResponse:
    choice = MailChoice.objects.filter(user=request.user).first()
    context: dict[str, Any] = {
        "mail_on": site.MAIL_ON,
        "choice": choice,
        "mail_form": mail_form or MailForm(initial={"pace": choice.pace if choice else Pace.NONE.value}),
        "feeds": list(queries.feeds_of(user=request.user, workspace=request.workspace)),
        "feed_form": feed_form or FeedForm(),
        "made": made,
        "address": address,
    }
    return render(request, "notices/settings.html", context, status=status)


def _webhook(
    request: MemberRequest, *, form: WebhookForm | None = None, secret: str = "", status: int = 200
) -> HttpResponse:
    hook = queries.webhook_of(workspace_id=request.workspace.pk)
    context: dict[str, Any] = {
        "hook": hook,
        "deliveries": queries.deliveries_of(hook) if hook else [],
        "form": form or WebhookForm(initial={"url": hook.url if hook else ""}),
        "secret": secret,
    }
    return render(request, "notices/webhook.html", context, status=status)
