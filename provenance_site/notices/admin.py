"""Notices and their ways in the admin: to look at. No secret is in a list or on a page."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from provenance_site.notices.models import FeedAddress, Notice, Webhook, WebhookDelivery


@admin.register(Notice)
class NoticeAdmin(ScopedAdmin[Notice]):
    """Who was told what."""

    list_display = ["kind", "user", "at", "read_at", "mailed_at"]
    list_filter = ["kind"]
    list_select_related = ["user"]
    search_fields = ["user__username"]
    search_help_text = "A user name."


@admin.register(FeedAddress)
class FeedAddressAdmin(ScopedAdmin[FeedAddress]):
    """Who has feeds."""

    list_display = ["name", "prefix", "user", "created_at", "last_used_at", "revoked_at"]
    list_select_related = ["user"]
    search_fields = ["name", "user__username"]
    exclude = ["key_hash"]
    ordering = ["-pk"]


@admin.register(Webhook)
class WebhookAdmin(ScopedAdmin[Webhook]):
    """Where workspaces have programs told."""

    list_display = ["workspace", "set_by", "set_at"]
    list_select_related = ["workspace", "set_by"]
    search_fields = ["workspace__name"]
    exclude = ["sealed_secret"]
    ordering = ["-pk"]


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ScopedAdmin[WebhookDelivery]):
    """What they were told."""

    workspace_path = "webhook__workspace"
    list_display = ["event_id", "kind", "state", "attempts", "status", "created_at", "ended_at"]
    list_filter = ["state", "kind"]
    search_fields = ["event_id", "key"]
    ordering = ["-pk"]
