"""Addresses of the inbox."""

from django.urls import path

from provenance_site.notices import views

urlpatterns = [
    path("", views.inbox, name="notices"),
    path("read/", views.read, name="notices-read"),
    path("<int:pk>/read/", views.read, name="notice-read"),
]
