"""What is said and decided about retractions, in the admin: to look at. Deciding is the Retractions screen's."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.models import RetractionAcknowledgement, RetractionDecision, RetractionStanding


@admin.register(RetractionStanding)
class RetractionStandingAdmin(ScopedAdmin[RetractionStanding]):
    """Where sources stand, of all that providers say."""

    list_display = ["source", "status", "needs_editor", "as_of", "changed_at"]
    list_filter = ["status", "needs_editor"]
    list_select_related = ["source"]
    search_fields = ["source__title", "source__identifier_value"]
    ordering = ["-pk"]


@admin.register(RetractionDecision)
class RetractionDecisionAdmin(ScopedAdmin[RetractionDecision]):
    """What editors decided."""

    workspace_path = "source__workspace"
    list_display = ["source", "status", "reason", "is_stale", "by", "at", "undone_at"]
    list_filter = ["status", "is_stale"]
    list_select_related = ["source", "by"]
    search_fields = ["reason", "source__title", "source__identifier_value"]
    ordering = ["-pk"]


@admin.register(RetractionAcknowledgement)
class RetractionAcknowledgementAdmin(ScopedAdmin[RetractionAcknowledgement]):
    """Uses that are meant."""

    workspace_path = "source__workspace"
    list_display = ["source", "use_kind", "use_id", "reason", "by", "at", "withdrawn_at"]
    list_filter = ["use_kind"]
    list_select_related = ["source", "by"]
    search_fields = ["reason", "source__title", "source__identifier_value"]
    ordering = ["-pk"]
