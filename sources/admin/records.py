"""Projects, checks, decisions and review items in the admin: to look at."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.models import Check, Decision, Project, ReviewItem


@admin.register(Project)
class ProjectAdmin(ScopedAdmin[Project]):
    """Projects by name."""

    list_display = ["name", "workspace", "created_by", "created_at"]
    list_select_related = ["workspace", "created_by"]
    search_fields = ["name"]
    ordering = ["-pk"]


@admin.register(Check)
class CheckAdmin(ScopedAdmin[Check]):
    """Verdicts with their evidence."""

    workspace_path = "source__workspace"
    list_display = ["source", "verdict", "cause", "at", "rules_version"]
    list_filter = ["verdict"]
    list_select_related = ["source"]
    search_fields = ["source__title", "source__identifier_value"]
    ordering = ["-pk"]


@admin.register(Decision)
class DecisionAdmin(ScopedAdmin[Decision]):
    """What people decided."""

    workspace_path = "source__workspace"
    list_display = ["source", "kind", "override_verdict", "by", "at", "undone_at"]
    list_filter = ["kind"]
    list_select_related = ["source", "by"]
    search_fields = ["reason", "source__title", "source__identifier_value"]
    ordering = ["-pk"]


@admin.register(ReviewItem)
class ReviewItemAdmin(ScopedAdmin[ReviewItem]):
    """Questions, open and closed."""

    workspace_path = "source__workspace"
    list_display = ["source", "reason", "opened_at", "closed_at"]
    list_filter = ["reason"]
    list_select_related = ["source"]
    search_fields = ["source__title", "source__identifier_value"]
    ordering = ["-pk"]
