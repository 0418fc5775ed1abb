"""What a workspace adds to the rules, in the admin: to look at. It is changed on its own screen only."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from provenance_site.kit.readonly import ReadOnlyAdmin
from validation.models import (
    CheckRun,
    HarvestRequest,
    HarvestRun,
    OwnPattern,
    OwnPublisher,
    ProviderKey,
    RetractionFeed,
    RetractionSnapshot,
    ShipCheck,
    SpotCheck,
)


@admin.register(CheckRun)
class CheckRunAdmin(ScopedAdmin[CheckRun]):
    """Runs by project; what each item came to stands with the job."""

    workspace_path = "project__workspace"
    list_display = ["job", "project", "rules_version"]
    list_select_related = ["job", "project"]
    search_fields = ["project__name", "job__title"]
    ordering = ["-pk"]


@admin.register(HarvestRun)
class HarvestRunAdmin(ScopedAdmin[HarvestRun]):
    """Harvests by project, with what they have spent."""

    workspace_path = "project__workspace"
    list_display = ["project", "mode", "state", "calls_spent", "candidates_spent", "created_by", "created_at"]
    list_filter = ["state", "mode"]
    list_select_related = ["project", "created_by"]
    search_fields = ["project__name"]
    ordering = ["-pk"]


@admin.register(HarvestRequest)
class HarvestRequestAdmin(ScopedAdmin[HarvestRequest]):
    """Claims and links of drafts that want a source."""

    workspace_path = "draft__project__workspace"
    list_display = ["claim", "draft", "kind", "state", "attempts", "asked_by", "asked_at"]
    list_filter = ["state", "kind"]
    list_select_related = ["draft", "asked_by"]
    search_fields = ["claim", "url", "draft__name"]
    ordering = ["-pk"]


@admin.register(ShipCheck)
class ShipCheckAdmin(ScopedAdmin[ShipCheck]):
    """Ship checks by project, with what they decided."""

    workspace_path = "project__workspace"
    list_display = ["document", "project", "decision", "verified", "total"]
    list_filter = ["decision"]
    list_select_related = ["project", "job"]
    search_fields = ["document", "project__name", "sha256"]
    ordering = ["-pk"]


@admin.register(SpotCheck)
class SpotCheckAdmin(ScopedAdmin[SpotCheck]):
    """What persons said of drawn links."""

    workspace_path = "check_made__project__workspace"
    list_display = ["link", "check_made", "result", "note", "by", "at"]
    list_filter = ["result"]
    list_select_related = ["link", "check_made", "by"]
    search_fields = ["link__address", "note"]
    ordering = ["-pk"]


@admin.register(ProviderKey)
class ProviderKeyAdmin(ScopedAdmin[ProviderKey]):
    """Search providers of workspaces; never the key, not even sealed."""

    list_display = ["provider", "workspace", "hint", "set_by", "set_at"]
    list_select_related = ["workspace", "set_by"]
    search_fields = ["provider"]
    exclude = ["sealed"]
    ordering = ["-pk"]


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


@admin.register(RetractionSnapshot)
class RetractionSnapshotAdmin(ReadOnlyAdmin[RetractionSnapshot]):
    """Exports of Retraction Watch, taken in or refused. They are of no workspace; the Feeds page takes one in."""

    list_display = ["label", "rows", "statements", "started_at", "completed_at", "refused"]
    search_fields = ["label", "sha256", "refused"]
    exclude = ["record_ids"]
    ordering = ["-pk"]


@admin.register(RetractionFeed)
class RetractionFeedAdmin(ReadOnlyAdmin[RetractionFeed]):
    """How far each stream of changes is read, and why it is not read further."""

    list_display = ["provider", "succeeded_at", "attempted_at", "retry_at", "problem"]
    search_fields = ["provider", "problem"]
    ordering = ["provider"]
