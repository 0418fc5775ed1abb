"""Account pages: sign in and out, password, workspace, API tokens, people and their roles."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView, redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from provenance_site.accounts import queries, services, sign_in
from provenance_site.accounts.access import SESSION_KEY, MemberRequest, needs_workspace, no_workspace
from provenance_site.accounts.forms import AddPersonForm, NewPasswordForm, RoleForm, SignInForm, TokenForm
from provenance_site.accounts.models import ApiToken, Membership
from provenance_site.accounts.networks import client_network
from provenance_site.accounts.permissions import check_role, has_role, memberships
from provenance_site.accounts.roles import Clearance, Role


class SignIn(LoginView):
    """The sign-in page: user name and password, and a pause after too many failures."""

    form_class = SignInForm
    template_name = "accounts/login.html"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Looks at the password unless the account or the network must wait; 429 then, for unknown names as well."""
        at = timezone.now()
        account = request.POST.get("username", "")
        attempt = sign_in.begin(account=account, network=client_network(request), at=at)
        if isinstance(attempt, sign_in.Locked):
            return _locked(request, attempt, at=at)
        form = self.get_form()
        if form.is_valid():
            sign_in.withdraw(attempt=attempt)
            return self.form_valid(form)
        if not _was_tried(form):
            sign_in.withdraw(attempt=attempt)
        return self.form_invalid(form)


def _was_tried(form: AuthenticationForm) -> bool:
    # With an empty or overlong field Django asks no back end: nothing was guessed.
    return not {"username", "password"} & set(form.errors)


def _locked(request: HttpRequest, locked: sign_in.Locked, *, at: datetime) -> HttpResponse:
    wait = max(locked.until - at, timedelta(seconds=1))
    minutes = -(-wait // timedelta(minutes=1))
    response = render(request, "accounts/locked.html", {"until": locked.until, "minutes": minutes}, status=429)
    response["Retry-After"] = str(-(-wait // timedelta(seconds=1)))
    return response


# Without a session there is nothing to end: the person lands on the sign-in page, not at it with a way back to here.
sign_out = login_not_required(LogoutView.as_view())


@login_not_required
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Stands where the admin's own sign-in page would: that one counts no failures.

    Strangers go to ours and come back; who is signed in and was sent here may not use the admin.
    """
    if request.user.is_authenticated:
        raise PermissionDenied("The admin is for operators of this installation.")
    return redirect_to_login(request.GET.get(REDIRECT_FIELD_NAME, reverse("admin:index")))


class ChangePassword(PasswordChangeView):
    """A person's own new password, for which the old one is asked. Ends other sessions and all API tokens."""

    form_class = NewPasswordForm
    template_name = "accounts/password.html"
    success_url = reverse_lazy(settings.LOGIN_REDIRECT_URL)

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        """Sets the password by the service and keeps this session."""
        services.set_password(user=form.user, password=form.cleaned_data["new_password1"], at=timezone.now())
        update_session_auth_hash(self.request, form.user)
        messages.success(self.request, "Password changed. Other sessions and all API tokens of yours have ended.")
        return HttpResponseRedirect(self.get_success_url())


@require_http_methods(["GET", "POST"])
def switch_workspace(request: HttpRequest) -> HttpResponse:
    """The person's workspaces; POST `workspace` (its uuid) works in another one from now on, and goes to `next`."""
    mine = memberships(request.user)
    if request.method == "GET":
        return render(request, "accounts/choose.html") if mine else no_workspace(request)
    chosen = next((one.workspace for one in mine if str(one.workspace.uuid) == request.POST.get("workspace")), None)
    if chosen is None:
        raise Http404
    request.session[SESSION_KEY] = str(chosen.uuid)
    messages.success(request, f"You work in {chosen.name} now.")
    target = request.POST.get(REDIRECT_FIELD_NAME, "")
    local = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return HttpResponseRedirect(target if local else resolve_url(settings.LOGIN_REDIRECT_URL))


# -- API tokens --------------------------------------------------------------------------------------------------------


@needs_workspace
@require_GET
def tokens(request: MemberRequest) -> HttpResponse:
    """The person's tokens for this workspace, and the form for a new one."""
    return _tokens_page(request, TokenForm())


@needs_workspace
@require_POST
@sensitive_variables("text")
def token_create(request: MemberRequest) -> HttpResponse:
    """Makes a token and shows it. No redirect: what is shown once must not wait in a session or a cookie."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _tokens_page(request, form, status=422)
    token, text = services.create_token(
        user=request.user,
        workspace=request.workspace,
        name=form.cleaned_data["name"],
        days=form.cleaned_data["days"],
        at=timezone.now(),
    )
    return _tokens_page(request, TokenForm(), made=token, text=text)


@needs_workspace
@require_POST
def token_revoke(request: MemberRequest, pk: int) -> HttpResponse:
    """Ends one of the person's own tokens; any other is not found."""
    token = get_object_or_404(queries.tokens_of(user=request.user, workspace=request.workspace), pk=pk)
    services.revoke_token(token=token, by=request.user, at=timezone.now())
    messages.success(request, f"The token “{token.name}” has ended.")
    return redirect("tokens")


def _tokens_page(
    request: MemberRequest, form: TokenForm, *, made: ApiToken | None = None, text: str = "", status: int = 200
) -> HttpResponse:
    at = timezone.now()
    rows = [
        {"token": token, "live": token.revoked_at is None and token.expires_at > at}
        for token in queries.tokens_of(user=request.user, workspace=request.workspace)
    ]
    context = {"form": form, "rows": rows, "made": made, "text": text}
    return render(request, "accounts/tokens.html", context, status=status)


# -- people ------------------------------------------------------------------------------------------------------------


@needs_workspace
@require_http_methods(["GET", "POST"])
@sensitive_variables("added")
def people(request: MemberRequest) -> HttpResponse:
    """The members of the workspace, for its admins; POST adds a person, and shows a new one's password once."""
    check_role(request.user, request.workspace, Role.ADMIN)
    if request.method == "GET":
        return _people_page(request, AddPersonForm())
    form = AddPersonForm(request.POST)
    if not form.is_valid():
        return _people_page(request, form, status=422)
    added = services.add_member(
        workspace=request.workspace,
        username=form.cleaned_data["username"],
        role=form.cleaned_data["role"],
        clearance=form.cleaned_data["clearance"],
        by=request.user,
        at=timezone.now(),
    )
    if isinstance(added, services.AlreadyMember):
        member = added.membership
        form.add_error(
            "username", f"{member.user.username} is {member.role} here already. Change the role in the list."
        )
        return _people_page(request, form, status=422)
    if added.password:
        return _people_page(request, AddPersonForm(), added=added)
    messages.success(request, f"{added.membership.user.username} is {added.membership.role} here now.")
    return redirect("people")


@needs_workspace
@require_POST
def person_role(request: MemberRequest, pk: int) -> HttpResponse:
    """Gives a member another role, or lets them read up to another label."""
    membership = _member(request, pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        word = "role" if "role" in form.errors else "label"
        messages.error(request, f"There is no such {word}. Choose one of the list.")
        return redirect("people")
    changed = services.set_role(
        membership=membership,
        role=form.cleaned_data["role"],
        clearance=form.cleaned_data["clearance"],
        by=request.user,
        at=timezone.now(),
    )
    cleared = f", and reads up to {membership.clearance}" if form.cleaned_data["clearance"] else ""
    return _after_change(request, changed, f"{membership.user.username} is {membership.role} here now{cleared}.")


@needs_workspace
@require_POST
def person_remove(request: MemberRequest, pk: int) -> HttpResponse:
    """Ends a membership."""
    membership = _member(request, pk)
    removed = services.remove_member(membership=membership, by=request.user, at=timezone.now())
    return _after_change(request, removed, f"{membership.user.username} is no longer in this workspace.")


def _member(request: MemberRequest, pk: int) -> Membership:
    check_role(request.user, request.workspace, Role.ADMIN)
    return get_object_or_404(queries.members_of(workspace=request.workspace).select_related("workspace"), pk=pk)


def _after_change(request: MemberRequest, result: Membership | services.LastAdmin, done: str) -> HttpResponse:
    if isinstance(result, services.LastAdmin):
        name = result.membership.user.username
        messages.error(request, f"{name} is the last admin of this workspace. Make somebody else an admin first.")
    else:
        messages.success(request, done)
    # Whoever gave up being an admin may not see the list any more.
    may_still_look = has_role(request.user, request.workspace, Role.ADMIN)
    return redirect("people" if may_still_look else settings.LOGIN_REDIRECT_URL)


def _people_page(
    request: MemberRequest, form: AddPersonForm, *, added: services.Added | None = None, status: int = 200
) -> HttpResponse:
    members = queries.members_of(workspace=request.workspace)
    rows = [{"member": member, "form": _role_form(member)} for member in members]
    return render(
        request,
        "accounts/people.html",
        {"form": form, "rows": rows, "added": added, "roles": list(Role), "clearances": list(Clearance)},
        status=status,
    )


def _role_form(member: Membership) -> RoleForm:
    # One such form per member stands on the page: the ids must differ.
    now = {"role": member.role, "clearance": member.clearance}
    return RoleForm(initial=now, member=member.user.username, auto_id=f"member-{member.pk}-%s")
