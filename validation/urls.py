"""Addresses of checks."""

from django.urls import path

from validation.views import runs

urlpatterns = [
    path("p/<uuid:uuid>/runs/", runs.project_runs, name="project-runs"),
    path("runs/<uuid:uuid>/", runs.run, name="run"),
    path("runs/<uuid:uuid>/progress/", runs.run_progress, name="run-progress"),
    path("runs/<uuid:uuid>/cancel/", runs.run_cancel, name="run-cancel"),
]
