"""Addresses of the inbox and of the other ways on which a person is told."""

from django.urls import path

from provenance_site.notices.views import inbox, ways

urlpatterns = [
    path("", inbox.inbox, name="notices"),
    path("read/", inbox.read, name="notices-read"),
    path("<int:pk>/read/", inbox.read, name="notice-read"),
    path("feed/", inbox.feed, name="notice-feed"),
    path("settings/", ways.settings, name="notice-settings"),
    path("feeds/new/", ways.feed_new, name="feed-new"),
    path("feeds/<int:pk>/end/", ways.feed_end, name="feed-end"),
    path("webhook/", ways.webhook, name="webhook"),
    path("webhook/secret/", ways.webhook_secret, name="webhook-secret"),
    path("webhook/test/", ways.webhook_test, name="webhook-test"),
    path("webhook/<int:pk>/again/", ways.webhook_try_again, name="webhook-again"),
    path("webhook/remove/", ways.webhook_remove, name="webhook-remove"),
]
