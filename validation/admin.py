"""What a workspace adds to the rules, in the admin: to look at. It is changed on its own screen only."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from validation.models import OwnPattern, OwnPublisher


@admin.register(OwnPublisher)
class OwnPublisherAdmin(ScopedAdmin[OwnPublisher]):
    """Own publishers by name."""

    list_display = ["name", "workspace", "enabled", "created_by", "created_at"]
    list_filter = ["enabled"]
    list_select_related = ["workspace", "created_by"]
    search_fields = ["name"]


@admin.register(OwnPattern)
class OwnPatternAdmin(ScopedAdmin[OwnPattern]):
    """Own patterns by name."""

    list_display = ["name", "pattern", "workspace", "enabled", "created_by", "created_at"]
    list_filter = ["enabled"]
    list_select_related = ["workspace", "created_by"]
    search_fields = ["name", "pattern"]
