"""Observations, concepts, sessions and turns in the admin: to look at."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from sources.models import Concept, Observation, ObservationSource, Session, Turn, TurnSource

_PER_PAGE = 50


@admin.register(Concept)
class ConceptAdmin(ScopedAdmin[Concept]):
    """Concepts by name and identifier."""

    list_display = ["name", "identifier_type", "identifier_value", "workspace"]
    list_select_related = ["workspace"]
    search_fields = ["name", "identifier_value"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(Observation)
class ObservationAdmin(ScopedAdmin[Observation]):
    """Observations by their text."""

    workspace_path = "project__workspace"
    list_display = ["text", "kind", "project", "created_by", "created_at"]
    list_filter = ["kind"]
    list_select_related = ["project", "created_by"]
    search_fields = ["body", "project__name"]
    search_help_text = "Words of the text, the project."
    ordering = ["-pk"]
    list_per_page = _PER_PAGE

    @admin.display(description="Observation")
    def text(self, observation: Observation) -> str:
        """The beginning of the text."""
        return str(observation)


@admin.register(ObservationSource)
class ObservationSourceAdmin(ScopedAdmin[ObservationSource]):
    """What observations rest on."""

    workspace_path = "observation__project__workspace"
    list_display = ["observation", "relationship", "source", "created_at"]
    list_filter = ["relationship"]
    list_select_related = ["observation", "source"]
    search_fields = ["source__title", "source__identifier_value", "observation__body"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(Session)
class SessionAdmin(ScopedAdmin[Session]):
    """Sessions by name."""

    workspace_path = "project__workspace"
    list_display = ["name", "project", "imported_at"]
    list_select_related = ["project"]
    search_fields = ["name", "project__name"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(Turn)
class TurnAdmin(ScopedAdmin[Turn]):
    """Turns of sessions."""

    workspace_path = "session__project__workspace"
    list_display = ["session", "number", "user", "started_at"]
    list_select_related = ["session"]
    search_fields = ["session__name", "user"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE


@admin.register(TurnSource)
class TurnSourceAdmin(ScopedAdmin[TurnSource]):
    """What turns retrieved."""

    workspace_path = "turn__session__project__workspace"
    list_display = ["path", "lines", "title", "locator", "store", "turn", "source"]
    list_select_related = ["turn", "source"]
    search_fields = ["path", "title", "locator", "store"]
    ordering = ["-pk"]
    list_per_page = _PER_PAGE
