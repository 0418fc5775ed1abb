"""Users, workspaces and memberships in the admin, for operators of the installation (`is_staff`)."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.http import HttpRequest
from django.utils import timezone

from provenance_site.accounts import services
from provenance_site.accounts.models import Membership, User, Workspace


class PasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """A new password by an operator ends the person's API tokens, as one by the person does."""

    def save(self, commit: bool = True) -> User:
        """Saves the password and ends the tokens."""
        user: User = super().save(commit=commit)
        services.revoke_all_tokens(user=user, at=timezone.now())
        return user


@admin.register(User)
class PersonAdmin(UserAdmin[User]):
    """People; what they may do in a workspace stands in their memberships."""

    change_password_form = PasswordForm
    list_display = ("username", "email", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """People are made inactive: what they decided keeps their name."""
        return False


@admin.register(Workspace)
class WorkspaceAdmin(admin.ModelAdmin[Workspace]):
    """Workspaces: to make and to rename."""

    list_display = ("name", "uuid", "created_at")
    readonly_fields = ("uuid", "created_at")
    search_fields = ("name",)
    ordering = ("name",)

    def save_model(self, request: HttpRequest, obj: Workspace, form: Any, change: bool) -> None:
        """Gives a new workspace its moment."""
        if not change:
            obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A workspace carries the whole registry of its people; no click takes that away."""
        return False


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin[Membership]):
    """Who is what where. Day to day this is done on the people page, which keeps a last admin and an audit trail."""

    list_display = ("user", "workspace", "role")
    list_filter = ("role", "workspace")
    list_select_related = ("user", "workspace")
    search_fields = ("user__username", "workspace__name")
    autocomplete_fields = ("user", "workspace")
    ordering = ("workspace__name", "user__username")
