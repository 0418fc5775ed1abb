"""What is said and decided about retractions, in the admin: to look at, and to decide about a list."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.admin import retraction_list
from sources.models import (
    RetractionAcknowledgement,
    RetractionDecision,
    RetractionHint,
    RetractionProposal,
    RetractionStanding,
    SourcePart,
)


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
    change_list_template = "admin/sources/retractiondecision/change_list.html"

    def get_urls(self) -> list[URLPattern]:
        """With the page on which a list is decided about."""
        page = self.admin_site.admin_view(self.list_view)
        return [path("list/", page, name="sources_retraction_list"), *super().get_urls()]

    def list_view(self, request: HttpRequest) -> HttpResponse:
        """See `retraction_list.answer`."""
        return retraction_list.answer(self, request)


@admin.register(RetractionHint)
class RetractionHintAdmin(ScopedAdmin[RetractionHint]):
    """What may be meant: only people can say."""

    workspace_path = "source__workspace"
    list_display = ["source", "kind", "provider", "record_id", "words", "at"]
    list_filter = ["kind"]
    list_select_related = ["source"]
    search_fields = ["words", "record_id", "source__title", "source__identifier_value"]
    ordering = ["-pk"]


@admin.register(SourcePart)
class SourcePartAdmin(ScopedAdmin[SourcePart]):
    """Which sources are parts of which: while the whole is retracted the part is affected."""

    workspace_path = "part__workspace"
    list_display = ["part", "whole", "by", "at"]
    list_select_related = ["part", "whole", "by"]
    search_fields = ["part__title", "part__identifier_value", "whole__title", "whole__identifier_value"]
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


@admin.register(RetractionProposal)
class RetractionProposalAdmin(ScopedAdmin[RetractionProposal]):
    """Bulk edits that wait, or waited, for a second person; approved and refused on their page."""

    list_display = ["kind", "state", "note", "planned", "proposed_by", "proposed_at", "decided_by", "decided_at"]
    list_filter = ["state", "kind"]
    list_select_related = ["proposed_by", "decided_by"]
    search_fields = ["note", "reason"]
    ordering = ["-pk"]
