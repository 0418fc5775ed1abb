"""Notices in the admin: to look at."""

from django.contrib import admin

from provenance_site.accounts.scoped_admin import ScopedAdmin
from provenance_site.notices.models import Notice


@admin.register(Notice)
class NoticeAdmin(ScopedAdmin[Notice]):
    """Who was told what."""

    list_display = ["kind", "user", "at", "read_at"]
    list_filter = ["kind"]
    list_select_related = ["user"]
    search_fields = ["user__username"]
    search_help_text = "A user name."
