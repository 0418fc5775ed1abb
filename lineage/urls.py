"""Addresses of lineage."""

from django.urls import path

from lineage.views import measures

urlpatterns = [
    path("measures/", measures.dashboard, name="lineage-measures"),
    path("measures/<slug:measure>/", measures.behind, name="lineage-measure"),
]
